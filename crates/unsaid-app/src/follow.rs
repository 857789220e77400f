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

use crate::event::{Notice, Watchers};

/// What becomes of a conversation in memory.
enum Fate {
    /// It stays.
    Stays,
    /// It goes at once, with the turn that may be running there.
    Goes,
    /// It goes when nobody answers there any more: its end takes no answer back. A turn ends in its
    /// time or loses its lease, and what nobody touches has a time of its own, so that is soon.
    GoesWhenIdle,
}

/// Drops what belongs to people who were erased or are gone, to sessions that are over, and to chats
/// that were deleted; of a session that ran out the expert is forgotten too. Says how many
/// conversations went.
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
        let fate =
            if stays(owner, &held) { fate(people, worlds, &held, now).await? } else { Fate::Goes };
        let is_gone = match fate {
            Fate::Stays => false,
            Fate::Goes => {
                volatile.drop_conversation(&held.key).await?;
                true
            }
            Fate::GoesWhenIdle => volatile.drop_idle(&held.key, now).await?,
        };
        if is_gone {
            tell_dropped(watchers, &held.key);
            dropped += 1;
        }
    }
    Ok(dropped)
}

/// The same at once for one person who was erased just now: what they said until then goes.
///
/// # Errors
/// If a store fails.
pub async fn follow_erasure(
    people: &dyn People,
    volatile: &dyn Volatile,
    watchers: &Watchers,
    person: &PersonId,
) -> Result<(), StoreError> {
    let owner = people.person(person).await?;
    for held in volatile.held().await? {
        if held.owner == *person && !stays(owner.as_ref(), &held) {
            volatile.drop_conversation(&held.key).await?;
            tell_dropped(watchers, &held.key);
        }
    }
    Ok(())
}

fn tell_dropped(watchers: &Watchers, key: &ConversationKey) {
    watchers.running().look_again(key);
    watchers.tell(key, &Notice::Dropped);
}

/// Whether its owner is there, and was not erased since it began.
fn stays(owner: Option<&Person>, held: &HeldConversation) -> bool {
    owner.is_some_and(|owner| owner.erased_at.is_none_or(|at| at < held.since))
}

async fn fate(
    people: &dyn People,
    worlds: &dyn Worlds,
    held: &HeldConversation,
    now: Timestamp,
) -> Result<Fate, StoreError> {
    match &held.key {
        ConversationKey::Session(id) => {
            let Some(session) = people.session(id).await? else { return Ok(Fate::Goes) };
            match session.status(now) {
                SessionStatus::Active => Ok(Fate::Stays),
                SessionStatus::Ended => Ok(Fate::GoesWhenIdle),
                SessionStatus::Expired => {
                    // Whoever answers there knows already who they are.
                    if session.expert.is_some() {
                        people.forget_expert(id).await?;
                    }
                    Ok(Fate::GoesWhenIdle)
                }
            }
        }
        ConversationKey::Chat(id) => {
            Ok(if worlds.home(id).await?.is_none() { Fate::Goes } else { Fate::Stays })
        }
        ConversationKey::Line(_) => Ok(Fate::Stays),
    }
}
