//! Messages, as Anthropic speaks them.

mod decoder;
mod request;

use serde_json::Value;
use unsaid_core::port::model::ModelRequest;

use crate::remote::{self, Decoder, Place};

/// The wire format.
#[derive(Debug)]
pub(crate) struct Wire;

impl remote::Wire for Wire {
    fn place(&self, _model: &str) -> Place {
        Place::path(&["messages"])
    }

    fn body(&self, model: &str, request: &ModelRequest) -> Value {
        request::body(model, request)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::<decoder::Anthropic>::default()
    }
}
