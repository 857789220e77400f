//! Edits and removals that failed, as they are shown: ids only.

use serde::Serialize;
use unsaid_core::domain::id::{ChatId, ErrorCode, FailedEditId, MessageId};
use unsaid_core::domain::world::FailedEdit;
use utoipa::ToSchema;

use crate::openapi::word;

/// One of them.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EditError)]
pub(crate) struct EditErrorShape {
    #[schema(value_type = String)]
    id: FailedEditId,
    #[schema(format = DateTime)]
    at: String,
    #[schema(value_type = String)]
    chat_id: ChatId,
    #[schema(value_type = String)]
    message_id: MessageId,
    #[schema(schema_with = word::code)]
    code: ErrorCode,
}

impl From<FailedEdit> for EditErrorShape {
    fn from(failed: FailedEdit) -> Self {
        let FailedEdit { id, at, chat, message, code } = failed;
        Self { id, at: at.to_millis_text(), chat_id: chat, message_id: message, code }
    }
}
