//! The named points of a life, as the child itself knows them.

use std::collections::BTreeMap;
use std::future::pending;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Says something to the test, one line in one write.
pub(crate) fn tell(kind: &str, text: &str) {
    let line = format!("{}{kind} {text}\n", super::life::MARK);
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

/// What a child has passed, and where it stands still.
pub(crate) struct Points {
    stop: Option<String>,
    counts: Mutex<BTreeMap<&'static str, u32>>,
    stands_still: AtomicBool,
    stopped: Notify,
}

impl Points {
    /// Everything stands still at this point, if it is ever reached.
    pub(crate) fn new(stop: Option<String>) -> Self {
        Self {
            stop,
            counts: Mutex::default(),
            stands_still: AtomicBool::new(false),
            stopped: Notify::new(),
        }
    }

    /// Numbers things of a kind, from 1.
    pub(crate) fn count(&self, kind: &'static str) -> u32 {
        let mut counts = self.counts.lock().unwrap();
        let count = counts.entry(kind).or_default();
        *count += 1;
        *count
    }

    /// Whether this is where it ends.
    pub(crate) fn is_stop(&self, name: &str) -> bool {
        self.stop.as_deref() == Some(name)
    }

    /// Says that a point is reached. From the last one on nobody goes any further, whoever it is:
    /// what the kill meets is what was there at that point.
    pub(crate) async fn reach(&self, name: &str) {
        if !self.stands_still.load(Ordering::SeqCst) {
            if !self.is_stop(name) {
                tell("reached", name);
                return;
            }
            self.stands_still.store(true, Ordering::SeqCst);
            self.stopped.notify_one();
        }
        pending::<()>().await;
    }

    /// Does something between two points.
    pub(crate) async fn around<T>(&self, kind: &'static str, work: impl Future<Output = T>) -> T {
        let name = format!("{kind} {}", self.count(kind));
        self.reach(&format!("before {name}")).await;
        let done = work.await;
        self.reach(&format!("after {name}")).await;
        done
    }

    /// Comes back when everything stands still.
    pub(crate) async fn stopped(&self) {
        self.stopped.notified().await;
    }
}
