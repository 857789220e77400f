//! Signals, the end, and everything that runs until then.

use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::refusal::Refusal;

/// How long work that has begun may take to finish.
pub const GRACE: Duration = Duration::from_secs(10);

/// One token that says "end", and one list of everything that was started. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Lifecycle {
    ending: CancellationToken,
    running: TaskTracker,
}

impl Lifecycle {
    /// Starts a task that the end waits for.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.running.spawn(task);
    }

    /// Where tasks are started that the end waits for.
    #[must_use]
    pub fn tasks(&self) -> TaskTracker {
        self.running.clone()
    }

    /// Fires when it is time to finish.
    #[must_use]
    pub fn ending(&self) -> CancellationToken {
        self.ending.clone()
    }

    /// Runs `work` and all that it spawns until they are done or a signal comes.
    ///
    /// The first signal asks them to finish and gives them [`GRACE`]; a second ends at once.
    ///
    /// # Errors
    /// What `work` refused.
    pub async fn run(
        &self,
        work: impl Future<Output = Result<(), Refusal>>,
    ) -> Result<ExitCode, Refusal> {
        let mut signals = Signals::new()?;
        let everything = async {
            let ended = work.await;
            self.ending.cancel();
            self.running.close();
            self.running.wait().await;
            ended.map(|()| ExitCode::SUCCESS)
        };
        tokio::pin!(everything);
        tokio::select! {
            ended = &mut everything => return ended,
            _ = signals.next() => tracing::info!("ending: finishing what has begun"),
        }
        self.ending.cancel();
        tokio::select! {
            ended = &mut everything => ended,
            () = tokio::time::sleep(GRACE) => {
                tracing::warn!(tasks = self.running.len(), "ended without waiting any longer");
                Ok(ExitCode::SUCCESS)
            }
            number = signals.next() => {
                tracing::warn!(tasks = self.running.len(), "ended at once");
                Ok(ExitCode::from(128 + number))
            }
        }
    }
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> Result<Self, Refusal> {
        let listen = |kind| {
            signal(kind).map_err(|error| Refusal::new(format!("cannot wait for signals: {error}")))
        };
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
        })
    }

    /// The number of the next signal.
    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.terminate.recv() => 15,
            _ = self.interrupt.recv() => 2,
        }
    }
}
