//! Which copy belongs to which chat, and who said it.

use std::collections::BTreeMap;

use unsaid_core::domain::id::{AgentId, MessageId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;

use super::cast::{Cast, fitting, is_human};
use super::digest::Keyed;
use super::found::{FoundAgent, FoundCopy, FoundWorld};
use super::merge::{Heard, Memory, Speaker};
use super::report::Gaps;
use super::trace::Traces;

/// What a chat without a name is called, and the one for what was said outside of all chats.
const IMPORTED: &str = "Imported";
/// What the chat of a world is called in which nothing was said.
const EMPTY: &str = "New chat";

/// A chat and what the agents remember of it.
#[derive(Debug)]
pub(super) struct Talk {
    /// Its id in the source; none for what was said outside of all chats.
    pub(super) source: Option<String>,
    pub(super) name: Words,
    /// As far as the source knows.
    pub(super) created_at: Option<Timestamp>,
    /// Whether its name could not be read.
    pub(super) is_guessed: bool,
    /// In the order of the agents' ids there.
    pub(super) memories: Vec<Memory>,
}

/// The chats of a world, oldest first; at least one.
pub(super) fn talks(
    world: &FoundWorld,
    cast: &Cast<'_>,
    keyed: &Keyed,
    gaps: &mut Gaps,
) -> Vec<Talk> {
    let mut said: BTreeMap<Option<String>, Vec<Memory>> = BTreeMap::new();
    for (id, agent) in &cast.agents {
        let traces = Traces::new(keyed, cast);
        for (chat, heard) in by_chat(world, (id, agent), cast, traces, gaps) {
            said.entry(chat).or_default().push(Memory { agent: id.clone(), heard });
        }
    }
    for chat in &world.chats {
        said.entry(Some(chat.id.clone())).or_default();
    }
    if said.is_empty() {
        said.insert(None, Vec::new());
    }
    let mut talks: Vec<Talk> =
        said.into_iter().map(|(source, memories)| talk(world, source, memories)).collect();
    // The sort is stable: chats of one age stay in the order of their ids.
    talks.sort_by_key(|talk| talk.created_at);
    talks
}

fn talk(world: &FoundWorld, source: Option<String>, memories: Vec<Memory>) -> Talk {
    let found = world.chats.iter().find(|chat| Some(&chat.id) == source.as_ref());
    let name = found.map(|chat| fitting(chat.name.as_str())).filter(|name| !name.is_empty());
    let first = memories.iter().flat_map(|memory| &memory.heard).map(|heard| heard.at).min();
    let unnamed = if source.is_none() && memories.is_empty() { EMPTY } else { IMPORTED };
    Talk {
        source,
        name: Words::lossy(name.unwrap_or_else(|| unnamed.to_owned())),
        created_at: found.and_then(|chat| chat.created_at).or(first).or(made_at(world)),
        is_guessed: found.is_some_and(|chat| chat.is_guessed),
        memories,
    }
}

/// When a world was made, or its first agent.
pub(super) fn made_at(world: &FoundWorld) -> Option<Timestamp> {
    let agents = world.agents.iter().filter_map(|agent| agent.created_at);
    world.created_at.or_else(|| agents.min())
}

fn by_chat(
    world: &FoundWorld,
    (id, agent): (&AgentId, &FoundAgent),
    cast: &Cast<'_>,
    mut traces: Traces<'_>,
    gaps: &mut Gaps,
) -> BTreeMap<Option<String>, Vec<Heard>> {
    let mut chats: BTreeMap<Option<String>, Vec<Heard>> = BTreeMap::new();
    // What has no time of its own was said when the one before it was.
    let mut own_at = agent.memory.iter().find_map(|copy| copy.at);
    for copy in &agent.memory {
        own_at = copy.at.or(own_at);
        let at = own_at.or(made_at(world)).unwrap_or_default();
        match heard(copy, at, id, cast) {
            Ok(heard) => {
                let trace = traces.of(copy.chat.as_deref(), &heard, own_at);
                let heard = Heard { trace, ..heard };
                chats.entry(copy.chat.clone()).or_default().push(heard);
            }
            Err(why) => gaps.one(&agent.memory_place, copy.number, why),
        }
    }
    chats
}

fn heard(
    copy: &FoundCopy,
    at: Timestamp,
    listener: &AgentId,
    cast: &Cast<'_>,
) -> Result<Heard, &'static str> {
    if copy.is_only_shown {
        return Err("only shown by the program");
    }
    let speaker = speaker(copy, listener, cast)?;
    let words = copy.content.clone().ok_or("its text cannot be read")?;
    if words.as_str().trim().is_empty() {
        return Err("it has no text");
    }
    let id = |text: &Option<String>| text.as_ref().and_then(|id| MessageId::new(id.as_str()).ok());
    let (is_timed, id, reply_to) = (copy.at.is_some(), id(&copy.id), id(&copy.reply_to));
    Ok(Heard { speaker, words, at, is_timed, id, reply_to, trace: String::new() })
}

/// In a memory, whatever others said has the role of a user.
fn speaker(copy: &FoundCopy, listener: &AgentId, cast: &Cast<'_>) -> Result<Speaker, &'static str> {
    let sender = copy.sender.as_ref().filter(|sender| !is_human(sender));
    let agent = sender.and_then(|sender| cast.find(sender));
    match (copy.role.as_str(), agent) {
        ("user" | "assistant", Some(agent)) => Ok(Speaker::Agent(agent.clone())),
        ("assistant", None) => Ok(Speaker::Agent(listener.clone())),
        ("user", None) => outsider(copy.sender.as_deref().unwrap_or_default()),
        ("tool", _) => Err("of the role tool"),
        ("system", _) => Err("of the role system"),
        (_, _) => Err("of an unknown role"),
    }
}

/// A person, or an agent that is no longer there.
fn outsider(sender: &str) -> Result<Speaker, &'static str> {
    let sender = sender.trim().to_lowercase();
    match sender.as_str() {
        "" | "you" => Ok(Speaker::Person),
        "world" | "system" => Err("said by the program itself"),
        user if user.starts_with("user") => Ok(Speaker::Person),
        human if is_human(human) => Ok(Speaker::Person),
        gone => AgentId::from_name(gone).map(Speaker::Agent).map_err(|_| "of an unknown sender"),
    }
}
