//! `streamGenerateContent`, as Google speaks it.

mod decoder;
mod request;

use serde_json::Value;
use unsaid_core::port::model::ModelRequest;

use crate::remote::{self, Decoder, Place};

/// The wire format.
#[derive(Debug)]
pub(crate) struct Wire;

impl remote::Wire for Wire {
    fn place(&self, model: &str) -> Place {
        let call = format!("{}:streamGenerateContent", short_name(model));
        Place::path(&["models", &call]).with("alt=sse")
    }

    fn body(&self, _model: &str, request: &ModelRequest) -> Value {
        request::body(request)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::<decoder::Gemini>::default()
    }
}

/// Google lists its models as `models/name`, and people copy that.
pub(crate) fn short_name(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}
