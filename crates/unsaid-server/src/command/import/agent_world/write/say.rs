//! What was said, in its order.

use std::iter::once;
use std::time::Duration;

use unsaid_core::domain::conversation::change::{Applied, Change, Outcome, Refusal, Say};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{Roster, Version};
use unsaid_core::domain::message::{Audience, Author, Message, Part};
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::history::{Commit, Committed};

use super::super::super::together::together;
use super::super::merge::Speaker;
use super::super::naming::Named;
use super::super::report::Report;
use super::Target;
use super::begin::Begun;
use super::stop::Stop;
use crate::system::SystemClock;

const TRIES_MAX: usize = 10;
const PAUSE: Duration = Duration::from_millis(500);

/// Where they are said.
pub(super) struct Room {
    pub(super) chat: ConversationKey,
    pub(super) roster: Roster,
    pub(super) begun: Begun,
}

enum Said {
    New,
    /// It was taken in before, whatever became of it.
    Known,
    /// Nobody may keep it.
    NoConsent,
    /// The chat is not there any more.
    ChatGone,
}

impl Target<'_> {
    /// Says all of them, many at a time. Each is said only after the one before it: whatever goes
    /// wrong, what is there is the beginning.
    pub(super) async fn say_all(
        &self,
        room: &Room,
        messages: &[Named],
        report: &mut Report,
    ) -> Result<(), Stop> {
        let mut rest = messages;
        let mut tries_left = TRIES_MAX;
        while !rest.is_empty() {
            let (now, _) = rest.split_at(rest.len().min(self.at_once));
            let (said, stopped) = self.say_some(room, now).await?;
            for said in &said {
                match said {
                    Said::New => report.messages += 1,
                    Said::Known => report.known += 1,
                    Said::NoConsent => report.without_consent += 1,
                    Said::ChatGone => return Err(Stop::ChatGone),
                }
            }
            rest = rest.get(said.len()..).unwrap_or_default();
            match stopped {
                None => {}
                Some(error) if said.is_empty() => {
                    tries_left = tries_left.checked_sub(1).ok_or(error)?;
                    tokio::time::sleep(PAUSE).await;
                }
                // Somebody spoke in between, or the store was busy: on from where it stopped.
                Some(_) => tries_left = TRIES_MAX,
            }
        }
        Ok(())
    }

    /// Says them as far as it goes: what became of the first, and what stopped the others.
    async fn say_some(
        &self,
        room: &Room,
        messages: &[Named],
    ) -> Result<(Vec<Said>, Option<StoreError>), Stop> {
        let version = match self.ready(&room.chat).await {
            Ok(version) => version,
            Err(error) => return Ok((Vec::new(), Some(passing(error)?))),
        };
        self.check_begun(&room.begun).await?;
        // A version alone does not tell: somebody else's change may have made it.
        let begun = room.begun.entry.as_str();
        let marks = messages.iter().map(|message| message.marks.first());
        let before = once(begun).chain(marks.map(|mark| mark.map_or(begun, String::as_str)));
        let versions = (version.get()..).map(Version::new);
        let saying = messages.iter().zip(before.zip(versions));
        let saying = saying.map(|(message, place)| Box::pin(self.say(room, message, place)));
        let mut said = Vec::with_capacity(messages.len());
        for outcome in together(saying.collect()).await {
            match outcome {
                Ok(outcome) => said.push(outcome),
                Err(error) => return Ok((said, Some(passing(error)?))),
            }
        }
        if said.iter().any(|said| matches!(said, Said::NoConsent)) {
            // Without an account there is no consent either.
            self.check_begun(&room.begun).await?;
        }
        Ok((said, None))
    }

    /// The version of a chat in which nothing can be brought back: that would come behind what is said
    /// now.
    async fn ready(&self, chat: &ConversationKey) -> Result<Version, StoreError> {
        let Some(overview) = self.store.overview(chat).await? else { return Ok(Version::ZERO) };
        if !overview.has_way_back {
            return Ok(overview.version);
        }
        let close = Commit::new(Change::CloseUndo, SystemClock.now());
        match self.store.commit(chat, close.expecting(overview.version)).await? {
            Committed::Applied(applied, _) => Ok(applied.version),
            Committed::Repeated(_) | Committed::Refused(_) => Err(StoreError::Conflict),
        }
    }

    /// Says one, if nothing else was said since this version, and what is remembered before it still is:
    /// that the one before it was said, or that the world was begun. Nothing is, once everything of the
    /// owner was erased.
    async fn say(
        &self,
        room: &Room,
        named: &Named,
        (before, version): (&str, Version),
    ) -> Result<Said, StoreError> {
        let Some((first, others)) = named.marks.split_first() else { return Ok(Said::Known) };
        let message = self.message(named, room.roster);
        let say = Change::Say(Say { message, delivery: None, wants_answer: None, way_back: None });
        let commit = Commit::new(say, SystemClock.now())
            .owned_by(self.owner.clone())
            .with_consent_of(self.owner.clone())
            .at_home()
            .expecting(version)
            .after(self.ledger().entry(before, "")?)
            .once(self.ledger().entry(first, named.id.as_str())?);
        let said = match self.store.commit(&room.chat, commit).await? {
            Committed::Applied(Applied { outcome: Outcome::Said(_), .. }, _) => Said::New,
            Committed::Applied(..) | Committed::Repeated(_) => Said::Known,
            Committed::Refused(Refusal::NoConsent) => return Ok(Said::NoConsent),
            Committed::Refused(Refusal::NotFound) => return Ok(Said::ChatGone),
            Committed::Refused(Refusal::VersionConflict) => return Err(StoreError::Conflict),
            Committed::Refused(refusal) => {
                return Err(StoreError::Unavailable(refusal.to_string()));
            }
        };
        // If it is cut off before these are there, the next import finds it by the first.
        for mark in others {
            self.ledger().remember(mark, named.id.as_str()).await?;
        }
        Ok(said)
    }

    fn message(&self, named: &Named, roster: Roster) -> Message {
        let merged = &named.message;
        let author = match &merged.speaker {
            Speaker::Person => Author::Person(Some(self.owner.clone())),
            Speaker::Agent(id) => Author::Agent(id.clone()),
        };
        let mut only = merged.heard_by.clone();
        if let Speaker::Agent(id) = &merged.speaker
            && !only.contains(id)
        {
            only.push(id.clone());
        }
        Message {
            id: named.id.clone(),
            author,
            at: merged.at,
            reply_to: named.reply_to.clone(),
            audience: Audience { roster, only: Some(only) },
            parts: vec![Part::text(merged.words.clone())],
        }
    }
}

/// What may pass, so that it is tried again.
fn passing(error: StoreError) -> Result<StoreError, StoreError> {
    match error {
        StoreError::Conflict | StoreError::Unavailable(_) | StoreError::Uncertain(_) => Ok(error),
        StoreError::Corrupt { .. } | StoreError::Full => Err(error),
    }
}
