//! A call that was made before, and is made again: it is told what came of it, and nothing of what was
//! said since.

use std::collections::BTreeSet;

use unsaid_core::domain::conversation::change::Event;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::{EditId, Fence};
use unsaid_core::port::error::StoreError;

use super::Follow;

/// What came of it.
pub(super) struct Replayed {
    /// The turns in which it was answered; none if what was said is gone.
    turns: BTreeSet<Fence>,
    /// The edit it was, which may have been undone since.
    edit: Option<EditId>,
}

impl Follow {
    /// What came of the listener's call.
    pub(super) async fn replayed(&self) -> Result<Replayed, StoreError> {
        let Some(own) = &self.own else {
            return Ok(Replayed { turns: BTreeSet::new(), edit: None });
        };
        let question = self.history(own.log).find(&self.key(), &own.question).await?;
        let turns = question.map(|question| question.asked_in).unwrap_or_default();
        let edit = own.removal.as_ref().and_then(|(_, result)| result.edit_id.clone());
        Ok(Replayed { turns, edit })
    }

    /// Whether an event is part of what is told. All are, unless a round is told again.
    pub(super) fn is_told(&self, event: &Event, entry: Option<&Entry>) -> bool {
        let (Some(Replayed { turns, edit }), Some(own)) = (&self.replayed, &self.own) else {
            return true;
        };
        match event {
            Event::Message { id } => {
                let turn = entry.and_then(|entry| entry.turn);
                *id == own.question || turn.is_some_and(|turn| turns.contains(&turn))
            }
            Event::Removed { from, unsent: false, .. } => {
                own.removal.as_ref().is_some_and(|(removed, _)| removed == from)
            }
            Event::Restored { edit: undone, .. } => edit.as_ref() == Some(undone),
            Event::Removed { unsent: true, .. } => false,
        }
    }
}
