//! Reading in the face of bodies that nobody would write on purpose.
//!
//! A normal run makes some tens of thousands of them; `cargo xtask fuzz` makes a million, or as many
//! as it is told. The same seed makes the same bodies.

mod check;
mod mutate;
mod reference;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
};

use tokio::time::Instant;
use unsaid_testkit::random::dice::Dice;

use self::check::check;
use crate::fixtures::fixtures;

/// As many as a test may make without being noticed.
const INPUTS: u64 = 20_000;
const SEED: u64 = 1;
/// Bodies that others are made from; those that led to something new come in while there is room.
const POOL_MAX: usize = 1_000;
/// Longer ones would slow down everything made from them.
const POOL_BODY_BYTES_MAX: usize = 4 << 10;
/// Every so often each event is read once more by itself.
const ALONE_EVERY: u64 = 8;

#[derive(Default)]
struct Summary {
    inputs: u64,
    bytes: usize,
    webhooks: u64,
    /// Events by what they were.
    events: BTreeMap<String, u64>,
    /// What came out of one body together.
    outcomes: BTreeSet<BTreeSet<String>>,
}

/// Makes so many bodies, and checks each.
fn run(seed: u64, inputs: u64) -> Summary {
    let mut dice = Dice::new(seed);
    let mut pool: Vec<Vec<u8>> = fixtures().into_iter().map(|each| compact(&each.body)).collect();
    pool.extend(corpus("webhook").into_iter().chain(corpus("refused")).map(|(_, body)| body));
    let mut summary = Summary::default();
    for number in 0..inputs {
        let body = mutate::body(&mut dice, &pool);
        let checked = || check(&body, number % ALONE_EVERY == 0);
        let outcome = catch_unwind(AssertUnwindSafe(checked)).unwrap_or_else(|panic| {
            let file = std::env::temp_dir().join(format!("unsaid-fuzz-{seed}-{number}"));
            fs::write(&file, &body).unwrap();
            println!("input {number} of seed {seed} is kept in {}", file.display());
            resume_unwind(panic)
        });
        summary.add(&body, outcome.as_ref());
        let words = |outcome: Vec<String>| outcome.into_iter().collect();
        let is_new = outcome.is_some_and(|outcome| summary.outcomes.insert(words(outcome)));
        if is_new && body.len() <= POOL_BODY_BYTES_MAX && pool.len() < POOL_MAX {
            pool.push(body);
        }
    }
    summary
}

impl Summary {
    fn add(&mut self, body: &[u8], outcome: Option<&Vec<String>>) {
        self.inputs += 1;
        self.bytes += body.len();
        self.webhooks += u64::from(outcome.is_some());
        for event in outcome.into_iter().flatten() {
            *self.events.entry(event.clone()).or_default() += 1;
        }
    }
}

/// Without the space that makes it readable.
fn compact(body: &str) -> Vec<u8> {
    let value: serde_json::Value = serde_json::from_str(body).unwrap();
    serde_json::to_vec(&value).unwrap()
}

/// Interesting bodies, by name: those that are webhooks, and those that are refused.
fn corpus(kind: &str) -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(kind);
    let mut bodies: Vec<(String, Vec<u8>)> = fs::read_dir(directory)
        .unwrap()
        .map(|file| {
            let path = file.unwrap().path();
            (path.display().to_string(), fs::read(&path).unwrap())
        })
        .collect();
    bodies.sort();
    assert!(!bodies.is_empty());
    bodies
}

#[test]
fn what_was_interesting_once_is_read_as_it_was() {
    for (name, body) in corpus("webhook") {
        assert!(check(&body, true).is_some(), "{name} is a webhook");
    }
    for (name, body) in corpus("refused") {
        assert!(check(&body, true).is_none(), "{name} is no webhook");
    }
}

/// A number from the environment, as `cargo xtask fuzz` sets it.
fn told(variable: &str) -> Option<u64> {
    let told = std::env::var(variable).ok()?;
    Some(told.parse().unwrap_or_else(|_| panic!("{variable} is {told}, which is no number")))
}

#[test]
fn no_body_breaks_reading() {
    let inputs = told("UNSAID_FUZZ_INPUTS").unwrap_or(INPUTS);
    let seed = told("UNSAID_FUZZ_SEED").unwrap_or(SEED);
    let begun = Instant::now();
    let summary = run(seed, inputs);
    let Summary { inputs, bytes, webhooks, events, outcomes } = summary;
    #[expect(clippy::cast_precision_loss, reason = "it is only printed")]
    let per_second = inputs as f64 / begun.elapsed().as_secs_f64();
    println!("seed {seed}: {inputs} inputs, {bytes} bytes, {per_second:.0} inputs/s");
    println!("{webhooks} were webhooks, of {} sorts", outcomes.len());
    for (event, count) in &events {
        println!("{count:>10}  {event}");
    }
    // a generator that only makes rubbish tests nothing
    assert!(webhooks > inputs / 10, "{webhooks} of {inputs} are webhooks");
    let heard = events.keys().filter(|event| event.starts_with("heard")).count();
    let malformed = events.keys().filter(|event| event.starts_with("malformed")).count();
    assert!(inputs < INPUTS || (heard == 9 && malformed > 8), "{events:?}");
}
