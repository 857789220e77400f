//! Saying something in a chat.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use unsaid_app::answer::new_message_id;
use unsaid_app::call::Once;
use unsaid_app::logs::Log;
use unsaid_app::say::Said;
use unsaid_core::domain::id::{ChatId, MessageId};
use unsaid_core::domain::text::Words;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::keys::KeyUse;
use utoipa::ToSchema;

use super::room::{Before, Needs, Room};
use crate::auth::SignedIn;
use crate::chat::open_streams::OpenStream;
use crate::chat::stream::of_turn;
use crate::error::{ApiError, Code};
use crate::idempotency::{Keyed, KeyedBody, KeyedCall};
use crate::input::field::WrittenId;
use crate::input::path::PathOf;
use crate::route::chat::asked::words;
use crate::state::AppState;
use crate::stored::Stored;
use crate::world::follow::{Follow, Own};
use crate::world::frame::{Failure, RemovalResult, WorldStreamEvent};
use crate::world::path::InWorld;
use crate::world::shape::MessageShape;

/// A read that fails is made so often again, after so long.
const READS_MAX: u32 = 30;
const READ_AGAIN: Duration = Duration::from_secs(1);
/// So many ids are tried; that one is taken is next to impossible.
const IDS_MAX: usize = 3;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = WorldWords)]
pub(crate) struct Body {
    /// Not only white space.
    #[schema(min_length = 1, max_length = 20000)]
    message: String,
    /// The current chat if none is named.
    #[schema(value_type = Option<String>, nullable = false)]
    chat_id: Option<WrittenId<ChatId>>,
    /// Whether the answers come as they are given; they do if nothing is said.
    #[schema(nullable = false)]
    stream: Option<bool>,
}

/// What was answered.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorldAnswers)]
pub(crate) struct Answers {
    /// What was said.
    #[schema(value_type = String)]
    message_id: MessageId,
    /// The answers to it.
    messages: Vec<MessageShape>,
    /// Whether all of it is kept.
    stored: bool,
    /// If nobody answered because something broke: what.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<Failure>,
    /// Of an edit: what it removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    removal: Option<RemovalResult>,
}

/// Says something to the agents of a world.
#[utoipa::path(
    post, path = "/api/worlds/{world_id}/messages", operation_id = "say_in_world", tag = "world",
    params(InWorld, KeyedCall), request_body = Body,
    responses(
        (status = 200, description = "The answers", content(
            (WorldStreamEvent = "text/event-stream"), (Answers = "application/json"))),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND"),
        (status = 409, description = "SESSION_OFF"),
    ),
)]
pub(crate) async fn say(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(world): PathOf<InWorld>,
    KeyedBody(keyed, body): KeyedBody<Body>,
) -> Result<Response, ApiError> {
    let Body { message, chat_id, stream } = body;
    let words = words(&state, "message", message)?;
    let (world, chat) = (world.of(&caller.person)?, named(chat_id)?);
    if let Some(used) = keyed.before(&state, &caller.person).await? {
        let room = Room::again(state, caller.person, world, &used).await?;
        let wants = Wants::of(&room, stream)?;
        return again(room, wants, &used, None).await;
    }
    let room = Room::of(state, caller.person, (world, chat), Needs::Session).await?;
    let wants = Wants::of(&room, stream)?;
    said(room, wants, &keyed, words).await
}

/// The chat that is named, if one is.
fn named(chat: Option<WrittenId<ChatId>>) -> Result<Option<ChatId>, ApiError> {
    chat.map(|chat| chat.or(Code::CHAT_NOT_FOUND)).transpose()
}

/// How answers are wanted.
pub(crate) enum Wants {
    /// As they come.
    Stream(OpenStream),
    /// When all are there.
    Whole,
}

impl Wants {
    /// As somebody asked; before anything is said, because they may listen too often already.
    pub(crate) fn of(room: &Room, stream: Option<bool>) -> Result<Self, ApiError> {
        match stream {
            Some(false) => Ok(Self::Whole),
            Some(true) | None => room.open_stream().map(Self::Stream),
        }
    }
}

async fn said(room: Room, wants: Wants, keyed: &Keyed, words: Words) -> Result<Response, ApiError> {
    let follow = room.follow().await?;
    let before = Before::of(&follow);
    for _ in 0..IDS_MAX {
        let question = new_message_id(&*room.state.chance);
        let once = room.key_use(keyed, question.as_str(), before);
        let (log, said) = room.talk(once).say(question.clone(), words.clone()).await?;
        match said {
            Once::Repeated(used) => {
                let world = room.world_key();
                let room = Room::again(room.state, room.person, world, &used).await?;
                return again(room, wants, &used, None).await;
            }
            // Chance gave an id that is another message's: nothing was said, and the next is free.
            Once::Made(Said::Known | Said::TakenBack) => {}
            Once::Made(Said::Stored { .. } | Said::NotStored) => {
                room.done(keyed, log, question.as_str(), before).await?;
                return hear(room, wants, follow, Own { log, question, removal: None }).await;
            }
        }
    }
    Err(ApiError::new(Code::INTERNAL).with_cause("no free message id"))
}

/// Hears what is answered, as it comes or when it is whole.
pub(crate) async fn hear(
    room: Room,
    wants: Wants,
    follow: Follow,
    own: Own,
) -> Result<Response, ApiError> {
    if let Wants::Stream(open) = wants {
        let stored = own.log.is_kept();
        return Ok(Stored(stored, follow.until_answered(own).respond(open)).into_response());
    }
    let (log, message_id) = (own.log, own.question.clone());
    let removal = own.removal.as_ref().map(|(_, result)| result.clone());
    let mut follow = follow.until_answered(own);
    let mut failures = 0;
    // It has happened: who only fails to read what came of it does not say that it has not.
    let (messages, error) = loop {
        match answers(&room, &mut follow, log, &message_id).await {
            Ok(answers) => break answers,
            Err(error) if failures >= READS_MAX => {
                tracing::warn!(error = error.name(), "storage_read");
                break (Vec::new(), Some(Code::STORAGE_UNAVAILABLE.into()));
            }
            Err(_) => failures += 1,
        }
        sleep(READ_AGAIN).await;
    };
    let stored = log.is_kept();
    let answers = Answers { message_id, messages, stored, error, removal };
    Ok(Stored(stored, Json(answers)).into_response())
}

/// The answers, when all are there; if there are none, what broke.
async fn answers(
    room: &Room,
    follow: &mut Follow,
    log: Log,
    question: &MessageId,
) -> Result<(Vec<MessageShape>, Option<Failure>), StoreError> {
    follow.answered().await?;
    let talk = room.talk(None);
    let answers = talk.answers_to(log, question).await?;
    if answers.is_empty() {
        let failed = talk.failure_of(log, question).await?;
        return Ok((Vec::new(), failed.map(|code| of_turn(&code).into())));
    }
    Ok((room.shown(log, &answers).await?, None))
}

/// A call that was made before: what came of it, as it is in the log now.
pub(crate) async fn again(
    room: Room,
    wants: Wants,
    used: &KeyUse,
    removal: Option<(MessageId, RemovalResult)>,
) -> Result<Response, ApiError> {
    let id = used.ids.first().and_then(|id| MessageId::new(id.as_str()).ok());
    let question = id.ok_or(Code::MESSAGE_NOT_FOUND)?;
    let stored = if room.is_stored() { Log::Kept } else { Log::Volatile };
    let log = room.find(&question).await?.map_or(stored, |(log, _)| log);
    let follow = Before::remembered(used).again(room.follow().await?);
    hear(room, wants, follow, Own { log, question, removal }).await
}
