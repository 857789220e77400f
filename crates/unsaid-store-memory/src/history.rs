//! The log of every conversation.

use std::{collections::BTreeMap, ops::Bound};

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{Applied, Change, EndedTurn, Event, Outcome, Refusal},
            key::ConversationKey,
            log::Entry,
            seams::Seams,
        },
        id::{AgentId, EventNumber, Fence, MessageId, Number, SourceId, Version},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail},
    },
};

use crate::{MemoryStore, keys::name_of, state::State};

#[async_trait]
impl History for MemoryStore {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        Ok(self.lock()?.commit(key, commit))
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        let state = self.lock()?;
        Ok(state.conversations.get(key).map(|held| Overview {
            owner: held.owner.clone(),
            version: held.conversation.version,
            last_number: held.conversation.last_number,
            heard: heard(&held.conversation).count() as u64,
            turn: held.conversation.turn.clone(),
            wanted_at: held.conversation.wanted_at,
            has_way_back: held.conversation.undo.is_some(),
        }))
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let state = self.lock()?;
        let Some(held) = state.conversations.get(key) else { return Ok(Vec::new()) };
        let before = before.unwrap_or(held.conversation.last_number.next());
        let entries = held.conversation.log.before(before).rev();
        let mut page: Vec<Entry> =
            entries.filter(|entry| entry.is_heard()).take(limit).cloned().collect();
        page.reverse();
        Ok(page)
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
        let state = self.lock()?;
        let held = state.conversations.get(key);
        Ok(held.and_then(|held| held.conversation.log.by_id(id)).cloned())
    }

    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        let state = self.lock()?;
        let Some(held) = state.conversations.get(key) else { return Ok(None) };
        let log = &held.conversation.log;
        let Some(first) = log.by_id(from).filter(|entry| entry.is_heard()) else {
            return Ok(None);
        };
        let after = || log.from(first.number).filter(|entry| entry.is_heard());
        Ok(Some(Tail {
            count: after().count() as u64,
            is_first: !log.before(first.number).any(Entry::is_heard),
            preview: after().take(preview).cloned().collect(),
        }))
    }

    async fn entries_after(
        &self,
        key: &ConversationKey,
        after: Number,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let state = self.lock()?;
        let Some(held) = state.conversations.get(key) else { return Ok(Vec::new()) };
        Ok(held.conversation.log.from(after.next()).take(limit).cloned().collect())
    }

    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError> {
        Ok(self.lock()?.conversations.get(key).map(|held| held.conversation.clone()))
    }

    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError> {
        let state = self.lock()?;
        let mut wanting: Vec<(Timestamp, &ConversationKey)> = state
            .conversations
            .iter()
            .filter_map(|(key, held)| Some((can_begin_at(&held.conversation)?, key)))
            .filter(|(at, _)| *at <= now)
            .collect();
        wanting.sort_unstable();
        Ok(wanting.into_iter().take(limit).map(|(_, key)| key.clone()).collect())
    }

    async fn sources(
        &self,
        after: Option<&SourceId>,
        limit: usize,
    ) -> Result<Vec<SourceReport>, StoreError> {
        let state = self.lock()?;
        let after = after.map(|id| ConversationKey::Line(id.clone()));
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let held = state.conversations.range((from, Bound::Unbounded));
        let sources = held.filter_map(|(key, held)| match key {
            ConversationKey::Line(id) => Some(SourceReport::of(id.clone(), &held.conversation)),
            ConversationKey::Chat(_) | ConversationKey::Session(_) => None,
        });
        Ok(sources.take(limit).collect())
    }

    async fn turns(
        &self,
        key: &ConversationKey,
        before: Option<Fence>,
        limit: usize,
    ) -> Result<Vec<EndedTurn>, StoreError> {
        let state = self.lock()?;
        let Some(held) = state.conversations.get(key) else { return Ok(Vec::new()) };
        Ok(held.conversation.ended_turns(before).take(limit).collect())
    }

    async fn cleared(
        &self,
        key: &ConversationKey,
    ) -> Result<BTreeMap<AgentId, Number>, StoreError> {
        let state = self.lock()?;
        let held = state.conversations.get(key);
        Ok(held.map(|held| held.conversation.cleared.clone()).unwrap_or_default())
    }

    async fn seams(&self, key: &ConversationKey) -> Result<Seams, StoreError> {
        let state = self.lock()?;
        Ok(state.conversations.get(key).map(|held| held.seams.clone()).unwrap_or_default())
    }

    async fn newest_event(&self, key: &ConversationKey) -> Result<EventNumber, StoreError> {
        let state = self.lock()?;
        let newest = state.conversations.get(key).and_then(|held| held.events.last());
        Ok(newest.map_or(EventNumber::ZERO, |(number, _)| *number))
    }

    async fn events_after(
        &self,
        key: &ConversationKey,
        after: EventNumber,
        limit: usize,
    ) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError> {
        let state = self.lock()?;
        let events = state.conversations.get(key).map_or(&[][..], |held| &held.events);
        let start = if after == EventNumber::ZERO {
            Some(0)
        } else {
            events.binary_search_by_key(&after, |(number, _)| *number).ok().map(|place| place + 1)
        };
        Ok(start.map(|start| events[start..].iter().take(limit).cloned().collect()))
    }

    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut state = self.lock()?;
        let running: Vec<_> = state
            .conversations
            .iter()
            .filter_map(|(key, held)| Some((key.clone(), held.conversation.turn.as_ref()?.fence)))
            .collect();
        let released = running.into_iter().filter(|(key, fence)| {
            state.apply(key, Change::Release { fence: *fence }, now).is_ok()
        });
        Ok(released.count() as u64)
    }

    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        self.lock()?.drop_conversation(key);
        Ok(())
    }

    async fn sweep(&self, now: Timestamp, _limit: usize) -> Result<Swept, StoreError> {
        let mut state = self.lock()?;
        state.drop_outlived_cards(now);
        let keys: Vec<ConversationKey> = state.conversations.keys().cloned().collect();
        let mut swept = Swept::default();
        for key in keys {
            let outlived = state.drop_if_outlived(&key, now);
            let expired = match state.apply(&key, Change::Expire, now) {
                Ok((applied, _)) => applied.outcome.is_effective(),
                Err(_) => false,
            };
            if expired {
                state.enforce_bounds(&key, now);
            }
            swept.expired += u64::from(outlived || expired);
        }
        Ok(swept)
    }
}

impl State {
    /// What was taken back stays out, also for whoever would remember it elsewhere (H4).
    fn without_consent(&self, key: &ConversationKey, change: &Change) -> Committed {
        let known = self.conversations.get(key).map(|held| &held.conversation);
        match (known, change) {
            (Some(known), Change::Say(say)) if known.tombstones.contains_key(&say.message.id) => {
                let (outcome, version) = (Outcome::TakenBack, known.version);
                Committed::Applied(Applied { outcome, version, events: Vec::new() }, Vec::new())
            }
            _ => Committed::Refused(Refusal::NoConsent),
        }
    }

    fn commit(&mut self, key: &ConversationKey, commit: Commit) -> Committed {
        let Commit { change, now, expect, owner, consent_of, once, after, at_home, beside } =
            commit;
        if let Some(used) = once.as_ref().and_then(|once| self.keys.get(&name_of(once))) {
            return Committed::Repeated(used.clone());
        }
        let may = |person| self.people.get(person).is_some_and(|known| known.consent.is_on());
        if !consent_of.as_ref().is_none_or(may) {
            return self.without_consent(key, &change);
        }
        if after.is_some_and(|key| !self.keys.contains_key(&name_of(&key))) {
            return Committed::Refused(Refusal::VersionConflict);
        }
        self.drop_if_outlived(key, now);
        let held = self.conversations.get(key);
        if at_home && held.is_none() && !self.has_home(key) {
            return Committed::Refused(Refusal::NotFound);
        }
        let version = held.map_or(Version::ZERO, |held| held.conversation.version);
        let last = held.map_or(Number::ZERO, |held| held.conversation.last_number);
        if expect.is_some_and(|expected| expected != version) {
            return Committed::Refused(Refusal::VersionConflict);
        }
        let (applied, numbers) = match self.apply(key, change, now) {
            Ok(made) => made,
            Err(refusal) => return Committed::Refused(refusal),
        };
        if let Some(held) = self.conversations.get_mut(key)
            && applied.outcome.is_effective()
        {
            held.owner = held.owner.take().or(owner);
            if let Some(kept) = beside {
                held.go_on(kept, last);
            }
        }
        if let Some(once) = once {
            self.keys.insert(name_of(&once), once);
        }
        self.touch(key, now);
        self.enforce_bounds(key, now);
        Committed::Applied(applied, numbers)
    }

    /// Whether the chat or session of a conversation is there.
    fn has_home(&self, key: &ConversationKey) -> bool {
        match key {
            ConversationKey::Line(_) => true,
            ConversationKey::Chat(id) => self.has_chat(id),
            ConversationKey::Session(id) => self.sessions.contains_key(id),
        }
    }
}

/// From when on a turn can begin: it is wanted, or the running one has lost its lease.
fn can_begin_at(conversation: &Conversation) -> Option<Timestamp> {
    match &conversation.turn {
        Some(lease) => Some(lease.until),
        None => conversation.wanted_at,
    }
}

pub(crate) fn heard(conversation: &Conversation) -> impl Iterator<Item = &Entry> {
    conversation.log.iter().filter(|entry| entry.is_heard())
}
