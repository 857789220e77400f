//! What can be refused in worlds.

use unsaid_app::world::WorldError;

use super::{ApiError, Code};
use crate::input::invalid;

impl From<WorldError> for ApiError {
    fn from(error: WorldError) -> Self {
        match error {
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
