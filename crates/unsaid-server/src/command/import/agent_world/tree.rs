//! The file tree: `{world}/config.json`, `agents/{id}/config.json`, `system-prompt.md` and
//! `memory.json`, `chats/*.json`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;

use super::found::{Found, FoundAgent, FoundChat, FoundCopy, FoundWorld};
use super::report::Gaps;
use super::time;
use crate::refusal::{Refusal, said};

const CONFIG: &str = "config.json";
const UNREADABLE: &str = "cannot be read";

/// All worlds in a directory, or the one that it is.
pub(super) fn read(root: &Path) -> Result<Found, Refusal> {
    let mut found = Found::default();
    if is_world(root) {
        let id = root.canonicalize().ok();
        let id = id.as_deref().and_then(Path::file_name).unwrap_or_default();
        let world = read_world(root, &id.to_string_lossy(), &mut found.gaps);
        found.worlds.push(world);
        return Ok(found);
    }
    let names = names_in(root).map_err(|error| {
        Refusal::new(format!("{} cannot be read: {}", root.display(), said(&error)))
    })?;
    for name in names {
        let directory = root.join(&name);
        if is_world(&directory) {
            let world = read_world(&directory, &name, &mut found.gaps);
            found.worlds.push(world);
        }
    }
    Ok(found)
}

fn is_world(directory: &Path) -> bool {
    directory.join(CONFIG).is_file() || directory.join("agents").is_dir()
}

/// In the order of their names, which is the same everywhere.
fn names_in(directory: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// What is not there is empty; what cannot be listed is said.
fn names_below(directory: &Path, place: &str, gaps: &mut Gaps) -> Vec<String> {
    if !directory.exists() {
        return Vec::new();
    }
    names_in(directory).unwrap_or_else(|_| {
        gaps.whole(place, UNREADABLE);
        Vec::new()
    })
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
        ..FoundWorld::default()
    };
    let agents = directory.join("agents");
    for name in names_below(&agents, &format!("{id}/agents"), gaps) {
        if agents.join(&name).is_dir() {
            let place = format!("{id}/agents/{name}");
            world.agents.push(read_agent(&agents.join(&name), &name, &place, gaps));
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
            id: chat_id,
        });
    }
    world
}

fn read_agent(directory: &Path, id: &str, place: &str, gaps: &mut Gaps) -> FoundAgent {
    let config = object(directory, CONFIG, &format!("{place}/{CONFIG}"), gaps);
    let memory_place = format!("{place}/memory.json");
    let prompt = fs::read_to_string(directory.join("system-prompt.md")).ok();
    let prompt = prompt.or_else(|| text(&config, "systemPrompt")).unwrap_or_default();
    FoundAgent {
        id: id.to_owned(),
        name: text(&config, "name").unwrap_or_else(|| id.to_owned()),
        system_prompt: Words::lossy(prompt),
        provider: text(&config, "provider"),
        model: text(&config, "model"),
        auto_reply: config["autoReply"].as_bool().unwrap_or(true),
        created_at: at(&config, "createdAt"),
        memory: read_memory(directory, &memory_place, gaps),
        memory_place,
    }
}

fn read_memory(directory: &Path, place: &str, gaps: &mut Gaps) -> Vec<FoundCopy> {
    let entries = match json(&directory.join("memory.json")) {
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
        });
    }
    memory
}

enum Read {
    Value(Value),
    Missing,
    Broken,
}

fn json(file: &Path) -> Read {
    match fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_or(Read::Broken, Read::Value),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Read::Missing,
        Err(_) => Read::Broken,
    }
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
