//! The database: `worlds`, `agents`, `agent_memory`, `world_chats`, with whatever columns its version
//! had.

mod image;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;

use super::found::{Found, FoundAgent, FoundChat, FoundCopy, FoundWorld};
use super::report::Gaps;
use super::shown::{is_marked, is_only_shown};
use super::time;
use crate::refusal::Refusal;

const MEMORY: &str = "agent_memory";
const UNREADABLE: &str = "cannot be read";
const HOMELESS: &str = "of a world or an agent that is not there";

pub(super) fn read(path: &Path) -> Result<Found, Refusal> {
    let connection = image::open(path)?;
    let unreadable = |error: rusqlite::Error| {
        // What SQLite says may quote what stands in the file.
        let code = error.sqlite_error_code();
        let code = code.map_or_else(String::new, |code| format!(" ({code:?})"));
        Refusal::new(format!("{} cannot be read as a database{code}", path.display()))
    };
    let worlds = rows(&connection, "worlds", &WORLD, "id").map_err(unreadable)?;
    let Some(worlds) = worlds else {
        let path = path.display();
        return Err(Refusal::new(format!("{path} is not a database of agent-world: no worlds")));
    };
    if worlds.is_empty() {
        let path = path.display();
        return Err(Refusal::new(format!(
            "{path} is a database of agent-world without any world: name the one that it uses"
        )));
    }
    let agents = rows(&connection, "agents", &AGENT, "id").map_err(unreadable)?;
    let chats = rows(&connection, "world_chats", &CHAT, "id").map_err(unreadable)?;
    let memory = rows(&connection, MEMORY, &COPY, "rowid").map_err(unreadable)?;
    let mut found = Found::default();
    found.worlds = worlds.iter().filter_map(|row| world(row, &mut found.gaps)).collect();
    let mut house = House::of(found.worlds);
    for row in agents.unwrap_or_default() {
        house.add_agent(&row, &mut found.gaps);
    }
    for row in chats.unwrap_or_default() {
        house.add_chat(&row, &mut found.gaps);
    }
    for row in memory.unwrap_or_default() {
        house.add_copy(&row, &mut found.gaps);
    }
    found.worlds = house.worlds;
    Ok(found)
}

const WORLD: [&str; 6] =
    ["id", "name", "turn_limit", "main_agent", "current_chat_id", "created_at"];
const AGENT: [&str; 8] =
    ["id", "world_id", "name", "system_prompt", "provider", "model", "auto_reply", "created_at"];
const CHAT: [&str; 4] = ["id", "world_id", "name", "created_at"];
const COPY: [&str; 11] = [
    "rowid",
    "world_id",
    "agent_id",
    "role",
    "content",
    "sender",
    "created_at",
    "chat_id",
    "message_id",
    "reply_to_message_id",
    "message_metadata",
];

type Row = BTreeMap<&'static str, Value>;

/// All rows, a column that this version does not have being empty; `None` without the table.
fn rows(
    connection: &Connection,
    table: &str,
    wanted: &[&'static str],
    order: &str,
) -> Result<Option<Vec<Row>>, rusqlite::Error> {
    let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let columns = columns.query_map([table], |row| row.get(0))?;
    let mut columns: BTreeSet<String> = columns.collect::<Result<_, _>>()?;
    if columns.is_empty() {
        return Ok(None);
    }
    columns.insert("rowid".to_owned());
    let wanted: Vec<&'static str> =
        wanted.iter().copied().filter(|column| columns.contains(*column)).collect();
    let sql = format!("SELECT {} FROM {table} ORDER BY {order}", wanted.join(", "));
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| {
        let cell = |(at, column): (usize, &&'static str)| Ok((*column, value(row.get_ref(at)?)));
        wanted.iter().enumerate().map(cell).collect::<Result<Row, rusqlite::Error>>()
    })?;
    rows.collect::<Result<_, _>>().map(Some)
}

/// A text that is no UTF-8 costs its odd bytes, not the file.
fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        ValueRef::Integer(integer) => Value::Integer(integer),
        ValueRef::Real(real) => Value::Real(real),
        ValueRef::Null => Value::Null,
    }
}

fn world(row: &Row, gaps: &mut Gaps) -> Option<FoundWorld> {
    let Some(id) = text(row, "id") else {
        gaps.whole("worlds", UNREADABLE);
        return None;
    };
    Some(FoundWorld {
        name: text(row, "name").unwrap_or_else(|| id.clone()),
        turn_limit: integer(row, "turn_limit"),
        main_agent: text(row, "main_agent"),
        current_chat: text(row, "current_chat_id"),
        created_at: at(row, "created_at"),
        id,
        ..FoundWorld::default()
    })
}

/// The worlds while they are filled.
struct House {
    worlds: Vec<FoundWorld>,
    by_id: BTreeMap<String, usize>,
    agents: BTreeMap<(String, String), (usize, usize)>,
}

impl House {
    fn of(worlds: Vec<FoundWorld>) -> Self {
        let by_id = worlds.iter().enumerate().map(|(at, world)| (world.id.clone(), at)).collect();
        Self { worlds, by_id, agents: BTreeMap::new() }
    }

    fn world_of(&self, row: &Row) -> Option<(usize, String)> {
        let id = text(row, "world_id")?;
        Some((*self.by_id.get(&id)?, id))
    }

    fn add_agent(&mut self, row: &Row, gaps: &mut Gaps) {
        let (Some((world, world_id)), Some(id)) = (self.world_of(row), text(row, "id")) else {
            gaps.whole("agents", HOMELESS);
            return;
        };
        let Some(found) = self.worlds.get_mut(world) else { return };
        self.agents.insert((world_id, id.clone()), (world, found.agents.len()));
        found.agents.push(FoundAgent {
            name: text(row, "name").unwrap_or_else(|| id.clone()),
            system_prompt: Words::lossy(text(row, "system_prompt").unwrap_or_default()),
            provider: text(row, "provider"),
            model: text(row, "model"),
            auto_reply: integer(row, "auto_reply") != Some(0),
            created_at: at(row, "created_at"),
            is_guessed: false,
            memory_place: MEMORY.to_owned(),
            memory: Vec::new(),
            id,
        });
    }

    fn add_chat(&mut self, row: &Row, gaps: &mut Gaps) {
        let (Some((world, _)), Some(id)) = (self.world_of(row), text(row, "id")) else {
            gaps.whole("world_chats", HOMELESS);
            return;
        };
        let name = Words::lossy(text(row, "name").unwrap_or_default());
        if let Some(found) = self.worlds.get_mut(world) {
            let created_at = at(row, "created_at");
            found.chats.push(FoundChat { id, name, created_at, is_guessed: false });
        }
    }

    fn add_copy(&mut self, row: &Row, gaps: &mut Gaps) {
        let number = integer(row, "rowid").unwrap_or_default().unsigned_abs();
        let whose = text(row, "world_id").zip(text(row, "agent_id"));
        let place = whose.and_then(|whose| self.agents.get(&whose));
        let agent =
            place.and_then(|(world, agent)| self.worlds.get_mut(*world)?.agents.get_mut(*agent));
        match (agent, text(row, "role")) {
            (None, _) => gaps.one(MEMORY, number, HOMELESS),
            (Some(_), None) => gaps.one(MEMORY, number, UNREADABLE),
            (Some(agent), Some(role)) => agent.memory.push(FoundCopy {
                number,
                role,
                content: words(row, "content"),
                sender: text(row, "sender"),
                at: at(row, "created_at"),
                chat: text(row, "chat_id"),
                id: text(row, "message_id"),
                reply_to: text(row, "reply_to_message_id"),
                is_only_shown: is_shown(row),
            }),
        }
    }
}

fn is_shown(row: &Row) -> bool {
    let beside = text(row, "message_metadata").unwrap_or_default();
    let beside: serde_json::Value = serde_json::from_str(&beside).unwrap_or_default();
    is_marked(&beside) || text(row, "content").is_some_and(|content| is_only_shown(&content))
}

/// What was said, the empty text included.
fn words(row: &Row, column: &str) -> Option<Words> {
    match row.get(column)? {
        Value::Text(text) => Some(Words::lossy(text.clone())),
        Value::Null | Value::Integer(_) | Value::Real(_) | Value::Blob(_) => None,
    }
}

fn text(row: &Row, column: &str) -> Option<String> {
    match row.get(column)? {
        Value::Text(text) if !text.is_empty() => Some(text.clone()),
        Value::Text(_) | Value::Null | Value::Integer(_) | Value::Real(_) | Value::Blob(_) => None,
    }
}

fn integer(row: &Row, column: &str) -> Option<i64> {
    match row.get(column)? {
        Value::Integer(integer) => Some(*integer),
        Value::Null | Value::Real(_) | Value::Text(_) | Value::Blob(_) => None,
    }
}

fn at(row: &Row, column: &str) -> Option<Timestamp> {
    text(row, column)
        .and_then(|text| time::from_text(&text))
        .or_else(|| integer(row, column).map(Timestamp::from_millis))
}
