//! What was said in a chat.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use unsaid_app::world::read::Wanted;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::MessageId;
use utoipa::ToSchema;

use crate::auth::SignedIn;
use crate::error::{ApiError, Code};
use crate::input::field::{PageSize, WrittenId};
use crate::input::path::PathOf;
use crate::input::query::QueryOf;
use crate::openapi::word;
use crate::state::AppState;
use crate::stored::Stored;
use crate::world::keeper;
use crate::world::path::{OneChat, OneMessage, WhichChat};
use crate::world::shape::{MessageShape, placed_shapes, sender};

/// How many messages are shown unless asked otherwise.
const SHOWN: usize = 50;

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// A message; those before it are shown. Without it, the newest.
    #[param(value_type = Option<String>, nullable = false)]
    before: Option<WrittenId<MessageId>>,
    /// How many messages; no more than a page.
    #[param(schema_with = word::page_size)]
    limit: Option<PageSize>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessagePage)]
pub(crate) struct PageShape {
    /// Oldest first.
    messages: Vec<MessageShape>,
    /// Whether there are older ones.
    has_more: bool,
    /// Whether they are kept.
    stored: bool,
}

/// A page of what was said in a chat.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/chats/{chat_id}/messages", operation_id = "chat_messages", tag = "world",
    params(OneChat, PageQuery),
    responses(
        (status = 200, description = "A page of it", body = PageShape),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND, MESSAGE_NOT_FOUND"),
    ),
)]
pub(crate) async fn page(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneChat>,
    QueryOf(query): QueryOf<PageQuery>,
) -> Result<Stored<Json<PageShape>>, ApiError> {
    let ((key, chat), keeper) = (path.of(&caller.person)?, keeper(&state));
    let most = state.limits.page_size;
    let limit = query.limit.map_or(SHOWN.min(most), |limit| limit.within(most));
    keeper.place(&key, &chat).await?;
    let before = query.before.map(|id| id.or(Code::MESSAGE_NOT_FOUND)).transpose()?;
    let wanted = Wanted { before, limit };
    let read = keeper.page(&key, &chat, wanted).await?;
    let messages = placed_shapes(&chat, &read.messages, &read.heard_in, read.stored);
    let page = PageShape { messages, has_more: read.has_more, stored: read.stored };
    Ok(Stored(read.stored, Json(page)))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RemovalCount)]
pub(crate) struct CountShape {
    /// How many messages, this one included.
    count: u64,
    /// Whether it is the first of the chat.
    is_first: bool,
    /// The first of them, at most ten.
    preview: Vec<PreviewShape>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = RemovalPreview)]
struct PreviewShape {
    /// `human`, or the id of an agent.
    sender: String,
    text: String,
}

/// What an edit or a delete of a message would remove.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/messages/{message_id}/count", operation_id = "count_removal", tag = "world",
    params(OneMessage, WhichChat),
    responses(
        (status = 200, description = "How much, and of what it is the beginning", body = CountShape),
        (status = 400, description = "INVALID_MESSAGE_TYPE"),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND, MESSAGE_NOT_FOUND"),
    ),
)]
pub(crate) async fn count(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneMessage>,
    QueryOf(which): QueryOf<WhichChat>,
) -> Result<Stored<Json<CountShape>>, ApiError> {
    let ((key, message), keeper) = (path.of(&caller.person)?, keeper(&state));
    let chat = keeper.meant(&key, which.named()?).await?;
    let tail = keeper.count(&key, &chat, &message).await?;
    let line = |entry: &Entry| PreviewShape {
        sender: sender(&entry.message.author),
        text: entry.message.text(),
    };
    let preview = tail.preview.iter().map(line).collect();
    let shape = CountShape { count: tail.count, is_first: tail.is_first, preview };
    Ok(Stored(tail.log.is_kept(), Json(shape)))
}
