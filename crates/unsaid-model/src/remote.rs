//! A model behind HTTP: what all providers share.
//!
//! - [`Wire`]: what a provider adds: its request, and how its answer is read
//! - `door`: the connection, with its limits; `status`: what a refusal means
//! - `reading`: from bytes to events; `event_lines`: the lines of `text/event-stream`
//! - `answer`: an answer while it grows, and when it is whole
//! - `call_ids`: ids of calls, ours and theirs
//! - `pace`: time limits

mod answer;
mod call_ids;
mod door;
mod event_lines;
mod pace;
mod reading;
mod status;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use futures_util::stream;
use reqwest::Response;
use serde_json::Value;
use tokio::sync::OnceCell;
use unsaid_core::domain::text::Words;
use unsaid_core::port::clock::Clock;
use unsaid_core::port::model::{Model, ModelError, ModelRequest, ModelStream, ModelTurn, Piece};

pub(crate) use answer::Answer;
pub(crate) use call_ids::{CallIds, StepIds};
pub(crate) use door::{Door, Place};
pub(crate) use pace::Pace;
pub(crate) use status::error_of_status;

use crate::connect::ConnectError;
use crate::options::{ModelOptions, Provider};
use crate::{anthropic, gemini, openai, schema};
use reading::Reading;

/// Stands where something must be said and nothing was: talks begin and end with people, or models
/// go on with their own words, and templates of small ones fail.
pub(crate) const NOTHING: &str = "…";
/// Stands for a picture that cannot be shown.
const IMAGE: &str = "[User sent an image]";

/// What a provider adds to the call they all share.
pub(crate) trait Wire: Send + Sync {
    /// Where the model of this name is asked.
    fn place(&self, model: &str) -> Place;
    /// What it is asked.
    fn body(&self, model: &str, request: &ModelRequest) -> Value;
    /// Reads one answer.
    fn decoder(&self) -> Box<dyn Decoder>;
}

/// Reads one answer, piece by piece.
pub(crate) trait Decoder: Send {
    /// The data of one event of the stream.
    fn event(&mut self, data: &str, answer: &mut Answer) -> Result<(), ModelError>;
    /// All of it at once, from servers that do not stream.
    fn document(&mut self, document: &Value, answer: &mut Answer) -> Result<(), ModelError>;
    /// What the provider wants to get back with the calls.
    fn echo(&mut self) -> Option<Value>;
}

/// A model behind HTTP.
pub(crate) struct Remote {
    wire: Box<dyn Wire>,
    door: Door,
    options: ModelOptions,
    /// Found out at the first call if it was not named.
    first_listed: OnceCell<String>,
    /// It was shown a picture and refused to look.
    is_blind: AtomicBool,
}

impl Remote {
    pub(crate) fn new(options: &ModelOptions, clock: Arc<dyn Clock>) -> Result<Self, ConnectError> {
        let door = Door::new(options, clock)?;
        let wire: Box<dyn Wire> = match options.provider {
            Provider::OpenAi | Provider::Demo => Box::new(openai::Wire::towards(door.host())),
            Provider::Gemini => Box::new(gemini::Wire),
            Provider::Anthropic => Box::new(anthropic::Wire),
        };
        let (options, first_listed) = (options.clone(), OnceCell::new());
        Ok(Self { wire, door, options, first_listed, is_blind: AtomicBool::new(false) })
    }

    /// A server of one's own, of which nobody knows what it can do.
    fn is_unknown(&self) -> bool {
        self.options.base_url.is_some()
    }

    /// The name to ask for. A server of one's own has no usual model: the first it lists is taken.
    async fn model_name(&self, pace: &Pace) -> Result<&str, ModelError> {
        if let Some(name) = &self.options.name {
            return Ok(name);
        }
        if self.options.provider != Provider::OpenAi || !self.is_unknown() {
            return Ok(self.options.provider.usual_model());
        }
        let listed = self.first_listed.get_or_try_init(|| async {
            let models = self.door.get(&Place::path(&["models"]), pace).await?;
            openai::first_chat_model(&models).ok_or(ModelError::Rejected { status: 404 })
        });
        listed.await.map(String::as_str)
    }
}

#[async_trait]
impl Model for Remote {
    async fn ask(&self, mut request: ModelRequest) -> Result<ModelStream, ModelError> {
        let pace = Pace::begin(self.options.call_timeout, self.options.idle_timeout);
        if !self.options.schema_bounds {
            for tool in &mut request.tools {
                tool.parameters = schema::without_bounds(&tool.parameters);
            }
        }
        let response = self.post(&mut request, &pace).await?;
        let answer = Answer::new(CallIds::after(&request));
        // Pictures are large: they need not wait in memory for the answer.
        drop(request);
        let reading = Reading::new(response, self.wire.decoder(), answer, pace)?;
        Ok(Box::pin(stream::try_unfold(reading, Reading::next)))
    }

    fn takes_images(&self) -> bool {
        !self.is_blind.load(Ordering::Relaxed)
    }
}

impl Remote {
    /// Sends the question. A model that cannot see would refuse every conversation with a picture
    /// in it; so a server of one's own that refuses pictures is asked once more without them.
    async fn post(&self, request: &mut ModelRequest, pace: &Pace) -> Result<Response, ModelError> {
        let model = self.model_name(pace).await?;
        let to = self.wire.place(model);
        let error = match self.door.post(&to, &self.wire.body(model, request), pace).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let is_refusal = match error {
            ModelError::Rejected { status } => ![401, 403].contains(&status),
            ModelError::Failing { status } => [500, 501].contains(&status),
            ModelError::Unreachable
            | ModelError::Limited { .. }
            | ModelError::TimedOut
            | ModelError::Cut
            | ModelError::Garbled
            | ModelError::Empty => false,
        };
        if !(self.is_unknown() && is_refusal && take_images_out(request)) {
            return Err(error);
        }
        let response = self.door.post(&to, &self.wire.body(model, request), pace).await?;
        // A server may fail for other reasons; only a refusal says that it will always be one.
        if !matches!(error, ModelError::Failing { .. }) {
            self.is_blind.store(true, Ordering::Relaxed);
        }
        Ok(response)
    }
}

/// Puts a placeholder where a picture was. Whether there was any.
fn take_images_out(request: &mut ModelRequest) -> bool {
    let mut has_images = false;
    for turn in &mut request.turns {
        let ModelTurn::Heard(pieces) = turn else { continue };
        for piece in pieces {
            if let Piece::Image { .. } = piece {
                *piece = Piece::Text(Words::lossy(IMAGE));
                has_images = true;
            }
        }
    }
    has_images
}
