//! Talking in a session, hearing the answer again, and stopping it.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::timeout;
use unsaid_app::answer::new_message_id;
use unsaid_app::call::Call;
use unsaid_app::logs::Log;
use unsaid_app::session::talk::{Answering, Talk};
use unsaid_app::session::{own, own_active, place};
use unsaid_app::stop::Stopped;
use unsaid_core::domain::id::{MessageId, SessionId};
use unsaid_core::domain::person::Person;
use unsaid_core::domain::session::Session;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::error::StoreError;

use super::session::text_of;
use crate::auth::SignedIn;
use crate::chat::open_streams::OpenStream;
use crate::chat::stream::{Hearing, again, live};
use crate::error::{ApiError, Code};
use crate::idempotency::{Keyed, KeyedBody, KeyedCall};
use crate::input::field::{ClientId, SessionUuid};
use crate::input::invalid;
use crate::input::path::PathOf;
use crate::state::AppState;

/// How long a turn that was stopped may take to notice.
const FALLS_SILENT_WITHIN: Duration = Duration::from_secs(5);

/// Either our own body or that of `useChat`; which of them is told by `messages`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Body {
    session_id: Option<SessionUuid>,
    message: Option<String>,
    client_message_id: Option<ClientId>,
    id: Option<SessionUuid>,
    messages: Option<Vec<UiMessage>>,
    trigger: Option<Trigger>,
    #[serde(rename = "messageId")]
    message_id: Option<ClientId>,
}

/// A message as a client has it; only the last one of a person counts, and the rest is the client's.
#[derive(Deserialize)]
struct UiMessage {
    #[serde(default)]
    id: Option<ClientId>,
    role: String,
    #[serde(default)]
    parts: Vec<Value>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Trigger {
    SubmitMessage,
    RegenerateMessage,
}

/// What is asked for, whichever body it came in.
enum Asked {
    /// Something new; the same id again is the same message.
    Say { id: Option<MessageId>, words: Words },
    /// What a client submits: its own message, new or instead of the stored one.
    Submit { id: Option<MessageId>, words: Words },
    /// Another answer than this one, or to this question, or to the last.
    Regenerate { of: Option<MessageId>, question: Option<MessageId> },
}

/// `POST /api/chat`
pub(crate) async fn chat(
    State(state): State<AppState>,
    caller: SignedIn,
    KeyedBody(keyed, body): KeyedBody<Body>,
) -> Result<Response, ApiError> {
    let (id, asked) = read(&state, body)?;
    let turn = Turn::of(state, caller.person, &id, keyed).await?;
    match asked {
        Asked::Say { id, words } => turn.say(id, words).await,
        Asked::Submit { id, words } => turn.submit(id, words).await,
        Asked::Regenerate { of, question } => turn.regenerate(of, question).await,
    }
}

/// `GET /api/chat/{session}/stream`
pub(crate) async fn resume(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
) -> Result<Response, ApiError> {
    let session = own(&*state.store, &caller.person.id, &id).await?;
    let key = place(&session).conversation().clone();
    let sessions = &state.sessions;
    let ear = sessions.speeches.listen(&id);
    let asked = sessions.logs.asked(&key, state.clock.now()).await?;
    let (log, question) = match (&ear, asked) {
        (_, Some((log, question))) => (log, Some(question)),
        // It is about to begin, and has not begun yet.
        (Some(_), None) if caller.person.consent.is_on() => (Log::Kept, None),
        (Some(_), None) => (Log::Volatile, None),
        (None, None) => return Ok(StatusCode::NO_CONTENT.into_response()),
    };
    let open = open_stream(&state, &caller.person)?;
    let hearing =
        Hearing { state: state.clone(), person: caller.person, session, question, log, open };
    Ok(live(hearing, ear))
}

#[derive(Serialize)]
pub(crate) struct StopAnswer {
    status: &'static str,
    stopped: bool,
}

/// `POST /api/chat/{session}/stop`
pub(crate) async fn stop(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
    // Stopping twice stops nothing the second time, with or without a key.
    _keyed: KeyedCall,
) -> Result<Json<StopAnswer>, ApiError> {
    let session = own(&*state.store, &caller.person.id, &id).await?;
    let call = Call::new(place(&session), state.clock.now());
    let ear = state.sessions.speeches.listen(&id);
    let stopped = state.sessions.logs.stop(call).await? == Stopped::Stopped;
    if let Some(ear) = ear.filter(|_| stopped) {
        // Whoever has stopped it may ask again at once. Nothing depends on how long it takes.
        timeout(FALLS_SILENT_WITHIN, ear.hear_out()).await.unwrap_or_default();
    }
    Ok(Json(StopAnswer { status: "ok", stopped }))
}

/// One call that wants an answer in a session of the caller that is active.
pub(crate) struct Turn {
    state: AppState,
    person: Person,
    session: Session,
    keyed: Keyed,
    open: OpenStream,
    now: Timestamp,
}

impl Turn {
    pub(crate) async fn of(
        state: AppState,
        person: Person,
        id: &SessionId,
        keyed: Keyed,
    ) -> Result<Self, ApiError> {
        let now = state.clock.now();
        let experts = &state.sessions.experts;
        let session = own_active(&*state.store, experts, &person.id, id, now).await?;
        let open = open_stream(&state, &person)?;
        Ok(Self { state, person, session, keyed, open, now })
    }

    /// Says something. An id that is known is the same message, sent again; with other words it is
    /// that message, edited.
    async fn say(self, id: Option<MessageId>, words: Words) -> Result<Response, ApiError> {
        if let Some(question) = self.before().await? {
            return self.again(question).await;
        }
        let id = id.unwrap_or_else(|| new_message_id(&*self.state.chance));
        match self.talk(&id).say(id.clone(), words.clone()).await? {
            Answering::Before { question } => self.said_before(question, words).await,
            new @ Answering::Live { .. } => self.hear(new).await,
        }
    }

    /// What a client submits: an edit if it is the id of a person's message that is there.
    async fn submit(self, id: Option<MessageId>, words: Words) -> Result<Response, ApiError> {
        let known = match &id {
            Some(id) => self.talk(id).find(id).await?,
            None => None,
        };
        match (known, id) {
            (Some(_), Some(id)) => self.edit(id, words).await,
            (_, id) => self.say(id, words).await,
        }
    }

    /// Says something else instead.
    pub(crate) async fn edit(self, id: MessageId, words: Words) -> Result<Response, ApiError> {
        if let Some(question) = self.before().await? {
            return self.again(question).await;
        }
        let answering = self.talk(&id).edit(id.clone(), words).await?;
        self.hear(answering).await
    }

    async fn regenerate(
        self,
        of: Option<MessageId>,
        question: Option<MessageId>,
    ) -> Result<Response, ApiError> {
        if let Some(question) = self.before().await? {
            return self.again(question).await;
        }
        let id = self.known(of).await?.or(self.known(question).await?);
        let named = id.clone().unwrap_or_else(|| new_message_id(&*self.state.chance));
        let answering = self.talk(&named).regenerate(id.as_ref()).await?;
        self.hear(answering).await
    }

    /// Which of a client's ids mean something here: an answer that failed has one of its own.
    async fn known(&self, id: Option<MessageId>) -> Result<Option<MessageId>, StoreError> {
        let Some(id) = id else { return Ok(None) };
        Ok(self.talk(&id).find(&id).await?.map(|_| id))
    }

    async fn said_before(self, question: MessageId, words: Words) -> Result<Response, ApiError> {
        let stored = self.talk(&question).find(&question).await?;
        let is_same = stored.is_some_and(|(_, entry)| text_of(&entry.message) == words.as_str());
        if !is_same {
            return self.edit(question, words).await;
        }
        let answered = self.talk(&question).answer_to(&question).await?.is_some();
        let running = self.state.sessions.speeches.listen(&self.session.id).is_some();
        if answered || running {
            return self.again(question).await;
        }
        self.edit(question, words).await
    }

    /// What this call did when it was made before.
    async fn before(&self) -> Result<Option<MessageId>, ApiError> {
        let before = self.keyed.before(&self.state, &self.person).await?;
        Ok(before.and_then(|used| MessageId::new(used.ids.first()?.as_str()).ok()))
    }

    /// Hears the answer to something that was said before: as it comes, or from the log.
    async fn again(self, question: MessageId) -> Result<Response, ApiError> {
        let ear = self.state.sessions.speeches.listen(&self.session.id);
        let talk = self.talk(&question);
        let log = talk.find(&question).await?.map_or(Log::Volatile, |(log, _)| log);
        let answer = talk.answer_to(&question).await?;
        let hearing = self.hearing(question, log);
        Ok(match (answer, ear) {
            (Some((_, answer)), _) => again(hearing, Some(&answer)),
            (None, Some(ear)) => live(hearing, Some(ear)),
            (None, None) => again(hearing, None),
        })
    }

    async fn hear(self, answering: Answering) -> Result<Response, ApiError> {
        match answering {
            Answering::Before { question } => self.again(question).await,
            Answering::Live { log, question, ear } => {
                if log == Log::Volatile {
                    let ids = vec![question.to_string()];
                    self.keyed.done(&self.state, &self.person, false, ids).await?;
                }
                Ok(live(self.hearing(question, log), Some(ear)))
            }
        }
    }

    fn hearing(self, question: MessageId, log: Log) -> Hearing {
        let Self { state, person, session, open, .. } = self;
        Hearing { state, person, session, question: Some(question), log, open }
    }

    /// With the key of this call, under which this message is remembered.
    fn talk(&self, question: &MessageId) -> Talk<'_> {
        let sessions = &self.state.sessions;
        let ids = vec![question.to_string()];
        Talk {
            logs: &sessions.logs,
            speeches: &sessions.speeches,
            person: &self.person,
            session: &self.session,
            now: self.now,
            once: self.keyed.key_use(&self.person, self.now, StatusCode::OK.as_u16(), ids),
        }
    }
}

/// The words of a message, within the limit.
pub(crate) fn words(state: &AppState, field: &str, text: String) -> Result<Words, ApiError> {
    if text.trim().is_empty() {
        return Err(invalid(field, "is empty"));
    }
    let words = Words::bounded(text, state.limits.message_chars);
    words.map_err(|error| invalid(field, &error.to_string()))
}

fn open_stream(state: &AppState, person: &Person) -> Result<OpenStream, ApiError> {
    let opened = state.sessions.streams.open(&person.id);
    opened.ok_or_else(|| ApiError::new(Code::RATE_LIMITED).with_retry(5))
}

fn read(state: &AppState, body: Body) -> Result<(SessionId, Asked), ApiError> {
    match body {
        Body {
            messages: Some(messages),
            session_id: None,
            message: None,
            client_message_id: None,
            id,
            trigger,
            message_id,
        } => {
            let SessionUuid(id) = id.ok_or_else(|| invalid("id", "missing"))?;
            let trigger = trigger.unwrap_or(Trigger::SubmitMessage);
            Ok((id, from_client(state, messages, trigger, message_id)?))
        }
        Body {
            messages: None,
            id: None,
            trigger: None,
            message_id: None,
            session_id,
            message,
            client_message_id,
        } => {
            let SessionUuid(id) = session_id.ok_or_else(|| invalid("session_id", "missing"))?;
            let text = message.ok_or_else(|| invalid("message", "missing"))?;
            let words = words(state, "message", text)?;
            Ok((id, Asked::Say { id: client_message_id.map(ClientId::into_inner), words }))
        }
        Body { messages: Some(_), .. } => {
            Err(invalid("messages", "does not go with session_id, message or client_message_id"))
        }
        Body { .. } => Err(invalid("messages", "missing")),
    }
}

fn from_client(
    state: &AppState,
    messages: Vec<UiMessage>,
    trigger: Trigger,
    named: Option<ClientId>,
) -> Result<Asked, ApiError> {
    let named = named.map(ClientId::into_inner);
    let last = messages.into_iter().rfind(|message| message.role == "user");
    let last = last.ok_or_else(|| invalid("messages", "has no message of a user"));
    match trigger {
        Trigger::RegenerateMessage => {
            let question = last.ok().and_then(|last| last.id).map(ClientId::into_inner);
            Ok(Asked::Regenerate { of: named, question })
        }
        Trigger::SubmitMessage => {
            let last = last?;
            let words = words(state, "messages", text(&last.parts)?)?;
            Ok(Asked::Submit { id: named.or(last.id.map(ClientId::into_inner)), words })
        }
    }
}

/// Texts only: a session takes no files.
fn text(parts: &[Value]) -> Result<String, ApiError> {
    let mut texts = Vec::new();
    for part in parts {
        match (part["type"].as_str(), part["text"].as_str()) {
            (Some("text"), Some(text)) => texts.push(text),
            (Some("file"), _) => return Err(invalid("messages", "files are not taken here")),
            _ => {}
        }
    }
    Ok(texts.join("\n"))
}
