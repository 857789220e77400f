//! Does forgetting cost more when more agents have heard it? (H12)

use std::time::Instant;

use unsaid_core::{
    domain::{
        conversation::change::{Change, Interrupt, ReplaceTail},
        id::{EditId, MessageId},
        time::Timestamp,
    },
    port::history::{Commit, Committed, History},
};
use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::{
    measure::{Promise, Times, micros, print_table},
    talk,
};

const AGENTS: [u64; 3] = [1, 10, 100];
const MESSAGES: u64 = 1_000;
const ROUNDS: usize = 40;

pub(crate) fn run() -> Vec<Promise> {
    let mut times = AGENTS.map(|_| Times::new());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("removal.db");
    let store = SqliteStore::open(&path, &Options::default()).expect("a store");
    for round in 0..ROUNDS {
        for (index, agents) in AGENTS.iter().enumerate() {
            let key = talk::key(&format!("chat:{agents}-{round}"));
            talk::fill(&path, &key, 1, MESSAGES);
            runtime.block_on(async {
                // Everybody hears the newest: who that is follows from the roster, not from copies.
                talk::say(&store, &key, "newest", *agents).await;
                let begun = Instant::now();
                remove_half(&store, &key, round).await;
                times[index].add(begun.elapsed());
            });
        }
    }
    let rows = AGENTS
        .iter()
        .zip(&mut times)
        .map(|(agents, times)| vec![agents.to_string(), micros(times.p50()), micros(times.p99())]);
    print_table(&["agents", "remove 500 of 1,000, p50", "p99"], rows.collect());
    let ratio = times[2].p50().as_secs_f64() / times[0].p50().as_secs_f64();
    vec![Promise::at_most("removing half of a chat heard by 100 agents, to 1", ratio, 1.5)]
}

async fn remove_half(
    store: &SqliteStore,
    key: &unsaid_core::domain::conversation::key::ConversationKey,
    round: usize,
) {
    let edit = EditId::new(format!("e{round}")).expect("an id");
    let change = Change::ReplaceTail(ReplaceTail {
        from: MessageId::new(format!("m{}", MESSAGES / 2 + 1)).expect("an id").into(),
        with: None,
        undo: Some((edit, Timestamp::from_millis(600_000))),
        interrupt: Interrupt::No,
    });
    let made = store.commit(key, Commit::new(change, Timestamp::ZERO)).await;
    assert!(matches!(made, Ok(Committed::Applied(..))), "a removal");
}
