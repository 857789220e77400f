//! What was promised, and how that ends.

use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Refusal},
            key::ConversationKey,
            log::Entry,
        },
        id::{MediaKey, MessageId},
        message::Part,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed},
    },
};

use super::{PENDING_MIME, Pictures};

/// Each time somebody spoke between the look and the commit.
const LOOKS_MAX: usize = 20;

/// The name of the picture that is still promised.
pub(super) fn promised_key(entry: &Entry) -> Option<&MediaKey> {
    let mut parts = entry.message.parts.iter().filter(|_| entry.is_heard());
    parts.find_map(|part| match part {
        Part::Media { key, mime } if mime == PENDING_MIME => Some(key),
        Part::Media { .. } | Part::Text { .. } | Part::Original { .. } => None,
    })
}

impl Pictures {
    pub(super) async fn promised(
        &self,
        conversation: &ConversationKey,
        message: &MessageId,
    ) -> Result<Option<MediaKey>, StoreError> {
        let entry = self.history.find(conversation, message).await?;
        Ok(entry.as_ref().and_then(promised_key).cloned())
    }

    /// Ends a promise with this part, unless it has ended: another server may have been at it, and
    /// what was decided once is not decided again. Whether this did it.
    pub(super) async fn end(
        &self,
        conversation: &ConversationKey,
        message: &MessageId,
        part: Part,
    ) -> Result<bool, StoreError> {
        for _ in 0..LOOKS_MAX {
            // In this order: what is found is at least as new as this version.
            let Some(overview) = self.history.overview(conversation).await? else {
                return Ok(false);
            };
            if self.promised(conversation, message).await?.is_none() {
                return Ok(false);
            }
            let fill = Change::Fill { id: message.clone(), parts: vec![part.clone()] };
            let commit = Commit::new(fill, self.clock.now()).expecting(overview.version);
            match self.history.commit(conversation, commit).await? {
                Committed::Applied(..) => return Ok(true),
                Committed::Refused(Refusal::VersionConflict) => {}
                Committed::Refused(_) | Committed::Repeated(_) => return Ok(false),
            }
        }
        Err(StoreError::Conflict)
    }
}
