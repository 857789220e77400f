//! Talking in a session, hearing the answer again, and stopping it.
//!
//! - `asked`: what somebody wants, whichever body it came in.

pub(crate) mod asked;

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::time::timeout;
use unsaid_app::answer::new_message_id;
use unsaid_app::call::Call;
use unsaid_app::logs::Log;
use unsaid_app::session::talk::{Answering, Talk};
use unsaid_app::session::{own, own_active, place};
use unsaid_app::stop::Stopped;
use unsaid_app::world::talk::is_settled;
use unsaid_core::domain::id::{MessageId, SessionId};
use unsaid_core::domain::person::Person;
use unsaid_core::domain::session::Session;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::keys::KeyUse;
use utoipa::ToSchema;

use self::asked::{Asked, Body, ChatBody, read};
use crate::auth::SignedIn;
use crate::chat::open_streams::OpenStream;
use crate::chat::stream::{Hearing, StreamEvent, again, live};
use crate::error::{ApiError, Code};
use crate::idempotency::{Keyed, KeyedBody, KeyedCall};
use crate::input::field::SessionUuid;
use crate::input::path::PathOf;
use crate::openapi::word;
use crate::state::AppState;

/// How long a turn that was stopped may take to notice.
const FALLS_SILENT_WITHIN: Duration = Duration::from_secs(5);
/// Remembered of a stop that stopped something.
const STOPPED: &str = "stopped";

/// Says something in a session, or asks for another answer.
///
/// Takes our own body or that of the AI SDK's `useChat`.
#[utoipa::path(
    post, path = "/api/chat", operation_id = "chat", tag = "session",
    params(KeyedCall), request_body = ChatBody,
    responses(
        (status = 200, description = "The answer as it comes: frames of the AI SDK's UI message stream",
            body = StreamEvent, content_type = "text/event-stream"),
        (status = 400, description = "INVALID_MESSAGE_TYPE"),
        (status = 404, description = "SESSION_NOT_FOUND, MESSAGE_NOT_FOUND"),
        (status = 409, description = "SESSION_NOT_ACTIVE, VERSION_CONFLICT"),
        (status = 423, description = "SESSION_BUSY"),
    ),
)]
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

/// Hears the answer that is being given, from its beginning.
#[utoipa::path(
    get, path = "/api/chat/{session_id}/stream", operation_id = "resume", tag = "session",
    params(SessionUuid),
    responses(
        (status = 200, description = "The answer as it comes: frames of the AI SDK's UI message stream",
            body = StreamEvent, content_type = "text/event-stream"),
        (status = 204, description = "Nothing is being answered"),
        (status = 404, description = "SESSION_NOT_FOUND"),
    ),
)]
pub(crate) async fn resume(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
) -> Result<Response, ApiError> {
    let session = own(&*state.store, &caller.person.id, &id).await?;
    let key = place(&session).conversation().clone();
    let sessions = &state.sessions;
    let ear = sessions.speeches.listen(&id);
    let asked = sessions.logs.asked(&key).await?;
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

#[derive(Serialize, ToSchema)]
#[schema(as = Stopped)]
pub(crate) struct StopAnswer {
    #[schema(schema_with = word::ok)]
    status: &'static str,
    /// Whether there was an answer to stop.
    stopped: bool,
}

impl StopAnswer {
    /// Whether there was something to stop.
    pub(crate) fn of(stopped: bool) -> Self {
        Self { status: "ok", stopped }
    }

    /// The same call again stops nothing, and is told what the first one did (H3).
    pub(crate) fn again(used: &KeyUse) -> Self {
        Self::of(used.ids.iter().any(|id| id == STOPPED))
    }

    /// Remembered with the key of the call, if it has one.
    pub(crate) async fn remembered(
        self,
        keyed: &Keyed,
        state: &AppState,
        person: &Person,
    ) -> Result<Self, ApiError> {
        let ids = self.stopped.then(|| STOPPED.to_owned()).into_iter().collect();
        keyed.done(state, person, person.consent.is_on(), ids).await?;
        Ok(self)
    }
}

/// Stops the answer that is being given.
#[utoipa::path(
    post, path = "/api/chat/{session_id}/stop", operation_id = "stop", tag = "session",
    params(SessionUuid, KeyedCall),
    responses(
        (status = 200, description = "Nothing more is said", body = StopAnswer),
        (status = 404, description = "SESSION_NOT_FOUND"),
    ),
)]
pub(crate) async fn stop(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
    KeyedCall(keyed): KeyedCall,
) -> Result<Json<StopAnswer>, ApiError> {
    let session = own(&*state.store, &caller.person.id, &id).await?;
    if let Some(used) = keyed.before(&state, &caller.person).await? {
        return Ok(Json(StopAnswer::again(&used)));
    }
    let call = Call::new(place(&session), state.clock.now());
    let ear = state.sessions.speeches.listen(&id);
    let stopped = state.sessions.logs.stop(call).await? == Stopped::Stopped;
    if let Some(ear) = ear.filter(|_| stopped) {
        // Whoever has stopped it may ask again at once. Nothing depends on how long it takes.
        timeout(FALLS_SILENT_WITHIN, ear.hear_out()).await.unwrap_or_default();
    }
    StopAnswer::of(stopped).remembered(&keyed, &state, &caller.person).await.map(Json)
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
        let spare = new_message_id(&*self.state.chance);
        // A repeat of this call is told by its question: the answer of now will be gone.
        let question = self.talk(&spare).question(id.as_ref()).await?;
        let (_, question) = question.ok_or(Code::MESSAGE_NOT_FOUND)?;
        let question = question.message.id;
        let answering = self.talk(&question).regenerate(Some(&question)).await?;
        self.hear(answering).await
    }

    /// Which of a client's ids mean something here: an answer that failed has one of its own.
    async fn known(&self, id: Option<MessageId>) -> Result<Option<MessageId>, StoreError> {
        let Some(id) = id else { return Ok(None) };
        Ok(self.talk(&id).find(&id).await?.map(|_| id))
    }

    async fn said_before(self, question: MessageId, words: Words) -> Result<Response, ApiError> {
        let stored = self.talk(&question).find(&question).await?;
        let is_same = stored.is_some_and(|(_, entry)| entry.message.text() == words.as_str());
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
        // Looked at first: an answer that is not there then is still to come.
        let is_owed = self.is_owed(&question).await?;
        let answer = talk.answer_to(&question).await?;
        let hearing = self.hearing(question, log);
        Ok(match (answer, ear) {
            (Some((_, answer)), _) => again(hearing, Some(&answer)),
            (None, Some(ear)) => live(hearing, Some(ear)),
            (None, None) if is_owed => live(hearing, None),
            (None, None) => again(hearing, None),
        })
    }

    /// Whether somebody answers it, here or at another server, or is about to.
    async fn is_owed(&self, question: &MessageId) -> Result<bool, StoreError> {
        let Some((log, _)) = self.talk(question).find(question).await? else { return Ok(false) };
        let history = &*self.state.sessions.logs.side(log).history;
        Ok(!is_settled(history, place(&self.session).conversation(), question).await?)
    }

    async fn hear(self, answering: Answering) -> Result<Response, ApiError> {
        match answering {
            Answering::Before { question } => self.again(question).await,
            Answering::Live { log, question, ear } => {
                if log == Log::Volatile || !self.person.consent.is_on() {
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

    /// With the key of this call, under which this message is remembered; not with the conversation of
    /// somebody who wants nothing kept.
    fn talk(&self, question: &MessageId) -> Talk<'_> {
        let sessions = &self.state.sessions;
        let ids = vec![question.to_string()];
        let key_use = self.keyed.key_use(&self.person, self.now, StatusCode::OK.as_u16(), ids);
        Talk {
            logs: &sessions.logs,
            speeches: &sessions.speeches,
            person: &self.person,
            session: &self.session,
            now: self.now,
            once: key_use.filter(|_| self.person.consent.is_on()),
        }
    }
}

fn open_stream(state: &AppState, person: &Person) -> Result<OpenStream, ApiError> {
    let opened = state.sessions.streams.open(&person.id);
    opened.ok_or_else(|| ApiError::new(Code::RATE_LIMITED).with_retry(5))
}
