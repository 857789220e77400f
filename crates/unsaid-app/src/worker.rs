//! Lets turns run: finds conversations in which somebody owes an answer, and answers there.
//!
//! The log is the queue, so nothing can be forgotten. A door that took something in says so by
//! [`Wake`], with the moment from which the answer is wanted; a sweep every few seconds finds whatever
//! nobody spoke of: what another process took in, a turn whose holder died, a wake that was lost. Any
//! number of processes may do this on one store.

mod agenda;
mod wake;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::{
    sync::mpsc::{self, Receiver, Sender},
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use unsaid_core::{
    domain::{conversation::key::ConversationKey, id::Number, time::Timestamp},
    port::error::StoreError,
};

pub use self::wake::Wake;
use self::{
    agenda::{Agenda, How},
    wake::Woken,
};
use crate::{
    answer::{Cast, Desk, Ended, NotBegun, Round, answer_in_round, answer_seen, dismiss},
    backoff::Backoff,
    call::{STORAGE_MAX, too_slow},
};

/// How often the store is asked who waits.
const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// While it fails, it is asked less often.
const SWEEP_AFTER_FAILURE: Backoff =
    Backoff { first: Duration::from_secs(5), longest: Duration::from_secs(20) };
/// Conversations that one sweep takes up.
const SWEPT_MAX: usize = 100;
/// How long a sweep may take.
const SWEEP_MAX: Duration = Duration::from_millis(1_500);
/// How long finding a cast may take; names may have to be asked for outside.
const CAST_MAX: Duration = Duration::from_secs(10);
/// How often a conversation is looked at for one turn if people go on talking meanwhile.
const LOOKS_MAX: u32 = 3;
/// How long running turns may take to hand back what they hold.
const HAND_BACK_MAX: Duration = Duration::from_secs(10);

/// Knows who answers where.
#[async_trait]
pub trait Stage: Send + Sync {
    /// Who answers in a conversation, and how.
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError>;
}

/// Who answers in a conversation.
#[derive(Clone)]
pub enum Casting {
    /// Somebody does.
    Cast {
        /// Who, and how.
        cast: Box<Cast>,
        /// The newest message that was looked at to make it ready, if that matters: what was said
        /// later is looked at first.
        through: Option<Number>,
    },
    /// Several agents do, one after the other.
    Round(Box<Round>),
    /// Nobody will answer what was said so far: it is too old, or the bot is gone. That is ended in
    /// silence, so that it is not found again and again. What was said later is looked at anew.
    Nobody {
        /// The newest message that this was decided about.
        through: Number,
    },
    /// Another process does. It is left alone, and looked at again after a while.
    Elsewhere,
}

/// See the module.
pub struct Worker {
    desk: Arc<Desk>,
    stage: Arc<dyn Stage>,
    turns_max: usize,
    wake: Wake,
    woken: Receiver<Woken>,
}

impl Worker {
    /// A worker that runs so many turns at once, and at least one.
    #[must_use]
    pub fn new(desk: Arc<Desk>, stage: Arc<dyn Stage>, turns_max: usize) -> Self {
        let (wake, woken) = Wake::channel();
        Self { desk, stage, turns_max: turns_max.max(1), wake, woken }
    }

    /// What doors call after they took something in.
    #[must_use]
    pub fn wake(&self) -> Wake {
        self.wake.clone()
    }

    /// Works until told to stop; then hands back what is running, and waits for that for a while.
    /// Turns are tasks of their own on `tasks`.
    pub async fn run(mut self, tasks: &TaskTracker, shutdown: CancellationToken) {
        let (done, mut finished) = mpsc::channel(self.turns_max);
        let mut agenda = Agenda::default();
        let (mut sweep_at, mut failures) = (Instant::now(), 0);
        loop {
            while agenda.running() < self.turns_max
                && let Some(key) = agenda.start_next(self.desk.clock.now())
            {
                tasks.spawn(self.turn(key, &done, &shutdown));
            }
            let next = self.until_next(&agenda);
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                Some((key, how)) = finished.recv() => {
                    agenda.finish(&key, how, self.desk.clock.now());
                }
                Some((key, at)) = self.woken.recv() => agenda.want(&key, at),
                () = sleep_until(sweep_at) => {
                    failures = if self.sweep(&mut agenda).await { 0 } else { failures + 1 };
                    let pause = match failures {
                        0 => SWEEP_EVERY,
                        many => SWEEP_AFTER_FAILURE.after(many - 1),
                    };
                    sweep_at = Instant::now() + pause;
                }
                () = next => {}
            }
        }
        let handed_back = async {
            while agenda.running() > 0
                && let Some((key, how)) = finished.recv().await
            {
                agenda.finish(&key, how, self.desk.clock.now());
            }
        };
        if timeout(HAND_BACK_MAX, handed_back).await.is_err() {
            tracing::warn!("turns are still running");
        }
    }

    /// Comes back when the next turn is due, if there is room for it.
    fn until_next(&self, agenda: &Agenda) -> impl Future<Output = ()> + use<> {
        let room = agenda.running() < self.turns_max;
        let next = agenda.next_at().filter(|_| room);
        let wait = next.map(|at| between(self.desk.clock.now(), at));
        async move {
            match wait {
                Some(wait) => sleep(wait).await,
                None => std::future::pending().await,
            }
        }
    }

    /// Asks the store who waits; `false` if it does not say.
    async fn sweep(&self, agenda: &mut Agenda) -> bool {
        let now = self.desk.clock.now();
        agenda.forget_passed(now);
        let limit = SWEPT_MAX + agenda.passed();
        let found = timeout(SWEEP_MAX, self.desk.history.wanting(now, limit)).await;
        match found.unwrap_or_else(|_| Err(too_slow())) {
            Ok(keys) => {
                for key in keys {
                    agenda.offer(&key, now);
                }
                true
            }
            Err(error) => {
                tracing::warn!(error = error.name(), "storage_read: cannot find who waits");
                false
            }
        }
    }

    fn turn(
        &self,
        key: ConversationKey,
        done: &Sender<(ConversationKey, How)>,
        shutdown: &CancellationToken,
    ) -> impl Future<Output = ()> + Send + use<> {
        let (desk, stage) = (Arc::clone(&self.desk), Arc::clone(&self.stage));
        let (shutdown, done) = (shutdown.clone(), done.clone());
        async move {
            let mut report = Report { key, how: How::Broken, done };
            report.how = run_turn(&desk, &*stage, &report.key, &shutdown).await;
        }
    }
}

/// Says how a turn went, also if it panicked.
struct Report {
    key: ConversationKey,
    how: How,
    done: Sender<(ConversationKey, How)>,
}

impl Drop for Report {
    fn drop(&mut self) {
        // There is room for every turn that can run, and nobody to tell after the worker's end.
        drop(self.done.try_send((self.key.clone(), self.how)));
    }
}

async fn run_turn(
    desk: &Desk,
    stage: &dyn Stage,
    key: &ConversationKey,
    shutdown: &CancellationToken,
) -> How {
    let mut ended = Ok(Ended::NotBegun(NotBegun::Unseen));
    for look in 1..=LOOKS_MAX {
        let casting = timeout(CAST_MAX, stage.cast(key)).await.unwrap_or_else(|_| Err(too_slow()));
        ended = match casting {
            Ok(Casting::Cast { cast, through }) => {
                // Where people never pause somebody still answers, as well as can be.
                let through = through.filter(|_| look < LOOKS_MAX);
                answer_seen(desk, &cast, through, shutdown).await
            }
            Ok(Casting::Round(round)) => answer_in_round(desk, &round, shutdown).await,
            Ok(Casting::Nobody { through }) => dismiss(desk, key, through).await,
            Ok(Casting::Elsewhere) => return How::Passed,
            Err(error) => Err(error),
        };
        if ended != Ok(Ended::NotBegun(NotBegun::Unseen)) {
            break;
        }
    }
    match ended {
        Ok(Ended::NotBegun(NotBegun::Nothing | NotBegun::Elsewhere) | Ended::Released) => How::Idle,
        Ok(Ended::NotBegun(NotBegun::Later { at })) => How::Later(at),
        // Somebody may have said something meanwhile, here or in another process.
        Ok(
            Ended::NotBegun(NotBegun::Unseen)
            | Ended::Answered { .. }
            | Ended::NotKept
            | Ended::Silent
            | Ended::Failed { .. }
            | Ended::Cancelled,
        ) => what_waits(desk, key).await,
        Ok(Ended::NotRecorded) => How::Broken,
        Err(error) => {
            tracing::warn!(conversation = %key, error = error.name(), "storage: no turn begun");
            How::Broken
        }
    }
}

/// Looks before a turn is tried again: most often nothing has come, and then nothing is written.
async fn what_waits(desk: &Desk, key: &ConversationKey) -> How {
    match timeout(STORAGE_MAX, desk.history.overview(key)).await {
        Ok(Ok(Some(found))) if found.wanted_at.is_none() && found.turn.is_none() => How::Idle,
        Ok(Ok(None)) => How::Idle,
        // It is tried, and what is wrong will be said there.
        Ok(Ok(Some(_)) | Err(_)) | Err(_) => How::Again,
    }
}

fn between(now: Timestamp, at: Timestamp) -> Duration {
    let millis = at.as_millis().saturating_sub(now.as_millis());
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}
