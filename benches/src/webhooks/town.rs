//! Who talks on LINE, and what LINE would deliver of it.

use serde_json::{Value, json};
use unsaid_core::domain::{
    id::{PersonId, SourceId},
    source::SourceKind,
};
use unsaid_line::{
    client::AccessToken,
    signature::{ChannelSecret, sign},
    stand_in::StandIn,
};

use crate::talk;

pub(super) const SECRET: &str = "8c570fa6dd201bb328f1c1eac23a96d8";
pub(super) const TOKEN: &str = "an access token";

/// Every second source is a group.
pub(super) const SOURCES: usize = 200;
const MEMBERS: usize = 5;

/// Everybody, and the LINE that knows them.
pub(super) struct Town {
    pub(super) line: StandIn,
    secret: ChannelSecret,
}

impl Town {
    pub(super) async fn found() -> Self {
        let anywhere = ([127, 0, 0, 1], 0).into();
        let line = StandIn::start(anywhere, AccessToken::new(TOKEN)).await.expect("a free port");
        for number in 0..SOURCES {
            let id = source(number);
            if !is_group(number) {
                line.know_person(&person(number, 0), "Ana");
                continue;
            }
            let members = u32::try_from(MEMBERS).expect("a few");
            line.know_place(&id, SourceKind::Group, "Lunch", members);
            for member in 0..MEMBERS {
                line.know_member(&id, &person(number, member), "Ben");
            }
        }
        Self { line, secret: ChannelSecret::new(SECRET) }
    }

    /// Something is said: a whole request, as LINE makes it.
    pub(super) fn message(&self, number: usize, at_ms: u64) -> Vec<u8> {
        let mut event = event(number, at_ms);
        event["type"] = json!("message");
        self.request(number, event)
    }

    /// The same as of a kind that concerns nobody here: all is read, nothing is stored.
    pub(super) fn of_no_concern(&self, number: usize, at_ms: u64) -> Vec<u8> {
        let mut event = event(number, at_ms);
        event["type"] = json!("nothing");
        self.request(number, event)
    }

    fn request(&self, number: usize, mut event: Value) -> Vec<u8> {
        let token = self.line.issue_reply_token(&source(number));
        event["replyToken"] = json!(token.expose());
        let destination = "U8e742f61d673b39c7fff3cecb7536ef0";
        let body = json!({"destination": destination, "events": [event]}).to_string();
        let (signature, length) = (sign(&self.secret, body.as_bytes()), body.len());
        let head = "POST /line/webhook HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json; charset=utf-8\r\nuser-agent: LineBotWebhook/2.0\r\n";
        format!("{head}x-line-signature: {signature}\r\ncontent-length: {length}\r\n\r\n{body}")
            .into_bytes()
    }
}

/// What the message of an event is called.
pub(super) fn message_id(number: usize) -> String {
    format!("{}", 575_800_000_000_000_000 + number)
}

/// Where an event happens.
pub(super) fn source(number: usize) -> SourceId {
    let letter = if is_group(number) { 'C' } else { 'U' };
    SourceId::new(format!("{letter}{:032x}", number % SOURCES)).expect("an id")
}

fn is_group(number: usize) -> bool {
    number % SOURCES % 2 == 1
}

fn person(number: usize, member: usize) -> PersonId {
    let place = number % SOURCES;
    let id = if is_group(number) { SOURCES + place * MEMBERS + member } else { place };
    PersonId::new(format!("U{id:032x}")).expect("an id")
}

fn event(number: usize, at_ms: u64) -> Value {
    let speaker = person(number, number / SOURCES % MEMBERS);
    let source = if is_group(number) {
        json!({"type": "group", "groupId": source(number).as_str(), "userId": speaker.as_str()})
    } else {
        json!({"type": "user", "userId": speaker.as_str()})
    };
    let message = json!({
        "id": message_id(number),
        "type": "text",
        "text": talk::TEXT,
        "quoteToken": format!("q3Plxr4AgKd{number:08}"),
    });
    json!({
        "message": message,
        "webhookEventId": format!("01KA0M4T5J8Q2W7E9R{number:08}"),
        "deliveryContext": {"isRedelivery": false},
        "timestamp": at_ms,
        "source": source,
        "mode": "active",
    })
}
