//! What people are called in a prompt.
//!
//! Names come from the directory; whom it does not know LINE is asked about, and its answer is kept,
//! also that it gave none. Whoever has no name has an alias: the same in every turn and on every
//! server, another in every source, and not the id.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    sync::Arc,
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;
use unsaid_core::{
    domain::{
        id::{PersonId, SourceId},
        source::SourceKind,
        text::Words,
        time::Timestamp,
    },
    port::{
        clock::Clock,
        directory::{Directory, NameCard},
        error::StoreError,
    },
};

use crate::client::{LineClient, LineError};

/// After this long LINE is asked again what somebody is called.
const NAME_MS: i64 = 24 * 60 * 60 * 1_000;
/// After this long LINE is asked again about somebody without a name.
const NO_NAME_MS: i64 = 60 * 60 * 1_000;
/// People that are asked about at the same time.
const AT_ONCE: usize = 4;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Names {
    client: LineClient,
    directory: Arc<dyn Directory>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Names")
    }
}

/// What somebody without a name is called in a source.
#[must_use]
pub fn alias(source: &SourceId, person: &PersonId) -> Words {
    Words::lossy(format!("Member {}", tag(source, person)))
}

/// Six digits that tell people apart and tell nothing about them.
fn tag(source: &SourceId, person: &PersonId) -> String {
    // Neither has a line break, so no two pairs are the same text.
    let digest = Sha256::digest(format!("unsaid alias\n{source}\n{person}"));
    format!("{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2])
}

impl Names {
    /// Asks this client, and keeps in this directory.
    #[must_use]
    pub fn new(client: LineClient, directory: Arc<dyn Directory>, clock: Arc<dyn Clock>) -> Self {
        Self { client, directory, clock }
    }

    /// What these people are called in a source; nobody is left out. LINE is asked `within` this
    /// time, and whoever is not known by then has an alias this once.
    pub async fn of(
        &self,
        (source, kind): (&SourceId, SourceKind),
        people: &BTreeSet<PersonId>,
        within: Duration,
    ) -> BTreeMap<PersonId, Words> {
        let mut known = self.known(people).await;
        let now = self.clock.now();
        let stale = |person: &&PersonId| known.get(*person).is_none_or(|card| !is_fresh(card, now));
        let unknown = people.iter().filter(stale);
        let unknown = unknown.map(|person| (person.clone(), known.get(person).cloned()));
        let unknown: Vec<(PersonId, Option<NameCard>)> = unknown.collect();
        let mut asking = stream::iter(unknown)
            .map(|(person, card)| self.ask((source, kind), person, card))
            .buffer_unordered(AT_ONCE);
        let mut told = Vec::new();
        let listening = async {
            while let Some(card) = asking.next().await {
                told.extend(card);
            }
        };
        if timeout(within, listening).await.is_err() {
            tracing::debug!(%source, "LINE did not tell all names in time");
        }
        drop(asking);
        known.extend(told.into_iter().map(|card| (card.id.clone(), card)));
        call(source, people, &known)
    }

    /// Asks LINE again what a friend is called, and keeps it.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub async fn refresh(&self, source: &SourceId, person: &PersonId) -> Result<(), StoreError> {
        let known = self.directory.names(std::slice::from_ref(person)).await?.pop();
        match self.told((source, SourceKind::Person), person, known).await {
            Some(card) => self.directory.keep_name(card).await,
            None => Ok(()),
        }
    }

    async fn known(&self, people: &BTreeSet<PersonId>) -> HashMap<PersonId, NameCard> {
        let people: Vec<PersonId> = people.iter().cloned().collect();
        match self.directory.names(&people).await {
            Ok(cards) => cards.into_iter().map(|card| (card.id.clone(), card)).collect(),
            Err(error) => {
                // Losing it costs time and nothing else.
                tracing::warn!(error = error.name(), "names not read");
                HashMap::new()
            }
        }
    }

    /// Asks LINE, and keeps what it says.
    async fn ask(
        &self,
        place: (&SourceId, SourceKind),
        person: PersonId,
        known: Option<NameCard>,
    ) -> Option<NameCard> {
        let card = self.told(place, &person, known).await?;
        if let Err(error) = self.directory.keep_name(card.clone()).await {
            tracing::warn!(%person, error = error.name(), "name not kept");
        }
        Some(card)
    }

    /// What LINE says; nothing if it cannot be asked right now.
    async fn told(
        &self,
        (source, kind): (&SourceId, SourceKind),
        person: &PersonId,
        known: Option<NameCard>,
    ) -> Option<NameCard> {
        let name = match self.client.member(source, kind, person).await {
            Ok(profile) => profile.display_name,
            // Whoever left is still called what they were called when they spoke.
            Err(error) if is_an_answer(error) => known.and_then(|card| card.name),
            Err(error) => {
                let (status, error) = (error.status(), error.name());
                tracing::debug!(%source, %person, error, status, "name not told");
                return None;
            }
        };
        Some(NameCard { id: person.clone(), name, at: self.clock.now() })
    }
}

/// Whether LINE has said that it does not tell: it would say so again.
fn is_an_answer(error: LineError) -> bool {
    match error {
        LineError::Refused { status, .. } => ![401, 429].contains(&status),
        LineError::Unreachable
        | LineError::Failing { .. }
        | LineError::TimedOut
        | LineError::Cut
        | LineError::TooLarge
        | LineError::Garbled
        | LineError::NotReady => false,
    }
}

fn is_fresh(card: &NameCard, now: Timestamp) -> bool {
    let lasts = if card.name.is_some() { NAME_MS } else { NO_NAME_MS };
    now <= card.at.plus_millis(lasts)
}

/// Names and aliases. Whoever shares a name with another is called with a tag, so that nobody can
/// pass for somebody else by taking their name.
fn call(
    source: &SourceId,
    people: &BTreeSet<PersonId>,
    known: &HashMap<PersonId, NameCard>,
) -> BTreeMap<PersonId, Words> {
    let name = |person: &PersonId| known.get(person).and_then(|card| card.name.as_ref());
    let mut bearers: HashMap<String, usize> = HashMap::new();
    for name in people.iter().filter_map(name) {
        *bearers.entry(name.as_str().to_lowercase()).or_default() += 1;
    }
    let called = people.iter().map(|person| {
        let called = match name(person) {
            None => alias(source, person),
            Some(name) if bearers[&name.as_str().to_lowercase()] == 1 => name.clone(),
            Some(name) => Words::lossy(format!("{} ({})", name.as_str(), tag(source, person))),
        };
        (person.clone(), called)
    });
    called.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_stable_tells_people_apart_and_tells_no_id() {
        let of = |source: &str, person: &str| {
            let (source, person) = (SourceId::new(source).unwrap(), PersonId::new(person).unwrap());
            String::from(alias(&source, &person))
        };
        // Written down: it must be the same on every server and in every version.
        assert_eq!(of("C1", "U1234"), "Member 21b7ee");
        assert_ne!(of("C1", "U1234"), of("C1", "U1235"));
        assert_ne!(of("C1", "U1234"), of("C2", "U1234"));
        assert!(!of("C1", "U1234").contains("U1234"));
    }
}
