//! What must hold for any body whatever.

use unsaid_core::domain::{
    id::{DeliveryId, MessageId, SourceId},
    text::Words,
};
use unsaid_line::wire::{self, Content, Event, Heard, Malformed, What};

use super::reference::{self, Item, Json, Verdict};

/// What was read, in a word per event.
pub(crate) type Outcome = Vec<String>;

/// Reads a body and compares with the reference; with `alone`, each event once more by itself.
pub(crate) fn check(body: &[u8], alone: bool) -> Option<Outcome> {
    let read = wire::read(body);
    let text = String::from_utf8_lossy(body);
    match reference::parse(&text) {
        Verdict::TooDeep => {}
        Verdict::NotJson => assert!(read.is_err(), "no JSON was read"),
        Verdict::Json(item) => match (&read, list_of_events(&item.value)) {
            (Err(wire::NotAWebhook), None) => {}
            (Ok(_), None) => panic!("no list of events was read"),
            (Err(wire::NotAWebhook), Some(_)) => panic!("a list of events was not read"),
            (Ok(events), Some(items)) => {
                assert_eq!(events.len(), items.len(), "events");
                for (event, item) in events.iter().zip(items) {
                    check_event(event, &item.value);
                    if alone {
                        check_alone(event, &text[item.span.clone()]);
                    }
                }
            }
        },
    }
    read.ok().map(|events| events.iter().map(in_a_word).collect())
}

fn list_of_events(body: &Json) -> Option<&[Item]> {
    match body.get("events") {
        Some(Json::List(items)) if body.is_plain_object() => Some(items),
        _ => None,
    }
}

/// What is around an event does not matter.
fn check_alone(event: &Result<Event, Malformed>, text: &str) {
    let body = format!("{{\"events\":[{text}]}}");
    let mut alone = wire::read(body.as_bytes()).expect("it is a webhook");
    assert_eq!(alone.len(), 1);
    assert_eq!(alone.remove(0), *event, "alone it is read otherwise");
}

fn check_event(event: &Result<Event, Malformed>, json: &Json) {
    match event {
        Ok(Event::Heard(heard)) => check_heard(heard, json),
        Ok(Event::Ignored { kind }) => {
            let name = json.text("type").expect("only what has a type is ignored");
            assert!(kind.name() == name || kind.name() == "other", "{name} is {kind:?}");
            assert!(!is_surely_a_text(json), "a text is ignored");
        }
        Err(malformed) => {
            assert!(!is_surely_a_text(json), "a text is malformed: {malformed}");
            if let Some(delivery) = &malformed.delivery {
                assert_eq!(json.text("webhookEventId"), Some(delivery.as_str()));
            }
        }
    }
}

fn check_heard(heard: &Heard, json: &Json) {
    assert!(json.is_plain_object(), "names are given twice");
    assert_eq!(json.text("type"), Some(heard.kind.name()));
    let delivery = heard.delivery.as_ref().map(DeliveryId::as_str);
    assert_eq!(json.text("webhookEventId"), delivery);
    let source = json.get("source").expect("it has a source");
    let id = ["userId", "groupId", "roomId"].map(|name| source.text(name));
    assert!(id.contains(&Some(heard.source.id.as_str())), "another source");
    if let Some(person) = &heard.person {
        assert_eq!(source.text("userId"), Some(person.as_str()));
    }
    let message = json.get("message");
    let given = |name: &str| message.and_then(|message| message.text(name));
    match &heard.what {
        What::Said(said) => {
            assert_eq!(given("id"), Some(said.id.as_str()));
            assert_eq!(given("quotedMessageId"), said.quotes.as_ref().map(MessageId::as_str));
            if let Some(token) = &said.token {
                assert_eq!(json.text("replyToken"), Some(token.expose()));
            }
            match &said.content {
                Content::Text(words) if given("type") == Some("text") => {
                    check_words(words, given("text"));
                }
                Content::Text(words) => {
                    let words = words.as_str();
                    assert!(words.starts_with("[User sent a") && words.ends_with(']'));
                    assert!(!words.contains('\0'));
                }
                Content::Picture { key } => {
                    assert_eq!(key.as_str(), format!("line-{}", said.id));
                }
            }
        }
        What::Unsent { id } => {
            let unsend = json.get("unsend").expect("it has an unsend");
            assert_eq!(unsend.text("messageId"), Some(id.as_str()));
        }
        What::Edited { id, text } => {
            assert_eq!(given("id"), Some(id.as_str()));
            check_words(text, given("text"));
        }
        What::Arrived | What::Left | What::MembersChanged => {}
    }
}

fn check_words(words: &Words, expected: Option<&str>) {
    assert_eq!(Some(words.as_str()), expected, "other words than were said");
    assert!(!words.as_str().contains('\0'), "U+0000 came through");
}

/// A text that must be taken, as somebody would say it who has not seen the code.
fn is_surely_a_text(event: &Json) -> bool {
    let (Some(source), Some(message)) = (event.get("source"), event.get("message")) else {
        return false;
    };
    let no_or_good = |object: &Json, name: &str| match object.get(name) {
        None => true,
        Some(_) => object.text(name).is_some_and(|id| MessageId::new(id).is_ok()),
    };
    let good_source = source.text("type") == Some("user")
        && source.text("userId").is_some_and(|id| SourceId::new(id).is_ok());
    let good_id = message.text("id").is_some_and(|id| id.len() < 100 && MessageId::new(id).is_ok());
    event.text("type") == Some("message")
        && message.text("type") == Some("text")
        && message.text("text").is_some()
        && good_source
        && good_id
        && no_or_good(event, "webhookEventId")
        && no_or_good(message, "quotedMessageId")
        && event.is_plain_object()
        && source.is_plain_object()
        && message.is_plain_object()
}

fn in_a_word(event: &Result<Event, Malformed>) -> String {
    match event {
        Ok(Event::Heard(heard)) => format!("heard {}", heard.kind.name()),
        Ok(Event::Ignored { kind }) => format!("ignored {}", kind.name()),
        Err(malformed) => format!("malformed: {}", malformed.why),
    }
}
