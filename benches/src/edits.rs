//! Does forgetting from a message on cost more when more agents have heard it? (H6, H12)
//!
//! The server itself on SQLite, through HTTP: worlds with few and many agents, each with a chat of a
//! thousand messages, side by side. Every removal is undone, so that the next one removes as much.
//! Agents do not answer by themselves: no model is asked.

use std::{path::Path, time::Duration};

use futures_util::future::join_all;
use serde_json::{Value, json};
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Say},
            key::ConversationKey,
        },
        id::{AgentId, PersonId, WorldId},
        message::{Audience, Author, Message},
        world::World,
    },
    port::{
        clock::Clock as _,
        history::{Commit, Committed, History as _},
        worlds::{WorldKey, Worlds as _},
    },
};
use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::{
    caller::{Caller, WITHOUT_LIMITS, text},
    instant::Wall,
    measure::{Promise, Times, print_table},
    server::Server,
    talk, turn,
};

const AGENTS: [usize; 4] = [1, 10, 50, 100];
const MESSAGES: usize = 1_000;
/// A person says something, and the others are answers to it.
const ROUND: usize = 5;
/// An answer is heard by whom it mentions, too.
const MENTIONED: usize = 3;
const REPEATS: usize = 200;

/// What is done to a chat: the call, and how much it removes.
const DEEDS: [(&str, usize); 4] = [("PUT", 10), ("PUT", 500), ("DELETE", 10), ("DELETE", 500)];

/// A world with its only chat.
struct Place {
    name: String,
    chat: String,
}

type Measured = [[Times; AGENTS.len()]; DEEDS.len()];

pub(crate) fn run() -> Vec<Promise> {
    let dir = tempfile::tempdir().expect("a directory");
    let (mut ana, places) = found(dir.path());
    fill(dir.path(), &ana.id, &places);
    let server = Server::start(dir.path(), &WITHOUT_LIMITS);
    ana.come_back(&server);
    let measured = measure(&mut ana, &places);
    let complaints = server.end();
    assert!(complaints.is_empty(), "the server complained: {}", complaints[0]);
    report(measured)
}

/// Somebody, and their worlds with all agents, as the server makes them.
fn found(dir: &Path) -> (Caller, Vec<Place>) {
    let server = Server::start(dir, &WITHOUT_LIMITS);
    let mut ana = Caller::sign_up(&server, "ana", true);
    let mut places = Vec::new();
    for agents in AGENTS {
        let name = format!("w{agents}");
        let chat = ana.make_world(&name);
        for agent in 0..agents {
            let prompt = "You like short answers.";
            let agent =
                json!({"name": agent_id(agent), "systemPrompt": prompt, "autoReply": false});
            ana.call("POST", &format!("/worlds/{name}/agents"), &agent);
        }
        places.push(Place { name, chat });
    }
    server.end();
    (ana, places)
}

/// All chats at once: their commits share the disk.
fn fill(dir: &Path, owner: &str, places: &[Place]) {
    let store = SqliteStore::open(&dir.join("unsaid.db"), &Options::default()).expect("a store");
    let owner = PersonId::new(owner).expect("an id");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let filled = places.iter().map(|place| fill_one(&store, &owner, place));
    runtime.block_on(join_all(filled));
}

async fn fill_one(store: &SqliteStore, owner: &PersonId, place: &Place) {
    let id = WorldId::from_name(&place.name).expect("an id");
    let world = store.world(&WorldKey { owner: owner.clone(), id }).await.expect("an answer");
    let world = world.expect("a world");
    let agents = store.agents(&WorldKey { owner: owner.clone(), id: world.id.clone() }).await;
    let agents: Vec<AgentId> =
        agents.expect("an answer").expect("agents").into_iter().map(|agent| agent.id).collect();
    let key = talk::key(&format!("chat:{}", place.chat));
    for first in (1..=MESSAGES).step_by(ROUND) {
        ask(store, &key, &world, first).await;
        let fence = turn::begin(store, &key).await;
        let messages = (first + 1..first + ROUND).map(|nth| answer(&world, &agents, nth)).collect();
        turn::make(store, &key, Change::Answer { fence, messages, last: true }).await;
    }
}

async fn ask(store: &SqliteStore, key: &ConversationKey, world: &World, nth: usize) {
    let message = Message {
        author: Author::Person(Some(world.owner.clone())),
        at: Wall.now(),
        ..talk::message(&message_id(nth), world.roster.get())
    };
    let say = Say { message, delivery: None, wants_answer: Some(Wall.now()), way_back: None };
    let commit = Commit::new(Change::Say(say), Wall.now()).owned_by(world.owner.clone());
    let made = store.commit(key, commit).await;
    assert!(matches!(made, Ok(Committed::Applied(..))), "a question: {made:?}");
}

/// Somebody answers, another one each time, and mentions some.
fn answer(world: &World, agents: &[AgentId], nth: usize) -> Message {
    let of = |place: usize| agents[place % agents.len()].clone();
    let mut only: Vec<AgentId> = (nth..=nth + MENTIONED).map(of).collect();
    only.truncate(agents.len());
    Message {
        author: Author::Agent(of(nth)),
        at: Wall.now(),
        audience: Audience { roster: world.roster, only: Some(only) },
        ..talk::message(&message_id(nth), 0)
    }
}

fn message_id(nth: usize) -> String {
    format!("m{nth}")
}

fn agent_id(nth: usize) -> String {
    format!("agent-{nth}")
}

fn measure(ana: &mut Caller, places: &[Place]) -> Measured {
    let mut measured: Measured = Default::default();
    // One more than is counted: everything is cold in the first.
    for repeat in 0..=REPEATS {
        for (deed, times) in DEEDS.iter().zip(&mut measured) {
            // In turn, so that all worlds see the same weather, and none is always the first.
            for nth in 0..places.len() {
                let nth = (nth + repeat) % places.len();
                let time = remove_and_undo(ana, &places[nth], *deed);
                if repeat > 0 {
                    times[nth].add(time);
                }
            }
        }
    }
    measured
}

fn remove_and_undo(ana: &mut Caller, place: &Place, (method, count): (&str, usize)) -> Duration {
    let Place { name, chat } = place;
    let path = format!("/worlds/{name}/messages/{}", message_id(MESSAGES + 1 - count));
    let body = match method {
        "PUT" => json!({"chatId": chat, "newContent": talk::TEXT, "stream": false}),
        _ => json!({"chatId": chat}),
    };
    let (answer, time) = ana.timed(method, &path, &body);
    let removal = if method == "PUT" { &answer["removal"] } else { &answer };
    assert_eq!(removal["messagesRemovedTotal"], count, "{answer}");
    let undo = format!("/worlds/{name}/edits/{}/undo", text(&removal["editId"]));
    let undone = ana.call("POST", &undo, &Value::Null);
    assert_eq!(undone["count"], count, "{undone}");
    time
}

fn report(measured: Measured) -> Vec<Promise> {
    let (mut rows, mut promises) = (Vec::new(), Vec::new());
    for ((method, count), mut times) in DEEDS.into_iter().zip(measured) {
        let one = [times[0].p50(), times[0].p99()].map(|time| time.as_secs_f64());
        let mut to_one = [1.0; 2];
        for (agents, times) in AGENTS.iter().zip(&mut times) {
            let shares = [times.p50(), times.p99()].map(|time| time.as_secs_f64());
            to_one = [shares[0] / one[0], shares[1] / one[1]];
            rows.push(vec![
                format!("{method}, removes {count}"),
                agents.to_string(),
                format!("{:.2} ms", shares[0] * 1e3),
                format!("{:.2} ms", shares[1] * 1e3),
                format!("{:.2}", to_one[0]),
                format!("{:.2}", to_one[1]),
            ]);
        }
        let [_, p99] = to_one;
        let what =
            format!("p50 of a {method} that removes {count}, with 100 agents to 1 (p99: {p99:.2})");
        promises.push(Promise::at_most(what, to_one[0], 1.5));
    }
    print_table(&["what", "agents", "p50", "p99", "p50 to 1 agent", "p99 to 1 agent"], rows);
    println!("\nchats of {MESSAGES} messages, {REPEATS} times each, one call at a time.");
    promises
}
