//! One event.

use serde_json::value::RawValue;
use unsaid_core::domain::{
    id::{DeliveryId, IdError, MediaKey, MessageId, PersonId, SourceId},
    message::ReplyToken,
    source::SourceKind,
    text::Words,
    time::Timestamp,
};

use super::{
    Content, Event, Heard, Kind, Malformed, Mode, Said, Source, What, object::Object,
    placeholder::placeholder,
};

/// The end of the year 9999: later is no time at which anything happened.
const TIMESTAMP_MAX_MS: i64 = 253_402_300_799_999;
/// LINE's tokens have 32 characters; what is much longer is none.
const REPLY_TOKEN_BYTES_MAX: usize = 1_024;

/// Why an event is malformed.
type Fault = &'static str;

pub(super) fn read(event: &RawValue) -> Result<Event, Malformed> {
    let malformed = |delivery, why| Malformed { delivery, why };
    let event = Object::read(event.get()).ok_or(malformed(None, "not an object"))?;
    let delivery = parse_id(&event, "webhookEventId", DeliveryId::new);
    let known = delivery.clone().ok().flatten();
    read_object(&event, delivery).map_err(|why| malformed(known, why))
}

fn read_object(
    event: &Object<'_>,
    delivery: Result<Option<DeliveryId>, Fault>,
) -> Result<Event, Fault> {
    let kind = Kind::parse(&event.text("type").ok_or("no type")?);
    let ignored = Event::Ignored { kind };
    if kind == Kind::Other {
        return Ok(ignored);
    }
    let Some((source, person)) = read_source(event)? else { return Ok(ignored) };
    let delivery = delivery?;
    let Some(what) = read_what(kind, event, delivery.as_ref())? else { return Ok(ignored) };
    let at = event.integer("timestamp").filter(|at| (0..=TIMESTAMP_MAX_MS).contains(at));
    let mode = match event.text("mode").as_deref() {
        Some("standby") => Mode::Standby,
        Some(_) | None => Mode::Active,
    };
    Ok(Event::Heard(Box::new(Heard {
        kind,
        source,
        person,
        at: at.map(Timestamp::from_millis),
        delivery,
        mode,
        what,
    })))
}

/// Where, and who if LINE tells; `None` for a kind of place that we do not know.
fn read_source(event: &Object<'_>) -> Result<Option<(Source, Option<PersonId>)>, Fault> {
    let source = event.object("source").ok_or("no source")?;
    let (name, kind) = match source.text("type").as_deref() {
        Some("user") => ("userId", SourceKind::Person),
        Some("group") => ("groupId", SourceKind::Group),
        Some("room") => ("roomId", SourceKind::Room),
        Some(_) => return Ok(None),
        None => return Err("no type of source"),
    };
    let id = parse_id(&source, name, SourceId::new)?.ok_or("no id of the source")?;
    let person = parse_id(&source, "userId", PersonId::new)?;
    Ok(Some((Source { id, kind }, person)))
}

/// What happened; `None` for a kind of message that we do not know.
fn read_what(
    kind: Kind,
    event: &Object<'_>,
    delivery: Option<&DeliveryId>,
) -> Result<Option<What>, Fault> {
    Ok(match kind {
        Kind::Message => read_said(event, delivery)?.map(What::Said),
        Kind::Unsend => {
            let unsend = event.object("unsend").ok_or("no unsend")?;
            let id = parse_id(&unsend, "messageId", MessageId::new)?.ok_or("no message id")?;
            Some(What::Unsent { id })
        }
        Kind::MessageEdited => read_edited(event)?,
        Kind::Follow | Kind::Join => Some(What::Arrived),
        Kind::Unfollow | Kind::Leave => Some(What::Left),
        Kind::MemberJoined | Kind::MemberLeft => Some(What::MembersChanged),
        Kind::Other => None,
    })
}

fn read_said(event: &Object<'_>, delivery: Option<&DeliveryId>) -> Result<Option<Said>, Fault> {
    let message = event.object("message").ok_or("no message")?;
    let kind = message.text("type").ok_or("no type of message")?;
    let placeholder = placeholder(&kind, &message);
    if placeholder.is_none() && kind != "text" && kind != "image" {
        return Ok(None);
    }
    let id = parse_id(&message, "id", MessageId::new)?.ok_or("no message id")?;
    let content = match placeholder {
        Some(text) => Content::Text(Words::lossy(text)),
        None if kind == "image" => Content::Picture { key: made_from("line", &id, MediaKey::new)? },
        None => Content::Text(Words::lossy(message.text("text").ok_or("no text")?)),
    };
    let answer_under = match delivery {
        Some(delivery) => delivery.clone(),
        None => made_from("message", &id, DeliveryId::new)?,
    };
    let quotes = parse_id(&message, "quotedMessageId", MessageId::new)?;
    let token = event.text("replyToken").filter(|token| is_token(token)).map(ReplyToken::new);
    let mentions_us = mentions_us(&message);
    Ok(Some(Said { id, content, quotes, token, answer_under, mentions_us }))
}

/// LINE lets people edit texts only.
fn read_edited(event: &Object<'_>) -> Result<Option<What>, Fault> {
    let message = event.object("message").ok_or("no message")?;
    match message.text("type").as_deref() {
        Some("text") => {}
        Some(_) => return Ok(None),
        None => return Err("no type of message"),
    }
    let id = parse_id(&message, "id", MessageId::new)?.ok_or("no message id")?;
    let text = Words::lossy(message.text("text").ok_or("no text")?);
    Ok(Some(What::Edited { id, text }))
}

fn mentions_us(message: &Object<'_>) -> bool {
    let mentionees = message.object("mention").and_then(|mention| mention.list("mentionees"));
    mentionees.unwrap_or_default().into_iter().any(|mentionee| {
        Object::read(mentionee.get()).is_some_and(|mentionee| mentionee.is_true("isSelf"))
    })
}

/// An id that is not given is none; one that cannot be one is a fault.
fn parse_id<T>(
    object: &Object<'_>,
    name: &str,
    parse: fn(String) -> Result<T, IdError>,
) -> Result<Option<T>, Fault> {
    if !object.has(name) {
        return Ok(None);
    }
    let text = object.text(name).ok_or("an id is no text")?;
    parse(text).map(Some).map_err(|error| error.why)
}

/// Another name for a message.
fn made_from<T>(
    prefix: &str,
    id: &MessageId,
    parse: fn(String) -> Result<T, IdError>,
) -> Result<T, Fault> {
    parse(format!("{prefix}-{id}")).map_err(|error| error.why)
}

/// What is no token cannot answer; the message itself is fine without.
fn is_token(token: &str) -> bool {
    (1..=REPLY_TOKEN_BYTES_MAX).contains(&token.len())
        && token.bytes().all(|byte| byte.is_ascii_graphic())
}
