//! Worlds in the two formats of the program, written as it writes them.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

/// What an agent remembers of a message.
#[derive(Clone, Default)]
pub(super) struct Copy {
    pub(super) agent: String,
    pub(super) role: String,
    pub(super) sender: String,
    pub(super) content: String,
    pub(super) at: String,
    pub(super) chat: Option<String>,
    pub(super) id: Option<String>,
    pub(super) reply_to: Option<String>,
}

impl Copy {
    /// Something that `human` said, in a memory.
    pub(super) fn of(agent: &str, content: &str, at: &str, id: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            role: "user".to_owned(),
            sender: "human".to_owned(),
            content: content.to_owned(),
            at: format!("2025-10-21T10:00:{at}Z"),
            chat: Some("morning".to_owned()),
            id: (!id.is_empty()).then(|| id.to_owned()),
            reply_to: None,
        }
    }

    /// What another agent said, in a memory.
    pub(super) fn from(self, sender: &str) -> Self {
        Self { sender: sender.to_owned(), ..self }
    }

    /// What the agent said itself.
    pub(super) fn own(self) -> Self {
        Self { role: "assistant".to_owned(), sender: self.agent.clone(), ..self }
    }

    pub(super) fn role(self, role: &str) -> Self {
        Self { role: role.to_owned(), ..self }
    }

    pub(super) fn to(self, message: &str) -> Self {
        Self { reply_to: Some(message.to_owned()), ..self }
    }

    pub(super) fn chat(self, chat: Option<&str>) -> Self {
        Self { chat: chat.map(str::to_owned), ..self }
    }
}

/// The agents of every world here, in the order in which they were made.
pub(super) const AGENTS: [(&str, &str); 2] = [("o1", "O1"), ("a1", "A1")];

/// A talk as the program keeps it, with all that can be odd in it.
pub(super) fn talk() -> Vec<Copy> {
    let both = |copy: fn(&str) -> Copy| [copy("a1"), copy("o1")];
    let mut all = Vec::new();
    // copies with one id
    all.extend(both(|agent| Copy::of(agent, "What is tea?\nIn short.", "00.000", "first-id-1")));
    // an answer, and the copy of who heard it, a little younger
    let answer = "A drink made of leaves";
    all.push(Copy::of("o1", answer, "01.000", "answer-id1").own().to("first-id-1"));
    all.push(Copy::of("a1", answer, "01.020", "answer-id1").from("o1"));
    // copies whose ids were given later, to each its own
    all.push(Copy::of("a1", "Which leaves?", "02.000", "nanoid-a-1"));
    all.push(Copy::of("o1", "Which leaves?", "02.000", "nanoid-o-1"));
    all.push(Copy::of("o1", "Camellia's", "03.000", "nanoid-o-2").own().to("nanoid-o-1"));
    all.push(Copy::of("a1", "Camellia's", "03.400", "nanoid-a-2").from("o1"));
    // no ids, and one time for all
    for text in ["one", "two", "three", "three"] {
        all.push(Copy::of("a1", text, "04.000", ""));
        all.push(Copy::of("o1", text, "04.000", ""));
    }
    all.push(Copy::of("a1", "four", "04.000", "").own());
    // what neither a person nor an agent said
    all.push(Copy::of("a1", "{\"result\": 42}", "05.000", "").role("tool"));
    all.push(Copy::of("a1", "You are A1", "05.000", "").role("system"));
    all.push(Copy::of("o1", "tick", "05.000", "").from("world"));
    // of an agent that is no longer there; outside of all chats; in a chat without a file
    all.push(Copy::of("o1", "I was here", "06.000", "bye").from("Old Agent"));
    all.push(Copy::of("o1", "nowhere", "07.000", "").chat(None));
    all.push(Copy::of("o1", "elsewhere", "08.000", "").chat(Some("gone")));
    all
}

pub(super) fn write_tree(root: &Path, copies: &[Copy]) {
    let world = root.join("tea-house");
    let write = |file: &str, value: &Value| {
        let file = world.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, serde_json::to_string_pretty(value).unwrap()).unwrap();
    };
    let config = json!({"id": "tea-house", "name": "Tea House", "turnLimit": 7, "mainAgent": "o1",
        "currentChatId": "morning", "createdAt": "2025-10-21T09:00:00.000Z", "isProcessing": false});
    write("config.json", &config);
    let chat = json!({"id": "morning", "worldId": "tea-house", "name": "Morning tea",
        "createdAt": "2025-10-21T09:30:00.000Z", "messageCount": 3});
    write("chats/morning.json", &chat);
    for (age, (id, name)) in AGENTS.iter().enumerate() {
        let config = json!({"id": id, "name": name, "type": "assistant", "provider": "openai",
            "model": "gpt-4o", "autoReply": *id != "a1",
            "createdAt": format!("2025-10-21T09:10:0{age}.000Z")});
        write(&format!("agents/{id}/config.json"), &config);
        fs::write(world.join(format!("agents/{id}/system-prompt.md")), prompt(name)).unwrap();
        let memory = copies.iter().filter(|copy| copy.agent == *id).map(entry).collect();
        write(&format!("agents/{id}/memory.json"), &Value::Array(memory));
    }
}

/// One more agent of the world in a tree, the youngest.
pub(super) fn write_agent(root: &Path, id: &str, name: &str, copies: &[Copy]) {
    let agent = root.join("tea-house/agents").join(id);
    fs::create_dir_all(&agent).unwrap();
    let write = |file: &str, text: String| fs::write(agent.join(file), text).unwrap();
    let config = json!({"id": id, "name": name, "createdAt": "2025-10-21T09:20:00.000Z"});
    write("config.json", config.to_string());
    write("system-prompt.md", prompt(name));
    let memory = copies.iter().filter(|copy| copy.agent == id).map(entry).collect();
    write("memory.json", Value::Array(memory).to_string());
}

fn prompt(name: &str) -> String {
    format!("You are {name}.\nYou like tea.")
}

fn entry(copy: &Copy) -> Value {
    let mut entry = Map::new();
    let mut set = |field: &str, value: Value| entry.insert(field.to_owned(), value);
    set("role", json!(copy.role));
    set("content", json!(copy.content.replace('\n', "\\n")));
    set("sender", json!(copy.sender));
    set("createdAt", json!(copy.at));
    set("agentId", json!(copy.agent));
    set("chatId", json!(copy.chat));
    if let Some(id) = &copy.id {
        set("messageId", json!(id));
    }
    if let Some(id) = &copy.reply_to {
        set("replyToMessageId", json!(id));
    }
    Value::Object(entry)
}

const NEWEST: &str = "
    CREATE TABLE worlds (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT,
        turn_limit INTEGER NOT NULL DEFAULT 5, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, chat_llm_provider TEXT, chat_llm_model TEXT,
        current_chat_id TEXT, mcp_config TEXT, variables TEXT, main_agent TEXT);
    CREATE TABLE agents (id TEXT NOT NULL, world_id TEXT NOT NULL, name TEXT NOT NULL,
        type TEXT NOT NULL, status TEXT DEFAULT 'inactive', provider TEXT NOT NULL,
        model TEXT NOT NULL, system_prompt TEXT, temperature REAL, max_tokens INTEGER,
        llm_call_count INTEGER DEFAULT 0, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        last_active TIMESTAMP, last_llm_call TIMESTAMP, auto_reply INTEGER NOT NULL DEFAULT 1,
        PRIMARY KEY (id, world_id));
    CREATE TABLE agent_memory (id INTEGER PRIMARY KEY AUTOINCREMENT, agent_id TEXT NOT NULL,
        world_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, sender TEXT,
        created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, chat_id TEXT, message_id TEXT,
        reply_to_message_id TEXT, tool_calls TEXT, tool_call_id TEXT, message_metadata TEXT);
    CREATE TABLE world_chats (id TEXT PRIMARY KEY, world_id TEXT NOT NULL, name TEXT NOT NULL,
        description TEXT, message_count INTEGER DEFAULT 0, tags TEXT,
        created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, title_provenance TEXT);
    INSERT INTO worlds (id, name, turn_limit, created_at, current_chat_id, main_agent)
        VALUES ('tea-house', 'Tea House', 7, '2025-10-21 09:00:00', 'morning', 'o1');
    INSERT INTO world_chats (id, world_id, name, created_at)
        VALUES ('morning', 'tea-house', 'Morning tea', '2025-10-21 09:30:00');";

/// The database as the newest version keeps it; it stays open, with a write-ahead log.
pub(super) fn write_database(file: &Path, copies: &[Copy]) -> Connection {
    let mut database = Connection::open(file).unwrap();
    database.pragma_update(None, "journal_mode", "WAL").unwrap();
    database.execute_batch(NEWEST).unwrap();
    let transaction = database.transaction().unwrap();
    for (age, (id, name)) in AGENTS.iter().enumerate() {
        let sql = "INSERT INTO agents (id, world_id, name, type, provider, model, system_prompt, \
            auto_reply, created_at) VALUES (?1, 'tea-house', ?2, 'assistant', 'openai', 'gpt-4o', \
            ?3, ?4, ?5)";
        let created = format!("2025-10-21 09:10:0{age}");
        transaction.execute(sql, params![id, name, prompt(name), *id != "a1", created]).unwrap();
    }
    for copy in copies {
        let sql = "INSERT INTO agent_memory (agent_id, world_id, role, content, sender, created_at, \
            chat_id, message_id, reply_to_message_id) \
            VALUES (?1, 'tea-house', ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let Copy { agent, role, sender, content, at, chat, id, reply_to } = copy;
        let row = params![agent, role, content, sender, at, chat, id, reply_to];
        transaction.execute(sql, row).unwrap();
    }
    transaction.commit().unwrap();
    database
}

/// The database as the first version kept it: no chats, no ids, times of a second.
pub(super) fn write_first_database(file: &Path) {
    let database = Connection::open(file).unwrap();
    let sql = "
        CREATE TABLE worlds (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT,
            turn_limit INTEGER NOT NULL DEFAULT 5, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
        CREATE TABLE agents (id TEXT NOT NULL, world_id TEXT NOT NULL, name TEXT NOT NULL,
            type TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, system_prompt TEXT,
            created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (id, world_id));
        CREATE TABLE agent_memory (id INTEGER PRIMARY KEY AUTOINCREMENT, agent_id TEXT NOT NULL,
            world_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, sender TEXT,
            created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
        INSERT INTO worlds (id, name) VALUES ('old', 'Old');
        INSERT INTO agents (id, world_id, name, type, provider, model)
            VALUES ('a', 'old', 'A', 'x', 'ollama', 'm'), ('b', 'old', 'B', 'x', 'ollama', 'm');
        INSERT INTO agent_memory (agent_id, world_id, role, content, sender, created_at) VALUES
            ('a', 'old', 'user', 'hi', 'HUMAN', '2025-06-01 10:00:00'),
            ('a', 'old', 'assistant', 'hello', 'a', '2025-06-01 10:00:00'),
            ('b', 'old', 'user', 'hi', 'HUMAN', '2025-06-01 10:00:00'),
            ('b', 'old', 'user', 'hello', 'a', '2025-06-01 10:00:00'),
            ('c', 'old', 'user', 'hi', 'HUMAN', '2025-06-01 10:00:00');";
    database.execute_batch(sql).unwrap();
    database.close().unwrap();
}
