//! What a turn costs beside the model and the messenger, and what of it are its commits.
//!
//! A whole turn begins when the question is committed and ends when the outcome is: the worker wakes,
//! takes the lease, reads, builds the prompt, asks, records the intent, looks, sends, and settles.
//! Beside it the three commits of such a turn, made directly.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use unsaid_app::{
    answer::Cast,
    place::Place,
    worker::{Casting, Stage, Wake, Worker},
};
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Outcome, SendOutcome},
            key::ConversationKey,
        },
        id::{AgentId, Fence, HolderId, MessageId, SourceId},
        message::{Author, Message},
    },
    port::{
        clock::Clock,
        error::StoreError,
        history::{Commit, Committed, History},
    },
};

use crate::{
    instant::{self, InstantModel, Kept, Mark, MarkedHistory, Wall},
    measure::{Promise, Times, micros, print_table},
    stores::middle,
    talk,
};

/// Enough to fill a prompt.
const MESSAGES_BEFORE: usize = 400;
const ROUNDS: usize = 7;
const TURNS: usize = 60;
const LEASE_MS: i64 = 30_000;

/// The times of whole turns, and of their commits alone.
#[derive(Default)]
struct Round {
    turns: Times,
    commits: Times,
}

pub(crate) fn run() -> Vec<Promise> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut rows = Vec::new();
    runtime.block_on(async {
        for (name, kept) in
            [("SQLite", instant::sqlite()), ("PostgreSQL", instant::postgres().await)]
        {
            rows.extend(report(name, measure(&kept).await));
        }
    });
    let head = ["store", "what", "p50", "p99", "p50 to the commits alone", "p50 beyond them"];
    print_table(&head, rows);
    Vec::new()
}

fn report(name: &str, mut rounds: Vec<Round>) -> [Vec<String>; 2] {
    let of_rounds = |rounds: &mut [Round], figure: fn(f64, f64) -> f64| {
        let figures = rounds.iter_mut().map(|Round { turns, commits }| {
            figure(turns.p50().as_secs_f64(), commits.p50().as_secs_f64())
        });
        middle(&figures.collect::<Vec<f64>>())
    };
    let ratio = of_rounds(&mut rounds, |turn, commits| turn / commits);
    let beyond = of_rounds(&mut rounds, |turn, commits| (turn - commits).max(0.0));
    let (mut turns, mut commits) = (Times::new(), Times::new());
    for round in rounds {
        turns.extend(round.turns);
        commits.extend(round.commits);
    }
    let row = |what: &str, times: &mut Times, [ratio, beyond]: [String; 2]| {
        let (p50, p99) = (micros(times.p50()), micros(times.p99()));
        vec![name.to_owned(), what.to_owned(), p50, p99, ratio, beyond]
    };
    let beyond = micros(Duration::from_secs_f64(beyond));
    [
        row("a whole turn", &mut turns, [format!("{ratio:.2}"), beyond]),
        row("its commits alone", &mut commits, ["1.00".to_owned(), "-".to_owned()]),
    ]
}

async fn measure(kept: &Kept) -> Vec<Round> {
    let places = ["U1", "U2"].map(|source| Place::line(SourceId::new(source).expect("an id")));
    for place in &places {
        for number in 0..MESSAGES_BEFORE {
            talk::say(&*kept.store, place.conversation(), &format!("m{number}"), 0).await;
        }
    }
    let [answered, alone] = places;
    let (history, mut marks) = MarkedHistory::new(&kept.store);
    let desk = Arc::new(instant::desk(&kept.store, history));
    let model = InstantModel::calling("reply", r#"{"message":"That is how it is."}"#);
    let key = answered.conversation().clone();
    let stage = Arc::new(OnePlace(instant::cast(answered, model)));
    let worker = Worker::new(desk, stage, 4);
    let (wake, tasks, shutdown) = (worker.wake(), TaskTracker::new(), CancellationToken::new());
    let work = async {
        let mut rounds = Vec::new();
        // One more than is counted: everything is cold in the first.
        for round in 0..=ROUNDS {
            let mut times = Round::default();
            for turn in 0..TURNS {
                let id = format!("new{round}-{turn}");
                // In turn, so that both see the same weather.
                times.turns.add(whole_turn(kept, (&key, &id), &wake, &mut marks).await);
                times.commits.add(commits(&*kept.store, alone.conversation(), &id).await);
            }
            rounds.push(times);
        }
        shutdown.cancel();
        rounds.split_off(1)
    };
    tokio::join!(worker.run(&tasks, shutdown.clone()), work).1
}

async fn whole_turn(
    kept: &Kept,
    (key, id): (&ConversationKey, &str),
    wake: &Wake,
    marks: &mut UnboundedReceiver<Mark>,
) -> Duration {
    talk::ask(&*kept.store, key, id).await;
    let begun = Instant::now();
    wake.at(key, Wall.now());
    let mut settled = None;
    loop {
        match marks.recv().await.expect("the worker works") {
            Mark::Began(_) => {}
            Mark::Settled(at) => settled = Some(at),
            // The worker has looked again and found nothing: it disturbs nobody from now on.
            Mark::Idle => break,
        }
    }
    settled.expect("the turn has answered") - begun
}

async fn commits(store: &dyn History, key: &ConversationKey, id: &str) -> Duration {
    talk::ask(store, key, id).await;
    let answer = Message {
        author: Author::Agent(AgentId::new("kai").expect("an id")),
        ..talk::message(&format!("a{id}"), 0)
    };
    let answer_id: MessageId = answer.id.clone();
    let begun = Instant::now();
    let fence = begin(store, key).await;
    make(store, key, Change::Intend { fence, message: answer }).await;
    make(store, key, Change::Settle { id: answer_id, outcome: SendOutcome::Sent }).await;
    begun.elapsed()
}

/// Takes the turn.
pub(crate) async fn begin(store: &dyn History, key: &ConversationKey) -> Fence {
    let holder = HolderId::new("alone").expect("an id");
    let until = Wall.now().plus_millis(LEASE_MS);
    let begun = make(store, key, Change::Begin { holder, until }).await;
    let Outcome::Began(lease) = begun else { panic!("no turn has begun: {begun:?}") };
    lease.fence
}

/// Makes a change that is not refused.
pub(crate) async fn make(store: &dyn History, key: &ConversationKey, change: Change) -> Outcome {
    match store.commit(key, Commit::new(change, Wall.now())).await.expect("a commit") {
        Committed::Applied(applied, _) => applied.outcome,
        other @ (Committed::Refused(_) | Committed::Repeated(_)) => panic!("{other:?}"),
    }
}

/// Somebody answers in one conversation only.
struct OnePlace(Cast);

#[async_trait]
impl Stage for OnePlace {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        Ok(if self.0.place.conversation() == key {
            Casting::Cast { cast: Box::new(self.0.clone()), through: None }
        } else {
            Casting::Elsewhere
        })
    }
}
