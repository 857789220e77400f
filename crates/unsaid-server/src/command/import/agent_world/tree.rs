//! The file tree: `{world}/config.json`, `agents/{id}/config.json`, `system-prompt.md` and
//! `memory.json`, `chats/*.json`.

mod names;

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;
use unsaid_line::wire::mend::mend;

use self::names::{distinct, names_in};
use super::found::{Found, FoundAgent, FoundChat, FoundCopy, FoundWorld};
use super::report::Gaps;
use super::shown::{is_marked, is_only_shown};
use super::{file, time};
use crate::refusal::{Refusal, said};

const CONFIG: &str = "config.json";
const PROMPT: &str = "system-prompt.md";
const MEMORY: &str = "memory.json";
/// With which some editors begin a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const UNREADABLE: &str = "cannot be read";

/// All worlds in a directory, or the one that it is.
pub(super) fn read(root: &Path) -> Result<Found, Refusal> {
    let mut found = Found::default();
    if is_world(root).unwrap_or_default() {
        let id = root.canonicalize().ok();
        let id = id.as_deref().and_then(Path::file_name).unwrap_or_default();
        let world = read_world(root, &id.to_string_lossy(), &mut found.gaps);
        found.worlds.push(world);
        return Ok(found);
    }
    let names = names_in(root).map_err(|error| {
        Refusal::new(format!("{} cannot be read: {}", root.display(), said(&error)))
    })?;
    for name in distinct(root, names) {
        let directory = root.join(&name);
        match is_world(&directory) {
            Ok(true) => found.worlds.push(read_world(&directory, &name, &mut found.gaps)),
            Ok(false) => {}
            Err(_) => found.gaps.whole(name, UNREADABLE),
        }
    }
    Ok(found)
}

fn is_world(directory: &Path) -> io::Result<bool> {
    if !is_directory(directory)? {
        return Ok(false);
    }
    // An agent has a config.json, too.
    Ok(is_directory(&directory.join("agents"))?
        || (is_file(&directory.join(CONFIG))?
            && !is_file(&directory.join(PROMPT))?
            && !is_file(&directory.join(MEMORY))?))
}

/// Whether this is a world and nothing else.
pub(super) fn is_whole_world(directory: &Path) -> bool {
    directory.join(CONFIG).is_file() && is_world(directory).unwrap_or_default()
}

/// Whether there is a world in this directory.
pub(super) fn holds_worlds(directory: &Path) -> bool {
    let names = names_in(directory).unwrap_or_default();
    names.iter().any(|name| is_whole_world(&directory.join(name)))
}

fn is_file(path: &Path) -> io::Result<bool> {
    Ok(there(fs::metadata(path))?.is_some_and(|about| about.is_file()))
}

fn is_directory(path: &Path) -> io::Result<bool> {
    Ok(there(fs::metadata(path))?.is_some_and(|about| about.is_dir()))
}

/// What is not there is none; whatever else keeps us from it is said.
fn there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is not there is empty; what cannot be listed is said.
fn names_below(directory: &Path, place: &str, gaps: &mut Gaps) -> Vec<String> {
    let names = there(names_in(directory)).unwrap_or_else(|_| {
        gaps.whole(place, UNREADABLE);
        None
    });
    distinct(directory, names.unwrap_or_default())
}

fn read_world(directory: &Path, id: &str, gaps: &mut Gaps) -> FoundWorld {
    let config = object(directory, CONFIG, &format!("{id}/{CONFIG}"), gaps);
    let mut world = FoundWorld {
        id: id.to_owned(),
        name: text(&config, "name").unwrap_or_else(|| id.to_owned()),
        turn_limit: config["turnLimit"].as_i64(),
        main_agent: text(&config, "mainAgent"),
        current_chat: text(&config, "currentChatId"),
        created_at: at(&config, "createdAt"),
        is_guessed: config.is_null(),
        ..FoundWorld::default()
    };
    let agents = directory.join("agents");
    for name in names_below(&agents, &format!("{id}/agents"), gaps) {
        let (agent, place) = (agents.join(&name), format!("{id}/agents/{name}"));
        match is_directory(&agent) {
            Ok(true) => world.agents.push(read_agent(&agent, &name, &place, gaps)),
            Ok(false) => {}
            Err(_) => gaps.whole(place, UNREADABLE),
        }
    }
    let chats = directory.join("chats");
    for file in names_below(&chats, &format!("{id}/chats"), gaps) {
        let Some(name) = file.strip_suffix(".json") else { continue };
        // A chat whose file is broken is still the chat of that name.
        let chat = object(&chats, &file, &format!("{id}/chats/{file}"), gaps);
        let chat_id = text(&chat, "id").unwrap_or_else(|| name.to_owned());
        world.chats.push(FoundChat {
            name: Words::lossy(text(&chat, "name").unwrap_or_default()),
            created_at: at(&chat, "createdAt"),
            is_guessed: chat.is_null(),
            id: chat_id,
        });
    }
    world
}

fn read_agent(directory: &Path, id: &str, place: &str, gaps: &mut Gaps) -> FoundAgent {
    let config = object(directory, CONFIG, &format!("{place}/{CONFIG}"), gaps);
    let memory_place = format!("{place}/{MEMORY}");
    let mut is_guessed = config.is_null();
    let prompt = match there(file::read(&directory.join(PROMPT))) {
        Ok(Some(bytes)) => String::from_utf8_lossy(unmarked(&bytes)).into_owned(),
        Ok(None) => text(&config, "systemPrompt").unwrap_or_default(),
        // Not another one: only an empty prompt is replaced later.
        Err(_) => {
            gaps.whole(format!("{place}/{PROMPT}"), UNREADABLE);
            is_guessed = true;
            String::new()
        }
    };
    FoundAgent {
        id: id.to_owned(),
        name: text(&config, "name").unwrap_or_else(|| id.to_owned()),
        system_prompt: Words::lossy(prompt),
        provider: text(&config, "provider"),
        model: text(&config, "model"),
        auto_reply: config["autoReply"].as_bool().unwrap_or(true),
        created_at: at(&config, "createdAt"),
        is_guessed,
        memory: read_memory(directory, &memory_place, gaps),
        memory_place,
    }
}

fn read_memory(directory: &Path, place: &str, gaps: &mut Gaps) -> Vec<FoundCopy> {
    let entries = match json(&directory.join(MEMORY)) {
        Read::Value(Value::Array(entries)) => entries,
        Read::Missing => return Vec::new(),
        Read::Value(_) | Read::Broken => {
            gaps.whole(place, UNREADABLE);
            return Vec::new();
        }
    };
    let mut memory = Vec::with_capacity(entries.len());
    for (entry, number) in entries.iter().zip(1..) {
        let Some(role) = text(entry, "role") else {
            gaps.one(place, number, UNREADABLE);
            continue;
        };
        // The program writes a line's end as a backslash and an n, and reads it so.
        let content = entry["content"].as_str();
        memory.push(FoundCopy {
            number,
            role,
            content: content.map(|content| Words::lossy(content.replace("\\n", "\n"))),
            sender: text(entry, "sender"),
            at: at(entry, "createdAt"),
            chat: text(entry, "chatId"),
            id: text(entry, "messageId"),
            reply_to: text(entry, "replyToMessageId"),
            is_only_shown: is_marked(entry) || content.is_some_and(is_only_shown),
        });
    }
    memory
}

enum Read {
    Value(Value),
    Missing,
    Broken,
}

fn json(path: &Path) -> Read {
    match there(file::read(path)) {
        // One odd character is no reason to lose all that stands beside it.
        Ok(Some(bytes)) => {
            serde_json::from_str(&mend(unmarked(&bytes))).map_or(Read::Broken, Read::Value)
        }
        Ok(None) => Read::Missing,
        Err(_) => Read::Broken,
    }
}

fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Without it, all of its fields are missing.
fn object(directory: &Path, file: &str, place: &str, gaps: &mut Gaps) -> Value {
    match json(&directory.join(file)) {
        Read::Value(value @ Value::Object(_)) => value,
        Read::Value(_) | Read::Missing | Read::Broken => {
            gaps.whole(place, UNREADABLE);
            Value::Null
        }
    }
}

fn text(object: &Value, field: &str) -> Option<String> {
    object[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn at(object: &Value, field: &str) -> Option<Timestamp> {
    let value = &object[field];
    value.as_str().and_then(time::from_text).or_else(|| value.as_i64().map(Timestamp::from_millis))
}
