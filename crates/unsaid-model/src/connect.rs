//! From options to a model.

use std::sync::Arc;

use unsaid_core::port::clock::{Chance, Clock};
use unsaid_core::port::model::Model;

use crate::demo::Demo;
use crate::measured::Measured;
use crate::options::{ModelOptions, Provider};
use crate::remote::Remote;
use crate::retrying::Retrying;

/// Why options cannot be a model. None of these holds a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The address.
    #[error("the model's address is not an http or https address")]
    Address,
    /// The key.
    #[error("the model's key holds characters that no key has")]
    Key,
    /// The HTTP client, most often its certificates.
    #[error("no client for the model can be made; are there certificates on this system?")]
    Client,
}

/// The model that the options name, measured and asked again where that helps. Nothing is sent yet.
///
/// # Errors
/// If the options are not usable.
pub fn connect(
    options: &ModelOptions,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
) -> Result<Arc<dyn Model>, ConnectError> {
    let provider = options.provider.name();
    match options.provider {
        Provider::Demo => Ok(Arc::new(Measured::new(Demo, provider))),
        Provider::OpenAi | Provider::Gemini | Provider::Anthropic => {
            // Every single try is measured: a provider that turns away half of them shows.
            let measured = Measured::new(Remote::new(options, clock)?, provider);
            Ok(Arc::new(Retrying::new(measured, chance, options.retry_within)))
        }
    }
}
