//! Asks again when that may help, and only before anything was passed on.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use tokio::time::{Instant, sleep};
use unsaid_core::port::clock::Chance;
use unsaid_core::port::model::{Model, ModelError, ModelEvent, ModelRequest, ModelStream};

const TRIES_MAX: u32 = 5;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// A model that is asked again when it is away, busy or failing.
///
/// Whoever drops the question while it waits has cancelled it. After the first event the answer is
/// the inner model's alone: what people have seen is not said again in other words.
pub struct Retrying<M> {
    inner: M,
    chance: Arc<dyn Chance>,
    within: Duration,
}

impl<M: Model> Retrying<M> {
    /// Asks again as long as the next try begins `within` this time of the first.
    pub fn new(inner: M, chance: Arc<dyn Chance>, within: Duration) -> Self {
        Self { inner, chance, within }
    }

    /// Asks once, and waits for the first event: only then is it an answer.
    async fn once(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let mut stream = self.inner.ask(request).await?;
        let first: Option<ModelEvent> = stream.next().await.transpose()?;
        let first = first.ok_or(ModelError::Cut)?;
        Ok(Box::pin(stream::iter([Ok(first)]).chain(stream)))
    }

    /// How long to wait before the next try: as told, else twice as long each time, and never the
    /// same for two callers that were turned away together.
    fn wait(&self, error: &ModelError, tries: u32) -> Option<Duration> {
        let told = match error {
            ModelError::Limited { retry_after } => *retry_after,
            ModelError::Unreachable | ModelError::Failing { .. } => None,
            ModelError::Rejected { .. }
            | ModelError::TimedOut
            | ModelError::Cut
            | ModelError::Garbled
            | ModelError::Empty => return None,
        };
        let step = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(tries - 1)).min(LONGEST_WAIT);
        Some(match told {
            Some(told) => told + (step / 4).mul_f64(self.part()),
            None => step / 2 + (step / 2).mul_f64(self.part()),
        })
    }

    /// A part of one, by chance.
    fn part(&self) -> f64 {
        let mut bytes = [0];
        self.chance.fill(&mut bytes);
        f64::from(bytes[0]) / 256.0
    }
}

#[async_trait]
impl<M: Model> Model for Retrying<M> {
    async fn ask(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let last_start = Instant::now() + self.within;
        for tries in 1..TRIES_MAX {
            let error = match self.once(request.clone()).await {
                Ok(stream) => return Ok(stream),
                Err(error) => error,
            };
            match self.wait(&error, tries) {
                // To wait for a moment that comes too late helps nobody.
                Some(wait) if Instant::now() + wait <= last_start => sleep(wait).await,
                Some(_) | None => return Err(error),
            }
        }
        self.once(request).await
    }

    fn takes_images(&self) -> bool {
        self.inner.takes_images()
    }
}
