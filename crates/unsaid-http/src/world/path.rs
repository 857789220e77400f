//! What stands between the slashes. An id that cannot be one is unknown, like any other.

use serde::Deserialize;
use unsaid_core::domain::id::{AgentId, ChatId, EditId, MessageId, PersonId, WorldId};
use unsaid_core::domain::person::Person;
use unsaid_core::port::worlds::WorldKey;
use utoipa::IntoParams;

use crate::error::{ApiError, Code};
use crate::input::field::WrittenId;

/// A world.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct InWorld {
    #[param(value_type = String)]
    world_id: WrittenId<WorldId>,
}

/// An agent of a world.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OneAgent {
    #[param(value_type = String)]
    world_id: WrittenId<WorldId>,
    #[param(value_type = String)]
    agent_id: WrittenId<AgentId>,
}

/// A chat of a world.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OneChat {
    #[param(value_type = String)]
    world_id: WrittenId<WorldId>,
    #[param(value_type = String)]
    chat_id: WrittenId<ChatId>,
}

/// A message in a world.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OneMessage {
    #[param(value_type = String)]
    world_id: WrittenId<WorldId>,
    #[param(value_type = String)]
    message_id: WrittenId<MessageId>,
}

/// An edit in a world.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OneEdit {
    #[param(value_type = String)]
    world_id: WrittenId<WorldId>,
    #[param(value_type = String)]
    edit_id: WrittenId<EditId>,
}

/// In which chat; the current one if none is named.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct WhichChat {
    /// The current chat if none is named.
    #[param(value_type = Option<String>, nullable = false)]
    chat_id: Option<WrittenId<ChatId>>,
}

impl InWorld {
    /// As a world of this person.
    pub(crate) fn of(self, caller: &Person) -> Result<WorldKey, ApiError> {
        key(&caller.id, self.world_id)
    }
}

impl OneAgent {
    /// As an agent in a world of this person.
    pub(crate) fn of(self, caller: &Person) -> Result<(WorldKey, AgentId), ApiError> {
        Ok((key(&caller.id, self.world_id)?, self.agent_id.or(Code::AGENT_NOT_FOUND)?))
    }
}

impl OneChat {
    /// As a chat in a world of this person.
    pub(crate) fn of(self, caller: &Person) -> Result<(WorldKey, ChatId), ApiError> {
        Ok((key(&caller.id, self.world_id)?, self.chat_id.or(Code::CHAT_NOT_FOUND)?))
    }
}

impl OneMessage {
    /// As a message in a world of this person.
    pub(crate) fn of(self, caller: &Person) -> Result<(WorldKey, MessageId), ApiError> {
        self.of_id(&caller.id)
    }

    /// The same where nothing but their id is known.
    pub(crate) fn of_id(self, caller: &PersonId) -> Result<(WorldKey, MessageId), ApiError> {
        Ok((key(caller, self.world_id)?, self.message_id.or(Code::MESSAGE_NOT_FOUND)?))
    }
}

impl OneEdit {
    /// As an edit in a world of this person; none if it cannot be one.
    pub(crate) fn of(self, caller: &Person) -> Result<(WorldKey, Option<EditId>), ApiError> {
        Ok((key(&caller.id, self.world_id)?, self.edit_id.or(Code::EDIT_NOT_FOUND).ok()))
    }
}

impl WhichChat {
    /// The one that is named.
    pub(crate) fn named(self) -> Result<Option<ChatId>, ApiError> {
        self.chat_id.map(|chat| chat.or(Code::CHAT_NOT_FOUND)).transpose()
    }
}

fn key(caller: &PersonId, id: WrittenId<WorldId>) -> Result<WorldKey, ApiError> {
    Ok(WorldKey { owner: caller.clone(), id: id.or(Code::WORLD_NOT_FOUND)? })
}
