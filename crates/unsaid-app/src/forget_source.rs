//! Forget all on LINE (H8): one source, or one person wherever they spoke.
//!
//! A source is forgotten in one commit. What a person said among others is taken back message by
//! message, as if they had unsent it: between other writers, and in pages, because the history of a
//! group is long. Doing it again finds what is left.

use futures_util::{StreamExt as _, stream};
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Outcome, Ripple},
            key::ConversationKey,
            log::Entry,
        },
        id::{MessageId, Number, PersonId, SourceId},
        message::Author,
        source::SourceKind,
    },
    port::{
        Store,
        clock::Clock,
        error::StoreError,
        history::{Commit, Committed},
    },
};

use crate::{
    call::{Call, Once, out_of_contract},
    event::Watchers,
    forget::forget,
    place::Place,
    unsend::{Unsend, UnsendError, unsend},
};

/// Messages looked at together.
const MESSAGES_AT_A_TIME: usize = 100;
/// Messages taken back at the same time: a bucket writes those of a source together.
const AT_ONCE: usize = 16;
/// Sources looked up at a time.
const SOURCES_AT_A_TIME: usize = 100;

/// What was forgotten of a source, or of a person in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// How many messages that were.
    pub messages: u64,
    /// Whether anything was held, were it only a name.
    pub held: bool,
}

/// What was forgotten of a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonForgotten {
    /// How many messages that were.
    pub messages: u64,
    /// In how many sources.
    pub sources: u64,
    /// Whether anything was held, were it only a name.
    pub held: bool,
    /// Where it could not be done, and why. The others were not stopped by it.
    pub failed: Vec<(SourceId, StoreError)>,
}

/// Where it is done, and when.
#[derive(Clone, Copy)]
pub struct House<'a> {
    /// Everything that is kept.
    pub store: &'a dyn Store,
    /// Who watches.
    pub watchers: &'a Watchers,
    /// The time.
    pub clock: &'a dyn Clock,
}

/// Forgets everything that was said in a source, with its files, its running turn and what is known
/// of it. It stays known which deliveries came, so that none comes again.
///
/// # Errors
/// If the store fails.
pub async fn forget_source(house: House<'_>, source: &SourceId) -> Result<Forgotten, StoreError> {
    let mut forgotten = Forgotten::default();
    let place = Place::line(source.clone());
    if house.store.overview(place.conversation()).await?.is_some() {
        let call = Call::new(place, house.clock.now());
        forgotten.messages = forget(house.store, house.watchers, &call).await?;
    }
    let known = house.store.source(source).await?.is_some();
    house.store.forget_source(source).await?;
    // Alone with the bot a person and their source have one id.
    let named = match PersonId::new(source.as_str()) {
        Ok(person) => forget_name(house.store, &person).await?,
        Err(_) => false,
    };
    forgotten.held = forgotten.messages > 0 || known || named;
    Ok(forgotten)
}

/// Forgets a person on LINE: their own source, what they said in every other, and their name.
/// Answers that were built on their words lose them.
///
/// # Errors
/// If the store cannot even say which sources there are, or forget the name.
pub async fn forget_person(
    house: House<'_>,
    person: &PersonId,
) -> Result<PersonForgotten, StoreError> {
    let mut sum = PersonForgotten::default();
    // First, because forgetting their own source takes the name.
    let named = forget_name(house.store, person).await?;
    sum.held |= named;
    let own = SourceId::new(person.as_str()).ok();
    if let Some(own) = &own {
        sum.add(own, forget_source(house, own).await);
    }
    let mut after = None;
    loop {
        let page = house.store.sources(after.as_ref(), SOURCES_AT_A_TIME).await?;
        let Some(last) = page.last() else { return Ok(sum) };
        after = Some(last.id.clone());
        for source in page.iter().map(|report| &report.id) {
            if own.as_ref() != Some(source) && is_shared(source) {
                sum.add(source, forget_words(house, source, person).await);
            }
        }
    }
}

impl PersonForgotten {
    fn add(&mut self, source: &SourceId, done: Result<Forgotten, StoreError>) {
        match done {
            Ok(Forgotten { messages, held }) => {
                self.messages += messages;
                self.sources += u64::from(messages > 0);
                self.held |= held;
            }
            Err(error) => self.failed.push((source.clone(), error)),
        }
    }
}

/// Whether several people may speak there. Only where that is certain nobody is looked for.
fn is_shared(source: &SourceId) -> bool {
    SourceKind::told_by(source) != Some(SourceKind::Person)
}

async fn forget_name(store: &dyn Store, person: &PersonId) -> Result<bool, StoreError> {
    let named = !store.names(std::slice::from_ref(person)).await?.is_empty();
    store.forget_name(person).await?;
    Ok(named)
}

/// Forgets what one person said in a source.
async fn forget_words(
    house: House<'_>,
    source: &SourceId,
    person: &PersonId,
) -> Result<Forgotten, StoreError> {
    let place = Place::line(source.clone());
    let mut messages = 0;
    let mut before: Option<Number> = None;
    loop {
        let page = house.store.page(place.conversation(), before, MESSAGES_AT_A_TIME).await?;
        let Some(first) = page.first() else { break };
        before = Some(first.number);
        let theirs: Vec<MessageId> = theirs(page, person).collect();
        let mut going = stream::iter(theirs)
            .map(|id| take_back(house, place.clone(), id))
            .buffer_unordered(AT_ONCE);
        while let Some(gone) = going.next().await {
            messages += u64::from(gone?);
        }
    }
    let rest = forget_rest(house, place.conversation(), person).await?;
    let Forgotten { messages: more, held } = rest;
    Ok(Forgotten { messages: messages + more, held: held || messages > 0 })
}

fn theirs(page: Vec<Entry>, person: &PersonId) -> impl Iterator<Item = MessageId> {
    let theirs = Author::Person(Some(person.clone()));
    let page = page.into_iter().filter(move |entry| entry.message.author == theirs);
    page.map(|entry| entry.message.id)
}

/// Whether it was there.
async fn take_back(house: House<'_>, place: Place, id: MessageId) -> Result<bool, StoreError> {
    let call = Call::new(place, house.clock.now());
    let taken = Unsend { call, id, ripple: Ripple::Withdraw };
    match unsend(house.store, house.watchers, taken).await {
        Ok(Once::Made(unsent)) => Ok(!unsent.before),
        Ok(Once::Repeated(_)) | Err(UnsendError::NotFound) => Ok(false),
        Err(UnsendError::Broken(error)) => Err(error),
        Err(error @ (UnsendError::NotAPersons | UnsendError::KeyReused)) => {
            Err(out_of_contract(error))
        }
    }
}

/// What no page shows: edits that wait for their message, and what came meanwhile.
async fn forget_rest(
    house: House<'_>,
    key: &ConversationKey,
    person: &PersonId,
) -> Result<Forgotten, StoreError> {
    let change = Change::EraseAuthor { person: person.clone(), ripple: Ripple::Withdraw };
    match house.store.commit(key, Commit::new(change, house.clock.now())).await? {
        Committed::Applied(applied, numbers) => {
            house.watchers.tell_applied(key, &applied, &numbers);
            match applied.outcome {
                Outcome::Erased { count } => Ok(Forgotten { messages: count, held: true }),
                Outcome::Nothing => Ok(Forgotten::default()),
                other @ (Outcome::Said(_)
                | Outcome::Known
                | Outcome::TakenBack
                | Outcome::Began(_)
                | Outcome::Done
                | Outcome::Deferred
                | Outcome::Removed { .. }
                | Outcome::RemovedBefore { .. }
                | Outcome::Replaced { .. }
                | Outcome::Restored { .. }) => Err(out_of_contract(other)),
            }
        }
        Committed::Refused(refusal) => Err(out_of_contract(refusal)),
        Committed::Repeated(_) => Ok(Forgotten::default()),
    }
}
