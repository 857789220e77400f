//! What a stream says: one JSON object a frame, `{"type", "data"}`. Durable ones have a number.

use axum::response::sse::Event;
use serde::Serialize;
use unsaid_core::domain::id::{AgentId, EditId, EventNumber, MessageId};
use utoipa::ToSchema;

use super::shape::MessageShape;
use crate::error::Code;
use crate::openapi::word;

/// One frame.
#[derive(Serialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case")]
pub(crate) enum Frame<'a> {
    Message(MessageShape),
    Removed(Removed<'a>),
    Restored(Restored<'a>),
    Sse(Sse<'a>),
    World(World),
    System(System<'a>),
    Error(Failure),
    Reset(Nothing),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Removed<'a> {
    pub(crate) from_message_id: &'a MessageId,
    pub(crate) count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit_id: Option<&'a EditId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unsent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<RemovalResult>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Restored<'a> {
    pub(crate) edit_id: &'a EditId,
    pub(crate) from_message_id: &'a MessageId,
    pub(crate) count: u64,
}

/// An agent's words as they come.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sse<'a> {
    pub(crate) agent_name: &'a AgentId,
    #[serde(rename = "type")]
    pub(crate) kind: SseKind,
    pub(crate) message_id: &'a MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SseKind {
    Start,
    Chunk,
    End,
    Error,
}

/// Who is at it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct World {
    #[serde(rename = "type")]
    pub(crate) kind: WorldKind,
    pub(crate) active_agents: Vec<AgentId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WorldKind {
    ResponseStart,
    ResponseEnd,
    Idle,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum System<'a> {
    TurnLimit { agent_id: &'a AgentId },
    NoResponder,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WorldFailure)]
pub(crate) struct Failure {
    #[schema(schema_with = word::code)]
    pub(crate) code: &'static str,
    pub(crate) error: &'static str,
}

impl From<Code> for Failure {
    fn from(code: Code) -> Self {
        Self { code: code.name(), error: code.sentence() }
    }
}

#[derive(Serialize)]
pub(crate) struct Nothing {}

/// What an edit or a removal did. It is one commit, so nothing of it can have failed.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemovalResult {
    pub(crate) success: bool,
    #[schema(value_type = String)]
    pub(crate) message_id: MessageId,
    pub(crate) total_agents: usize,
    #[schema(value_type = Vec<String>)]
    pub(crate) processed_agents: Vec<AgentId>,
    /// Always empty.
    #[schema(value_type = Vec<String>)]
    pub(crate) failed_agents: [(); 0],
    /// Messages, not copies of them.
    pub(crate) messages_removed_total: u64,
    /// Always false.
    pub(crate) requires_retry: bool,
    pub(crate) resubmission_status: Resubmission,
    /// What was said instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    pub(crate) new_message_id: Option<MessageId>,
    /// Under which it can be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    pub(crate) edit_id: Option<EditId>,
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Resubmission {
    Success,
    Skipped,
}

/// What every event of a stream looks like, for whoever reads about it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "says what is sent, and is never made")]
pub(crate) struct WorldStreamEvent {
    /// `{"type": T, "data": {…}}` in JSON. `T` is `message`, `removed`, `restored`, `sse`, `world`,
    /// `system`, `error` or `reset`.
    data: String,
    /// Of `message`, `removed` and `restored`: whoever gives it back as `Last-Event-ID` goes on there.
    id: Option<String>,
}

impl Frame<'_> {
    /// As an event of a stream.
    pub(crate) fn event(&self, number: Option<EventNumber>) -> Event {
        // A frame of texts and ids can always be written.
        let data = serde_json::to_string(self).unwrap_or_default();
        match number {
            Some(number) => Event::default().id(number.to_string()).data(data),
            None => Event::default().data(data),
        }
    }
}
