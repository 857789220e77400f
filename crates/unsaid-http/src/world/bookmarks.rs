//! How far listeners were when they were told an event, while a chat shows both of its logs: the number
//! of the event says it of one log only. Numbers, never words, and only in memory, where one of the logs is.

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
    /// None where two listeners were told the event at different places.
    by_event: HashMap<EventNumber, Option<Bookmark>>,
    /// Events in the order in which they were first told.
    order: VecDeque<EventNumber>,
}

#[derive(Debug, PartialEq, Eq)]
struct Bookmark {
    chat: ChatId,
    told: Newest,
}

impl Bookmarks {
    /// Somebody was told this event, and everything up to here.
    pub(crate) fn put(&self, chat: &ChatId, event: EventNumber, told: Newest) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let bookmark = Some(Bookmark { chat: chat.clone(), told });
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

    /// How far everybody was who was told this event of this chat, if they were all at one place.
    pub(crate) fn find(&self, chat: &ChatId, event: EventNumber) -> Option<Newest> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let bookmark = held.by_event.get(&event)?.as_ref()?;
        (bookmark.chat == *chat).then_some(bookmark.told)
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
            bookmarks.put(&chat("c1"), EventNumber::new(7), told(7, 3));
        }
        assert_eq!(bookmarks.find(&chat("c1"), EventNumber::new(7)), Some(told(7, 3)));
        assert_eq!(bookmarks.find(&chat("c2"), EventNumber::new(7)), None, "it is of another chat");
        assert_eq!(bookmarks.find(&chat("c1"), EventNumber::new(3)), None, "nobody was told it");
    }

    #[test]
    fn where_two_were_at_different_places_nothing_is_known() {
        let bookmarks = Bookmarks::default();
        for volatile in [3, 4, 3] {
            bookmarks.put(&chat("c1"), EventNumber::new(7), told(7, volatile));
        }
        assert_eq!(bookmarks.find(&chat("c1"), EventNumber::new(7)), None);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let bookmarks = Bookmarks::default();
        let newest = u64::try_from(HELD_MAX).unwrap() + 1;
        for number in 1..=newest {
            bookmarks.put(&chat("c1"), EventNumber::new(number), told(number, 1));
        }
        assert_eq!(bookmarks.find(&chat("c1"), EventNumber::new(1)), None);
        assert_eq!(bookmarks.find(&chat("c1"), EventNumber::new(newest)), Some(told(newest, 1)));
        assert_eq!(bookmarks.held.lock().unwrap().by_event.len(), HELD_MAX);
    }
}
