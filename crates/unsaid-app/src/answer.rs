//! One turn, from its beginning to its end.
//!
//! A turn takes the lease, reads what it is about, asks the model, and speaks, stays silent or fails.
//! Exactly one of these is written into the log, unless the turn was over before: then nothing is, and
//! nothing is sent (H5). Everything is handed in; where and as whom it speaks is its [`Cast`].
//!
//! - `cast`: what it works with, and as whom it speaks. `end`: how it ends.
//! - `hold`: taking the lease, keeping it, noticing that it is over. [`running`]: what ends it here.
//! - `reading`: what the model is shown. `step`: one question to it and its whole answer.
//! - `tools` with `sending`: answering through tools, to the outside. `text` with [`speech`]: in
//!   plain text, to whoever listens.
//! - `round`: several agents, one after the other; [`voices`]: who speaks meanwhile.
//! - `pen`: what is written, with failing stores in mind.

mod cast;
mod end;
mod hold;
mod pen;
mod reading;
mod round;
pub mod running;
mod sending;
pub mod speech;
mod step;
mod text;
mod tools;
pub mod voices;

use std::{convert::Infallible, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Decision},
            key::ConversationKey,
            turn::Lease,
        },
        id::{MessageId, Number},
        message::{Author, Message, Part},
        text::Words,
    },
    port::{clock::Chance, error::StoreError},
};

use crate::place::Place;

pub(crate) use self::round::next_speaker;
pub use self::{
    cast::{Cast, Desk, Manner, ReadCalls, Settings},
    end::{Ended, NotBegun},
    round::{Minds, Round},
};
use self::{
    end::{Failure, Stopped},
    hold::{Hold, Limits},
    pen::Pen,
    tools::ToolTurn,
};

/// How long a turn is somebody's unless renewed.
pub const LEASE_MS: i64 = 30_000;
/// How often it is renewed.
const RENEW_EVERY: Duration = Duration::from_secs(10);
/// However long a cast may be given.
const TURN_MAX: Duration = Duration::from_hours(24);
/// Turns that ended, by how.
const TURNS_TOTAL: &str = "unsaid_turns_total";
/// Letters and digits of a URL, so that six bits make one.
const ID_LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const ID_CHARS: usize = 10;

/// Tells the metrics what they are.
pub fn describe_metrics() {
    metrics::describe_counter!(TURNS_TOTAL, "turns that ended, by decision and what broke");
    metrics::describe_counter!(tools::DROPPED_TOTAL, "plain texts dropped for want of a tool call");
}

/// Runs one turn of a conversation, if one is wanted and nobody else runs it.
///
/// # Errors
/// If the store failed before the turn began. Later failures are the turn's own, and in the log.
pub async fn answer(
    desk: &Desk,
    cast: &Cast,
    shutdown: &CancellationToken,
) -> Result<Ended, StoreError> {
    answer_seen(desk, cast, None, shutdown).await
}

/// The same with a cast that was made ready by looking at the log: if something was said after what
/// was looked at, the turn is handed back at once.
///
/// # Errors
/// As there.
pub async fn answer_seen(
    desk: &Desk,
    cast: &Cast,
    through: Option<Number>,
    shutdown: &CancellationToken,
) -> Result<Ended, StoreError> {
    let task = Task::One(cast);
    take_turn(desk, task, through, shutdown).await
}

/// Runs one round of a world's agents, in one turn.
///
/// # Errors
/// As there.
pub async fn answer_in_round(
    desk: &Desk,
    round: &Round,
    shutdown: &CancellationToken,
) -> Result<Ended, StoreError> {
    let ended = take_turn(desk, Task::Round(round), None, shutdown).await;
    let key = round.place.conversation();
    if let Ok(Ended::Failed { code }) = &ended {
        round.voices.failed(key, code);
    }
    round.voices.over(key);
    ended
}

/// Who speaks in a turn.
#[derive(Clone, Copy)]
enum Task<'a> {
    One(&'a Cast),
    Round(&'a Round),
}

impl Task<'_> {
    fn place(&self) -> &Place {
        match self {
            Self::One(cast) => &cast.place,
            Self::Round(round) => &round.place,
        }
    }

    fn time_max(&self) -> Duration {
        match self {
            Self::One(cast) => cast.time_max,
            Self::Round(round) => round.time_max(),
        }
    }
}

async fn take_turn(
    desk: &Desk,
    task: Task<'_>,
    through: Option<Number>,
    shutdown: &CancellationToken,
) -> Result<Ended, StoreError> {
    let place = task.place();
    let (key, owner) = (place.conversation(), place.owner());
    let free = desk.watchers.running().enter_when_free(key, owner);
    let Some(seat) = shutdown.run_until_cancelled(free).await else {
        return Ok(Ended::NotBegun(NotBegun::Elsewhere));
    };
    let pen = Pen { desk, key, owner, consent_of: place.consent_of() };
    let lease = match hold::begin(pen).await? {
        Ok(lease) => lease,
        Err(why) => return Ok(Ended::NotBegun(why)),
    };
    if let Some(unseen) = hand_back_unseen(pen, &lease, through).await {
        return Ok(unseen);
    }
    let hold = Hold::new(pen, lease);
    let deadline = Instant::now() + task.time_max().min(TURN_MAX);
    let limits = Limits { seat: &seat, shutdown, deadline };
    let ended = tokio::select! {
        biased;
        never = hold.keep(limits) => match never {},
        ended = to_the_end(task, &hold) => ended,
        never = show_work(task, key) => match never {},
    };
    report(key, &hold, &ended);
    if let Task::One(Cast { manner: Manner::Text { listener }, .. }) = task {
        listener.ends(ended.of_speech());
    }
    Ok(ended)
}

/// Ends what waits in a conversation in which nobody answers: it stays said, and waits no more. If
/// something was said since that was decided, nothing is ended, and somebody decides again.
///
/// # Errors
/// If the store failed.
pub async fn dismiss(
    desk: &Desk,
    key: &ConversationKey,
    through: Number,
) -> Result<Ended, StoreError> {
    let Some(_seat) = desk.watchers.running().enter(key, None) else {
        return Ok(Ended::NotBegun(NotBegun::Elsewhere));
    };
    let pen = Pen { desk, key, owner: None, consent_of: None };
    let lease = match hold::begin(pen).await? {
        Ok(lease) => lease,
        Err(why) => return Ok(Ended::NotBegun(why)),
    };
    if let Some(unseen) = hand_back_unseen(pen, &lease, Some(through)).await {
        return Ok(unseen);
    }
    let decision = Decision::Silent { reason: None };
    let end = Change::Decide { fence: lease.fence, decision };
    Ok(Ended::Silent.if_written(pen.end(end).await))
}

/// Hands a turn back that was asked about more than was looked at.
async fn hand_back_unseen(pen: Pen<'_>, lease: &Lease, through: Option<Number>) -> Option<Ended> {
    if *lease.questions.last()? <= through? {
        return None;
    }
    let release = Change::Release { fence: lease.fence };
    Some(Ended::NotBegun(NotBegun::Unseen).if_written(pen.end(release).await))
}

/// Lets people see that an answer is on its way.
async fn show_work(task: Task<'_>, key: &ConversationKey) -> Infallible {
    if let Task::One(Cast { manner: Manner::Tools { messenger, .. }, .. }) = task {
        messenger.at_work(key).await;
    }
    // Otherwise who listens sees it come.
    std::future::pending().await
}

async fn to_the_end(task: Task<'_>, hold: &Hold<'_>) -> Ended {
    let fence = hold.fence();
    let thought = match task {
        Task::One(cast) => think(cast, hold).await,
        Task::Round(round) => round::run(round, hold).await,
    };
    match thought {
        Ok(ended) => ended,
        Err(Stopped::Lost) => Ended::Cancelled,
        Err(Stopped::Shutdown) => {
            Ended::Released.if_written(hold.pen.end(Change::Release { fence }).await)
        }
        Err(Stopped::Failed(Failure(code))) => {
            let decision = Decision::Failed { code: code.to_owned() };
            Ended::Failed { code }
                .if_written(hold.pen.end(Change::Decide { fence, decision }).await)
        }
    }
}

async fn think(cast: &Cast, hold: &Hold<'_>) -> Result<Ended, Stopped> {
    let reading = hold.unless_over(reading::read(cast, hold)).await??;
    match &cast.manner {
        Manner::Tools { messenger, read_calls } => {
            let messenger = &**messenger;
            ToolTurn { cast, hold, messenger, read_calls: *read_calls }.run(reading).await
        }
        Manner::Text { listener } => text::run(cast, hold, &**listener, reading).await,
    }
}

/// An answer of this turn, with an id of its own.
fn message(cast: &Cast, desk: &Desk, words: Words, reply_to: Option<MessageId>) -> Message {
    Message {
        id: new_message_id(&*desk.chance),
        author: Author::Agent(cast.me.clone()),
        at: desk.clock.now(),
        reply_to,
        audience: cast.audience.clone(),
        parts: vec![Part::text(words)],
    }
}

/// An id of ours: ten characters that may stand in a URL.
#[must_use]
#[expect(clippy::expect_used, reason = "ten letters are a short visible text")]
#[expect(clippy::missing_panics_doc, reason = "it never does")]
pub fn new_message_id(chance: &dyn Chance) -> MessageId {
    let mut bytes = [0; ID_CHARS];
    chance.fill(&mut bytes);
    let letters = bytes.map(|byte| char::from(ID_LETTERS[usize::from(byte) % ID_LETTERS.len()]));
    MessageId::new(letters.iter().collect::<String>()).expect("an id of letters")
}

fn report(key: &ConversationKey, hold: &Hold<'_>, ended: &Ended) {
    let (turn, decision) = (hold.fence().get(), ended.name());
    metrics::counter!(TURNS_TOTAL, "decision" => decision, "code" => ended.code()).increment(1);
    match ended {
        Ended::Failed { code } => {
            tracing::warn!(conversation = %key, turn, code, "turn failed");
        }
        Ended::NotBegun(_)
        | Ended::Answered { .. }
        | Ended::NotKept
        | Ended::Silent
        | Ended::Cancelled
        | Ended::Released
        | Ended::NotRecorded => tracing::info!(conversation = %key, turn, decision, "turn ended"),
    }
}
