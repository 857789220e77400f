//! Somebody with a world of agents, and streams as they are read.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, Response};
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::time::timeout;
use unsaid_core::domain::id::{AgentId, ChatId, PersonId, Roster, WorldId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::world::{Agent, Chat, World};
use unsaid_testkit::model::{Asked, text};

use crate::accounts::house::{Answer, BEGIN, House};

/// Whatever does not come within this does not come.
const PATIENCE: Duration = Duration::from_mins(1);

/// A stream that is being read.
pub(crate) struct Frames {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: BodyDataStream,
    buffer: String,
    /// The newest number that was read.
    pub(crate) last_id: Option<String>,
}

impl Frames {
    pub(crate) fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.into_data_stream(),
            buffer: String::new(),
            last_id: None,
        }
    }

    /// The next frame; the end is null.
    pub(crate) async fn next(&mut self) -> Value {
        timeout(PATIENCE, self.read()).await.expect("a frame in time")
    }

    async fn read(&mut self) -> Value {
        loop {
            if let Some(end) = self.buffer.find("\n\n") {
                let frame: String = self.buffer.drain(..end + 2).collect();
                let mut data = None;
                for line in frame.lines() {
                    if let Some(id) = line.strip_prefix("id: ") {
                        self.last_id = Some(id.to_owned());
                    }
                    if let Some(text) = line.strip_prefix("data: ") {
                        data = Some(serde_json::from_str(text).unwrap());
                    }
                }
                match data {
                    Some(data) => return data,
                    // A comment.
                    None => continue,
                }
            }
            match self.body.next().await {
                Some(bytes) => self.buffer.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap()),
                None => return Value::Null,
            }
        }
    }

    /// What came and was not read yet, comments too; nothing is waited for.
    pub(crate) fn bytes_now(&mut self) -> Option<String> {
        let bytes = self.body.next().now_or_never()?.expect("a stream without end").unwrap();
        Some(String::from_utf8(bytes.to_vec()).unwrap())
    }

    /// The next frame of this type, whatever comes before it.
    pub(crate) async fn of_type(&mut self, wanted: &str) -> Value {
        loop {
            let frame = self.next().await;
            assert!(!frame.is_null(), "{wanted} did not come");
            if frame["type"] == wanted {
                return frame;
            }
        }
    }

    /// Everything until the end, in short.
    pub(crate) async fn rest(&mut self) -> Vec<String> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            if frame.is_null() {
                return frames;
            }
            frames.push(short(&frame));
        }
    }

    /// Everything up to a frame that looks like this in short.
    pub(crate) async fn until(&mut self, wanted: &str) -> Vec<String> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            assert!(!frame.is_null(), "{wanted} did not come: {frames:?}");
            frames.push(short(&frame));
            if frames.last().is_some_and(|frame| frame == wanted) {
                return frames;
            }
        }
    }
}

/// A frame in few words.
pub(crate) fn short(frame: &Value) -> String {
    let data = &frame["data"];
    let text = |field: &str| data[field].as_str().unwrap_or_default();
    match frame["type"].as_str().unwrap() {
        "message" => format!("{}: {}", text("sender"), text("content")),
        "removed" if data["unsent"] == true => "unsent".to_owned(),
        "removed" => format!("removed {}", data["count"]),
        "restored" => format!("restored {}", data["count"]),
        "sse" if text("type") == "chunk" => format!("{}> {}", text("agentName"), text("content")),
        "sse" => format!("{} {}", text("agentName"), text("type")),
        "world" => {
            let agents = data["activeAgents"].as_array().unwrap().iter();
            let agents: Vec<&str> = agents.map(|agent| agent.as_str().unwrap()).collect();
            format!("{} {}", text("type"), agents.join(" ")).trim_end().to_owned()
        }
        "system" => format!("{} {}", text("kind"), text("agentId")).trim_end().to_owned(),
        other => other.to_owned(),
    }
}

/// Somebody in a chat of their world.
pub(crate) struct Company<'a> {
    pub(crate) house: &'a House,
    pub(crate) token: String,
    pub(crate) chat: String,
    pub(crate) owner: PersonId,
}

impl<'a> Company<'a> {
    /// Signs up, and makes the world `w` with these agents.
    pub(crate) async fn new(house: &'a House, agents: &[&str]) -> Self {
        Self::of(house, "ana", true, agents).await
    }

    pub(crate) async fn of(house: &'a House, name: &str, consent: bool, agents: &[&str]) -> Self {
        let owner = PersonId::new(house.sign_up(name, consent).await).unwrap();
        let token = house.token(name).await;
        let chat = Chat {
            id: ChatId::new(format!("chat-of-{name}")).unwrap(),
            name: Words::lossy("first"),
            created_at: BEGIN,
        };
        let world = World {
            owner: owner.clone(),
            id: WorldId::from_name("w").unwrap(),
            name: Words::lossy("w"),
            turn_limit: 5,
            main_agent: None,
            current_chat: None,
            roster: Roster::ZERO,
            created_at: BEGIN,
        };
        let chat_id = chat.id.to_string();
        let agents = agents.iter().map(|name| agent(name)).collect();
        house.store.add_world(world, chat, agents).await.unwrap().unwrap();
        Self { house, token, chat: chat_id, owner }
    }

    /// Says something, and gives the stream of the answers.
    pub(crate) async fn says(&self, words: &str) -> Frames {
        let frames = self.posts("messages", json!({ "message": words })).await;
        assert_eq!(frames.status, 200);
        frames
    }

    /// Says something else instead.
    pub(crate) async fn edits(&self, id: &str, words: &str) -> Frames {
        let body = json!({ "chatId": self.chat, "newContent": words });
        let call = self.house.call("PUT", &self.path(&format!("messages/{id}")));
        Frames::of(call.bearer(&self.token).stream(body).await)
    }

    pub(crate) async fn posts(&self, path: &str, body: Value) -> Frames {
        let call = self.house.call("POST", &self.path(path)).bearer(&self.token);
        Frames::of(call.stream(body).await)
    }

    /// Whatever happens in the chat, from now on or from an event on.
    pub(crate) async fn watches(&self, after: Option<&str>) -> Frames {
        let call = self.house.call("GET", &self.path("events")).bearer(&self.token);
        let call = match after {
            Some(id) => call.header("last-event-id", id),
            None => call,
        };
        Frames::of(call.stream(Value::Null).await)
    }

    pub(crate) async fn calls(&self, method: &str, path: &str, body: Value) -> Answer {
        self.house.call(method, &self.path(path)).bearer(&self.token).json(body).await
    }

    pub(crate) async fn gets(&self, path: &str) -> Answer {
        self.house.get(&self.path(path), &self.token).await
    }

    /// What an agent is asked next.
    pub(crate) async fn asked(&self) -> (String, Asked) {
        let asks = async { self.house.asks.lock().await.next().await };
        let asked = timeout(PATIENCE, asks).await.expect("an agent is asked in time");
        let system = asked.request.system.as_str();
        let (_, me) = system.rsplit_once("you are ").expect("it is told who it is");
        (me.trim_end_matches('.').to_owned(), asked)
    }

    /// This agent is asked next, and says this.
    pub(crate) async fn answers(&self, agent: &str, words: &str) {
        let (name, asked) = self.asked().await;
        assert_eq!(name, agent);
        asked.answer([text(words)]);
    }

    /// A whole exchange with one agent; gives the id of what was said.
    pub(crate) async fn exchange(&self, agent: &str, words: &str, answer: &str) -> String {
        let mut frames = self.says(words).await;
        let said = frames.next().await;
        self.answers(agent, answer).await;
        frames.rest().await;
        said["data"]["messageId"].as_str().unwrap().to_owned()
    }

    /// What is in the log, as sender and words.
    pub(crate) async fn log(&self) -> Vec<String> {
        let key = format!("chat:{}", self.chat).parse().unwrap();
        let page = self.house.store.page(&key, None, 1_000).await.unwrap();
        page.iter()
            .map(|entry| {
                let sender = match &entry.message.author {
                    unsaid_core::domain::message::Author::Person(_) => "human".to_owned(),
                    unsaid_core::domain::message::Author::Agent(id) => id.to_string(),
                };
                format!("{sender}: {}", entry.message.text())
            })
            .collect()
    }

    #[expect(clippy::unused_self, reason = "everybody's world has this name, and it is theirs")]
    pub(crate) fn path(&self, path: &str) -> String {
        format!("/api/worlds/w/{path}")
    }
}

/// An agent that answers by itself.
pub(crate) fn agent(name: &str) -> Agent {
    Agent {
        id: AgentId::from_name(name).unwrap(),
        name: Words::lossy(name),
        system_prompt: Words::lossy(format!("Be {name}.")),
        provider: None,
        model: None,
        auto_reply: true,
        joined: Roster::ZERO,
    }
}
