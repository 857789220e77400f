//! Intent, look, send, outcome: what was sent is in the history, and the other way round (H11).
//!
//! From the intent on nothing here is dropped half-way: an answer that may have left cannot be called
//! back, so its outcome is waited for and recorded, whatever else happens to the turn.

use std::time::Duration;

use tokio::time::timeout;
use unsaid_core::{
    domain::{
        conversation::change::{Change, Refusal, SendOutcome},
        id::MessageId,
        text::Words,
    },
    port::messenger::{Letter, Messenger},
};

use super::{Cast, Failure, Stopped, hold::Hold, message, reading::Question};
use crate::tool::ToolError;

/// Shorter than a lease, so that nobody settles what is still being sent.
pub(super) const SEND_MAX: Duration = Duration::from_secs(25);

/// What became of a reply that did not stop the turn by force.
pub(super) enum Replied {
    /// It left the house, or may have: the turn is over.
    Left { id: MessageId, outcome: SendOutcome },
    /// It did not, and the model is told why.
    Not(ToolError),
}

/// Says something to the outside.
pub(super) async fn reply(
    cast: &Cast,
    hold: &Hold<'_>,
    messenger: &dyn Messenger,
    (words, question): (Words, Option<&Question>),
) -> Result<Replied, Stopped> {
    let pen = hold.pen;
    let answer = message(cast, pen.desk, words.clone(), question.map(|asked| asked.id.clone()));
    let id = answer.id.clone();
    let intent = Change::Intend { fence: hold.fence(), message: answer };
    match pen.append(intent, &id).await {
        Ok(Ok(())) => {}
        Ok(Err(refusal)) => return refused(hold, &refusal),
        Err(error) => {
            let turn = hold.fence().get();
            tracing::warn!(conversation = %pen.key, turn, error = error.name(), "storage_write");
            // It may be there all the same, and then it certainly did not leave.
            pen.settle(&id, SendOutcome::Failed).await;
            return Err(Failure::STORAGE_WRITE.into());
        }
    }
    let outcome = match hold.stands().await {
        Ok(true) => {
            let letter = Letter {
                conversation: pen.key.clone(),
                turn: hold.fence(),
                id: id.clone(),
                question: question.map(|asked| asked.id.clone()),
                way_back: question.and_then(|asked| asked.way_back.clone()),
                text: words,
            };
            // Who stops waiting does not know.
            let sent = timeout(SEND_MAX, messenger.send(&letter)).await;
            Ok(sent.unwrap_or(SendOutcome::Unknown))
        }
        Ok(false) => Err(None),
        Err(error) => Err(Some(error)),
    };
    let recorded = pen.settle(&id, *outcome.as_ref().unwrap_or(&SendOutcome::Failed)).await;
    match outcome {
        Ok(outcome @ (SendOutcome::Sent | SendOutcome::Unknown)) => {
            Ok(Replied::Left { id, outcome })
        }
        // Nobody may be asked, and nothing said again, before the log knows that it failed.
        _ if !recorded => Err(Failure::STORAGE_WRITE.into()),
        Ok(SendOutcome::Failed) => Ok(Replied::Not(ToolError::FailedToSend)),
        Err(None) => Err(Stopped::Lost),
        Err(Some(error)) => {
            let turn = hold.fence().get();
            tracing::warn!(conversation = %pen.key, turn, error = error.name(), "storage_read");
            Ok(Replied::Not(ToolError::FailedToLoad))
        }
    }
}

fn refused(hold: &Hold<'_>, refusal: &Refusal) -> Result<Replied, Stopped> {
    match refusal {
        Refusal::StaleFence => Err(Stopped::Lost),
        Refusal::AlreadyAnswered => Ok(Replied::Not(ToolError::AlreadyReplied)),
        Refusal::NoConsent => Err(Failure::NO_CONSENT.into()),
        Refusal::NotFound
        | Refusal::NotAPersons
        | Refusal::TurnInProgress { .. }
        | Refusal::NothingWaiting
        | Refusal::NotYet { .. }
        | Refusal::Unsettled { .. }
        | Refusal::IdTaken
        | Refusal::EditNotFound
        | Refusal::UndoBlocked
        | Refusal::UndoExpired
        | Refusal::VersionConflict => {
            let turn = hold.fence().get();
            tracing::error!(conversation = %hold.pen.key, turn, %refusal, "out of contract");
            Ok(Replied::Not(ToolError::Internal))
        }
    }
}
