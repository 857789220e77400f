//! Events as LINE writes them.

use serde_json::{Value, json};

/// When the events of a test happened.
pub(crate) const HAPPENED: i64 = 1_794_700_800_000;

/// Somebody says something. The first letter of a chat says what it is: `U` a person, `C` a group,
/// `R` a room.
pub(crate) fn text(chat: &str, id: &str, words: &str) -> Value {
    message(chat, id, &json!({"type": "text", "text": words, "quoteToken": "q1"}))
}

/// Somebody sends something.
pub(crate) fn message(chat: &str, id: &str, content: &Value) -> Value {
    let mut content = content.clone();
    content["id"] = json!(id);
    with(
        &event("message", chat, &format!("event-{id}")),
        &json!({"message": content, "replyToken": format!("token-of-{id}")}),
    )
}

/// Somebody takes a message back.
pub(crate) fn unsend(chat: &str, id: &str) -> Value {
    with(
        &event("unsend", chat, &format!("event-unsend-{id}")),
        &json!({"unsend": {"messageId": id}}),
    )
}

/// Somebody changes a message.
pub(crate) fn edited(chat: &str, id: &str, words: &str, at: i64) -> Value {
    let message = json!({"id": id, "type": "text", "text": words, "quoteToken": "q1"});
    with(
        &event("messageEdited", chat, &format!("event-edit-{id}-{at}")),
        &json!({"message": message, "timestamp": at}),
    )
}

/// Anything.
pub(crate) fn event(kind: &str, chat: &str, delivery: &str) -> Value {
    json!({
        "type": kind,
        "source": source(chat),
        "timestamp": HAPPENED,
        "mode": "active",
        "webhookEventId": delivery,
        "deliveryContext": {"isRedelivery": false},
    })
}

/// The same with some fields set; `null` takes one away.
pub(crate) fn with(event: &Value, fields: &Value) -> Value {
    let mut event = event.clone();
    for (name, value) in fields.as_object().unwrap() {
        if value.is_null() {
            event.as_object_mut().unwrap().remove(name);
        } else {
            event[name] = value.clone();
        }
    }
    event
}

/// A whole body.
pub(crate) fn body(events: &[Value]) -> Vec<u8> {
    let body = json!({"destination": "U8e742f61d673b39c7fff3cecb7536ef0", "events": events});
    serde_json::to_vec(&body).unwrap()
}

fn source(chat: &str) -> Value {
    match chat.chars().next() {
        Some('U') => json!({"type": "user", "userId": chat}),
        Some('C') => json!({"type": "group", "groupId": chat, "userId": "Uana"}),
        Some('R') => json!({"type": "room", "roomId": chat, "userId": "Uana"}),
        _ => panic!("{chat} is no chat"),
    }
}
