//! Does a prompt from a long conversation take longer to build than one from a short one? (H12)
//!
//! Whole turns are run with a model that answers at once. Measured is what is between the beginning
//! of the turn and the question to the model: reading the log, and building the prompt from it.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio_postgres::NoTls;
use tokio_util::sync::CancellationToken;
use unsaid_app::{
    answer::{Cast, Desk, Ended, answer},
    place::Place,
};
use unsaid_core::domain::{conversation::key::ConversationKey, id::ChatId};

use crate::{
    instant::{self, InstantModel, Kept, Mark, MarkedHistory, Whereabouts},
    measure::{Promise, Times, micros, print_table},
    stores::middle,
    talk,
};

const LENGTHS: [u64; 2] = [1_000, 1_000_000];
const ROUNDS: usize = 9;
const PROMPTS: usize = 50;
/// A prompt of the default budget is full with about so much.
const SHOWN_BYTES_MIN: usize = 20_000;

/// One round: the times of each length.
type Round = [Times; 2];

pub(crate) fn run() -> Vec<Promise> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (mut rows, mut promises) = (Vec::new(), Vec::new());
    runtime.block_on(async {
        for (name, kept) in
            [("SQLite", instant::sqlite()), ("PostgreSQL", instant::postgres().await)]
        {
            let mut rounds = measure(&kept).await;
            let ratio = middle(&rounds.iter_mut().map(ratio).collect::<Vec<f64>>());
            for (index, length) in LENGTHS.iter().enumerate() {
                let mut all = Times::new();
                for round in &mut rounds {
                    all.extend(std::mem::take(&mut round[index]));
                }
                let (p50, p99) = (micros(all.p50()), micros(all.p99()));
                rows.push(vec![name.to_owned(), length.to_string(), p50, p99]);
            }
            let what = format!("a prompt from a million messages, to one from a thousand, {name}");
            promises.push(Promise::at_most(what, ratio, 1.3));
        }
    });
    print_table(&["store", "messages", "prompt p50", "prompt p99"], rows);
    promises
}

fn ratio(round: &mut Round) -> f64 {
    let [short, long] = round;
    long.p50().as_secs_f64() / short.p50().as_secs_f64()
}

async fn measure(kept: &Kept) -> Vec<Round> {
    let chats = LENGTHS.map(|length| ChatId::new(length.to_string()).expect("an id"));
    for (chat, length) in chats.iter().zip(LENGTHS) {
        fill(kept, &ConversationKey::Chat(chat.clone()), length).await;
    }
    let model = InstantModel::calling("skip", r#"{"reason":"nothing to say"}"#);
    let casts = chats.map(|chat| instant::cast(Place::terminal(chat), model.clone()));
    let (history, mut marks) = MarkedHistory::new(&kept.store);
    let desk = instant::desk(&kept.store, history);
    let mut rounds = Vec::new();
    // One more than is counted: nobody has read anything before the first.
    for round in 0..=ROUNDS {
        let mut times = Round::default();
        for prompt in 0..PROMPTS {
            // In turn, so that both lengths see the same weather.
            for (cast, times) in casts.iter().zip(&mut times) {
                let id = format!("new{round}-{prompt}");
                talk::ask(&*kept.store, cast.place.conversation(), &id).await;
                times.add(build(&desk, cast, &mut marks, &model).await);
            }
        }
        rounds.push(times);
    }
    rounds.split_off(1)
}

/// Runs a turn; how long it took from its beginning to the question.
async fn build(
    desk: &Desk,
    cast: &Cast,
    marks: &mut UnboundedReceiver<Mark>,
    model: &InstantModel,
) -> Duration {
    let ended = answer(desk, cast, &CancellationToken::new()).await.expect("a turn");
    assert_eq!(ended, Ended::Silent);
    assert!(model.shown_bytes() > SHOWN_BYTES_MIN, "{} bytes shown", model.shown_bytes());
    let Some(Mark::Began(began)) = marks.recv().await else { panic!("no turn has begun") };
    model.asked_at() - began
}

async fn fill(kept: &Kept, key: &ConversationKey, length: u64) {
    match &kept.whereabouts {
        Whereabouts::File(dir) => talk::fill(&dir.path().join("u.db"), key, 1, length),
        Whereabouts::Database(address) => fill_database(address, key, length).await,
    }
}

/// As [`talk::fill`] does it, and as long after as people talk: the server has looked at its tables.
async fn fill_database(address: &str, key: &ConversationKey, length: u64) {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.expect("a server");
    let driver = tokio::spawn(connection);
    let content = talk::content_text();
    client
        .batch_execute(&format!(
            "BEGIN; \
             INSERT INTO words (place, id, content) \
             SELECT '{key}', n, convert_to('{content}', 'UTF8') FROM generate_series(1, {length}) n; \
             INSERT INTO message (conversation, number, id, person, at, roster, sending, waiting, \
             words) SELECT '{key}', n, 'm' || n, 'ana', 0, 0, 0, 0, n \
             FROM generate_series(1, {length}) n; \
             INSERT INTO event (conversation, number, kind, message, messages) \
             SELECT '{key}', n, 0, 'm' || n, 1 FROM generate_series(1, {length}) n; \
             INSERT INTO conversation (key, version, last_number, last_fence, heard, last_event) \
             VALUES ('{key}', {length}, {length}, 0, {length}, {length}); \
             SELECT setval('words_block', greatest(last_value, {length} / 1000 + 1)) \
             FROM words_block; \
             SELECT setval('event_block', greatest(last_value, {length} / 1000 + 1)) \
             FROM event_block; \
             COMMIT"
        ))
        .await
        .expect("messages");
    client.batch_execute("VACUUM ANALYZE").await.expect("a look at the tables");
    drop(client);
    driver.await.expect("the connection ends").expect("the connection ends well");
}
