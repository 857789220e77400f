//! Letters, and what carries them.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::{change::SendOutcome, key::ConversationKey},
        id::{DeliveryId, Fence},
        message::{ReplyToken, WayBack},
        source::SourceKind,
    },
    port::messenger::{Letter, Messenger as _},
};
use unsaid_line::{
    messenger::{Outbox, OutboxOptions, SendTimes},
    stand_in::Call,
};
use unsaid_testkit::builder::{delivery_id, line_key, message_id, words};

use crate::house::{GENEROUS, House, NOW, soon, source};

/// No word of ours, so that logs can be searched for it.
pub(crate) const TEXT: &str = "canary-text";
/// A webhook event, as LINE names them.
pub(crate) const EVENT: &str = "01FZ74A0TDDPYRVKNK77XKC3ZR";

/// A house in which somebody has just said something.
pub(crate) struct Post {
    pub(crate) house: House,
    pub(crate) letter: Letter,
}

impl Post {
    pub(crate) async fn new() -> Self {
        Self::to("U1").await
    }

    pub(crate) async fn to(id: &str) -> Self {
        let house = House::new().await;
        let token = house.line.issue_reply_token(&source(id));
        let letter = Letter { conversation: line_key(id), ..letter(Some(token)) };
        Self { house, letter }
    }

    pub(crate) fn outbox(&self, options: OutboxOptions) -> Outbox {
        Outbox::new(self.house.client.clone(), Arc::clone(&self.house.clock) as _, options)
    }

    pub(crate) async fn send(&self) -> SendOutcome {
        self.send_letter(&self.letter).await
    }

    pub(crate) async fn send_letter(&self, letter: &Letter) -> SendOutcome {
        self.send_with(outbox_options(), letter).await
    }

    /// As a new turn would.
    pub(crate) async fn send_with(&self, options: OutboxOptions, letter: &Letter) -> SendOutcome {
        soon(self.outbox(options).messenger(SourceKind::Person).send(letter)).await
    }

    /// Every call that came.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.house.line.seen().iter().map(|seen| seen.call).collect()
    }
}

/// Times that no slow machine exceeds, and no pauses.
pub(crate) fn outbox_options() -> OutboxOptions {
    let none = std::time::Duration::ZERO;
    let times = SendTimes {
        whole: GENEROUS,
        attempt: GENEROUS,
        least: std::time::Duration::from_millis(1),
        pause: none,
        loading: GENEROUS,
    };
    OutboxOptions { loading_delay: none, times, ..OutboxOptions::default() }
}

pub(crate) fn delivery() -> DeliveryId {
    delivery_id(EVENT)
}

pub(crate) fn letter(token: Option<ReplyToken>) -> Letter {
    let conversation: ConversationKey = line_key("U1");
    Letter {
        conversation,
        turn: Fence::new(3),
        id: message_id("a1"),
        question: Some(message_id("m1")),
        way_back: Some(WayBack { token, delivery: delivery(), received_at: NOW }),
        text: words(TEXT),
    }
}
