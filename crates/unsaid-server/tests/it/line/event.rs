//! What LINE delivers.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use unsaid_core::domain::id::SourceId;

/// Where somebody speaks, and who.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    source: Value,
    pub(super) id: SourceId,
}

/// A chat with one person.
pub(super) fn person(id: &str) -> Spot {
    Spot { source: json!({"type": "user", "userId": id}), id: SourceId::new(id).unwrap() }
}

/// A member of a group.
pub(super) fn member(group: &str, id: &str) -> Spot {
    let source = json!({"type": "group", "groupId": group, "userId": id});
    Spot { source, id: SourceId::new(group).unwrap() }
}

/// Somebody in a room.
pub(super) fn dweller(room: &str, id: &str) -> Spot {
    let source = json!({"type": "room", "roomId": room, "userId": id});
    Spot { source, id: SourceId::new(room).unwrap() }
}

/// Now, as LINE writes it.
#[expect(clippy::disallowed_methods, reason = "LINE has a clock of its own")]
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

/// An event of some kind, each with a name of its own.
pub(super) fn event(spot: &Spot, kind: &str) -> Value {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    json!({
        "type": kind,
        "webhookEventId": format!("01KA0M4T5J8Q2W7E9R{number:08}"),
        "deliveryContext": {"isRedelivery": false},
        "timestamp": now(),
        "source": spot.source,
        "mode": "active",
    })
}

pub(super) fn unsend(spot: &Spot, message: &str) -> Value {
    let mut event = event(spot, "unsend");
    event["unsend"] = json!({"messageId": message});
    event
}

pub(super) fn edited(spot: &Spot, message: &str, words: &str) -> Value {
    let mut event = event(spot, "messageEdited");
    event["message"] = json!({"id": message, "type": "text", "text": words});
    event
}

/// The same event as LINE delivers it again.
pub(super) fn again(event: &Value) -> Value {
    let mut again = event.clone();
    again["deliveryContext"]["isRedelivery"] = json!(true);
    again
}

/// The body of a call.
pub(super) fn body(events: &[Value]) -> String {
    json!({"destination": "U8e742f61d673b39c7fff3cecb7536ef0", "events": events}).to_string()
}
