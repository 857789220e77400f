//! Somebody who has worlds.

use serde_json::{Value, json};
use unsaid_core::domain::hearing::{audience_of_agent, audience_of_person};
use unsaid_core::domain::id::Number;
use unsaid_core::domain::message::{Author, Message};
use unsaid_core::domain::world::{Agent, World};
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::history::{Commit, Committed, History};
use unsaid_testkit::builder::{
    agent_id, chat_key, message_by, message_id, person_id, say, words_of, world_key,
};

use crate::accounts::house::{Answer, House};

/// Where worlds are.
pub(crate) const WORLDS: &str = "/api/worlds";

/// Somebody in front of the door.
pub(crate) struct Owner<'a> {
    pub(crate) house: &'a House,
    pub(crate) id: String,
    pub(crate) token: String,
}

impl<'a> Owner<'a> {
    pub(crate) async fn new(house: &'a House, name: &str, consent: bool) -> Self {
        let id = house.sign_up(name, consent).await;
        Self { house, id, token: house.token(name).await }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.house.get(&format!("{WORLDS}{path}"), &self.token).await
    }

    /// What is there; it must be.
    pub(crate) async fn look(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.body
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: Value) -> Answer {
        let call = self.house.call(method, &format!("{WORLDS}{path}")).bearer(&self.token);
        if body.is_null() { call.await_it().await } else { call.json(body).await }
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send("PATCH", path, body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, Value::Null).await
    }

    /// Makes a world; gives the id of its chat.
    pub(crate) async fn make(&self, name: &str) -> String {
        let made = self.post("", json!({ "name": name })).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.body["currentChatId"].as_str().unwrap().to_owned()
    }

    /// Adds an agent.
    pub(crate) async fn hire(&self, world: &str, name: &str) {
        let hired = self.post(&format!("/{world}/agents"), json!({ "name": name })).await;
        assert_eq!(hired.status, 201, "{hired:?}");
    }

    /// Adds a chat; gives its id.
    pub(crate) async fn chat(&self, world: &str, name: &str) -> String {
        let added = self.post(&format!("/{world}/chats"), json!({ "name": name })).await;
        assert_eq!(added.status, 201, "{added:?}");
        added.body["id"].as_str().unwrap().to_owned()
    }

    /// Says something that wants no answer; what is said is [`words_of`] its id.
    pub(crate) async fn says(&self, world: &str, chat: &str, id: &str) {
        let (world, _) = self.held(world).await;
        let audience = audience_of_person(&world);
        self.put(chat, Message { audience, ..message_by(&self.id, id) }).await;
    }

    /// An agent answers a message.
    pub(crate) async fn hears(
        &self,
        world: &str,
        chat: &str,
        from: &str,
        question: &str,
        id: &str,
    ) {
        let (world, agents) = self.held(world).await;
        let speaker = agent_id(from);
        let audience = audience_of_agent(&world, &agents, &speaker, &words_of(id));
        let message = message_by(&self.id, id);
        let (author, reply_to) = (Author::Agent(speaker), Some(message_id(question)));
        self.put(chat, Message { author, reply_to, audience, ..message }).await;
    }

    /// The ids of the messages that a chat shows, and who has them in memory.
    pub(crate) async fn seen(&self, world: &str, chat: &str) -> Vec<(String, Vec<String>)> {
        let page = self.look(&format!("/{world}/chats/{chat}/messages")).await;
        let messages = page["messages"].as_array().unwrap().iter();
        messages
            .map(|message| (text(&message["messageId"]), texts(&message["seenByAgents"])))
            .collect()
    }

    /// The ids of the messages that an agent remembers.
    pub(crate) async fn memory(&self, world: &str, agent: &str, chat: &str) -> Vec<String> {
        let path = format!("/{world}/agents/{agent}/memory?chatId={chat}");
        let memory = self.look(&path).await;
        memory.as_array().unwrap().iter().map(|message| text(&message["messageId"])).collect()
    }

    async fn held(&self, world: &str) -> (World, Vec<Agent>) {
        let key = world_key(&self.id, world);
        let held = self.house.store.world(&key).await.unwrap().unwrap();
        (held, self.house.store.agents(&key).await.unwrap().unwrap())
    }

    /// Into the log that consent wants.
    async fn put(&self, chat: &str, message: Message) {
        let now = self.house.clock.now();
        let commit = Commit::new(say(Message { at: now, ..message }), now);
        let commit = commit.owned_by(person_id(&self.id));
        let kept = commit.clone().with_consent_of(person_id(&self.id));
        let (store, memory): (&dyn History, &dyn History) =
            (&*self.house.store, &*self.house.volatile);
        let key = chat_key(chat);
        if let Committed::Refused(_) = store.commit(&key, kept).await.unwrap() {
            let overview = store.overview(&key).await.unwrap();
            let beside = Some(overview.map_or(Number::ZERO, |overview| overview.last_number));
            memory.commit(&key, Commit { beside, ..commit }).await.unwrap();
        }
    }
}

/// A text of an answer.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The texts of a list.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(text).collect()
}

/// What is wrong with which field.
pub(crate) fn wrong(answer: &Answer) -> (u16, &str, &Value, &Value) {
    let details = &answer.body["details"];
    (answer.status, answer.refusal().1, &details["field"], &details["problem"])
}
