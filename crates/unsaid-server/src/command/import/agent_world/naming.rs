//! Ids here for chats and messages.

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::id::{ChatId, IdError, MessageId, PersonId};

use super::digest::{Keyed, plain_name};
use super::marks::Marks;
use super::merge::Merged;

const CHAT_LETTERS: usize = 22;
const MESSAGE_LETTERS: usize = 10;

/// A message that is to be taken in, with all its names.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) id: MessageId,
    pub(super) reply_to: Option<MessageId>,
    /// Under which it is remembered that it was taken in; at least one.
    pub(super) marks: Vec<String>,
    pub(super) message: Merged,
}

/// A message, and the id that it has here if it was taken in before.
#[derive(Debug)]
pub(super) struct Met {
    pub(super) message: Merged,
    pub(super) marks: Marks,
    pub(super) known_as: Option<MessageId>,
}

/// The id of a chat here, for this owner. It tells which world of the source it came from, also when
/// nothing else is remembered.
pub(super) fn chat_id(
    owner: &PersonId,
    world: &str,
    source: Option<&str>,
) -> Result<ChatId, IdError> {
    let kind = if source.is_some() { "chat" } else { "no chat" };
    let parts = [kind, owner.as_str(), world, source.unwrap_or_default()];
    ChatId::new(plain_name(&parts, CHAT_LETTERS))
}

/// Those that are new, each with an id: one of its own, if no other message has that; else one made
/// of what it is remembered under.
pub(super) fn named(keyed: &Keyed, messages: Vec<Met>) -> Result<Vec<Named>, IdError> {
    let mut taken: BTreeSet<MessageId> =
        messages.iter().filter_map(|met| met.known_as.clone()).collect();
    // Own ids come first: one that is made makes room.
    let own: Vec<Option<MessageId>> = messages
        .iter()
        .map(|met| match &met.known_as {
            Some(_) => None,
            None => met.message.ids.iter().find(|id| taken.insert((*id).clone())).cloned(),
        })
        .collect();
    let mut meant: BTreeMap<MessageId, MessageId> = BTreeMap::new();
    let mut new = Vec::new();
    for (met, own) in messages.into_iter().zip(own) {
        let Met { message, marks, known_as } = met;
        let id = match known_as.clone().or(own) {
            Some(id) => id,
            None => made(keyed, &marks, &mut taken)?,
        };
        let reply_to = message.reply_to.as_ref().and_then(|id| meant.get(id)).cloned();
        for alias in message.ids.iter().chain([&id]) {
            meant.entry(alias.clone()).or_insert_with(|| id.clone());
        }
        if known_as.is_none() {
            new.push(Named { id, reply_to, marks: marks.own, message });
        }
    }
    Ok(new)
}

fn made(
    keyed: &Keyed,
    marks: &Marks,
    taken: &mut BTreeSet<MessageId>,
) -> Result<MessageId, IdError> {
    let mark = marks.own.first().map_or("", String::as_str);
    let mut attempt = 0_u64;
    loop {
        let name = keyed.name(&["message", mark, &attempt.to_string()], MESSAGE_LETTERS);
        let id = MessageId::new(name)?;
        if taken.insert(id.clone()) {
            return Ok(id);
        }
        attempt += 1;
    }
}
