//! What the handlers are given.

use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use unsaid_core::limits::Limits;
use unsaid_core::port::clock::Chance;
use unsaid_core::port::health::Health;

/// Everything the door needs from the house; cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The database.
    pub database: Arc<dyn Health>,
    /// Chance, for request ids.
    pub chance: Arc<dyn Chance>,
    /// What `/metrics` prints.
    pub metrics: PrometheusHandle,
    /// Which model answers.
    pub model: ModelSeat,
    /// The limits of this installation.
    pub limits: Limits,
}

/// Who the model is and where it sits, as people are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelSeat {
    /// The provider's name: `openai`, `gemini`, `anthropic` or `demo`.
    pub provider: String,
    /// The host that reads the words; none if they stay in this process.
    pub host: Option<String>,
}
