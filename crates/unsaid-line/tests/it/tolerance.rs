//! One odd event does not spoil its call, and one odd character does not spoil its event.

use std::slice::from_ref;

use serde_json::{Value, json};
use unsaid_line::{
    inbound::Receipt,
    wire::{self, Event},
};

use crate::{
    door::{Door, taken},
    letter::{HAPPENED, edited, event, message, text, with},
};

#[tokio::test]
async fn a_malformed_event_does_not_stop_the_others() {
    let long = "x".repeat(129);
    let source = |source: Value| with(&text("Uana", "m0", "hi"), &json!({"source": source}));
    let said = |content: Value| with(&text("Uana", "m0", "hi"), &json!({"message": content}));
    let malformed = [
        json!(null),
        json!(5),
        json!("message"),
        json!([]),
        json!(["message"]),
        json!({}),
        json!({"type": null}),
        json!({"type": 1, "source": {"type": "user", "userId": "Uana"}}),
        json!({"type": "message"}),
        source(json!(null)),
        source(json!("Uana")),
        source(json!({})),
        source(json!({"type": "user"})),
        source(json!({"type": "user", "userId": ""})),
        source(json!({"type": "user", "userId": "U ana"})),
        source(json!({"type": "user", "userId": "Uäna"})),
        source(json!({"type": "user", "userId": &long[..65]})),
        source(json!({"type": "user", "userId": 1})),
        source(json!({"type": "group", "userId": "Uana"})),
        source(json!({"type": "group", "groupId": "", "userId": "Uana"})),
        source(json!({"type": "group", "groupId": "Cgroup", "userId": "\u{0}"})),
        source(json!({"type": "room", "groupId": "Cgroup"})),
        said(json!(null)),
        said(json!([])),
        said(json!({})),
        said(json!({"type": "text", "text": "no id"})),
        said(json!({"type": "text", "text": "no id", "id": null})),
        said(json!({"type": "text", "text": "empty id", "id": ""})),
        said(json!({"type": "text", "text": "long id", "id": long})),
        said(json!({"type": "text", "text": "odd id", "id": "a\nb"})),
        said(json!({"type": "text", "text": "number", "id": 17})),
        said(json!({"type": "text", "id": "m0"})),
        said(json!({"type": "text", "id": "m0", "text": null})),
        said(json!({"type": "text", "id": "m0", "text": ["a"]})),
        said(json!({"type": "text", "id": "m0", "text": "quote", "quotedMessageId": "a b"})),
        said(json!({"type": "image", "id": &long[..124]})),
        said(json!({"id": "m0", "text": "what is it"})),
        with(&text("Uana", "m0", "hi"), &json!({"webhookEventId": ""})),
        with(&text("Uana", "m0", "hi"), &json!({"webhookEventId": long})),
        with(&text("Uana", "m0", "hi"), &json!({"webhookEventId": 3})),
        with(&edited("Uana", "m0", "x", HAPPENED), &json!({"message": {"type": "text"}})),
        with(&edited("Uana", "m0", "x", HAPPENED), &json!({"message": null})),
    ];
    let door = Door::new();
    for odd in &malformed {
        let receipt = door.call(from_ref(odd)).await.unwrap();
        assert_eq!(receipt, Receipt { malformed: 1, ..Receipt::default() }, "{odd}");
    }
    assert_eq!(door.state("Uana").await, "");
    let mut events = malformed.to_vec();
    events.insert(0, text("Uana", "m1", "first"));
    events.insert(20, text("Cgroup", "m2", "in between"));
    events.push(text("Uana", "m3", "last"));
    let receipt = door.call(&events).await.unwrap();
    let expected = Receipt { taken: 3, malformed: malformed.len(), ..Receipt::default() };
    assert_eq!(receipt, expected);
    assert_eq!(door.heard("Uana").await, ["m1", "m3"]);
}

#[tokio::test]
async fn unknown_fields_and_wrong_kinds_of_what_may_be_missing_are_accepted() {
    let door = Door::new();
    let fields = json!({
        "brandNew": {"a": [1, 2, {"b": null}]},
        "deliveryContext": "yes",
        "mode": {"now": "active"},
        "replyToken": 42,
        "timestamp": [],
    });
    let event = with(&text("Uana", "m1", "hello"), &fields);
    let content = json!({
        "type": "text", "id": "m1", "text": "hello", "emojis": "none", "mention": 3, "new": true,
        "quotedMessageId": null, "quoteToken": {},
    });
    let event = with(&event, &json!({"message": content}));
    door.tell(event).await;
    assert_eq!(door.words("Uana", "m1").await, "hello");
    let sticker = json!({"type": "sticker", "keywords": [1, "hi", null, ""], "text": ["x"]});
    door.tell(message("Uana", "m2", &sticker)).await;
    assert_eq!(door.words("Uana", "m2").await, "[User sent a sticker: hi]");
}

#[tokio::test]
async fn tokens_that_cannot_be_one_are_none() {
    for token in [json!(""), json!("a b"), json!("あ"), json!("x".repeat(1_025)), json!(7)] {
        let door = Door::new();
        door.tell(with(&text("Uana", "m1", "hi"), &json!({"replyToken": token}))).await;
        assert!(door.state("Uana").await.contains("with no token"), "{token}");
    }
}

#[tokio::test]
async fn odd_characters_become_replacement_characters() {
    for (written, kept) in [
        (&br"a\ud800b"[..], "a\u{fffd}b"),
        (br"\udc00", "\u{fffd}"),
        (br"\ude00\ud83d", "\u{fffd}\u{fffd}"),
        (br"\ud83d\ude00 \ud83d", "😀 \u{fffd}"),
        (br"\u0000", "\u{fffd}"),
        (b"a\0b", "a\u{fffd}b"),
        (b"\xff\xe3\x81", "\u{fffd}\u{fffd}"),
        (br"\\ud800 \\u0000", r"\ud800 \u0000"),
    ] {
        let door = Door::new();
        let body = String::from_utf8(crate::letter::body(&[text("Uana", "m1", "WORDS")])).unwrap();
        let (before, after) = body.split_once("WORDS").unwrap();
        let body = [before.as_bytes(), written, after.as_bytes()].concat();
        assert_eq!(door.call_raw(&body).await, Ok(taken(1)), "{kept:?}");
        assert_eq!(door.words("Uana", "m1").await, kept);
    }
}

#[tokio::test]
async fn depth_huge_numbers_and_doubled_names_spoil_at_most_their_event() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + "1" + &close.repeat(100_000);
    let lists = deep("[", "]");
    let objects = deep("{\"a\":", "}");
    let huge = "9".repeat(100_000);
    let good = text("Uana", "m1", "hello").to_string();
    let good = good.strip_suffix('}').unwrap();
    for (odd, accepted) in [
        (format!(r#"{good},"new":{lists}}}"#), true),
        (format!(r#"{good},"new":{objects}}}"#), true),
        (format!(r#"{good},"new":{huge}}}"#), true),
        (format!(r#"{good},"new":1e{huge}}}"#), true),
        (format!(r#"{good},"new":-0.{huge}E-{huge}}}"#), true),
        (format!(r#"{good},"new":1,"new":1}}"#), false),
        (format!(r#"{good},"type":"unsend"}}"#), false),
        (lists.clone(), false),
        (objects.clone(), false),
        (huge.clone(), false),
        (format!(r#"{{"type":{lists}}}"#), false),
        (format!(r#"{{"type":"message","source":{objects},"message":{lists}}}"#), false),
    ] {
        let door = Door::new();
        let other = text("Ubob", "m2", "hello");
        let body = format!(r#"{{"events":[{odd},{other}]}}"#);
        let receipt = door.call_raw(body.as_bytes()).await.unwrap();
        let expected = if accepted {
            taken(2)
        } else {
            Receipt { taken: 1, malformed: 1, ..Receipt::default() }
        };
        assert_eq!(receipt, expected, "{odd:.80}");
        assert_eq!(door.heard("Ubob").await, ["m2"]);
    }
}

#[test]
fn a_malformed_event_is_known_by_its_id() {
    let why = |event: Value| {
        let body = crate::letter::body(&[event]);
        let Err(malformed) = wire::read(&body).unwrap().remove(0) else { panic!("it was read") };
        (malformed.delivery.map(|id| id.to_string()), malformed.why)
    };
    let event = event("message", "Uana", "e1");
    assert_eq!(why(event.clone()), (Some("e1".to_owned()), "no message"));
    assert_eq!(why(json!([1])), (None, "not an object"));
    let odd = with(&event, &json!({"webhookEventId": "a b"}));
    assert_eq!(why(odd), (None, "has characters other than visible ASCII"));
}

#[test]
fn what_is_read_does_not_print_words_or_tokens() {
    let body = crate::letter::body(&[text("Uana", "m1", "secret-words")]);
    let read = wire::read(&body).unwrap().remove(0).unwrap();
    assert!(matches!(read, Event::Heard(_)));
    let printed = format!("{read:?}");
    assert!(!printed.contains("secret-words") && !printed.contains("token-of"), "{printed}");
}
