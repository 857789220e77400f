//! Time limits of one call: as a whole, and between two bytes.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use unsaid_core::port::model::ModelError;

/// After the finish reason only a count of tokens may still come: not worth much waiting.
const TAIL: Duration = Duration::from_secs(2);

/// The limits of one call that has begun.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    ends: Instant,
    idle: Duration,
}

impl Pace {
    /// Begins now. The runtime's own clock: it measures, it dates nothing.
    pub(crate) fn begin(whole: Duration, idle: Duration) -> Self {
        Self { ends: Instant::now() + whole, idle }
    }

    /// All that matters has come; what is left may be left.
    pub(crate) fn hurry(&mut self) {
        self.ends = self.ends.min(Instant::now() + TAIL);
    }

    /// Waits for one sign of life.
    pub(crate) async fn wait<T>(&self, sign: impl Future<Output = T>) -> Result<T, ModelError> {
        let limit = self.ends.min(Instant::now() + self.idle);
        timeout_at(limit, sign).await.map_err(|_elapsed| ModelError::TimedOut)
    }
}
