//! Ids of calls.
//!
//! Providers give the same id twice, one in every chunk, or none; so ours are counted by us. On the
//! wire they are counted again by position: whatever ids the turn was given, the provider sees
//! unique ones. Nine letters and digits, because one provider takes nothing else.

use unsaid_core::port::model::{ModelRequest, ModelTurn, ToolCall};

fn numbered(number: usize) -> String {
    format!("call{number:05}")
}

/// Gives ids to the calls of one answer.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    taken: Vec<String>,
    next: usize,
}

impl CallIds {
    /// Ids that the turn does not have yet.
    pub(crate) fn after(request: &ModelRequest) -> Self {
        let mut taken = Vec::new();
        for turn in &request.turns {
            match turn {
                ModelTurn::Called { calls, .. } => {
                    taken.extend(calls.iter().map(|call| call.id.clone()));
                }
                ModelTurn::Heard(_) | ModelTurn::Said(_) | ModelTurn::Results(_) => {}
            }
        }
        Self { next: taken.len() + 1, taken }
    }

    /// One more.
    pub(crate) fn draw(&mut self) -> String {
        loop {
            let id = numbered(self.next);
            self.next += 1;
            if !self.taken.contains(&id) {
                return id;
            }
        }
    }
}

/// What the calls of one step are called on the wire.
#[derive(Debug, Default)]
pub(crate) struct StepIds {
    given: usize,
    /// Ours, and theirs.
    pairs: Vec<(String, String)>,
}

impl StepIds {
    /// The ids of the next step's calls, in their order.
    pub(crate) fn step(&mut self, calls: &[ToolCall]) -> Vec<String> {
        let first = self.given + 1;
        self.given += calls.len();
        self.step_named(calls, (first..).map(numbered).take(calls.len()).collect())
    }

    /// The same, with ids that the provider gave and wants to see again.
    pub(crate) fn step_named(&mut self, calls: &[ToolCall], theirs: Vec<String>) -> Vec<String> {
        self.pairs = calls.iter().map(|call| call.id.clone()).zip(theirs.clone()).collect();
        theirs
    }

    /// The id on the wire of the call that this is the result of; each is given once.
    pub(crate) fn of_result(&mut self, id: &str) -> Option<String> {
        let at = self.pairs.iter().position(|(ours, _)| ours == id)?;
        Some(self.pairs.remove(at).1)
    }
}
