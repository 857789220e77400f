//! What LINE would send, for those who play it: `unsaid line simulate`, and rehearsals.
//!
//! - [`people`]: people and places with ids that look like LINE's

pub mod people;

use std::fmt;

use serde_json::{Value, json};
use unsaid_core::domain::id::{MessageId, PersonId, SourceId};
use unsaid_core::domain::message::ReplyToken;
use unsaid_core::domain::source::SourceKind;
use unsaid_core::domain::time::Timestamp;

use crate::system::random_id;

/// The bot's own id.
const BOT: &str = "U00000000000000000000000000000b07";
/// Whoever writes this calls the bot.
const CALLED: &str = "@bot";
const EVENT_ID_CHARS: usize = 24;

/// A place on LINE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Which.
    pub id: SourceId,
    /// What kind of place it is.
    pub kind: SourceKind,
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

/// What happens, to which message.
#[derive(Debug, Clone, Copy)]
pub enum Deed<'a> {
    /// Somebody says something.
    Text {
        /// The message.
        id: &'a MessageId,
        /// What is said.
        text: &'a Spoken<'a>,
    },
    /// Somebody sends a sticker.
    Sticker {
        /// The message.
        id: &'a MessageId,
    },
    /// Somebody sends a picture.
    Image {
        /// The message.
        id: &'a MessageId,
    },
    /// Somebody takes something back.
    Unsend {
        /// The message.
        id: &'a MessageId,
    },
    /// Somebody changes what was said.
    Edit {
        /// The message.
        id: &'a MessageId,
        /// What is said now.
        text: &'a Spoken<'a>,
    },
    /// Somebody adds the bot as a friend.
    Follow,
    /// The bot joins a group.
    Join,
}

/// What is said, and whether it mentions the bot.
#[derive(Clone, Copy)]
pub struct Spoken<'a> {
    text: &'a str,
    mentions: bool,
}

impl<'a> Spoken<'a> {
    /// A text that mentions the bot if it calls it by its name.
    #[must_use]
    pub fn typed(text: &'a str) -> Self {
        Self { text, mentions: text.contains(CALLED) }
    }

    /// A text that mentions the bot or does not, whatever it says.
    #[must_use]
    pub fn marked(text: &'a str, mentions: bool) -> Self {
        Self { text, mentions }
    }

    /// Whether it mentions the bot.
    #[must_use]
    pub fn mentions(&self) -> bool {
        self.mentions
    }
}

impl fmt::Debug for Spoken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spoken").field("mentions", &self.mentions).finish_non_exhaustive()
    }
}

/// What LINE's Verify button sends.
#[must_use]
pub fn verify() -> Value {
    json!({ "destination": BOT, "events": [] })
}

/// One event of this moment, as LINE would deliver it.
#[must_use]
pub fn body(
    deed: Deed<'_>,
    source: &Source,
    person: Option<&PersonId>,
    token: Option<&ReplyToken>,
    at: Timestamp,
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
    event["timestamp"] = json!(at.as_millis());
    event["source"] = source.json(person);
    event["mode"] = json!("active");
    if let Some(token) = token {
        event["replyToken"] = json!(token.expose());
    }
    json!({ "destination": BOT, "events": [event] })
}

fn message(id: &MessageId, spoken: &Spoken<'_>) -> Value {
    let Spoken { text, mentions } = *spoken;
    let mut message = json!({
        "id": id.as_str(),
        "type": "text",
        "text": text,
        "quoteToken": random_id(),
    });
    if mentions {
        let (before, length) =
            text.split_once(CALLED).map_or(("", 0), |(before, _)| (before, CALLED.len()));
        message["mention"] = json!({ "mentionees": [{
            // LINE counts in UTF-16 units.
            "index": before.encode_utf16().count(),
            "length": length,
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

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

    fn read(deed: Deed<'_>, kind: SourceKind) -> What {
        let source = Source { id: SourceId::new("X1").unwrap(), kind };
        let person = PersonId::new("U1").unwrap();
        let body = body(deed, &source, Some(&person), Some(&ReplyToken::new("t")), NOW).to_string();
        let events = wire::read(body.as_bytes()).unwrap();
        let [Ok(Event::Heard(heard))] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((&heard.source.id, heard.source.kind), (&source.id, kind));
        assert!(heard.delivery.is_some() && heard.at == Some(NOW));
        heard.what.clone()
    }

    #[test]
    fn the_server_understands_every_deed() {
        let id = MessageId::new("1").unwrap();
        let group = SourceKind::Group;
        for (spoken, mentions) in [
            (Spoken::typed("é @bot?"), true),
            (Spoken::typed("hi"), false),
            (Spoken::marked("hi", true), true),
            (Spoken::marked("é @bot?", false), false),
        ] {
            let What::Said(said) = read(Deed::Text { id: &id, text: &spoken }, group) else {
                panic!("not said")
            };
            assert_eq!((said.mentions_us, said.token.is_some()), (mentions, true));
        }
        assert!(matches!(read(Deed::Sticker { id: &id }, group), What::Said(_)));
        assert!(matches!(read(Deed::Image { id: &id }, group), What::Said(_)));
        assert!(matches!(read(Deed::Unsend { id: &id }, group), What::Unsent { .. }));
        assert!(matches!(
            read(Deed::Edit { id: &id, text: &Spoken::typed("x") }, group),
            What::Edited { .. }
        ));
        assert!(matches!(read(Deed::Join, group), What::Arrived));
        assert!(matches!(read(Deed::Follow, SourceKind::Person), What::Arrived));
    }
}
