//! What is only in memory follows what happened to its people elsewhere: on another server, or by a
//! command beside this one.

use std::collections::HashMap;

use unsaid_core::{
    domain::{
        conversation::key::ConversationKey, id::PersonId, person::Person, session::SessionStatus,
        time::Timestamp,
    },
    port::{
        error::StoreError,
        people::People,
        volatile::{HeldConversation, Volatile},
        worlds::Worlds,
    },
};

use crate::event::Watchers;

/// Drops what belongs to people who were erased or are gone, to sessions that are over, and to chats
/// that were deleted; a session that ran out is ended. Says how many conversations went.
///
/// # Errors
/// If a store fails.
pub async fn follow(
    people: &dyn People,
    worlds: &dyn Worlds,
    volatile: &dyn Volatile,
    watchers: &Watchers,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let mut seen: HashMap<PersonId, Option<Person>> = HashMap::new();
    let mut dropped = 0;
    for held in volatile.held().await? {
        if !seen.contains_key(&held.owner) {
            let found = people.person(&held.owner).await?;
            seen.insert(held.owner.clone(), found);
        }
        let owner = seen.get(&held.owner).and_then(Option::as_ref);
        if stays(owner, &held) && !is_over(people, worlds, &held, now).await? {
            continue;
        }
        volatile.drop_conversation(&held.key).await?;
        watchers.running().look_again(&held.key);
        dropped += 1;
    }
    Ok(dropped)
}

/// Whether its owner is there, and was not erased since it began.
fn stays(owner: Option<&Person>, held: &HeldConversation) -> bool {
    owner.is_some_and(|owner| owner.erased_at.is_none_or(|at| at < held.since))
}

async fn is_over(
    people: &dyn People,
    worlds: &dyn Worlds,
    held: &HeldConversation,
    now: Timestamp,
) -> Result<bool, StoreError> {
    match &held.key {
        ConversationKey::Session(id) => {
            let Some(session) = people.session(id).await? else { return Ok(true) };
            match session.status(now) {
                SessionStatus::Active => Ok(false),
                SessionStatus::Ended => Ok(true),
                SessionStatus::Expired => {
                    // With its end the expert is forgotten too.
                    people.end_session(id, session.expires_at().unwrap_or(now)).await?;
                    Ok(true)
                }
            }
        }
        ConversationKey::Chat(id) => Ok(worlds.home(id).await?.is_none()),
        ConversationKey::Line(_) => Ok(false),
    }
}
