//! Answering through tools: the model must choose between speaking and silence.

use serde_json::{Value, json};
use unsaid_core::{
    domain::{
        conversation::change::{Change, Decision, SendOutcome},
        text::Words,
    },
    port::{
        messenger::Messenger,
        model::{ModelRequest, ModelTurn, Piece, ToolCall, ToolChoice, ToolResult},
    },
};

use super::{
    Cast, Ended, Failure, ReadCalls, Stopped,
    hold::Hold,
    reading::Reading,
    sending::{self, Replied},
    step::{self, Step},
};
use crate::tool::{ONCE_MORE, ToolError, Wish};

/// Plain texts that were dropped because the model would not use a tool.
pub(super) const DROPPED_TOTAL: &str = "unsaid_plain_texts_dropped_total";

/// What a turn at a door with tools has beside the cast.
pub(super) struct ToolTurn<'a> {
    pub(super) cast: &'a Cast,
    pub(super) hold: &'a Hold<'a>,
    pub(super) messenger: &'a dyn Messenger,
    pub(super) read_calls: ReadCalls,
}

impl ToolTurn<'_> {
    /// Runs to the first valid `reply` or `skip`, in so many steps at most.
    pub(super) async fn run(&self, reading: Reading) -> Result<Ended, Stopped> {
        let desk = self.hold.pen.desk;
        let mut request = ModelRequest {
            system: reading.system.clone(),
            turns: reading.turns.clone(),
            tools: desk.tools.specs(),
            choice: ToolChoice::Forced,
        };
        let mut warned = false;
        for _ in 0..desk.settings.tool_steps {
            let asked = step::ask(&*self.cast.model, request.clone(), |_| {});
            let mut step = self.hold.unless_over(asked).await??;
            if step.calls.is_empty() {
                let written = (self.read_calls)(&step.text, &request.tools).unwrap_or_default();
                if !written.is_empty() {
                    step = Step { text: String::new(), calls: written, ..step };
                }
            }
            if step.calls.is_empty() {
                if warned {
                    metrics::counter!(DROPPED_TOTAL).increment(1);
                    return Err(Failure::MODEL_PLAIN_TEXT.into());
                }
                warned = true;
                ask_once_more(&mut request.turns, step.text);
                continue;
            }
            let results = match self.act(&step.calls, &reading).await? {
                Acted::Ended(ended) => return Ok(ended),
                Acted::GoOn(results) => results,
            };
            let Step { text, calls, echo } = step;
            request.turns.push(ModelTurn::Called { text: Words::lossy(text), calls, echo });
            request.turns.push(ModelTurn::Results(results));
        }
        Err(Failure::TOOL_STEPS.into())
    }

    /// One call after the other. The first that is valid counts; what comes after it does not.
    async fn act(&self, calls: &[ToolCall], reading: &Reading) -> Result<Acted, Stopped> {
        let desk = self.hold.pen.desk;
        let mut results = Vec::with_capacity(calls.len());
        let mut tried = false;
        for call in calls {
            let error = match desk.tools.read(call) {
                Err(error) => error,
                // It was written before the first one failed; the model decides anew.
                Ok(_) if tried => ToolError::AlreadyReplied,
                Ok(Wish::Skip { reason }) => return self.skip(call, reason).await,
                Ok(Wish::Reply { message }) => {
                    tried = true;
                    let letter = (message, reading.question.as_ref());
                    match sending::reply(self.cast, self.hold, self.messenger, letter).await? {
                        Replied::Left { id, outcome } => {
                            self.check_result(call, json!({ "status": "sent" }));
                            let known = outcome == SendOutcome::Sent;
                            return Ok(Acted::Ended(Ended::Answered { id, known }));
                        }
                        Replied::Not(error) => error,
                    }
                }
            };
            self.log(&error);
            results.push(error.result_of(call));
        }
        Ok(Acted::GoOn(results))
    }

    async fn skip(&self, call: &ToolCall, reason: Words) -> Result<Acted, Stopped> {
        let decision = Decision::Silent { reason: Some(reason) };
        let fence = self.hold.fence();
        let written = self.hold.pen.end(Change::Decide { fence, decision }).await;
        self.check_result(call, json!({ "status": "skipped" }));
        Ok(Acted::Ended(Ended::Silent.if_written(written)))
    }

    /// The turn is over, so nobody reads the result; but it is held to its schema like all others.
    fn check_result(&self, call: &ToolCall, content: Value) {
        if let Err(error) = self.hold.pen.desk.tools.result(call, content) {
            self.log(&error);
        }
    }

    /// Which mistake, but not what was written.
    fn log(&self, error: &ToolError) {
        let why = match error {
            ToolError::InvalidParameters(_) => "invalid parameters",
            ToolError::UnknownTool(_) => "unknown tool",
            ToolError::Internal => "internal error",
            ToolError::FailedToLoad => "failed to load conversation",
            ToolError::FailedToSend => "failed to send reply",
            ToolError::AlreadyReplied => "already replied",
        };
        let turn = self.hold.fence().get();
        tracing::info!(conversation = %self.hold.pen.key, turn, why, "tool call came to nothing");
    }
}

enum Acted {
    Ended(Ended),
    GoOn(Vec<ToolResult>),
}

/// Its own text, and what it should have done instead.
fn ask_once_more(turns: &mut Vec<ModelTurn>, text: String) {
    let instruction = Piece::Text(Words::lossy(ONCE_MORE));
    if !text.trim().is_empty() {
        turns.push(ModelTurn::Said(Words::lossy(text)));
    }
    // Turns alternate, so a model that said nothing at all reads it beside the question.
    if let Some(ModelTurn::Heard(pieces)) = turns.last_mut() {
        pieces.push(instruction);
    } else {
        turns.push(ModelTurn::Heard(vec![instruction]));
    }
}
