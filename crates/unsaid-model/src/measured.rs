//! Counts what a model does. Names of things only: no words, no model names, no addresses.

use std::pin::Pin;
use std::task::{Context, Poll};

use async_trait::async_trait;
use futures_core::Stream;
use tokio::time::Instant;
use unsaid_core::port::model::{
    EndReason, Model, ModelError, ModelEvent, ModelRequest, ModelStream, Usage,
};

/// Requests, by provider and outcome: `done`, `calls`, `length`, `refused`, `dropped`, or the name
/// of an error.
pub const REQUESTS_TOTAL: &str = "unsaid_model_requests_total";
/// Seconds until the first event, by provider.
pub const FIRST_EVENT_SECONDS: &str = "unsaid_model_first_event_seconds";
/// Seconds until the end, whatever it was, by provider.
pub const REQUEST_SECONDS: &str = "unsaid_model_request_seconds";
/// Tokens, by provider and direction: `in` or `out`.
pub const TOKENS_TOTAL: &str = "unsaid_model_tokens_total";

/// Names the metrics of models for whoever reads `/metrics`.
pub fn describe_metrics() {
    metrics::describe_counter!(REQUESTS_TOTAL, "requests to the model, by what came of them");
    metrics::describe_histogram!(
        FIRST_EVENT_SECONDS,
        metrics::Unit::Seconds,
        "time until the model began to answer"
    );
    metrics::describe_histogram!(
        REQUEST_SECONDS,
        metrics::Unit::Seconds,
        "time until the model had answered or failed"
    );
    metrics::describe_counter!(TOKENS_TOTAL, "tokens as the model's provider counts them");
}

/// A model whose requests are counted.
pub struct Measured<M> {
    inner: M,
    provider: &'static str,
}

impl<M: Model> Measured<M> {
    /// Counts under this provider's name.
    pub fn new(inner: M, provider: &'static str) -> Self {
        Self { inner, provider }
    }
}

#[async_trait]
impl<M: Model> Model for Measured<M> {
    async fn ask(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let mut tally = Tally::begin(self.provider);
        match self.inner.ask(request).await {
            Ok(stream) => Ok(Box::pin(Counted { stream, tally })),
            Err(error) => {
                tally.close(error.name());
                Err(error)
            }
        }
    }

    fn takes_images(&self) -> bool {
        self.inner.takes_images()
    }
}

/// One request.
struct Tally {
    provider: &'static str,
    /// The runtime's own clock: it measures, it dates nothing.
    begun: Instant,
    has_event: bool,
    is_closed: bool,
}

impl Tally {
    fn begin(provider: &'static str) -> Self {
        Self { provider, begun: Instant::now(), has_event: false, is_closed: false }
    }

    fn see(&mut self, item: Option<&Result<ModelEvent, ModelError>>) {
        if let Some(Ok(_)) = item
            && !self.has_event
        {
            self.has_event = true;
            let seconds = self.begun.elapsed().as_secs_f64();
            metrics::histogram!(FIRST_EVENT_SECONDS, "provider" => self.provider).record(seconds);
        }
        match item {
            Some(Ok(ModelEvent::End { reason, usage, .. })) => {
                self.tokens(*usage);
                self.close(match reason {
                    EndReason::Done => "done",
                    EndReason::Calls => "calls",
                    EndReason::Length => "length",
                    EndReason::Refused => "refused",
                });
            }
            Some(Ok(ModelEvent::Text(_) | ModelEvent::Call(_))) => {}
            Some(Err(error)) => self.close(error.name()),
            None => self.close(ModelError::Cut.name()),
        }
    }

    fn tokens(&self, usage: Usage) {
        for (direction, tokens) in [("in", usage.input_tokens), ("out", usage.output_tokens)] {
            let labels = [("provider", self.provider), ("direction", direction)];
            metrics::counter!(TOKENS_TOTAL, &labels).increment(tokens.unwrap_or(0));
        }
    }

    fn close(&mut self, outcome: &'static str) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        metrics::histogram!(REQUEST_SECONDS, "provider" => self.provider).record(seconds);
        let labels = [("provider", self.provider), ("outcome", outcome)];
        metrics::counter!(REQUESTS_TOTAL, &labels).increment(1);
    }
}

impl Drop for Tally {
    /// Nobody waited for the end.
    fn drop(&mut self) {
        self.close("dropped");
    }
}

struct Counted {
    stream: ModelStream,
    tally: Tally,
}

impl Stream for Counted {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = std::task::ready!(self.stream.as_mut().poll_next(context));
        self.tally.see(item.as_ref());
        Poll::Ready(item)
    }
}
