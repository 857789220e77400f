//! One chat as it goes on.
//!
//! The table of events is the truth: whatever somebody is told only says that there is something to
//! read there, so nothing is missed, nothing comes twice, and what was taken back is not there any more
//! when it is read. Words that are just being spoken come from memory, and only while they are.
//!
//! - `table`: what is read there. `again`: calls that are repeated. `resume`: listeners that come back.
//!   `speaking`: what is just being spoken. `answered`: whether somebody is still at it.

mod again;
mod answered;
mod resume;
mod speaking;
mod table;

use std::collections::VecDeque;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse as SseBody};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use tokio::time::sleep;
use unsaid_app::event::{Notice, RoundNotice, Watch};
use unsaid_app::logs::Log;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{AgentId, ChatId, EventNumber, MessageId};
use unsaid_core::port::error::StoreError;
use unsaid_core::port::history::History;
use unsaid_core::port::worlds::WorldKey;

use self::again::Replayed;
use self::speaking::{Speaking, next_of};
use super::frame::{Frame, RemovalResult, Sse, SseKind, System, World, WorldKind};
use crate::chat::open_streams::OpenStream;
use crate::chat::stream::of_turn;
use crate::error::Code;
use crate::state::AppState;

const NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// A comment so often keeps proxies from hanging up.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The table is looked at so often even if nobody says that something is new there.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// The same for whoever waits for an answer, which another server may give.
const LOOK_EVERY_WAITING: Duration = Duration::from_secs(1);
/// So many answers are known to be whole; a round has fewer.
const WHOLE_MAX: usize = 100;
/// Events read at a time.
const EVENTS_AT_ONCE: usize = 100;

/// See the module.
pub(crate) struct Follow {
    state: AppState,
    world: WorldKey,
    chat: ChatId,
    watch: Watch,
    /// The newest event of each log when this began: of what came later there are notices.
    begun_at: Newest,
    /// The newest event of each log that was told.
    told: Newest,
    /// The newest event that the listener knows by its number.
    newest: Option<EventNumber>,
    /// Whether what is said is kept, as the listener was told.
    stored: bool,
    speaking: Option<Speaking>,
    /// The answer of which it was said that it begins.
    announced: Option<MessageId>,
    /// It was said that nobody is at it, and nothing happened since.
    is_idle: bool,
    /// Answers that the table had before their notices came: nothing of them is spoken any more.
    whole: VecDeque<MessageId>,
    own: Option<Own>,
    /// The last look found what the listener said answered.
    is_settled: bool,
    /// While a call that is repeated is told what came of it: what that is.
    replayed: Option<Replayed>,
    queue: VecDeque<SseEvent>,
    stage: Stage,
    open: Option<OpenStream>,
}

/// The newest event of each log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Newest {
    pub(crate) kept: EventNumber,
    pub(crate) volatile: EventNumber,
}

impl Newest {
    fn of(&mut self, log: Log) -> &mut EventNumber {
        match log {
            Log::Kept => &mut self.kept,
            Log::Volatile => &mut self.volatile,
        }
    }
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was told yet.
    New,
    /// The same, to somebody who was told some of it before.
    Again,
    /// It goes on.
    Going,
    /// It is answered: only what waits to be heard is told.
    Closing,
    /// Nothing follows.
    Over,
}

/// What the listener said: their stream ends with the answers to it.
pub(crate) struct Own {
    /// Where it is.
    pub(crate) log: Log,
    /// What it is.
    pub(crate) question: MessageId,
    /// From where on everything was removed for it, and what came of that.
    pub(crate) removal: Option<(MessageId, RemovalResult)>,
}

impl Follow {
    /// From now on.
    pub(crate) async fn begin(
        state: &AppState,
        world: WorldKey,
        chat: ChatId,
        stored: bool,
    ) -> Result<Self, StoreError> {
        let key = ConversationKey::Chat(chat.clone());
        // Before the newest event is asked for, so that none falls between.
        let watch = state.watchers.watch_as(&world.owner, &key);
        let speaking = state.worlds.voices.listen(&key).map(Speaking::of);
        let logs = &state.sessions.logs;
        let newest = Newest {
            kept: logs.kept.history.newest_event(&key).await?,
            volatile: logs.volatile.history.newest_event(&key).await?,
        };
        Ok(Self {
            state: state.clone(),
            world,
            chat,
            watch,
            begun_at: newest,
            told: newest,
            newest: None,
            stored,
            speaking,
            announced: None,
            is_idle: false,
            whole: VecDeque::new(),
            own: None,
            is_settled: false,
            replayed: None,
            queue: VecDeque::new(),
            stage: Stage::New,
            open: None,
        })
    }

    /// From a place on in one of the logs, which was the newest when it was noted.
    pub(crate) fn since(mut self, log: Log, number: EventNumber) -> Self {
        *self.told.of(log) = number;
        self.stage = Stage::Again;
        self
    }

    /// The newest events when this began.
    pub(crate) fn newest(&self) -> Newest {
        self.begun_at
    }

    /// Until what the listener said is answered.
    pub(crate) fn until_answered(mut self, own: Own) -> Self {
        self.own = Some(own);
        self
    }

    /// As a response.
    pub(crate) fn respond(mut self, open: OpenStream) -> Response {
        self.open = Some(open);
        let frames = unfold(self, async |mut follow| {
            let frame = follow.next().await?;
            Some((Ok::<_, StoreError>(frame), follow))
        });
        let mut response =
            SseBody::new(frames).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(NO_BUFFERING, HeaderValue::from_static("no"));
        response
    }

    async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some(frame) = self.queue.pop_front() {
                return Some(frame);
            }
            if self.stage == Stage::Over {
                return None;
            }
            if let Err(error) = self.go_on().await {
                tracing::warn!(error = error.name(), "storage_read");
                self.say_failure(Code::STORAGE_UNAVAILABLE);
                self.stage = Stage::Over;
            }
        }
    }

    /// Waits for something, and says what there is to say about it.
    async fn go_on(&mut self) -> Result<(), StoreError> {
        match self.stage {
            Stage::New | Stage::Again => return self.join().await,
            Stage::Going | Stage::Closing | Stage::Over => {}
        }
        let wait = if self.own.is_some() { LOOK_EVERY_WAITING } else { LOOK_EVERY };
        let ear = self.speaking.as_mut().and_then(|speaking| speaking.ear.as_mut());
        tokio::select! {
            biased;
            notice = self.watch.next() => if let Some(notice) = notice {
                self.heed(notice).await?;
                if self.stage == Stage::Closing { self.look_whether_answered().await } else { Ok(()) }
            } else {
                // Too slow, or the server ends: the listener comes back with what it knows.
                self.stage = Stage::Over;
                Ok(())
            },
            heard = next_of(ear) => {
                self.hear(heard);
                Ok(())
            }
            () = sleep(wait) => {
                self.read_and_ask_whether_shown().await?;
                self.look_whether_there().await?;
                self.look_whether_still_answered().await
            }
        }
    }

    /// Says what is new; also that consent has changed, if nothing is.
    async fn read_and_ask_whether_shown(&mut self) -> Result<(), StoreError> {
        self.read().await?;
        self.may_show(Log::Kept).await.map(drop)
    }

    /// What is there already, a part at a time: the next is read when the listener has taken this one.
    async fn join(&mut self) -> Result<(), StoreError> {
        let is_repeated = self.stage == Stage::Again;
        if is_repeated && self.replayed.is_none() {
            self.replayed = Some(self.replayed().await?);
        }
        let first = self.goes_from_memory().await?.then_some(Log::Volatile);
        for log in first.into_iter().chain([Log::Kept, Log::Volatile]) {
            let newest = *self.begun_at.of(log);
            if self.read_some(log, newest).await? {
                return Ok(());
            }
        }
        if self.stage == Stage::Over {
            return Ok(());
        }
        self.stage = Stage::Going;
        if is_repeated {
            // Whoever comes again may be late.
            self.look_whether_answered().await?;
            self.replayed = None;
        } else if self.awaits_removal() {
            // Whoever spoke when this began is cut off by the edit.
            self.speaking = None;
        } else if self.own.is_none() {
            self.is_idle = !self.is_answering().await?;
        }
        if self.stage != Stage::Over {
            self.say_who_speaks();
        }
        Ok(())
    }

    async fn heed(&mut self, notice: Notice) -> Result<(), StoreError> {
        if self.is_unheard(&notice) {
            return Ok(());
        }
        if matches!(notice, Notice::Round(_)) && self.awaits_removal() {
            self.read().await?;
        }
        match notice {
            // No further, so that everything comes in the order in which it happened.
            Notice::Log { number: Some(number), event: _ } => self.read_through(number).await,
            Notice::Log { number: None, event: _ } => self.read().await,
            Notice::Elsewhere | Notice::Dropped => {
                self.read().await?;
                self.look_whether_there().await?;
                self.look_whether_answered().await
            }
            Notice::Owner => self.read_and_ask_whether_shown().await,
            Notice::Round(RoundNotice::Begins(spoken)) => {
                let voice = spoken.listen();
                if self.is_turn_told(voice.fence).await? {
                    self.begins(voice);
                }
                Ok(())
            }
            Notice::Round(RoundNotice::Ends { agent: _, id, end }) => {
                self.ends(&id, end);
                Ok(())
            }
            Notice::Round(RoundNotice::Limit { agent }) => {
                self.say(&Frame::System(System::TurnLimit { agent_id: &agent }));
                Ok(())
            }
            Notice::Round(RoundNotice::NoResponder) => {
                self.say(&Frame::System(System::NoResponder));
                Ok(())
            }
            Notice::Round(RoundNotice::Failed { code }) => {
                self.say_failure(of_turn(code));
                Ok(())
            }
            Notice::Round(RoundNotice::Over) if self.own.is_some() => {
                self.look_whether_answered().await
            }
            // Known: it was looked once more whether anybody waits.
            Notice::Round(RoundNotice::Over) if self.is_idle => Ok(()),
            Notice::Round(RoundNotice::Over) => {
                self.read().await?;
                if self.stage != Stage::Over && !self.is_answering().await? {
                    self.say_world(WorldKind::Idle, Vec::new());
                }
                Ok(())
            }
        }
    }

    fn say(&mut self, frame: &Frame<'_>) {
        self.queue.push_back(frame.event(None));
    }

    fn say_failure(&mut self, code: Code) {
        self.say(&Frame::Error(code.into()));
    }

    fn say_world(&mut self, kind: WorldKind, active_agents: Vec<AgentId>) {
        let is_idle = kind == WorldKind::Idle;
        if std::mem::replace(&mut self.is_idle, is_idle) && is_idle {
            return;
        }
        self.say(&Frame::World(World { kind, active_agents }));
    }

    fn say_sse(&mut self, speaking: &Speaking, kind: SseKind, content: Option<&str>) {
        let (agent_name, message_id) = (&speaking.agent, &speaking.id);
        self.say(&Frame::Sse(Sse { agent_name, kind, message_id, content }));
    }

    fn history(&self, log: Log) -> &dyn History {
        &*self.state.sessions.logs.side(log).history
    }

    fn key(&self) -> ConversationKey {
        ConversationKey::Chat(self.chat.clone())
    }
}
