//! Ids that are the same at every import, and hold nothing of what was said.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};
use unsaid_core::domain::id::{ChatId, IdError, MessageId, PersonId, WorldId};

use super::merge::{Merged, Speaker};

/// What may stand in an address as it is.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CHAT_LETTERS: usize = 22;
const MESSAGE_LETTERS: usize = 10;
const KEY_LETTERS: usize = 32;

/// A message with all its names.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) id: MessageId,
    pub(super) reply_to: Option<MessageId>,
    /// Under which it is remembered that it was taken in.
    pub(super) key: String,
    pub(super) message: Merged,
}

/// The id of a chat here, for this owner.
pub(super) fn chat_id(
    owner: &PersonId,
    world: &WorldId,
    source: Option<&str>,
) -> Result<ChatId, IdError> {
    let kind = if source.is_some() { "chat" } else { "no chat" };
    let parts = [kind, owner.as_str(), world.as_str(), source.unwrap_or_default()];
    ChatId::new(made_of(&parts, CHAT_LETTERS))
}

/// A key for something that is taken in once.
pub(super) fn key(parts: &[&str]) -> String {
    made_of(parts, KEY_LETTERS)
}

/// Gives every message of a chat its id: one of its own, if no other message before it has that; else
/// one made of who said it and when.
pub(super) fn named(chat: &ChatId, messages: Vec<Merged>) -> Result<Vec<Named>, IdError> {
    let mut taken: BTreeSet<MessageId> = BTreeSet::new();
    let own: Vec<Option<MessageId>> = messages
        .iter()
        .map(|message| message.ids.iter().find(|id| taken.insert((*id).clone())).cloned())
        .collect();
    let mut alike: BTreeMap<(Speaker, i64), u64> = BTreeMap::new();
    let mut meant: BTreeMap<MessageId, MessageId> = BTreeMap::new();
    let mut all = Vec::with_capacity(messages.len());
    for (message, own) in messages.into_iter().zip(own) {
        let count = alike.entry((message.speaker.clone(), message.at.as_millis())).or_default();
        *count += 1;
        let (at, count) = (message.at.as_millis().to_string(), count.to_string());
        let parts = [chat.as_str(), speaker(&message.speaker), at.as_str(), count.as_str()];
        let id = match own {
            Some(own) => own,
            None => free(&parts, &mut taken)?,
        };
        let reply_to = message.reply_to.as_ref().and_then(|id| meant.get(id)).cloned();
        for alias in message.ids.iter().chain([&id]) {
            meant.entry(alias.clone()).or_insert_with(|| id.clone());
        }
        all.push(Named { id, reply_to, key: key(&parts), message });
    }
    Ok(all)
}

fn free(parts: &[&str; 4], taken: &mut BTreeSet<MessageId>) -> Result<MessageId, IdError> {
    let [chat, speaker, at, count] = parts;
    let mut attempt = 0_u64;
    loop {
        let text = attempt.to_string();
        let id = MessageId::new(made_of(&[chat, speaker, at, count, &text], MESSAGE_LETTERS))?;
        if taken.insert(id.clone()) {
            return Ok(id);
        }
        attempt += 1;
    }
}

fn speaker(speaker: &Speaker) -> &str {
    match speaker {
        // No agent has an empty id.
        Speaker::Person => "",
        Speaker::Agent(id) => id.as_str(),
    }
}

fn made_of(parts: &[&str], letters: usize) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part.as_bytes());
    }
    let bytes = digest.finalize();
    bytes.iter().take(letters).map(|byte| char::from(LETTERS[usize::from(byte & 63)])).collect()
}
