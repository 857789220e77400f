//! Whatever fails, and wherever: a change has happened or it has not.

use std::{collections::BTreeSet, sync::Arc};

use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{Change, Ripple},
        },
        message::{Message, Part},
    },
    port::{
        error::StoreError,
        history::{Commit, Committed, History as _},
        media::{Media as _, MediaPlace},
    },
};
use unsaid_store_object::{
    BucketStore, Options,
    bucket::{Bucket, memory::MemoryBucket},
};
use unsaid_testkit::{
    builder::{
        answer, ask, at, deliver, edit, holder_id, line_key, media_key, message, message_by,
        message_id, person_id, picture, revise, say, unsend, words, words_of,
    },
    describe::describe,
};

use crate::{
    decor::{Fault, Faulty, names, places_of},
    make::{quick, store_in},
};

/// One step of the story.
#[derive(Clone)]
enum Step {
    Change(Box<Change>),
    /// A file for a message, with its name as its content.
    File(&'static str, &'static str),
}

fn options() -> Options {
    Options { object_bytes_max: 2_500, ..quick() }
}

/// Something long enough that a few of them are sealed.
fn long(id: &str) -> Message {
    let text = format!("{}{}", words_of(id), "x".repeat(150));
    Message { parts: vec![Part::text(words(&text))], ..message(id) }
}

/// Seals, takes back from a segment, edits there, forgets a person, cuts.
fn story() -> Vec<Step> {
    let now = at(1_000);
    let mut story: Vec<Change> = Vec::new();
    for index in 1..=3 {
        story.push(deliver(long(&format!("m{index}")), &format!("d{index}")));
    }
    story.push(say(Message { parts: long("b1").parts, ..message_by("ben", "b1") }));
    story.push(ask(long("q1"), now));
    story.push(Change::Begin { holder: holder_id("h1"), until: at(9_000) });
    let fence = unsaid_core::domain::id::Fence::new(1);
    let answers = vec![Message { parts: long("r1").parts, ..answer("r1") }];
    story.push(Change::Answer { fence, messages: answers, last: true });
    let mut steps: Vec<Step> = story.into_iter().map(Box::new).map(Step::Change).collect();
    steps.push(Step::File("file-of-m2", "m2"));
    steps.push(Step::File("file-of-m3", "m3"));
    for index in 4..=14 {
        let said = deliver(long(&format!("m{index}")), &format!("d{index}"));
        steps.push(Step::Change(Box::new(said)));
    }
    let rest = [
        unsend("m2"),
        revise("m4", "new words", at(50)),
        unsend("q1"),
        Change::EraseAuthor { person: person_id("ben"), ripple: Ripple::Withdraw },
        edit("m12", long("m15"), "e1", at(5_000)),
        say(long("m16")),
        unsend("m99"),
    ];
    steps.extend(rest.into_iter().map(Box::new).map(Step::Change));
    steps
}

/// What must be nowhere when the story is over.
fn gone() -> Vec<String> {
    let mut gone: Vec<String> =
        ["m2", "m4", "q1", "r1", "b1", "m12", "m13", "m14"].map(words_of).to_vec();
    gone.push("file-of-m2".to_owned());
    gone
}

/// A story told to a store that may fail.
struct Teller {
    bucket: Arc<dyn Bucket>,
    store: BucketStore,
    model: Conversation,
    files: BTreeSet<&'static str>,
    seed: u64,
}

impl Teller {
    fn new(bucket: &Arc<dyn Bucket>, through: &Arc<dyn Bucket>) -> Self {
        let store = store_in(through, 1, options());
        let (model, files) = (Conversation::default(), BTreeSet::new());
        Self { bucket: Arc::clone(bucket), store, model, files, seed: 1_000 }
    }

    /// Makes a step; after a failure it is made again, by another process if this one is dead.
    async fn tell(&mut self, step: &Step, dies: bool, place: &str) {
        for _ in 0..3 {
            let failed = match step {
                Step::Change(change) => self.change(change, place).await,
                Step::File(key, message) => self.file(key, message, place).await,
            };
            if !failed {
                return;
            }
            if dies {
                self.restart();
            }
        }
        panic!("{place}: still failing");
    }

    /// `true` if it failed.
    async fn change(&mut self, change: &Change, place: &str) -> bool {
        let commit = Commit::new(change.clone(), at(1_000));
        let made = self.store.commit(&line_key("U1"), commit).await;
        let (before, mut after) = (self.model.clone(), self.model.clone());
        let applied = after.apply(change.clone(), at(1_000));
        let stored = self.stored().await;
        match made {
            Ok(Committed::Applied(made, _)) => {
                assert_eq!(Ok(made), applied, "{place}");
                self.model = after;
            }
            Ok(Committed::Refused(refusal)) => {
                assert_eq!(Err(refusal), applied, "{place}");
            }
            Ok(Committed::Repeated(_)) => panic!("{place}: no key was used"),
            Err(StoreError::Uncertain(_)) if stored == after => self.model = after,
            Err(_) => {
                assert_eq!(describe(&stored), describe(&before), "{place}: half a change");
                return true;
            }
        }
        assert_eq!(describe(&stored), describe(&self.model), "{place}");
        false
    }

    async fn file(&mut self, key: &'static str, message: &str, place: &str) -> bool {
        let at = MediaPlace { conversation: line_key("U1"), message: message_id(message) };
        let file = picture(key.as_bytes());
        match self.store.put(&media_key(key), &at, file.clone()).await {
            Ok(kept) => {
                let found = self.fresh().get(&line_key("U1"), &media_key(key)).await.unwrap();
                assert_eq!(found, Some(file), "{place}: {kept}");
                self.files.insert(key);
                false
            }
            Err(_) => true,
        }
    }

    async fn stored(&mut self) -> Conversation {
        self.fresh().whole(&line_key("U1")).await.unwrap().unwrap_or_default()
    }

    /// Another process, for which nothing fails.
    fn fresh(&mut self) -> BucketStore {
        self.seed += 1;
        store_in(&self.bucket, self.seed, options())
    }

    fn restart(&mut self) {
        self.store = self.fresh();
    }

    /// After a restart and a sweep nothing is left of what is gone, and nothing else is missing.
    async fn finish(mut self, place: &str) {
        self.store.idle().await;
        self.restart();
        self.store.sweep(at(1_000), 100).await.unwrap();
        self.store.sweep(at(1_000), 100).await.unwrap();
        self.store.idle().await;
        for text in gone() {
            assert_eq!(
                places_of(&self.bucket, &text).await,
                Vec::<String>::new(),
                "{place}: {text}"
            );
        }
        assert_eq!(describe(&self.stored().await), describe(&self.model), "{place}");
        let file = self.fresh().get(&line_key("U1"), &media_key("file-of-m3")).await.unwrap();
        assert_eq!(file, Some(picture(b"file-of-m3")), "{place}");
        let files = names(&self.bucket).await;
        let files = files.iter().filter(|name| name.starts_with("media/")).count();
        assert_eq!(files, 1, "{place}");
    }
}

/// Tells the story with a fault at the n-th call; `false` if it never came to that.
async fn told(nth: u64, fault: Fault) -> bool {
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    let faulty = Arc::new(Faulty::new(&bucket, nth, fault));
    let through = Arc::clone(&faulty) as Arc<dyn Bucket>;
    let mut teller = Teller::new(&bucket, &through);
    for (index, step) in story().iter().enumerate() {
        teller.tell(step, fault == Fault::Dead, &format!("{fault:?} at {nth}, step {index}")).await;
    }
    let sealed = names(&bucket).await.iter().filter(|name| name.contains(".sealed/")).count();
    assert!(sealed > 1, "the story seals");
    teller.finish(&format!("{fault:?} at {nth}")).await;
    faulty.has_struck()
}

async fn at_every_call(fault: Fault) {
    let mut nth = 1;
    while told(nth, fault).await {
        nth += 1;
    }
    assert!(nth > 60, "only {nth} calls");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_leaves_before_or_after() {
    at_every_call(Fault::Away).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_lost_leaves_before_or_after() {
    at_every_call(Fault::LostRequest).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_leaves_before_or_after() {
    at_every_call(Fault::LostAnswer).await;
}

#[tokio::test(start_paused = true)]
async fn a_write_that_meets_itself_is_recognised() {
    at_every_call(Fault::DoneThenStale).await;
}

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_leaves_before_or_after() {
    at_every_call(Fault::Dead).await;
}
