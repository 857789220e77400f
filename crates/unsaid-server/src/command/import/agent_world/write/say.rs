//! What was said, in its order.

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
use crate::system::SystemClock;

const TRIES_MAX: usize = 10;
const PAUSE: Duration = Duration::from_millis(500);

enum Said {
    New,
    /// It was taken in before, whatever became of it.
    Known,
    /// Nobody may keep it.
    NoConsent,
}

impl Target<'_> {
    /// Says all of them, many at a time. Each is said only after the one before it: whatever goes
    /// wrong, what is there is the beginning.
    pub(super) async fn say_all(
        &self,
        chat: &ConversationKey,
        messages: &[Named],
        roster: Roster,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        let mut rest = messages;
        let mut tries_left = TRIES_MAX;
        while !rest.is_empty() {
            let (now, _) = rest.split_at(rest.len().min(self.at_once));
            let (said, stopped) = self.say_some(chat, now, roster).await?;
            for said in &said {
                match said {
                    Said::New => report.messages += 1,
                    Said::Known => report.known += 1,
                    Said::NoConsent => report.without_consent += 1,
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
        chat: &ConversationKey,
        messages: &[Named],
        roster: Roster,
    ) -> Result<(Vec<Said>, Option<StoreError>), StoreError> {
        let overview = self.store.overview(chat).await?;
        let version = overview.map_or(Version::ZERO, |overview| overview.version);
        let versions = (version.get()..).map(Version::new);
        let saying = messages.iter().zip(versions);
        let saying =
            saying.map(|(message, version)| Box::pin(self.say(chat, message, roster, version)));
        let mut said = Vec::with_capacity(messages.len());
        for outcome in together(saying.collect()).await {
            match outcome {
                Ok(outcome) => said.push(outcome),
                Err(
                    error @ (StoreError::Conflict
                    | StoreError::Unavailable(_)
                    | StoreError::Uncertain(_)),
                ) => return Ok((said, Some(error))),
                Err(error @ (StoreError::Corrupt { .. } | StoreError::Full)) => return Err(error),
            }
        }
        Ok((said, None))
    }

    /// Says one, if nothing else was said since this version.
    async fn say(
        &self,
        chat: &ConversationKey,
        named: &Named,
        roster: Roster,
        version: Version,
    ) -> Result<Said, StoreError> {
        let Some((first, others)) = named.marks.split_first() else { return Ok(Said::Known) };
        let message = self.message(named, roster);
        let say = Change::Say(Say { message, delivery: None, wants_answer: None, way_back: None });
        let commit = Commit::new(say, SystemClock.now())
            .owned_by(self.owner.clone())
            .with_consent_of(self.owner.clone())
            .expecting(version)
            .once(self.ledger().entry(first, named.id.as_str())?);
        let said = match self.store.commit(chat, commit).await? {
            Committed::Applied(Applied { outcome: Outcome::Said(_), .. }, _) => Said::New,
            Committed::Applied(..) | Committed::Repeated(_) => Said::Known,
            Committed::Refused(Refusal::NoConsent) => return Ok(Said::NoConsent),
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
