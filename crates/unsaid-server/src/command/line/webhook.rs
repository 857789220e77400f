//! What LINE would send.

use serde_json::{Value, json};
use unsaid_core::domain::id::{MessageId, PersonId, SourceId};
use unsaid_core::domain::message::ReplyToken;
use unsaid_core::domain::source::SourceKind;
use unsaid_core::port::clock::Clock as _;

use crate::system::{SystemClock, random_id};

/// The bot's own id.
const BOT: &str = "U00000000000000000000000000000b07";
/// Whoever writes this calls the bot.
const CALLED: &str = "@bot";
const EVENT_ID_CHARS: usize = 24;

/// A place on LINE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) id: SourceId,
    pub(super) kind: SourceKind,
}

impl Source {
    fn json(&self, person: Option<&PersonId>) -> Value {
        match self.kind {
            SourceKind::Person => json!({ "type": "user", "userId": self.id.as_str() }),
            SourceKind::Group | SourceKind::Room => {
                let mut source = json!({ "type": "group", "groupId": self.id.as_str() });
                if let Some(person) = person {
                    source["userId"] = json!(person.as_str());
                }
                source
            }
        }
    }
}

/// What happens.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deed<'a> {
    Text { id: &'a MessageId, text: &'a str },
    Sticker { id: &'a MessageId },
    Image { id: &'a MessageId },
    Unsend { id: &'a MessageId },
    Edit { id: &'a MessageId, text: &'a str },
    Follow,
    Join,
}

/// What LINE's Verify button sends.
pub(super) fn verify() -> Value {
    json!({ "destination": BOT, "events": [] })
}

/// One event, as LINE would deliver it.
pub(super) fn body(
    deed: Deed<'_>,
    source: &Source,
    person: Option<&PersonId>,
    token: Option<&ReplyToken>,
) -> Value {
    let mut event = match deed {
        Deed::Text { id, text } => json!({ "type": "message", "message": message(id, text) }),
        Deed::Sticker { id } => json!({ "type": "message", "message": {
            "id": id.as_str(),
            "type": "sticker",
            "packageId": "446",
            "stickerId": "1988",
            "stickerResourceType": "STATIC",
            "keywords": ["hi", "waving"],
            "quoteToken": random_id(),
        }}),
        Deed::Image { id } => json!({ "type": "message", "message": {
            "id": id.as_str(),
            "type": "image",
            "contentProvider": { "type": "line" },
            "quoteToken": random_id(),
        }}),
        Deed::Unsend { id } => json!({ "type": "unsend", "unsend": { "messageId": id.as_str() } }),
        Deed::Edit { id, text } => json!({ "type": "messageEdited", "message": message(id, text) }),
        Deed::Follow => json!({ "type": "follow", "follow": { "isUnblocked": false } }),
        Deed::Join => json!({ "type": "join" }),
    };
    event["webhookEventId"] = json!(event_id());
    event["deliveryContext"] = json!({ "isRedelivery": false });
    event["timestamp"] = json!(SystemClock.now().as_millis());
    event["source"] = source.json(person);
    event["mode"] = json!("active");
    if let Some(token) = token {
        event["replyToken"] = json!(token.expose());
    }
    json!({ "destination": BOT, "events": [event] })
}

/// Whether a text calls the bot by its name.
pub(super) fn calls_the_bot(text: &str) -> bool {
    text.contains(CALLED)
}

fn message(id: &MessageId, text: &str) -> Value {
    let mut message = json!({
        "id": id.as_str(),
        "type": "text",
        "text": text,
        "quoteToken": random_id(),
    });
    if let Some((before, _)) = text.split_once(CALLED) {
        message["mention"] = json!({ "mentionees": [{
            // LINE counts in UTF-16 units.
            "index": before.encode_utf16().count(),
            "length": CALLED.len(),
            "type": "user",
            "userId": BOT,
            "isSelf": true,
        }]});
    }
    message
}

/// As long as LINE's, and as unlikely to come twice.
fn event_id() -> String {
    let letters = [random_id(), random_id(), random_id()].concat().to_uppercase();
    format!("01{}", letters.get(..EVENT_ID_CHARS).unwrap_or(&letters))
}

#[cfg(test)]
mod tests {
    use unsaid_line::wire::{self, Event, What};

    use super::*;

    fn read(deed: Deed<'_>, kind: SourceKind) -> What {
        let source = Source { id: SourceId::new("X1").unwrap(), kind };
        let person = PersonId::new("U1").unwrap();
        let body = body(deed, &source, Some(&person), Some(&ReplyToken::new("t"))).to_string();
        let events = wire::read(body.as_bytes()).unwrap();
        let [Ok(Event::Heard(heard))] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((&heard.source.id, heard.source.kind), (&source.id, kind));
        assert!(heard.delivery.is_some() && heard.at.is_some());
        heard.what.clone()
    }

    #[test]
    fn the_server_understands_every_deed() {
        let id = MessageId::new("1").unwrap();
        let group = SourceKind::Group;
        let What::Said(said) = read(Deed::Text { id: &id, text: "é @bot?" }, group) else {
            panic!("not said")
        };
        assert!(said.mentions_us && said.token.is_some());
        let What::Said(said) = read(Deed::Text { id: &id, text: "hi" }, group) else {
            panic!("not said")
        };
        assert!(!said.mentions_us);
        assert!(matches!(read(Deed::Sticker { id: &id }, group), What::Said(_)));
        assert!(matches!(read(Deed::Image { id: &id }, group), What::Said(_)));
        assert!(matches!(read(Deed::Unsend { id: &id }, group), What::Unsent { .. }));
        assert!(matches!(read(Deed::Edit { id: &id, text: "x" }, group), What::Edited { .. }));
        assert!(matches!(read(Deed::Join, group), What::Arrived));
        assert!(matches!(read(Deed::Follow, SourceKind::Person), What::Arrived));
    }
}
