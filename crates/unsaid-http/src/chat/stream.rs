//! An answer as the AI SDK's UI message stream: one JSON object a frame, then `[DONE]`.
//!
//! Only keys that its strict schemas know are used; what else is to be said goes into `data-stored`.
//! Whoever leaves stops nothing: the turn goes on, and can be heard again from its beginning.

use std::collections::VecDeque;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde::Serialize;
use tokio::time::{Instant, sleep, timeout_at};
use unsaid_app::answer::speech::{Ear, Heard, SpeechEnd};
use unsaid_app::logs::Log;
use unsaid_app::session::place;
use unsaid_app::session::talk::Talk;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::MessageId;
use unsaid_core::domain::person::Person;
use unsaid_core::domain::session::Session;
use unsaid_core::port::error::StoreError;
use utoipa::ToSchema;

use super::open_streams::OpenStream;
use crate::error::Code;
use crate::state::AppState;
use crate::stored::Stored;

const PROTOCOL: HeaderName = HeaderName::from_static("x-vercel-ai-ui-message-stream");
const NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// A comment so often keeps proxies from hanging up.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A turn that runs on another server is looked for so often.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How much longer than a turn somebody waits for it.
const SLACK: Duration = Duration::from_secs(30);
/// An answer is one text, and needs one name for it.
const TEXT: &str = "text";
const DONE: &str = "[DONE]";

/// What a client is told.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Frame<'a> {
    Start { message_id: &'a MessageId },
    TextStart { id: &'static str },
    TextDelta { id: &'static str, delta: &'a str },
    TextEnd { id: &'static str },
    DataStored { data: Exchange, transient: bool },
    Finish,
    Abort,
    Error { error_text: &'a str },
}

/// Whether both halves of an exchange were kept.
#[derive(Serialize)]
struct Exchange {
    stored: bool,
    user_message_id: Option<MessageId>,
    assistant_message_id: Option<MessageId>,
}

/// What every event of a stream looks like, for whoever reads about it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "says what is sent, and is never made")]
pub(crate) struct StreamEvent {
    /// A part of the AI SDK's UI message stream in JSON, and at the end `[DONE]`.
    data: String,
}

/// Who hears what.
pub(crate) struct Hearing {
    /// The house.
    pub(crate) state: AppState,
    /// Who hears.
    pub(crate) person: Person,
    /// Where.
    pub(crate) session: Session,
    /// What is answered, if that is known.
    pub(crate) question: Option<MessageId>,
    /// In which log both are.
    pub(crate) log: Log,
    /// Counts among the person's streams.
    #[expect(dead_code, reason = "held until the stream ends")]
    pub(crate) open: OpenStream,
}

/// An answer that is being given, here if there is an ear for it.
pub(crate) fn live(hearing: Hearing, ear: Option<Ear>) -> Response {
    let until = Instant::now() + hearing.state.sessions.turn_max + SLACK;
    respond(Frames::new(hearing, ear, until))
}

/// An answer that was given.
pub(crate) fn again(hearing: Hearing, answer: Option<&Entry>) -> Response {
    let mut frames = Frames::new(hearing, None, Instant::now());
    match answer {
        Some(answer) => frames.whole(answer),
        None => frames.fails("The question was not answered"),
    }
    respond(frames)
}

/// How far the text has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    None,
    Open,
    /// Nothing follows.
    Over,
}

struct Frames {
    hearing: Hearing,
    ear: Option<Ear>,
    until: Instant,
    queue: VecDeque<String>,
    answer: Option<MessageId>,
    text: Text,
}

fn respond(frames: Frames) -> Response {
    let stored = frames.hearing.log.is_kept();
    let frames = unfold(frames, async |mut frames| {
        let frame = frames.next().await?;
        Some((Ok::<_, StoreError>(Event::default().data(frame)), frames))
    });
    let mut response =
        Sse::new(frames).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response();
    let headers = response.headers_mut();
    headers.insert(PROTOCOL, HeaderValue::from_static("v1"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(NO_BUFFERING, HeaderValue::from_static("no"));
    Stored(stored, response).into_response()
}

impl Frames {
    fn new(hearing: Hearing, ear: Option<Ear>, until: Instant) -> Self {
        Self { hearing, ear, until, queue: VecDeque::new(), answer: None, text: Text::None }
    }

    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(frame) = self.queue.pop_front() {
                return Some(frame);
            }
            if self.text == Text::Over {
                return None;
            }
            self.hear().await;
        }
    }

    /// Waits for more, and queues what is to be said about it.
    async fn hear(&mut self) {
        let Some(ear) = &mut self.ear else { return self.hear_from_the_log().await };
        match timeout_at(self.until, ear.next()).await {
            Ok(Some(Heard::Begins(id))) => self.starts(&id),
            Ok(Some(Heard::More(words))) => self.more(words.as_str()),
            Ok(Some(Heard::Ends(end))) => self.ends(end),
            // The turn is given by another server, or not at all: the log knows.
            Ok(None) => self.ear = None,
            Err(_) => self.fails("The answer took too long"),
        }
    }

    /// Waits until nobody answers any more, and says what was answered.
    async fn hear_from_the_log(&mut self) {
        match self.answered_elsewhere().await {
            Ok(Some(answer)) => self.whole(&answer),
            Ok(None) => self.aborts(),
            Err(error) => {
                tracing::warn!(error = error.name(), "storage_read");
                self.fails(Code::STORAGE_UNAVAILABLE.sentence());
            }
        }
    }

    async fn answered_elsewhere(&mut self) -> Result<Option<Entry>, StoreError> {
        let Hearing { state, person, session, question, .. } = &self.hearing;
        let key = place(session).conversation().clone();
        let logs = &state.sessions.logs;
        while Instant::now() < self.until && logs.asked(&key).await?.is_some() {
            sleep(LOOK_EVERY).await;
        }
        let Some(question) = question else { return Ok(None) };
        let (speeches, now) = (&state.sessions.speeches, state.clock.now());
        let talk = Talk { logs, speeches, person, session, now, once: None };
        Ok(talk.answer_to(question).await?.map(|(_, answer)| answer))
    }

    fn starts(&mut self, id: &MessageId) {
        // What began before is void; a client is told so by an end.
        if self.answer.is_some() {
            return self.aborts();
        }
        self.answer = Some(id.clone());
        self.say(&Frame::Start { message_id: id });
    }

    fn more(&mut self, words: &str) {
        if self.text == Text::None {
            self.text = Text::Open;
            self.say(&Frame::TextStart { id: TEXT });
        }
        self.say(&Frame::TextDelta { id: TEXT, delta: words });
    }

    fn ends(&mut self, end: SpeechEnd) {
        match end {
            SpeechEnd::Kept => self.finishes(self.hearing.log == Log::Kept),
            SpeechEnd::NotKept => self.finishes(false),
            SpeechEnd::Failed(code) => self.fails(sentence(code)),
            SpeechEnd::Silent | SpeechEnd::Cancelled => self.aborts(),
            SpeechEnd::HandedBack => self.fails("The server is restarting"),
        }
    }

    /// The answer is whole. A half that is not kept is not named.
    fn finishes(&mut self, is_kept: bool) {
        if self.text == Text::Open {
            self.say(&Frame::TextEnd { id: TEXT });
        }
        let question = self.hearing.question.clone().filter(|_| self.hearing.log == Log::Kept);
        let answer = self.answer.clone().filter(|_| is_kept);
        let data =
            Exchange { stored: is_kept, user_message_id: question, assistant_message_id: answer };
        self.say(&Frame::DataStored { data, transient: true });
        self.say(&Frame::Finish);
        self.is_over();
    }

    /// An answer that is in the log.
    fn whole(&mut self, answer: &Entry) {
        if self.answer.is_none() {
            self.starts(&answer.message.id);
        }
        self.more(&answer.message.text());
        self.finishes(self.hearing.log == Log::Kept);
    }

    /// Nothing more of it is said, and nothing of it is kept.
    fn aborts(&mut self) {
        self.say(&Frame::Abort);
        self.is_over();
    }

    fn fails(&mut self, sentence: &str) {
        self.say(&Frame::Error { error_text: sentence });
        self.is_over();
    }

    fn is_over(&mut self) {
        self.queue.push_back(DONE.to_owned());
        self.text = Text::Over;
    }

    fn say(&mut self, frame: &Frame<'_>) {
        // A frame of texts and ids can always be written.
        self.queue.push_back(serde_json::to_string(frame).unwrap_or_default());
    }
}

/// What people are told about a turn that failed. What the model's server said is not repeated.
pub(crate) fn sentence(code: &str) -> &'static str {
    match code {
        "turn_timeout" => "The answer took too long",
        "no_consent" => "History storage was switched off meanwhile; send it again",
        _ => of_turn(code).sentence(),
    }
}

/// What broke a turn: what is kept, or what thinks.
pub(crate) fn of_turn(code: &str) -> Code {
    if code.starts_with("storage") { Code::STORAGE_UNAVAILABLE } else { Code::MODEL_UNAVAILABLE }
}
