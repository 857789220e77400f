//! A process that runs the job of a server, with a point before and after every call of the store.

use std::env;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use unsaid_core::domain::audit::{AuditLine, EraseReason};
use unsaid_core::domain::id::PersonId;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::Store;
use unsaid_core::port::erasure::{Batch, Claim, Erasure};
use unsaid_core::port::error::StoreError;
use unsaid_server::config::{Sources, load};
use unsaid_server::housekeeping::erase::Job;
use unsaid_server::store::open_for_serving;
use unsaid_testkit::builder::at;
use unsaid_testkit::clock::MovedClock;

use super::people::DUE;
use crate::killed_turn::child::end_with_the_parent;
use crate::killed_turn::life::Part;
use crate::killed_turn::points::{Points, tell};

const FLAG: &str = "UNSAID_TEST_ERASURE_FLAG";
const STOP: &str = "UNSAID_TEST_ERASURE_STOP";
/// So few rows at a time that a short history takes several batches.
const BATCH_ROWS: usize = 3;
/// Nobody waits for the second run.
const LONG: Duration = Duration::from_hours(1);

/// One life of the job.
#[derive(Debug, Clone)]
pub(super) struct Play {
    /// The key of the configuration that says where the store is, and its value.
    pub(super) flag: (String, String),
    /// Where it is killed; none: it comes to its end.
    pub(super) stop: Option<String>,
}

impl Part for Play {
    const CHILD: &'static str = "erasing::child::child_begins";

    fn to_env(&self) -> Vec<(&'static str, String)> {
        let (key, value) = &self.flag;
        let flag = (FLAG, format!("{key}={value}"));
        [flag].into_iter().chain(self.stop.clone().map(|stop| (STOP, stop))).collect()
    }
}

/// Not a test of its own: here a child begins. Without a play there is nothing for it to do.
#[test]
fn child_begins() {
    let Ok(flag) = env::var(FLAG) else { return };
    let (key, value) = flag.split_once('=').unwrap();
    let play = Play { flag: (key.to_owned(), value.to_owned()), stop: env::var(STOP).ok() };
    end_with_the_parent();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(live(&play));
    tell("done", "");
}

async fn live(play: &Play) {
    let sources = Sources { flags: vec![play.flag.clone()], ..Sources::default() };
    let kept = open_for_serving(&load(&sources).unwrap().config).await.unwrap();
    let (points, ending) = (Arc::new(Points::new(play.stop.clone())), CancellationToken::new());
    let (store, ended) = (Arc::clone(&kept.store), ending.clone());
    let erasure = PointedErasure { store, points: Arc::clone(&points), ended };
    let clock = Arc::new(MovedClock::at(at(DUE)));
    let job = Job { erasure: Arc::new(erasure), clock, woken: Arc::new(Notify::new()) };
    let stand_still = async {
        points.stopped().await;
        tell("stopped", "");
        pending::<()>().await;
    };
    tokio::select! {
        () = job.run(LONG, ending) => {}
        () = stand_still => {}
    }
}

/// The port of the job, around the real store.
struct PointedErasure {
    store: Arc<dyn Store>,
    points: Arc<Points>,
    /// Told when nobody is due any more.
    ended: CancellationToken,
}

#[async_trait]
impl Erasure for PointedErasure {
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<PersonId>, StoreError> {
        let due = self.points.around("due", self.store.due(now, limit)).await;
        if due.as_ref().is_ok_and(Vec::is_empty) {
            self.ended.cancel();
        }
        due
    }

    async fn claim(
        &self,
        person: &PersonId,
        reason: EraseReason,
        now: Timestamp,
    ) -> Result<Claim, StoreError> {
        self.points.around("claim", self.store.claim(person, reason, now)).await
    }

    async fn erase_batch(
        &self,
        person: &PersonId,
        limit: usize,
        now: Timestamp,
    ) -> Result<Batch, StoreError> {
        let batch = self.store.erase_batch(person, limit.min(BATCH_ROWS), now);
        self.points.around("batch", batch).await
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditLine>, StoreError> {
        self.store.audit(before, limit).await
    }
}
