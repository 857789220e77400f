//! How far listeners were when they were told an event of a chat that has two logs: the number of the event
//! says it of one log only, and nothing of what they were shown of the other. Numbers, never words, and only
//! in memory, where one of the logs is.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use unsaid_core::domain::id::{ChatId, EventNumber};

use super::follow::Newest;

/// Events of all chats that are remembered; beyond that the oldest are forgotten.
const HELD_MAX: usize = 10_000;

/// See the module.
#[derive(Debug, Default)]
pub struct Bookmarks {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// None where two listeners were told the event at different places, or one had to look anew since.
    by_event: HashMap<EventNumber, Option<Bookmark>>,
    /// Events in the order in which they were first told.
    order: VecDeque<EventNumber>,
}

#[derive(Debug, PartialEq, Eq)]
struct Bookmark {
    chat: ChatId,
    told: Newest,
    /// Whether they were shown what is kept.
    stored: bool,
}

/// What is known of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// Whoever was told it was told this much.
    UpTo(Newest),
    /// Nobody can go on there.
    Nobody,
}

impl Bookmarks {
    /// Somebody was told this event, and everything up to here.
    pub(crate) fn put(&self, chat: &ChatId, event: EventNumber, told: Newest, stored: bool) {
        self.set(event, Some(Bookmark { chat: chat.clone(), told, stored }));
    }

    /// Somebody who was told this event last has to look anew: it says nothing about what they know then.
    pub(crate) fn spoil(&self, event: EventNumber) {
        self.set(event, None);
    }

    fn set(&self, event: EventNumber, bookmark: Option<Bookmark>) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match held.by_event.entry(event) {
            Entry::Vacant(place) => {
                place.insert(bookmark);
                held.order.push_back(event);
            }
            Entry::Occupied(mut known) if *known.get() != bookmark => {
                known.insert(None);
            }
            Entry::Occupied(_) => {}
        }
        if held.order.len() > HELD_MAX
            && let Some(oldest) = held.order.pop_front()
        {
            held.by_event.remove(&oldest);
        }
    }

    /// How far everybody was who was told this event of this chat, if they were all at one place and
    /// were shown the same as now. Nothing, if nothing is known of this event.
    pub(crate) fn find(&self, chat: &ChatId, event: EventNumber, stored: bool) -> Option<Told> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        Some(match held.by_event.get(&event)? {
            Some(known) if known.chat == *chat && known.stored == stored => Told::UpTo(known.told),
            Some(_) | None => Told::Nobody,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(name: &str) -> ChatId {
        ChatId::new(name).unwrap()
    }

    fn told(kept: u64, volatile: u64) -> Newest {
        Newest { kept: EventNumber::new(kept), volatile: EventNumber::new(volatile) }
    }

    #[test]
    fn whoever_was_told_an_event_was_there() {
        let bookmarks = Bookmarks::default();
        for _ in 0..2 {
            bookmarks.put(&chat("c1"), EventNumber::new(7), told(7, 3), true);
        }
        let find =
            |name, number, stored| bookmarks.find(&chat(name), EventNumber::new(number), stored);
        assert_eq!(find("c1", 7, true), Some(Told::UpTo(told(7, 3))));
        assert_eq!(find("c1", 7, false), Some(Told::Nobody), "something else is shown now");
        assert_eq!(find("c2", 7, true), Some(Told::Nobody), "it is of another chat");
        assert_eq!(find("c1", 3, true), None, "nobody was told it");
    }

    #[test]
    fn where_two_were_at_different_places_nobody_goes_on() {
        for (kept, volatile, stored) in [(7, 4, true), (7, 3, false)] {
            let bookmarks = Bookmarks::default();
            bookmarks.put(&chat("c1"), EventNumber::new(7), told(7, 3), true);
            for _ in 0..2 {
                bookmarks.put(&chat("c1"), EventNumber::new(7), told(kept, volatile), stored);
                bookmarks.put(&chat("c1"), EventNumber::new(7), told(7, 3), true);
            }
            let found = bookmarks.find(&chat("c1"), EventNumber::new(7), true);
            assert_eq!(found, Some(Told::Nobody));
        }
    }

    #[test]
    fn whoever_has_to_look_anew_does_not_go_on_there() {
        let bookmarks = Bookmarks::default();
        bookmarks.spoil(EventNumber::new(7));
        bookmarks.put(&chat("c1"), EventNumber::new(7), told(7, 3), true);
        assert_eq!(bookmarks.find(&chat("c1"), EventNumber::new(7), true), Some(Told::Nobody));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let bookmarks = Bookmarks::default();
        let newest = u64::try_from(HELD_MAX).unwrap() + 1;
        for number in 1..=newest {
            bookmarks.put(&chat("c1"), EventNumber::new(number), told(number, 1), true);
        }
        let find = |number| bookmarks.find(&chat("c1"), EventNumber::new(number), true);
        assert_eq!(find(1), None);
        assert_eq!(find(newest), Some(Told::UpTo(told(newest, 1))));
        assert_eq!(bookmarks.held.lock().unwrap().by_event.len(), HELD_MAX);
    }
}
