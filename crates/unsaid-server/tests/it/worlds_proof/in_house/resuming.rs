//! Streams that are cut anywhere go on: nothing is missed, nothing comes twice, and what was taken
//! back meanwhile does not come at all.

use axum::body::BodyDataStream;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{ChatId, MessageId, WorldId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::world::Chat;
use unsaid_core::limits::Limits;
use unsaid_core::port::history::History as _;
use unsaid_core::port::worlds::{AgentPatch, WorldKey};
use unsaid_testkit::random::dice::Dice;

use crate::accounts::house::{BEGIN, House, Plan};
use crate::rounds::company::Company;
use crate::running::DEADLINE;
use crate::worlds_proof::sse::{Frame, frames, lasting};

const SEED: u64 = 20_261_116;
const CUTS: usize = 200;
/// Each is told three times, and no more than this many notices wait for anybody.
const TOO_MANY: usize = unsaid_app::event::NOTICES_WAITING_MAX / 3 + 20;

/// Somebody who listens.
pub(super) struct Listener {
    body: BodyDataStream,
    pub(super) text: String,
}

impl Listener {
    pub(super) async fn new(ana: &Company<'_>, after: Option<&str>) -> Self {
        let path = ana.path(&format!("events?chatId={}", ana.chat));
        let call = ana.house.call("GET", &path).bearer(&ana.token);
        let call = match after {
            Some(id) => call.header("last-event-id", id),
            None => call,
        };
        let response = call.stream(Value::Null).await;
        assert_eq!(response.status(), 200);
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// Listens until it is so; everything that was heard so far.
    pub(super) async fn until(&mut self, is_so: impl Fn(&[Frame]) -> bool) -> Vec<Frame> {
        loop {
            let heard = frames(&self.text);
            if is_so(&heard) {
                return heard;
            }
            let bytes = timeout(DEADLINE, self.body.next()).await;
            let bytes = bytes.unwrap_or_else(|_| panic!("nothing more after {heard:#?}"));
            let bytes = bytes.expect("a stream without end").unwrap();
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// Listens until this event; everything that lasts.
    pub(super) async fn until_event(&mut self, newest: u64) -> Vec<Frame> {
        let last = |frame: &Frame| frame.id.is_some_and(|id| id >= newest);
        self.until(|heard| heard.iter().any(last)).await;
        lasting(&self.text)
    }

    /// Listens to the very end; everything that lasts.
    async fn until_cut_off(mut self) -> Vec<Frame> {
        while let Some(bytes) = timeout(DEADLINE, self.body.next()).await.expect("it ends") {
            self.text.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap());
        }
        lasting(&self.text)
    }
}

/// Many streams, and an agent who answers only when it is mentioned.
pub(super) async fn house() -> House {
    let limits =
        Limits { streams_per_person: 10_000, volatile_messages: 10_000, ..Plan::default().limits };
    House::planned(Plan { limits, ..Plan::default() }).await
}

fn world(ana: &Company<'_>) -> WorldKey {
    WorldKey { owner: ana.owner.clone(), id: WorldId::from_name("w").unwrap() }
}

async fn company(house: &House) -> Company<'_> {
    company_of(house, "ana", true).await
}

pub(super) async fn company_of<'a>(house: &'a House, name: &str, consent: bool) -> Company<'a> {
    let ana = Company::of(house, name, consent, &["o1"]).await;
    let quiet = AgentPatch { auto_reply: Some(false), ..AgentPatch::default() };
    let id = "o1".to_owned().try_into().unwrap();
    house.store.change_agent(&world(&ana), &id, quiet).await.unwrap().unwrap();
    ana
}

fn key(ana: &Company<'_>) -> ConversationKey {
    ConversationKey::Chat(ChatId::new(ana.chat.as_str()).unwrap())
}

/// Of whichever log the chat is in.
pub(super) async fn newest(ana: &Company<'_>) -> u64 {
    let kept = ana.house.store.newest_event(&key(ana)).await.unwrap();
    kept.max(ana.house.volatile.newest_event(&key(ana)).await.unwrap()).get()
}

async fn is_there(ana: &Company<'_>, id: &str) -> bool {
    let id = MessageId::new(id).unwrap();
    let kept = ana.house.store.find(&key(ana), &id).await.unwrap();
    let found = match kept {
        Some(found) => Some(found),
        None => ana.house.volatile.find(&key(ana), &id).await.unwrap(),
    };
    found.is_some_and(|entry| entry.is_heard())
}

/// Says something that nobody answers; its id.
pub(super) async fn says(ana: &Company<'_>, words: &str) -> String {
    let body = json!({ "message": words, "chatId": ana.chat, "stream": false });
    let said = ana.calls("POST", "messages", body).await;
    assert_eq!(said.status, 200, "{said:?}");
    said.body["messageId"].as_str().unwrap().to_owned()
}

/// Says something, or something else instead, and is answered.
async fn asks(ana: &Company<'_>, instead_of: Option<&str>, words: &str) -> Value {
    let (method, path, field) = match instead_of {
        None => ("POST", "messages".to_owned(), "message"),
        Some(id) => ("PUT", format!("messages/{id}"), "newContent"),
    };
    let body = json!({ field: format!("@o1 {words}"), "chatId": ana.chat, "stream": false });
    let answer = format!("about {words}");
    let (told, ()) = tokio::join!(ana.calls(method, &path, body), ana.answers("o1", &answer));
    assert_eq!(told.status, 200, "{told:?}");
    told.body
}

/// A chat with everything in it that can happen; step by step.
async fn step(ana: &Company<'_>, step: usize, ids: &mut Vec<String>) -> bool {
    let in_chat = json!({ "chatId": ana.chat });
    let id = |value: &Value| value.as_str().unwrap().to_owned();
    let told = match step {
        0 => id(&asks(ana, None, "apples").await["messageId"]),
        1 => id(&asks(ana, None, "pears").await["messageId"]),
        2 => id(&asks(ana, Some(&ids[1]), "plums").await["messageId"]),
        3 => says(ana, "sloes").await,
        4 => {
            let path = format!("messages/{}/unsend", ids[3]);
            id(&ana.calls("POST", &path, in_chat).await.body["messageId"])
        }
        5 => id(&asks(ana, None, "quinces").await["messageId"]),
        6 => {
            let path = format!("messages/{}", ids[2]);
            id(&ana.calls("DELETE", &path, in_chat).await.body["editId"])
        }
        7 => {
            let path = format!("edits/{}/undo", ids[6]);
            id(&ana.calls("POST", &path, Value::Null).await.body["editId"])
        }
        8 => {
            let path = format!("messages/{}/unsend", ids[5]);
            id(&ana.calls("POST", &path, in_chat).await.body["messageId"])
        }
        9 => id(&asks(ana, None, "medlars").await["messageId"]),
        _ => return false,
    };
    ids.push(told);
    true
}

/// What is left of a stream for somebody who comes now: without what was taken back.
async fn left(ana: &Company<'_>, told: &[Frame]) -> Vec<Frame> {
    let mut left = Vec::new();
    for frame in told {
        let is_left = match frame.message() {
            Some(id) => is_there(ana, id).await,
            None => true,
        };
        if is_left {
            left.push(frame.clone());
        }
    }
    left
}

fn after(told: &[Frame], known: u64) -> Vec<Frame> {
    told.iter().filter(|frame| frame.id > Some(known)).cloned().collect()
}

#[tokio::test]
async fn cut_after_any_frame_at_any_moment() {
    let house = house().await;
    is_cut_after_any_frame(company(&house).await).await;
}

#[tokio::test]
async fn cut_after_any_frame_at_any_moment_in_memory() {
    let house = house().await;
    is_cut_after_any_frame(company_of(&house, "bob", false).await).await;
}

async fn is_cut_after_any_frame(ana: Company<'_>) {
    let (mut live, mut ids, mut all) = (Listener::new(&ana, None).await, Vec::new(), Vec::new());
    let mut opened = Vec::new();
    while step(&ana, ids.len(), &mut ids).await {
        let newest = newest(&ana).await;
        all = live.until_event(newest).await;
        for known in all.iter().filter_map(|frame| frame.id) {
            let mut again = Listener::new(&ana, Some(&known.to_string())).await;
            let wanted = left(&ana, &after(&all, known)).await;
            if wanted.last().and_then(|frame| frame.id) == Some(newest) {
                assert_eq!(again.until_event(newest).await, wanted, "after {known}");
            }
            opened.push((again, known, wanted));
        }
    }
    let kinds: Vec<&str> = all.iter().map(Frame::kind).collect();
    for kind in ["message", "removed", "restored"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    assert!(all.windows(2).all(|pair| pair[0].id < pair[1].id), "{all:#?}");
    // They all go on to the end. Who did not listen meanwhile misses what was taken back meanwhile.
    says(&ana, "the end").await;
    let end = newest(&ana).await;
    let all = live.until_event(end).await;
    for (mut again, known, wanted) in opened {
        let heard = wanted.last().and_then(|frame| frame.id).unwrap_or(known);
        let was_heard = lasting(&again.text).len();
        let rest = left(&ana, &after(&all, heard)).await;
        let told = again.until_event(end).await;
        assert_eq!(told[was_heard..], rest, "after {known}, heard up to {heard}");
    }
}

#[tokio::test]
async fn cut_at_any_byte() {
    let house = house().await;
    is_cut_at_any_byte(company(&house).await).await;
}

#[tokio::test]
async fn cut_at_any_byte_in_memory() {
    let house = house().await;
    is_cut_at_any_byte(company_of(&house, "bob", false).await).await;
}

async fn is_cut_at_any_byte(ana: Company<'_>) {
    let mut dice = Dice::new(SEED);
    let first = says(&ana, "the beginning").await;
    let begun = newest(&ana).await;
    let mut ids = Vec::new();
    while step(&ana, ids.len(), &mut ids).await {}
    says(&ana, "the end").await;
    let end = newest(&ana).await;
    let mut whole = Listener::new(&ana, Some(&begun.to_string())).await;
    let all = whole.until_event(end).await;
    assert!(all.len() > 8 && !whole.text.contains(&first), "{all:#?}");
    for removed in ["pears", "sloes", "quinces"] {
        assert!(!whole.text.contains(removed), "{removed} in {}", whole.text);
    }
    for _ in 0..CUTS {
        let at = dice.below(u64::try_from(whole.text.len()).unwrap());
        let at = whole.text.floor_char_boundary(usize::try_from(at).unwrap());
        let mut told = lasting(&whole.text[..at]);
        let known = told.last().and_then(|frame| frame.id).unwrap_or(begun);
        if known == end {
            continue;
        }
        let mut again = Listener::new(&ana, Some(&known.to_string())).await;
        told.extend(again.until_event(end).await);
        assert_eq!(told, all, "cut at {at} (seed {SEED})");
    }
}

#[tokio::test]
async fn whoever_does_not_listen_is_cut_off_and_misses_nothing() {
    let house = house().await;
    let ana = company(&house).await;
    says(&ana, "the beginning").await;
    let begun = newest(&ana).await;
    let slow = Listener::new(&ana, Some(&begun.to_string())).await;
    let mut said = Vec::new();
    for number in 0..TOO_MANY {
        said.push(says(&ana, &format!("number {number}")).await);
    }
    let mut told = slow.until_cut_off().await;
    let known = told.last().and_then(|frame| frame.id).unwrap_or(begun);
    said.push(says(&ana, "the end").await);
    let mut again = Listener::new(&ana, Some(&known.to_string())).await;
    told.extend(again.until_event(newest(&ana).await).await);
    let told: Vec<&str> = told.iter().filter_map(Frame::message).collect();
    assert_eq!(told, said);
}

#[tokio::test]
async fn an_event_that_is_none_of_this_chat_begins_anew() {
    let house = house().await;
    let ana = company(&house).await;
    says(&ana, "the beginning").await;
    let other = Company {
        house: &house,
        token: ana.token.clone(),
        chat: "another-chat".to_owned(),
        owner: ana.owner.clone(),
    };
    let made = Chat {
        id: ChatId::new(other.chat.as_str()).unwrap(),
        name: Words::lossy("another"),
        created_at: BEGIN,
    };
    house.store.add_chat(&world(&ana), made).await.unwrap().unwrap();
    says(&other, "elsewhere").await;
    let foreign = newest(&other).await.to_string();
    let huge = [u64::MAX.to_string(), "9".repeat(60), "9007199254740993".to_owned()];
    let unknown = [&foreign, "0", "-1", "1.5", "abc", "1 2", "0x1"].map(str::to_owned);
    for known in unknown.into_iter().chain(huge) {
        let mut listener = Listener::new(&ana, Some(&known)).await;
        let begun = listener.until(|heard| !heard.is_empty()).await;
        assert_eq!((begun.len(), begun[0].kind()), (1, "reset"), "{known}: {begun:?}");
        let id = says(&ana, "and on").await;
        let told = listener.until_event(newest(&ana).await).await;
        let told: Vec<&str> = told.iter().filter_map(Frame::message).collect();
        assert_eq!(told, [id.as_str()], "{known}");
    }
}
