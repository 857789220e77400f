//! A model with a script, and what happens while it thinks.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use futures_util::stream;
use tokio_util::sync::CancellationToken;
use unsaid_app::event::Watchers;
use unsaid_core::domain::text::Words;
use unsaid_core::port::model::{
    EndReason, Model, ModelError, ModelEvent, ModelRequest, ModelStream, ToolCall, Usage,
};

use super::door::Door;
use super::play::Scene;
use super::points::Points;
use super::ports::PointedHistory;

pub(super) struct PointedModel {
    pub(super) scene: Scene,
    /// Which life of the conversation this is: whatever is special happens in the first.
    pub(super) life: u32,
    pub(super) points: Arc<Points>,
    pub(super) history: Arc<PointedHistory>,
    pub(super) watchers: Arc<Watchers>,
    pub(super) door: Arc<Door>,
    pub(super) shutdown: CancellationToken,
}

impl PointedModel {
    async fn meanwhile(&self) {
        match self.scene {
            Scene::Reply | Scene::Skip | Scene::Text => {}
            Scene::SecondMessage => self.door.say("m2").await,
            Scene::Renewed => {
                // Who cannot look whether the turn still stands asks to go on.
                self.history.look_fails.store(true, Ordering::SeqCst);
                self.watchers.running().look_again(self.door.place.conversation());
                self.history.renewed.notified().await;
            }
            Scene::HandedBack => {
                self.shutdown.cancel();
                pending::<()>().await;
            }
        }
    }

    /// No two answers have the same words.
    fn pieces(&self, ask: u32) -> Vec<ModelEvent> {
        let answer = format!("answer {ask} of life {}", self.life);
        let call = |name: &str, arguments: String| {
            ModelEvent::Call(ToolCall { id: "c1".to_owned(), name: name.to_owned(), arguments })
        };
        match self.scene {
            Scene::Reply | Scene::SecondMessage | Scene::Renewed | Scene::HandedBack => {
                vec![text("so "), call("reply", format!(r#"{{"message":"{answer}"}}"#))]
            }
            Scene::Skip => {
                vec![text("so "), call("skip", format!(r#"{{"reason":"{answer}"}}"#))]
            }
            Scene::Text => vec![text("so "), text(&answer)],
        }
    }
}

#[async_trait]
impl Model for PointedModel {
    async fn ask(&self, _: ModelRequest) -> Result<ModelStream, ModelError> {
        let ask = self.points.count("model");
        self.points.reach(&format!("model {ask} asked")).await;
        if self.life == 1 && ask == 1 {
            self.meanwhile().await;
        }
        let end = ModelEvent::End { reason: EndReason::Done, usage: Usage::default(), echo: None };
        let pieces = self.pieces(ask).into_iter().chain([end]).enumerate();
        let points = Arc::clone(&self.points);
        Ok(Box::pin(stream::unfold(pieces, move |mut pieces| {
            let points = Arc::clone(&points);
            async move {
                let (heard, piece) = pieces.next()?;
                match &piece {
                    ModelEvent::End { .. } => points.reach(&format!("model {ask} ends")).await,
                    ModelEvent::Text(_) | ModelEvent::Call(_) => {
                        points.reach(&format!("model {ask} after {heard} pieces")).await;
                    }
                }
                Some((Ok(piece), pieces))
            }
        })))
    }

    fn takes_images(&self) -> bool {
        false
    }
}

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(Words::lossy(text))
}
