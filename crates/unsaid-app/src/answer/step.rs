//! One question to a model, and its whole answer.

use std::{future::poll_fn, pin::Pin};

use futures_core::Stream as _;
use unsaid_core::{
    domain::text::Words,
    port::model::{
        Echo, EndReason, Model, ModelError, ModelEvent, ModelRequest, ModelStream, ToolCall,
    },
};

use super::Failure;

/// Longer answers are a fault of the model.
const ANSWER_BYTES_MAX: usize = 256 << 10;

/// A whole answer. It was not cut, not too long, and not refused.
pub(super) struct Step {
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) echo: Option<Echo>,
}

/// Asks, and listens to the end. Whatever ends otherwise is no answer, and nothing of it counts.
pub(super) async fn ask(
    model: &dyn Model,
    request: ModelRequest,
    mut hear: impl FnMut(&Words),
) -> Result<Step, Failure> {
    let mut stream = model.ask(request).await.map_err(|error| Failure::model(&error))?;
    let mut step = Step { text: String::new(), calls: Vec::new(), echo: None };
    let mut bytes = 0;
    loop {
        let event = next(&mut stream).await.unwrap_or(Err(ModelError::Cut));
        match event.map_err(|error| Failure::model(&error))? {
            ModelEvent::Text(words) => {
                bytes += words.as_str().len();
                if bytes > ANSWER_BYTES_MAX {
                    return Err(Failure::MODEL_ENDLESS);
                }
                hear(&words);
                step.text.push_str(words.as_str());
            }
            ModelEvent::Call(call) => {
                bytes += call.name.len() + call.arguments.len();
                if bytes > ANSWER_BYTES_MAX {
                    return Err(Failure::MODEL_ENDLESS);
                }
                step.calls.push(call);
            }
            ModelEvent::End { reason, usage: _, echo } => {
                step.echo = echo;
                return ended(reason, step);
            }
        }
    }
}

fn ended(reason: EndReason, step: Step) -> Result<Step, Failure> {
    match reason {
        EndReason::Done | EndReason::Calls => Ok(step),
        EndReason::Length => Err(Failure::MODEL_LENGTH),
        EndReason::Refused => Err(Failure::MODEL_REFUSED),
    }
}

async fn next(stream: &mut ModelStream) -> Option<Result<ModelEvent, ModelError>> {
    let mut stream = Pin::new(stream);
    poll_fn(|context| stream.as_mut().poll_next(context)).await
}
