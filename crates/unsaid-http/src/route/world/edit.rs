//! Forgetting from a message on, and saying something else instead.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use unsaid_app::answer::new_message_id;
use unsaid_app::call::Once;
use unsaid_app::edit::Edited;
use unsaid_app::world::talk::{Change, edit_id};
use unsaid_core::domain::conversation::change::Event;
use unsaid_core::domain::id::{ChatId, EditId, ErrorCode, FailedEditId, IdError, MessageId};
use unsaid_core::domain::world::FailedEdit;
use unsaid_core::port::keys::KeyUse;
use unsaid_core::port::worlds::WorldKey;
use utoipa::ToSchema;

use super::room::{Before, Needs, Room, interrupt};
use super::say::{Answers, Wants, again, hear};
use crate::auth::{Caller, SignedIn};
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBody, KeyedBodyOrNone, KeyedCall};
use crate::input::field::{WrittenId, yes_or_no};
use crate::input::path::PathOf;
use crate::input::query::QueryOf;
use crate::route::chat::asked::words;
use crate::state::AppState;
use crate::stored::Stored;
use crate::token::random_id;
use crate::world::edit_errors::EditErrorShape;
use crate::world::follow::Own;
use crate::world::frame::{RemovalResult, Resubmission, WorldStreamEvent};
use crate::world::keeper;
use crate::world::path::{InWorld, OneMessage};

/// Letters of the half of an edit's name that is its own.
const EDIT_CHARS: usize = 16;

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Interrupting {
    /// Whether a running round is cancelled first.
    #[serde(default, deserialize_with = "maybe_yes")]
    #[param(nullable = false)]
    pub(crate) interrupt: Option<bool>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = WorldEdit)]
pub(crate) struct Body {
    #[schema(value_type = String)]
    chat_id: WrittenId<ChatId>,
    /// Not only white space.
    #[schema(min_length = 1, max_length = 20000)]
    new_content: String,
    /// Whether the answers come as they are given; they do if nothing is said.
    #[schema(nullable = false)]
    stream: Option<bool>,
}

/// Forgets a message and everything after it, and says something else instead.
#[utoipa::path(
    put, path = "/api/worlds/{world_id}/messages/{message_id}", operation_id = "edit_in_world", tag = "world",
    params(OneMessage, Interrupting, KeyedCall), request_body = Body,
    responses(
        (status = 200, description = "What was removed, and the answers", content(
            (WorldStreamEvent = "text/event-stream"), (Answers = "application/json"))),
        (status = 400, description = "INVALID_MESSAGE_TYPE"),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND, MESSAGE_NOT_FOUND"),
        (status = 409, description = "SESSION_OFF, VERSION_CONFLICT"),
        (status = 423, description = "WORLD_LOCKED"),
    ),
)]
pub(crate) async fn edit(
    State(state): State<AppState>,
    Caller { id, signed_in }: Caller,
    PathOf(message): PathOf<OneMessage>,
    QueryOf(Interrupting { interrupt: wanted }): QueryOf<Interrupting>,
    KeyedBody(keyed, body): KeyedBody<Body>,
) -> Result<Response, ApiError> {
    let Body { chat_id, new_content, stream } = body;
    let words = words(&state, "newContent", new_content)?;
    let attempt = Attempt::of(&state, message.of_id(&id)?, chat_id)?;
    let person = signed_in.map_err(|error| attempt.noted(error))?.person;
    let (place, from) = (attempt.place(), attempt.message.clone());
    let used = keyed.before(&state, &person).await;
    let used = used.map_err(|error| attempt.noted(error))?;
    let needs = if used.is_some() { Needs::Nothing } else { Needs::Session };
    let room = Room::of(state, person, place, needs).await;
    let room = room.map_err(|error| attempt.noted(error))?;
    let wants = Wants::of(&room, stream)?;
    if let Some(used) = used {
        return edited_before(room, wants, &used, from).await;
    }
    let follow = room.follow().await.map_err(|error| attempt.noted(error))?;
    let before = Before::of(&follow);
    let question = new_message_id(&*room.state.chance);
    let change = Change {
        from: from.clone(),
        with: Some((question.clone(), words)),
        edit: new_edit(&room)?,
        undo_ms: room.state.worlds.undo_ms,
        interrupt: interrupt(wanted),
    };
    let once = room.key_use(&keyed, question.as_str(), before);
    let made = room.talk(once).edit(change).await;
    let (log, edited) = made.map_err(|error| attempt.noted(error))?;
    let edited = match edited {
        Once::Made(edited) => edited,
        Once::Repeated(used) => return edited_before(room, wants, &used, from).await,
    };
    room.done(&keyed, log, question.as_str(), before).await?;
    let result = result(&room, &from, (edited.removed, edit_of(&edited)), Some(question.clone()));
    hear(room, wants, follow, Own { log, question, removal: Some((from, result)) }).await
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct Where {
    /// The chat, here or in the body.
    #[param(value_type = Option<String>, nullable = false)]
    chat_id: Option<WrittenId<ChatId>>,
    /// Whether a running round is cancelled first.
    #[serde(default, deserialize_with = "maybe_yes")]
    #[param(nullable = false)]
    interrupt: Option<bool>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct InChat {
    /// The chat.
    #[schema(value_type = String)]
    pub(crate) chat_id: WrittenId<ChatId>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct InChatOrNot {
    /// The chat, here or in the query.
    #[schema(value_type = Option<String>, nullable = false)]
    chat_id: Option<WrittenId<ChatId>>,
}

/// Forgets a message and everything after it.
#[utoipa::path(
    delete, path = "/api/worlds/{world_id}/messages/{message_id}", operation_id = "remove_in_world", tag = "world",
    params(OneMessage, Where, KeyedCall), request_body = Option<InChatOrNot>,
    responses(
        (status = 200, description = "What was removed", body = RemovalResult),
        (status = 400, description = "INVALID_MESSAGE_TYPE"),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND, MESSAGE_NOT_FOUND"),
        (status = 409, description = "VERSION_CONFLICT"),
        (status = 423, description = "WORLD_LOCKED"),
    ),
)]
pub(crate) async fn remove(
    State(state): State<AppState>,
    Caller { id, signed_in }: Caller,
    PathOf(message): PathOf<OneMessage>,
    QueryOf(Where { chat_id, interrupt: wanted }): QueryOf<Where>,
    KeyedBodyOrNone(keyed, body): KeyedBodyOrNone<InChatOrNot>,
) -> Result<Stored<Json<RemovalResult>>, ApiError> {
    let chat = body.and_then(|body| body.chat_id).or(chat_id);
    let chat = chat.ok_or_else(|| crate::input::invalid("chatId", "missing"))?;
    let attempt = Attempt::of(&state, message.of_id(&id)?, chat)?;
    let person = signed_in.map_err(|error| attempt.noted(error))?.person;
    let (place, from) = (attempt.place(), attempt.message.clone());
    let room = Room::of(state, person, place, Needs::Nothing).await;
    let room = room.map_err(|error| attempt.noted(error))?;
    let used = keyed.before(&room.state, &room.person).await;
    if let Some(used) = used.map_err(|error| attempt.noted(error))? {
        return removed_before(&room, &used, &from).await;
    }
    let before = Before::of(&room.follow().await.map_err(|error| attempt.noted(error))?);
    let is_shown =
        room.is_stored() || room.find(&from).await.map_err(|error| attempt.noted(error))?.is_some();
    let change = Change {
        from: from.clone(),
        with: None,
        edit: new_edit(&room)?,
        // What is hidden until its erasure goes for good.
        undo_ms: if is_shown { room.state.worlds.undo_ms } else { 0 },
        interrupt: interrupt(wanted),
    };
    let once = room.key_use(&keyed, from.as_str(), before);
    let made = room.talk(once).edit(change).await;
    let (log, removed) = made.map_err(|error| attempt.noted(error))?;
    let removed = match removed {
        Once::Made(removed) => removed,
        Once::Repeated(used) => return removed_before(&room, &used, &from).await,
    };
    room.done(&keyed, log, from.as_str(), before).await?;
    let result = result(&room, &from, (removed.removed, edit_of(&removed)), None);
    Ok(Stored(log.is_kept(), Json(result)))
}

/// Edits and removals that failed, oldest first. Each was made whole or not at all.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/edit-errors", operation_id = "edit_errors", tag = "world",
    params(InWorld),
    responses(
        (status = 200, description = "The last hundred", body = Vec<EditErrorShape>),
        (status = 404, description = "WORLD_NOT_FOUND"),
    ),
)]
pub(crate) async fn errors(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(world): PathOf<InWorld>,
) -> Result<Json<Vec<EditErrorShape>>, ApiError> {
    let world = world.of(&caller.person)?;
    let failed = state.worlds.failed_edits.of(keeper(&state), &world).await?;
    Ok(Json(failed.into_iter().map(EditErrorShape::from).collect()))
}

/// `true` or `false` in a query, where one is given.
fn maybe_yes<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    yes_or_no(from).map(Some)
}

fn new_edit(room: &Room) -> Result<EditId, ApiError> {
    let own: String = random_id(&*room.state.chance).chars().take(EDIT_CHARS).collect();
    edit_id(&room.chat, &own).map_err(|error| ApiError::new(Code::INTERNAL).with_cause(error))
}

fn edit_of(edited: &Edited) -> Option<EditId> {
    edited.undo.as_ref().map(|(edit, _)| edit.clone())
}

/// What somebody wants to edit or remove.
struct Attempt {
    state: AppState,
    world: WorldKey,
    chat: ChatId,
    message: MessageId,
}

impl Attempt {
    fn of(
        state: &AppState,
        (world, message): (WorldKey, MessageId),
        chat: WrittenId<ChatId>,
    ) -> Result<Self, ApiError> {
        let chat = chat.or(Code::CHAT_NOT_FOUND)?;
        Ok(Self { state: state.clone(), world, chat, message })
    }

    fn place(&self) -> (WorldKey, Option<ChatId>) {
        (self.world.clone(), Some(self.chat.clone()))
    }

    /// Remembers that nothing came of it, so that it can be looked at.
    fn noted(&self, error: impl Into<ApiError>) -> ApiError {
        let error = error.into();
        if error.code().status().is_server_error()
            && let Ok(failed) = self.failed_with(error.code())
        {
            self.state.worlds.failed_edits.note(&self.world, failed);
        }
        error
    }

    fn failed_with(&self, code: Code) -> Result<FailedEdit, IdError> {
        Ok(FailedEdit {
            id: FailedEditId::new(random_id(&*self.state.chance))?,
            at: self.state.clock.now(),
            chat: self.chat.clone(),
            message: self.message.clone(),
            code: ErrorCode::new(code.name())?,
        })
    }
}

fn result(
    room: &Room,
    from: &MessageId,
    (removed, edit_id): (u64, Option<EditId>),
    new_message_id: Option<MessageId>,
) -> RemovalResult {
    let said = new_message_id.is_some();
    RemovalResult {
        success: true,
        message_id: from.clone(),
        total_agents: room.agents.len(),
        processed_agents: room.agents.iter().map(|agent| agent.id.clone()).collect(),
        failed_agents: [],
        messages_removed_total: removed,
        requires_retry: false,
        resubmission_status: if said { Resubmission::Success } else { Resubmission::Skipped },
        new_message_id,
        edit_id,
    }
}

/// What an edit did when it was made before.
async fn edited_before(
    room: Room,
    wants: Wants,
    used: &KeyUse,
    from: MessageId,
) -> Result<Response, ApiError> {
    let question = used.ids.first().and_then(|id| MessageId::new(id.as_str()).ok());
    room.talk(None).complete_edit().await?;
    let (_, removed) = removal_since(&room, used, &from).await?;
    let result = result(&room, &from, removed, question);
    again(room, wants, used, Some((from, result))).await.map(IntoResponse::into_response)
}

async fn removed_before(
    room: &Room,
    used: &KeyUse,
    from: &MessageId,
) -> Result<Stored<Json<RemovalResult>>, ApiError> {
    room.talk(None).complete_edit().await?;
    let (stored, removed) = removal_since(room, used, from).await?;
    Ok(Stored(stored, Json(result(room, from, removed, None))))
}

/// Whether it was from what is stored, and what it was.
async fn removal_since(
    room: &Room,
    used: &KeyUse,
    message: &MessageId,
) -> Result<(bool, (u64, Option<EditId>)), ApiError> {
    let removal = |event: &Event| match event {
        Event::Removed { from, count, edit, unsent: false } => {
            Some((from.clone(), *count, edit.clone()))
        }
        Event::Removed { unsent: true, .. } | Event::Message { .. } | Event::Restored { .. } => {
            None
        }
    };
    let told = room.events_since(Before::remembered(used), removal).await?;
    let Some(place) = told.iter().position(|(_, (from, ..))| from == message) else {
        return Ok((room.is_stored(), (0, None)));
    };
    let (log, (_, _, edit)) = &told[place];
    // What one edit removed from the other log has its name.
    let is_part =
        |at: usize, other: &Option<EditId>| at == place || (edit.is_some() && other == edit);
    let parts = told.iter().enumerate().filter(|(at, (_, (_, _, other)))| is_part(*at, other));
    let count = parts.map(|(_, (_, (_, count, _)))| count).sum();
    Ok((log.is_kept(), (count, edit.clone())))
}
