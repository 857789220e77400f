//! Random changes, made in a store and in the specification, and compared.
//!
//! - [`universe`]: what can happen.
//! - [`dice`]: chance that can be repeated.

pub mod dice;
pub mod universe;

use std::{ops::Range, sync::Arc};

use tokio::task::JoinSet;
use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{Applied, Event, Refusal},
            key::ConversationKey,
            log::Entry,
        },
        id::{EventNumber, PersonId, SourceId},
    },
    port::{
        Store,
        history::{Commit, Committed, Overview, SourceReport, Tail},
    },
};

use self::universe::Universe;
use crate::{
    builder::{chat_key, line_key, person_id, session_key, source_id},
    describe::describe,
};

/// Sequences that run at the same time, so that a store which commits together can do so.
const AT_ONCE: u64 = 32;
/// Up to this length the whole state is compared after every change; beyond, after every fourth.
const SHORT: u64 = 12;

/// Runs a sequence for each seed, each in a conversation of its own, and fails where the store and
/// the specification differ.
pub async fn random_run(store: Arc<dyn Store>, seeds: Range<u64>) {
    let mut lanes = JoinSet::new();
    for lane in 0..AT_ONCE {
        let (store, seeds) = (Arc::clone(&store), seeds.clone());
        lanes.spawn(async move {
            for seed in seeds.filter(|seed| seed % AT_ONCE == lane) {
                compare(&store, seed, &key_of(seed)).await;
            }
        });
    }
    while let Some(ended) = lanes.join_next().await {
        if let Err(failure) = ended {
            std::panic::resume_unwind(failure.into_panic());
        }
    }
}

/// Makes the changes of a seed in an empty conversation of the store and in the specification;
/// fails at the first difference.
pub async fn compare(store: &Arc<dyn Store>, seed: u64, key: &ConversationKey) {
    let mut universe = Universe::new(seed);
    let owner = seed.is_multiple_of(2).then(|| person_id("ana"));
    let mut run = Run { store, seed, key, owner, model: Conversation::default(), events: vec![] };
    let length = 5 + universe.dice.below(36).min(universe.dice.below(36));
    for step in 0..length {
        run.change(universe.next(&run.model)).await;
        if length <= SHORT || step % 4 == 0 || step + 1 == length {
            run.compare_whole().await;
        }
        match universe.dice.below(5) {
            0 => run.compare_overview().await,
            4 => run.compare_source().await,
            1 => run.compare_page(&mut universe).await,
            2 => run.compare_tail(&mut universe).await,
            _ => run.compare_find(&mut universe).await,
        }
    }
    run.compare_events().await;
}

/// The conversation of a seed, of every kind in turn.
#[must_use]
pub fn key_of(seed: u64) -> ConversationKey {
    let name = format!("random-{seed}");
    match seed % 3 {
        0 => chat_key(&name),
        1 => line_key(&name),
        _ => session_key(&name),
    }
}

struct Run<'a> {
    store: &'a Arc<dyn Store>,
    seed: u64,
    key: &'a ConversationKey,
    owner: Option<PersonId>,
    model: Conversation,
    events: Vec<(EventNumber, Event)>,
}

impl Run<'_> {
    async fn change(&mut self, commit: Commit) {
        let before = self.model.clone();
        let expected = specified(&mut self.model, &commit);
        let what = format!("{:?}", commit.change);
        let commit = Commit { owner: self.owner.clone(), ..commit };
        let committed = self.store.commit(self.key, commit).await.expect("the store answers");
        let place = || format!("seed {}: {what} to\n{}", self.seed, describe(&before));
        match committed {
            Committed::Applied(applied, numbers) => {
                assert_eq!(Ok(&applied), expected.as_ref(), "{}", place());
                let kept = if self.key.keeps_events() { applied.events } else { vec![] };
                assert_eq!(numbers.len(), kept.len(), "numbers of events, {}", place());
                self.events.extend(numbers.into_iter().zip(kept));
                let rising = self.events.is_sorted_by(|one, next| one.0 < next.0);
                assert!(rising, "event numbers rise, {}", place());
            }
            Committed::Refused(refusal) => {
                assert_eq!(Err(&refusal), expected.as_ref(), "{}", place());
            }
            Committed::Repeated(_) => panic!("no key was used, {}", place()),
        }
    }

    async fn compare_whole(&self) {
        let stored = self.store.whole(self.key).await.expect("the store answers");
        if stored != self.expected_whole() {
            let stored = stored.as_ref().map_or_else(|| "nothing".to_owned(), describe);
            let model = describe(&self.model);
            panic!("seed {}: stored\n{stored}\n\nspecified\n{model}", self.seed);
        }
    }

    async fn compare_overview(&self) {
        let stored = self.store.overview(self.key).await.expect("the store answers");
        let expected = self.expected_whole().map(|model| Overview {
            owner: self.owner.clone(),
            version: model.version,
            last_number: model.last_number,
            heard: model.log.iter().filter(|entry| entry.is_heard()).count() as u64,
            turn: model.turn,
            wanted_at: model.wanted_at,
            has_way_back: model.undo.is_some(),
        });
        assert_eq!(stored, expected, "overview, {}", self.place());
    }

    async fn compare_page(&self, universe: &mut Universe) {
        let before = universe.dice.percent(50).then(|| universe.number(&self.model));
        let limit = universe.dice.pick(&[1, 2, 3, 100]);
        let stored = self.store.page(self.key, before, limit).await.expect("the store answers");
        let mut heard: Vec<&Entry> = self
            .heard()
            .filter(|entry| before.is_none_or(|before| entry.number < before))
            .rev()
            .take(limit)
            .collect();
        heard.reverse();
        let stored: Vec<&Entry> = stored.iter().collect();
        assert_eq!(stored, heard, "page of {limit} before {before:?}, {}", self.place());
    }

    async fn compare_tail(&self, universe: &mut Universe) {
        let id = universe.known_id(&self.model);
        let preview = universe.dice.pick(&[0, 1, 2, 10]);
        let stored = self.store.tail(self.key, &id, preview).await.expect("the store answers");
        let from = self.model.log.by_id(&id).filter(|entry| entry.is_heard());
        let expected = from.map(|from| Tail {
            count: self.heard().filter(|entry| entry.number >= from.number).count() as u64,
            is_first: !self.heard().any(|entry| entry.number < from.number),
            preview: self
                .heard()
                .filter(|entry| entry.number >= from.number)
                .take(preview)
                .cloned()
                .collect(),
        });
        assert_eq!(stored, expected, "tail from {id}, {}", self.place());
    }

    async fn compare_find(&self, universe: &mut Universe) {
        let id = universe.known_id(&self.model);
        let stored = self.store.find(self.key, &id).await.expect("the store answers");
        assert_eq!(stored.as_ref(), self.model.log.by_id(&id), "find {id}, {}", self.place());
    }

    /// The first source after all smaller ids is this one, if it is one at all.
    async fn compare_source(&self) {
        let ConversationKey::Line(id) = self.key else { return };
        let after = just_before(id);
        let page = self.store.sources(Some(&after), 1).await.expect("the store answers");
        let stored = page.into_iter().find(|source| source.id == *id);
        let expected = self.expected_whole().map(|model| SourceReport::of(id.clone(), &model));
        assert_eq!(stored, expected, "source, {}", self.place());
    }

    async fn compare_events(&self) {
        let stored = self.store.events_after(self.key, EventNumber::ZERO, 1_000).await;
        let stored = stored.expect("the store answers").expect("zero is before the first");
        assert_eq!(stored, self.events, "events, {}", self.place());
    }

    /// A conversation exists from its first effective change on.
    fn expected_whole(&self) -> Option<Conversation> {
        (self.model != Conversation::default()).then(|| self.model.clone())
    }

    fn heard(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.model.log.iter().filter(|entry| entry.is_heard())
    }

    fn place(&self) -> String {
        format!("seed {}:\n{}", self.seed, describe(&self.model))
    }
}

/// An id that no test uses, with none between it and this one.
fn just_before(id: &SourceId) -> SourceId {
    let (rest, last) = id.as_str().split_at(id.as_str().len() - 1);
    let smaller = char::from(last.as_bytes()[0] - 1);
    source_id(&format!("{rest}{smaller}~~"))
}

fn specified(model: &mut Conversation, commit: &Commit) -> Result<Applied, Refusal> {
    if commit.expect.is_some_and(|version| version != model.version) {
        return Err(Refusal::VersionConflict);
    }
    model.apply(commit.change.clone(), commit.now)
}
