//! What is read from the table of events, and said about it.

use unsaid_app::logs::Log;
use unsaid_core::domain::conversation::change::Event;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::hearing::Hearers;
use unsaid_core::domain::id::{EventNumber, MessageId};
use unsaid_core::port::error::StoreError;

use super::{EVENTS_AT_ONCE, Follow, Stage};
use crate::world::frame::{Frame, Nothing, RemovalResult, Removed, Restored};
use crate::world::shape::MessageShape;

/// Everything there is.
const NEWEST: EventNumber = EventNumber::new(u64::MAX);

impl Follow {
    /// Says what is new in the table.
    pub(super) async fn read(&mut self) -> Result<(), StoreError> {
        if self.goes_from_memory().await? {
            self.read_log(Log::Volatile, NEWEST).await?;
        }
        for log in self.order() {
            self.read_log(log, NEWEST).await?;
        }
        Ok(())
    }

    /// Says what is new up to an event, in the log of which it is.
    pub(super) async fn read_through(&mut self, event: EventNumber) -> Result<(), StoreError> {
        if self.goes_from_memory().await? {
            self.read_log(Log::Volatile, NEWEST).await?;
        }
        let known = self.history(Log::Volatile).events_after(&self.key(), event, 1).await?;
        self.read_log(if known.is_some() { Log::Volatile } else { Log::Kept }, event).await
    }

    async fn read_log(&mut self, log: Log, through: EventNumber) -> Result<(), StoreError> {
        while self.read_some(log, through).await? {}
        Ok(())
    }

    /// What goes from memory is told before what is kept instead of it. The listener's own edit comes
    /// first of all.
    fn order(&self) -> [Log; 2] {
        if self.awaits_removal() { [Log::Kept, Log::Volatile] } else { [Log::Volatile, Log::Kept] }
    }

    /// Whether the listener's own edit was of something in memory, and they are still to be told.
    pub(super) async fn goes_from_memory(&self) -> Result<bool, StoreError> {
        let removal = self.own.as_ref().and_then(|own| own.removal.as_ref());
        let Some((edited, _)) = removal else { return Ok(false) };
        let (key, after) = (self.key(), self.told.volatile);
        let events = self.history(Log::Volatile).events_after(&key, after, EVENTS_AT_ONCE).await?;
        Ok(events.into_iter().flatten().any(|(_, event)| match event {
            Event::Removed { from, unsent: false, .. } => from == *edited,
            Event::Removed { unsent: true, .. }
            | Event::Message { .. }
            | Event::Restored { .. } => false,
        }))
    }

    /// Whether the listener is still to be told what their edit removed, which comes first.
    pub(super) fn awaits_removal(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.removal.is_some())
    }

    /// Whether there may be more.
    pub(super) async fn read_some(
        &mut self,
        log: Log,
        through: EventNumber,
    ) -> Result<bool, StoreError> {
        let (key, after) = (self.key(), *self.told.of(log));
        let events = self.history(log).events_after(&key, after, EVENTS_AT_ONCE).await?;
        let Some(mut events) = events else {
            self.begin_anew(log).await?;
            return Ok(false);
        };
        let is_full = events.len() >= EVENTS_AT_ONCE;
        events.retain(|(number, _)| *number <= through);
        let Some((newest, _)) = events.last() else { return Ok(false) };
        let newest = *newest;
        let mut read = Vec::with_capacity(events.len());
        for (number, event) in events {
            let entry = match &event {
                Event::Message { id } => self.history(log).find(&key, id).await?,
                Event::Removed { .. } | Event::Restored { .. } => None,
            };
            read.push((number, event, entry.filter(Entry::is_heard)));
        }
        let hearers = self.hearers(log, &read).await?;
        let takes_back = read.iter().any(|(_, event, _)| match event {
            Event::Removed { .. } | Event::Restored { .. } => true,
            Event::Message { .. } => false,
        });
        *self.told.of(log) = newest;
        // Looked at after reading: what is shown was read while consent was on (H8).
        if self.may_show(log).await? {
            for (number, event, entry) in read {
                self.tell((log, number), &event, entry.as_ref(), &hearers);
            }
        }
        if takes_back {
            self.look_whether_taken_back().await?;
        }
        Ok(is_full)
    }

    /// Who heard what, if anything is to be said about it.
    pub(super) async fn hearers(
        &self,
        log: Log,
        read: &[(EventNumber, Event, Option<Entry>)],
    ) -> Result<Hearers, StoreError> {
        if read.iter().all(|(_, _, entry)| entry.is_none()) {
            return Ok(Hearers::default());
        }
        let key = self.key();
        let (agents, cleared) = tokio::try_join!(
            self.state.store.agents(&self.world),
            self.history(log).cleared(&key)
        )?;
        Ok(Hearers { agents: agents.unwrap_or_default(), cleared })
    }

    pub(super) async fn may_show(&mut self, log: Log) -> Result<bool, StoreError> {
        let person = self.state.store.person(&self.world.owner).await?;
        let Some(person) = person else {
            self.is_gone();
            return Ok(false);
        };
        let is_on = person.consent.is_on();
        if is_on != std::mem::replace(&mut self.stored, is_on) {
            // Another log is the conversation now: what the listener has is not what they would load.
            self.look_anew();
        }
        Ok(match log {
            Log::Kept => is_on,
            Log::Volatile => true,
        })
    }

    /// What the listener knows is gone altogether.
    pub(super) async fn begin_anew(&mut self, log: Log) -> Result<(), StoreError> {
        let key = self.key();
        let newest = self.history(log).newest_event(&key).await?;
        *self.told.of(log) = newest;
        self.look_whether_there().await?;
        if self.stage != Stage::Over {
            self.look_anew();
        }
        Ok(())
    }

    /// Whether the chat and its owner are still there: a chat is deleted without an event.
    pub(super) async fn look_whether_there(&mut self) -> Result<(), StoreError> {
        let store = &self.state.store;
        let (home, owner) =
            tokio::try_join!(store.home(&self.chat), store.person(&self.world.owner))?;
        if home.as_ref() != Some(&self.world) || owner.is_none() {
            self.is_gone();
        }
        Ok(())
    }

    /// The listener looks anew, finds nothing, and hears no more.
    fn is_gone(&mut self) {
        if self.stage != Stage::Over {
            self.say(&Frame::Reset(Nothing {}));
            self.stage = Stage::Over;
        }
    }

    pub(super) fn tell(
        &mut self,
        (log, number): (Log, EventNumber),
        event: &Event,
        entry: Option<&Entry>,
        hearers: &Hearers,
    ) {
        if let Event::Message { id } = event {
            self.is_whole(id);
            self.is_idle = false;
        }
        if !self.is_told(event, entry) {
            return;
        }
        let frame = match (event, entry) {
            (Event::Message { id }, Some(entry)) => {
                if self.speaks(id) {
                    self.is_spoken();
                }
                let shape = MessageShape::of(&self.chat, entry, hearers);
                Frame::Message(shape.in_log(log, self.stored))
            }
            // It was taken back since, and that is told too.
            (Event::Message { id }, None) => {
                if self.speaks(id) {
                    self.is_broken_off("Cancelled", false);
                }
                return;
            }
            (Event::Removed { from, count, edit, unsent }, _) => Frame::Removed(Removed {
                from_message_id: from,
                count: *count,
                edit_id: edit.as_ref(),
                unsent: unsent.then_some(true),
                result: self.result_of(from),
            }),
            (Event::Restored { edit, from, count }, _) => {
                Frame::Restored(Restored { edit_id: edit, from_message_id: from, count: *count })
            }
        };
        let event = frame.event(Some(number));
        self.bookmark(log, number);
        self.queue.push_back(event);
    }

    pub(super) fn result_of(&mut self, from: &MessageId) -> Option<RemovalResult> {
        let removal = &mut self.own.as_mut()?.removal;
        removal.take_if(|(removed, _)| removed == from).map(|(_, result)| result)
    }
}
