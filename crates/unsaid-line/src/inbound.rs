//! Takes in what LINE sends: checks where it comes from, reads it, and makes it durable before LINE
//! gets its answer.
//!
//! What happened in one source is taken in order, one thing after another; sources do not wait for
//! each other. If storage fails, the rest of that source is left for LINE to deliver again: what was
//! taken in already is known then, and changes nothing (H3). Nobody is asked and nothing is said here.

mod lane;
mod measured;
mod take;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures_util::stream::{self, StreamExt as _};
use tokio::time::{Instant, timeout};
use unsaid_app::{event::Watchers, worker::Wake};
use unsaid_core::{
    domain::{conversation::change::Ripple, id::SourceId},
    port::{clock::Clock, error::StoreError, history::History},
};

use self::lane::Lane;
pub use self::measured::{ACK_SECONDS, describe_metrics};
use crate::{
    errand::Errands,
    signature::{ChannelSecret, is_signed},
    wire::{self, Event, Malformed},
};

/// How long taking in may last before LINE is told to come again (H10).
pub const TAKE_IN_MAX: Duration = Duration::from_millis(1_500);
/// Sources of one call that are taken in at the same time.
const SOURCES_AT_ONCE: usize = 64;

/// See the module.
pub struct Inbound {
    /// Where it is kept.
    pub history: Arc<dyn History>,
    /// Who is told.
    pub watchers: Arc<Watchers>,
    /// Who answers.
    pub wake: Wake,
    /// Who does what can wait until LINE has its answer.
    pub errands: Arc<dyn Errands>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// What LINE signs with.
    pub secret: ChannelSecret,
    /// What the operator wants.
    pub settings: Settings,
}

/// What the operator wants; `line.*` and `unsend.ripple` of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long to wait for more before an answer begins.
    pub debounce: Duration,
    /// What is older is kept and not answered.
    pub answer_within: Duration,
    /// What wants an answer where several people talk.
    pub groups: Groups,
    /// What happens to answers when their question is taken back or changed.
    pub ripple: Ripple,
}

/// What wants an answer in groups and rooms; `line.groups` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// Everything: the persona decides.
    Decide,
    /// What mentions the bot.
    Mention,
    /// Nothing.
    Off,
}

/// What became of the events of a call. All of it is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Receipt {
    /// They had their effect, or will have it when what they wait for comes.
    pub taken: usize,
    /// They had it before, or something newer had.
    pub duplicates: usize,
    /// Their kind concerns nobody here.
    pub ignored: usize,
    /// They cannot be read.
    pub malformed: usize,
    /// The history does not do such things.
    pub refused: usize,
}

/// Why a call was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// It does not come from LINE.
    #[error("wrong signature")]
    Signature,
    /// It comes from LINE and is no webhook.
    #[error("not a webhook")]
    NotAWebhook,
    /// Storage took too long. LINE may deliver it again.
    #[error("storage took too long")]
    TooSlow,
    /// Storage failed. LINE may deliver it again.
    #[error(transparent)]
    Storage(StoreError),
}

impl Inbound {
    /// Takes in one call. `signatures` are all values of `x-line-signature`, `body` its raw bytes.
    ///
    /// # Errors
    /// See [`Rejected`]. After the last two some of the events may be in the history.
    pub async fn receive(&self, signatures: &[&[u8]], body: &[u8]) -> Result<Receipt, Rejected> {
        let begun = Instant::now();
        let outcome = self.take_in(signatures, body).await;
        measured::acknowledged(begun.elapsed(), &outcome);
        outcome
    }

    async fn take_in(&self, signatures: &[&[u8]], body: &[u8]) -> Result<Receipt, Rejected> {
        if !is_signed(&self.secret, signatures, body) {
            tracing::warn!("webhook refused: missing, doubled or wrong signature");
            return Err(Rejected::Signature);
        }
        let events = wire::read(body).map_err(|wire::NotAWebhook| {
            tracing::warn!("webhook refused: no list of events");
            Rejected::NotAWebhook
        })?;
        let mut receipt = Receipt::default();
        let mut lanes = self.sort(events, &mut receipt);
        let work = stream::iter(lanes.values_mut());
        let work = work.for_each_concurrent(SOURCES_AT_ONCE, Lane::take_in);
        let in_time = timeout(TAKE_IN_MAX, work).await.is_ok();
        let mut failure = None;
        for lane in lanes.values_mut() {
            if !in_time {
                lane.report_unfinished();
            }
            receipt.add(lane.receipt());
            failure = failure.or(lane.take_failure());
        }
        match failure {
            Some(error) => Err(Rejected::Storage(error)),
            None if in_time => Ok(receipt),
            None => Err(Rejected::TooSlow),
        }
    }

    /// What has an effect, by source, in its order.
    fn sort(
        &self,
        events: Vec<Result<Event, Malformed>>,
        receipt: &mut Receipt,
    ) -> BTreeMap<SourceId, Lane<'_>> {
        let now = self.clock.now();
        let mut lanes = BTreeMap::new();
        for event in events {
            match event {
                Ok(Event::Heard(heard)) => {
                    measured::event(heard.kind);
                    let source = heard.source.id.clone();
                    lanes.entry(source).or_insert_with(|| Lane::new(self, now)).push(*heard);
                }
                Ok(Event::Ignored { kind }) => {
                    measured::event(kind);
                    measured::ignored(kind);
                    receipt.ignored += 1;
                }
                Err(malformed) => {
                    measured::malformed(&malformed);
                    receipt.malformed += 1;
                }
            }
        }
        lanes
    }
}

impl Receipt {
    fn add(&mut self, other: Self) {
        let Self { taken, duplicates, ignored, malformed, refused } = other;
        self.taken += taken;
        self.duplicates += duplicates;
        self.ignored += ignored;
        self.malformed += malformed;
        self.refused += refused;
    }
}
