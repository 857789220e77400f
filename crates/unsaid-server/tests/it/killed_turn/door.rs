//! Where people come in: what is acknowledged here is in the log.

use std::sync::Arc;

use unsaid_app::call::{Call, Once};
use unsaid_app::event::Watchers;
use unsaid_app::place::Place;
use unsaid_app::say::{Said, Say, say};
use unsaid_app::unsend::{Unsend, unsend};
use unsaid_app::worker::Wake;
use unsaid_core::domain::conversation::change::Ripple;
use unsaid_core::domain::message::Message;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::history::History;
use unsaid_testkit::builder::{message, message_id};

use super::points::tell;

pub(super) struct Door {
    pub(super) history: Arc<dyn History>,
    pub(super) watchers: Arc<Watchers>,
    pub(super) place: Place,
    pub(super) now: Timestamp,
    pub(super) wake: Wake,
}

impl Door {
    /// Takes a message in, wakes the worker, and acknowledges.
    pub(super) async fn say(&self, id: &str) {
        let now = self.now;
        let call = Call::new(self.place.clone(), now);
        let message = Message { at: now, ..message(id) };
        let asked = Say { call, message, delivery: None, wants_answer: Some(now), way_back: None };
        let said = say(&*self.history, &self.watchers, asked).await.unwrap();
        assert!(matches!(said, Once::Made(Said::Stored { .. })), "{said:?}");
        self.wake.at(self.place.conversation(), now);
        tell("said", id);
    }

    /// Takes a message back, whether it is there or not.
    pub(super) async fn take_back(&self, id: &str) {
        let call = Call::new(self.place.clone(), self.now);
        let gone = Unsend { call, id: message_id(id), ripple: Ripple::Withdraw };
        unsend(&*self.history, &self.watchers, gone).await.unwrap();
    }
}
