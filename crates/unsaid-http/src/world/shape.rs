//! Worlds, agents, chats and messages as JSON. Some hold words, so none prints itself.

use serde::Serialize;
use unsaid_app::logs::Log;
use unsaid_app::logs::view::{HeardIn, Placed};
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::hearing::Hearers;
use unsaid_core::domain::id::{AgentId, ChatId, MessageId, WorldId};
use unsaid_core::domain::message::Author;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::world::{Agent, Chat, HUMAN, World};
use utoipa::ToSchema;

use crate::openapi::word;

/// A world.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = World)]
pub(crate) struct WorldShape {
    /// Made from its first name.
    #[schema(value_type = String)]
    id: WorldId,
    #[schema(value_type = String)]
    name: Words,
    /// Model calls per agent since a person last spoke.
    #[schema(minimum = 1, maximum = 50)]
    turn_limit: u32,
    /// The agent that answers alone when nobody is mentioned.
    #[schema(value_type = Option<String>, required)]
    main_agent: Option<AgentId>,
    /// Null is session mode off.
    #[schema(value_type = Option<String>, required)]
    current_chat_id: Option<ChatId>,
    agent_count: usize,
    /// Oldest first.
    chats: Vec<ChatShape>,
    /// Whether what is said in it is kept.
    stored: bool,
}

impl WorldShape {
    /// As it is shown with its chats.
    pub(crate) fn of(
        world: World,
        agent_count: usize,
        chats: Vec<ChatShape>,
        stored: bool,
    ) -> Self {
        let World { id, name, turn_limit, main_agent, current_chat, .. } = world;
        let current_chat_id = current_chat;
        Self { id, name, turn_limit, main_agent, current_chat_id, agent_count, chats, stored }
    }
}

/// An agent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Agent)]
pub(crate) struct AgentShape {
    /// Made from its first name.
    #[schema(value_type = String)]
    id: AgentId,
    #[schema(value_type = String)]
    name: Words,
    /// What it is told to be.
    #[schema(value_type = String)]
    system_prompt: Words,
    /// Of its model, if not the installation's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    provider: Option<String>,
    /// If not the installation's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    model: Option<String>,
    /// Whether it answers without being mentioned.
    auto_reply: bool,
}

impl AgentShape {
    /// As it is shown.
    pub(crate) fn of(agent: Agent) -> Self {
        let Agent { id, name, system_prompt, provider, model, auto_reply, joined: _ } = agent;
        Self { id, name, system_prompt, provider, model, auto_reply }
    }
}

/// A chat.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Chat)]
pub(crate) struct ChatShape {
    #[schema(value_type = String)]
    id: ChatId,
    #[schema(value_type = String)]
    name: Words,
    message_count: u64,
    #[schema(format = DateTime)]
    created_at: String,
    /// Whether what is said in it is kept.
    stored: bool,
}

impl ChatShape {
    /// As it is shown with how much was said in it.
    pub(crate) fn of(chat: Chat, message_count: u64, stored: bool) -> Self {
        let Chat { id, name, created_at } = chat;
        Self { id, name, message_count, created_at: created_at.to_millis_text(), stored }
    }
}

/// A message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorldMessage)]
pub(crate) struct MessageShape {
    #[schema(value_type = String)]
    message_id: MessageId,
    #[schema(value_type = String)]
    chat_id: ChatId,
    #[schema(schema_with = word::role)]
    role: &'static str,
    /// `human`, or the id of an agent.
    sender: String,
    /// Of an agent's only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    agent_id: Option<AgentId>,
    content: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// What it answers, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    reply_to_message_id: Option<MessageId>,
    /// The agents in whose memory it is, in order of creation.
    #[schema(value_type = Vec<String>)]
    seen_by_agents: Vec<AgentId>,
    /// `false` for what was said without consent in a conversation that is kept by now: it is gone when
    /// the server restarts. Left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    stored: Option<bool>,
}

impl MessageShape {
    /// As it is shown where it was said.
    pub(crate) fn of(chat: &ChatId, entry: &Entry, hearers: &Hearers) -> Self {
        let message = &entry.message;
        let (role, agent_id) = match &message.author {
            Author::Person(_) => ("user", None),
            Author::Agent(agent) => ("assistant", Some(agent.clone())),
        };
        Self {
            message_id: message.id.clone(),
            chat_id: chat.clone(),
            role,
            sender: sender(&message.author),
            agent_id,
            content: message.text(),
            created_at: message.at.to_millis_text(),
            reply_to_message_id: message.reply_to.clone(),
            seen_by_agents: hearers.of(entry),
            stored: None,
        }
    }

    /// The same, in a conversation that is kept or not.
    pub(crate) fn in_log(self, log: Log, is_conversation_kept: bool) -> Self {
        Self { stored: (is_conversation_kept && !log.is_kept()).then_some(false), ..self }
    }
}

/// Messages of both logs, in their order.
pub(crate) fn placed_shapes(
    chat: &ChatId,
    messages: &[Placed],
    heard_in: &HeardIn,
    stored: bool,
) -> Vec<MessageShape> {
    let shape = |Placed { log, entry }: &Placed| {
        MessageShape::of(chat, entry, heard_in.of(*log)).in_log(*log, stored)
    };
    messages.iter().map(shape).collect()
}

/// Who said something, as the API names them.
pub(crate) fn sender(author: &Author) -> String {
    match author {
        Author::Person(_) => HUMAN.to_owned(),
        Author::Agent(agent) => agent.to_string(),
    }
}
