//! H6 where storage fails: each call of the store that an edit, a removal and an undo make fails
//! once. Afterwards the conversation is exactly what it was before, or exactly what it is to be.

use axum::body::to_bytes;
use serde_json::{Value, json};
use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::conversation::change::{Change, Outcome, Say};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{AgentId, ChatId, HolderId, MessageId, PersonId, WorldId};
use unsaid_core::domain::message::{Audience, Author, Message, Part};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::domain::world::Chat;
use unsaid_core::port::history::{Commit, Committed, History};
use unsaid_core::port::worlds::{AgentPatch, WorldKey};
use unsaid_testkit::failing::{Failing, Fault};

use crate::accounts::house::{BEGIN, DAY_MS, House};
use crate::rounds::company::Company;
use crate::worlds_proof::state;

/// No call makes so many.
const CALLS_MAX: u64 = 100;
/// A time at which nobody looks for something to answer.
const LATER: Timestamp = BEGIN.plus_millis(DAY_MS);
const WORDS: &str = "marzipan";
const NEW_WORDS: &str = "nougat";

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Edit { stream: bool },
    Remove,
    Undo,
}

/// One try, in a chat of its own.
struct Trial<'a> {
    ana: Company<'a>,
    consent: bool,
    deed: Deed,
    keyed: bool,
    /// What fails.
    faults: &'a Failing,
    /// What is edited, or the edit that is undone.
    id: String,
}

struct Said {
    status: u16,
    text: String,
}

impl<'a> Trial<'a> {
    /// A chat in which something was said and answered twice; for an undo, and edited.
    async fn begin(house: &'a House, of: &Company<'a>, deed: Deed) -> Self {
        let (token, owner) = (of.token.clone(), of.owner.clone());
        let consent = of.gets("status").await.body["stored"] == true;
        let chat = format!("chat-{}", house.faults.calls("add_chat"));
        let ana = Company { house, token, chat, owner };
        let made = Chat {
            id: ChatId::new(ana.chat.as_str()).unwrap(),
            name: Words::lossy("one more"),
            created_at: BEGIN,
        };
        house.store.add_chat(&world(&ana), made).await.unwrap().unwrap();
        let (faults, id) = (&*house.faults, "m-o1".to_owned());
        let mut trial = Self { ana, consent, deed, keyed: false, faults, id };
        for agent in ["o1", "a1"] {
            exchange(trial.history(), &trial.key(), &trial.ana.owner, agent).await;
        }
        if deed == Deed::Undo {
            let removed = trial.path_of_message();
            let edited = trial.ana.calls("PUT", &removed, trial.body(false)).await;
            assert_eq!(edited.status, 200, "{edited:?}");
            edited.body["removal"]["editId"].as_str().unwrap().clone_into(&mut trial.id);
        }
        trial
    }

    fn history(&self) -> &dyn History {
        if self.consent { &*self.ana.house.store } else { &*self.ana.house.volatile }
    }

    fn key(&self) -> ConversationKey {
        ConversationKey::Chat(ChatId::new(self.ana.chat.as_str()).unwrap())
    }

    fn path_of_message(&self) -> String {
        format!("messages/{}", self.id)
    }

    fn body(&self, stream: bool) -> Value {
        json!({ "chatId": self.ana.chat, "newContent": NEW_WORDS, "stream": stream })
    }

    /// Does it, and hears all that is said about it.
    async fn does(&self) -> Said {
        let (method, path, body) = match self.deed {
            Deed::Edit { stream } => ("PUT", self.path_of_message(), self.body(stream)),
            Deed::Remove => ("DELETE", self.path_of_message(), json!({ "chatId": self.ana.chat })),
            Deed::Undo => ("POST", format!("edits/{}/undo", self.id), Value::Null),
        };
        let call = self.ana.house.call(method, &self.ana.path(&path)).bearer(&self.ana.token);
        let key = format!("key-{}", self.ana.chat);
        let call = if self.keyed { call.header("idempotency-key", &key) } else { call };
        let (parts, body) = call.stream(body).await.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        Said { status: parts.status.as_u16(), text: String::from_utf8(bytes.to_vec()).unwrap() }
    }

    async fn whole(&self) -> Conversation {
        self.history().whole(&self.key()).await.unwrap().unwrap()
    }

    /// What `before` is to become, with the names that were given on the way.
    fn done(&self, before: &Conversation, seen: &Conversation) -> Conversation {
        match self.deed {
            Deed::Edit { .. } => state::edited(before, seen, &self.id, NEW_WORDS),
            Deed::Remove => state::removed(before, seen, &self.id),
            Deed::Undo => state::restored(before, &self.id, BEGIN),
        }
    }

    /// Whether it was done, and nothing else; or nothing at all.
    async fn is_done(&self, before: &Conversation, told: &str) -> bool {
        let seen = self.whole().await;
        if seen == *before {
            return false;
        }
        assert_eq!(seen, self.done(before, &seen), "{told}");
        true
    }
}

fn world(company: &Company<'_>) -> WorldKey {
    WorldKey { owner: company.owner.clone(), id: WorldId::from_name("w").unwrap() }
}

/// Something is said, and answered. Not through the door: nobody who works behind it makes calls of
/// the store that would be counted.
async fn exchange(history: &dyn History, key: &ConversationKey, owner: &PersonId, agent: &str) {
    let message = |id: String, author| Message {
        id: MessageId::new(id).unwrap(),
        author,
        at: BEGIN,
        reply_to: None,
        audience: Audience::default(),
        parts: vec![Part::text(Words::lossy(WORDS))],
    };
    let commit = async |change| {
        let commit = Commit { owner: Some(owner.clone()), ..Commit::new(change, LATER) };
        let committed = history.commit(key, commit).await.unwrap();
        let Committed::Applied(applied, _) = committed else { panic!("{committed:?}") };
        applied.outcome
    };
    let said = message(format!("m-{agent}"), Author::Person(Some(owner.clone())));
    commit(Change::Say(Say {
        message: said,
        delivery: None,
        wants_answer: Some(LATER),
        way_back: None,
    }))
    .await;
    let until = LATER.plus_millis(DAY_MS);
    let begun = commit(Change::Begin { holder: HolderId::new("test").unwrap(), until }).await;
    let Outcome::Began(lease) = begun else { panic!("{begun:?}") };
    let answer = message(format!("a-{agent}"), Author::Agent(AgentId::from_name(agent).unwrap()));
    commit(Change::Answer { fence: lease.fence, messages: vec![answer], last: true }).await;
}

/// Two agents who answer only when they are mentioned.
async fn company<'a>(house: &'a House, name: &str, consent: bool) -> Company<'a> {
    let company = Company::of(house, name, consent, &["o1", "a1"]).await;
    for agent in ["o1", "a1"] {
        let quiet = AgentPatch { auto_reply: Some(false), ..AgentPatch::default() };
        let id = agent.to_owned().try_into().unwrap();
        house.store.change_agent(&world(&company), &id, quiet).await.unwrap().unwrap();
    }
    company
}

/// What is in the list of failures, which never has words.
async fn noted(company: &Company<'_>) -> Vec<Value> {
    let listed = company.gets("edit-errors").await;
    assert_eq!(listed.status, 200, "{listed:?}");
    let text = listed.body.to_string();
    assert!(!text.contains(WORDS) && !text.contains(NEW_WORDS), "{text}");
    listed.body.as_array().unwrap().clone()
}

/// One failure, the look at what is there, and the same call again.
async fn fails_once(trial: &Trial<'_>, plan: impl FnOnce()) -> Option<&'static str> {
    let (before, listed) = (trial.whole().await, noted(&trial.ana).await.len());
    plan();
    let said = trial.does().await;
    let struck = trial.faults.struck();
    let is_spent = struck.is_some();
    let told = format!("{:?} with {struck:?} struck: {} {}", trial.deed, said.status, said.text);
    let is_done = trial.is_done(&before, &told).await;
    let failures = noted(&trial.ana).await;
    if said.status == 200 {
        assert!(is_done, "{told}");
        assert_eq!(failures.len(), listed, "{told}");
        return is_spent.then_some("");
    }
    assert!((500..600).contains(&said.status), "{told}");
    assert!(!said.text.contains(WORDS) && !said.text.contains(NEW_WORDS), "{told}");
    let call = struck.unwrap_or("commit");
    if trial.deed != Deed::Undo && (!is_done || call == "commit") {
        assert_eq!(failures.len(), listed + 1, "{told}");
        let (failure, error) = (failures.last().unwrap(), serde_json::from_str(&said.text));
        let error: Value = error.unwrap();
        assert_eq!(failure["code"], error["code"], "{told}");
        assert_eq!(failure["chatId"], trial.ana.chat, "{told}");
        assert_eq!(failure["messageId"], trial.id, "{told}");
        assert!(failure["id"].is_string() && failure["at"].is_string(), "{failure}");
        assert_eq!(failure.as_object().unwrap().len(), 5, "{failure}");
    }
    // Whoever does not know whether it was done needs a key to find out.
    let again = trial.does().await;
    let told = format!("{told}; again: {} {}", again.status, again.text);
    assert_eq!(again.status == 200, !is_done || trial.keyed, "{told}");
    assert!(trial.is_done(&before, &told).await, "{told}");
    Some(call)
}

/// Each call of the store, one after the other, until none is left.
async fn at_every_call(
    ana: &Company<'_>,
    faults: &Failing,
    deed: Deed,
    keyed: bool,
) -> Vec<String> {
    let mut struck = Vec::new();
    for nth in 1..CALLS_MAX {
        let trial = Trial { keyed, faults, ..Trial::begin(ana.house, ana, deed).await };
        let plan = || faults.fail_nth_of_all(nth, Fault::Unavailable);
        match fails_once(&trial, plan).await {
            Some(call) => struck.push(call.to_owned()),
            None => return struck,
        }
    }
    panic!("{deed:?} makes ever more calls: {struck:?}");
}

const DEEDS: [Deed; 4] =
    [Deed::Edit { stream: true }, Deed::Edit { stream: false }, Deed::Remove, Deed::Undo];

#[expect(clippy::print_stderr, reason = "which calls there were is good to know")]
async fn every_call(consent: bool, store: impl Fn(&House) -> &Failing, needed: &[&str]) {
    let house = House::new().await;
    let faults = store(&house);
    let mut all = Vec::new();
    for (place, deed) in DEEDS.into_iter().enumerate() {
        for keyed in [false, true] {
            // The list of failures is short, and everybody has their own.
            let name = format!("ana-{place}-{keyed}");
            let ana = company(&house, &name, consent).await;
            let struck = at_every_call(&ana, faults, deed, keyed).await;
            eprintln!("{deed:?}, {keyed}: {}", struck.join(", "));
            all.extend(struck);
        }
    }
    for wanted in needed {
        assert!(all.iter().any(|call| call == wanted), "no {wanted} among {all:?}");
    }
}

#[tokio::test]
async fn h6_whatever_call_of_the_store_fails_all_of_it_happened_or_none() {
    let needed = ["person", "world", "home", "agents", "newest_event", "commit"];
    every_call(true, |house| &house.faults, &needed).await;
}

#[tokio::test]
async fn h6_the_same_in_memory() {
    let needed = ["person", "world", "home", "agents", "newest_event", "commit"];
    every_call(false, |house| &house.faults, &needed).await;
}

/// Memory does not fail; if it could, it would be no different.
#[tokio::test]
async fn h6_the_same_if_memory_fails() {
    every_call(false, |house| &house.memory_faults, &["newest_event", "commit"]).await;
}

#[tokio::test]
async fn h6_a_commit_that_fails_or_whose_answer_is_lost() {
    let house = House::new().await;
    let ana = company(&house, "ana", true).await;
    for deed in DEEDS {
        for keyed in [false, true] {
            for fault in [Fault::Unavailable, Fault::Full, Fault::LostRequest, Fault::LostAnswer] {
                let trial = Trial { keyed, ..Trial::begin(&house, &ana, deed).await };
                let struck = fails_once(&trial, || house.faults.fail("commit", fault)).await;
                assert_eq!(struck, Some("commit"), "{deed:?} {fault:?}");
            }
        }
    }
}
