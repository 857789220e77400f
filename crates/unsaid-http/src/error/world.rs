//! What can be refused in worlds.

use unsaid_app::edit::EditError;
use unsaid_app::say::SayError;
use unsaid_app::undo::UndoError;
use unsaid_app::world::WorldError;

use super::{ApiError, Code};
use crate::input::invalid;

impl From<WorldError> for ApiError {
    fn from(error: WorldError) -> Self {
        match error {
            WorldError::OwnerNotFound => Code::UNAUTHENTICATED.into(),
            WorldError::WorldNotFound => Code::WORLD_NOT_FOUND.into(),
            WorldError::AgentNotFound => Code::AGENT_NOT_FOUND.into(),
            WorldError::ChatNotFound => Code::CHAT_NOT_FOUND.into(),
            WorldError::MessageNotFound => Code::MESSAGE_NOT_FOUND.into(),
            WorldError::NotAPersons => Code::INVALID_MESSAGE_TYPE.into(),
            WorldError::NoChat => invalid("chatId", "missing, and no chat is current"),
            WorldError::WorldExists => Code::WORLD_EXISTS.into(),
            WorldError::AgentExists => Code::AGENT_EXISTS.into(),
            WorldError::LimitReached => Code::LIMIT_REACHED.into(),
            WorldError::Broken(error) => error.into(),
        }
    }
}

impl From<SayError> for ApiError {
    fn from(error: SayError) -> Self {
        match error {
            SayError::KeyReused => Code::IDEMPOTENCY_KEY_REUSED.into(),
            SayError::NoSuchPlace => Code::CHAT_NOT_FOUND.into(),
            SayError::Broken(error) => error.into(),
        }
    }
}

impl From<EditError> for ApiError {
    fn from(error: EditError) -> Self {
        match error {
            EditError::NotFound => Code::MESSAGE_NOT_FOUND.into(),
            EditError::NotAPersons => Code::INVALID_MESSAGE_TYPE.into(),
            EditError::TurnInProgress { .. } | EditError::AnswerOnItsWay { .. } => {
                Code::WORLD_LOCKED.into()
            }
            EditError::IdTaken | EditError::VersionConflict => Code::VERSION_CONFLICT.into(),
            EditError::KeyReused => Code::IDEMPOTENCY_KEY_REUSED.into(),
            EditError::NoConsent => Self::new(Code::INTERNAL).with_cause(error),
            EditError::Broken(error) => error.into(),
        }
    }
}

impl From<UndoError> for ApiError {
    fn from(error: UndoError) -> Self {
        match error {
            UndoError::NotFound => Code::EDIT_NOT_FOUND.into(),
            UndoError::Blocked => Code::UNDO_BLOCKED.into(),
            UndoError::Expired => Code::UNDO_EXPIRED.into(),
            UndoError::TurnInProgress { .. } | UndoError::AnswerOnItsWay { .. } => {
                Code::WORLD_LOCKED.into()
            }
            UndoError::KeyReused => Code::IDEMPOTENCY_KEY_REUSED.into(),
            UndoError::Broken(error) => error.into(),
        }
    }
}
