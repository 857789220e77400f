//! Models for tests: one whose stream the test drives piece by piece, and one with a script.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use async_trait::async_trait;
use futures_core::Stream;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use unsaid_core::{
    domain::text::Words,
    port::model::{
        EndReason, Model, ModelError, ModelEvent, ModelRequest, ModelStream, ModelTurn, Piece,
        ToolCall, Usage,
    },
};

/// What a model says next, or how it fails.
#[derive(Debug, Clone)]
pub struct Said(Result<ModelEvent, ModelError>);

/// A failure.
#[must_use]
pub fn fails(error: ModelError) -> Said {
    Said(Err(error))
}

/// Some words.
#[must_use]
pub fn text(text: &str) -> Said {
    Said(Ok(ModelEvent::Text(Words::lossy(text))))
}

/// A call of a tool.
#[must_use]
pub fn call(id: &str, name: &str, arguments: &str) -> Said {
    let [id, name, arguments] = [id, name, arguments].map(str::to_owned);
    Said(Ok(ModelEvent::Call(ToolCall { id, name, arguments })))
}

/// `reply` with a message.
#[must_use]
pub fn reply(message: &str) -> Said {
    call("c1", "reply", &serde_json::json!({ "message": message }).to_string())
}

/// `skip` with a reason.
#[must_use]
pub fn skip(reason: &str) -> Said {
    call("c1", "skip", &serde_json::json!({ "reason": reason }).to_string())
}

/// The end of an answer.
#[must_use]
pub fn end(reason: EndReason) -> Said {
    Said(Ok(ModelEvent::End { reason, usage: Usage::default(), echo: None }))
}

/// All words of people in a request, as the model reads them.
#[must_use]
pub fn heard(request: &ModelRequest) -> String {
    let pieces = request.turns.iter().filter_map(|turn| match turn {
        ModelTurn::Heard(pieces) => Some(pieces),
        _ => None,
    });
    let texts = pieces.flatten().filter_map(|piece| match piece {
        Piece::Text(words) => Some(words.as_str()),
        Piece::Image { .. } => None,
    });
    texts.collect()
}

/// A model in the hand of the test.
pub struct DrivenModel {
    asked: UnboundedSender<Asked>,
}

/// What such a model is asked, as it comes.
pub struct Asks {
    asked: UnboundedReceiver<Asked>,
}

/// One question to a model, which the test answers. Dropping it cuts the stream.
pub struct Asked {
    /// What it was asked.
    pub request: ModelRequest,
    said: UnboundedSender<Said>,
}

impl DrivenModel {
    /// A model, and what it is asked.
    #[must_use]
    pub fn new() -> (Arc<Self>, Asks) {
        let (asked, asks) = mpsc::unbounded_channel();
        (Arc::new(Self { asked }), Asks { asked: asks })
    }
}

impl Asks {
    /// Waits for the next question.
    pub async fn next(&mut self) -> Asked {
        self.asked.recv().await.expect("the model is still there")
    }

    /// Whether a question is waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }
}

impl Asked {
    /// Says the next piece. Whether anybody still listens does not matter.
    pub fn say(&self, said: Said) {
        drop(self.said.send(said));
    }

    /// Says these pieces, and that all is said.
    pub fn answer(&self, pieces: impl IntoIterator<Item = Said>) {
        for said in pieces {
            self.say(said);
        }
        self.say(end(EndReason::Done));
    }

    /// Waits until nobody listens any more.
    pub async fn cancelled(&self) {
        self.said.closed().await;
    }
}

#[async_trait]
impl Model for DrivenModel {
    async fn ask(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let (said, pieces) = mpsc::unbounded_channel();
        drop(self.asked.send(Asked { request, said }));
        Ok(Box::pin(Pieces(pieces)))
    }

    fn takes_images(&self) -> bool {
        true
    }
}

struct Pieces(UnboundedReceiver<Said>);

impl Stream for Pieces {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<ModelEvent, ModelError>>> {
        self.0.poll_recv(context).map(|said| said.map(|Said(said)| said))
    }
}

/// What a scripted model says to a request.
type Script = dyn Fn(&ModelRequest) -> Vec<Said> + Send + Sync;

/// A model that answers at once, by a rule, and remembers what it was asked.
pub struct ScriptedModel {
    script: Box<Script>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl ScriptedModel {
    /// By this rule.
    #[must_use]
    pub fn new(script: impl Fn(&ModelRequest) -> Vec<Said> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { script: Box::new(script), asked: Mutex::default() })
    }

    /// Always the same.
    #[must_use]
    pub fn saying(pieces: Vec<Said>) -> Arc<Self> {
        Self::new(move |_| pieces.clone())
    }

    /// One answer after the other; the last one again and again.
    #[must_use]
    pub fn in_order(answers: Vec<Vec<Said>>) -> Arc<Self> {
        let next = Mutex::new(answers.into_iter().peekable());
        Self::new(move |_| {
            let mut next = next.lock().expect("nothing panics while it holds this lock");
            let answer = next.next().expect("there is an answer");
            if next.peek().is_none() {
                let again: Vec<_> = std::iter::once(answer.clone()).collect();
                *next = again.into_iter().peekable();
            }
            answer
        })
    }

    /// What it was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().expect("nothing panics while it holds this lock").clone()
    }
}

#[async_trait]
impl Model for ScriptedModel {
    async fn ask(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let (said, pieces) = mpsc::unbounded_channel();
        for piece in (self.script)(&request) {
            drop(said.send(piece));
        }
        self.asked.lock().expect("nothing panics while it holds this lock").push(request);
        Ok(Box::pin(Pieces(pieces)))
    }

    fn takes_images(&self) -> bool {
        true
    }
}
