//! An answer while it grows, and when it is whole.

use std::collections::VecDeque;

use serde_json::Value;
use unsaid_core::domain::text::Words;
use unsaid_core::port::model::{Echo, EndReason, ModelError, ModelEvent, ToolCall, Usage};

use super::call_ids::CallIds;

/// More calls than this in one answer are a fault, not a wish.
const CALLS_MAX: usize = 64;

/// A call whose arguments are still coming.
#[derive(Default)]
pub(crate) struct GrowingCall {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl GrowingCall {
    /// Whether the arguments can be all there is.
    pub(crate) fn is_whole(&self) -> bool {
        serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok()
    }
}

/// What has come of an answer.
pub(crate) struct Answer {
    ready: VecDeque<ModelEvent>,
    calls: Vec<GrowingCall>,
    ids: CallIds,
    finish: Option<EndReason>,
    usage: Usage,
    has_words: bool,
    is_recognised: bool,
    is_marked: bool,
}

impl Answer {
    pub(crate) fn new(ids: CallIds) -> Self {
        Self {
            ready: VecDeque::new(),
            calls: Vec::new(),
            ids,
            finish: None,
            usage: Usage::default(),
            has_words: false,
            is_recognised: false,
            is_marked: false,
        }
    }

    /// Something in the provider's format came, whatever it holds.
    pub(crate) fn recognise(&mut self) {
        self.is_recognised = true;
    }

    /// More words.
    pub(crate) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.has_words |= !text.trim().is_empty();
        self.ready.push_back(ModelEvent::Text(Words::lossy(text)));
    }

    /// Another call; its number.
    pub(crate) fn begin_call(&mut self, name: &str) -> Result<usize, ModelError> {
        if self.calls.len() >= CALLS_MAX {
            return Err(ModelError::Garbled);
        }
        self.calls.push(GrowingCall { name: name.to_owned(), arguments: String::new() });
        Ok(self.calls.len() - 1)
    }

    /// A call that was begun.
    pub(crate) fn call(&mut self, number: usize) -> Option<&mut GrowingCall> {
        self.calls.get_mut(number)
    }

    /// The provider gave its reason for stopping. A refusal is not taken back by a later reason.
    pub(crate) fn finish(&mut self, reason: EndReason) {
        if self.finish != Some(EndReason::Refused) {
            self.finish = Some(reason);
        }
    }

    /// The provider's own end marker came.
    pub(crate) fn mark_end(&mut self) {
        self.is_marked = true;
    }

    /// Tokens; what is not told leaves what was told before.
    pub(crate) fn count(&mut self, input_tokens: Option<u64>, output_tokens: Option<u64>) {
        self.usage.input_tokens = input_tokens.or(self.usage.input_tokens);
        self.usage.output_tokens = output_tokens.or(self.usage.output_tokens);
    }

    /// Whether the provider said that this is all.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some() || self.is_marked
    }

    pub(super) fn is_marked(&self) -> bool {
        self.is_marked
    }

    pub(super) fn is_recognised(&self) -> bool {
        self.is_recognised
    }

    pub(super) fn take_ready(&mut self) -> Option<ModelEvent> {
        self.ready.pop_front()
    }

    /// All has come: hands out the calls and the end.
    pub(super) fn end(&mut self, echo: Option<Value>) -> Result<(), ModelError> {
        let finish = self.finish.unwrap_or(EndReason::Done);
        let calls = std::mem::take(&mut self.calls);
        let calls: Vec<ToolCall> = match finish {
            EndReason::Done | EndReason::Calls => {
                calls.into_iter().map(|call| self.given_out(call)).collect()
            }
            // The last call may be cut, and nobody says which one that is.
            EndReason::Length | EndReason::Refused => {
                let whole = calls.into_iter().filter(GrowingCall::is_whole);
                whole.map(|call| self.given_out(call)).collect()
            }
        };
        let reason = match finish {
            EndReason::Done | EndReason::Calls if !calls.is_empty() => EndReason::Calls,
            EndReason::Done | EndReason::Calls if self.has_words => EndReason::Done,
            EndReason::Done | EndReason::Calls => return Err(ModelError::Empty),
            EndReason::Length | EndReason::Refused => finish,
        };
        let echo = echo.filter(|_| !calls.is_empty()).map(Echo);
        self.ready.extend(calls.into_iter().map(ModelEvent::Call));
        self.ready.push_back(ModelEvent::End { reason, usage: self.usage, echo });
        Ok(())
    }

    fn given_out(&mut self, call: GrowingCall) -> ToolCall {
        let is_blank = call.arguments.trim().is_empty();
        let arguments = if is_blank { "{}".to_owned() } else { call.arguments };
        ToolCall { id: self.ids.draw(), name: call.name, arguments }
    }
}
