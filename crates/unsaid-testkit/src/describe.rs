//! The whole state of a conversation as text.
//!
//! By exhaustive destructuring: a new field is shown, or this does not compile. Words are shown, so
//! that a test can search for what must be gone; nothing but tests may print this.

use std::fmt::Write as _;

use unsaid_core::domain::{
    conversation::{
        ClosedEdit, Conversation, Revision, Undo,
        change::Decision,
        log::Entry,
        turn::{Lease, TurnRecord},
    },
    message::{Audience, Author, Message, Part, WayBack},
    time::Timestamp,
};

/// Everything in a conversation, one thing a line, in a fixed order.
#[must_use]
pub fn describe(conversation: &Conversation) -> String {
    let Conversation {
        version,
        last_number,
        last_fence,
        log,
        turn,
        wanted_at,
        turns,
        tombstones,
        deliveries,
        revisions,
        undo,
        closed_edits,
        cleared,
    } = conversation;
    let mut lines = vec![format!(
        "version {version}, last number {last_number}, last fence {last_fence}, wanted {}",
        moment(*wanted_at)
    )];
    lines.extend(log.iter().map(entry));
    lines.extend(turn.as_ref().map(lease));
    for (fence, TurnRecord { began_at, ended }) in turns {
        let end = ended.as_ref().map_or_else(
            || "running".to_owned(),
            |(how, when)| format!("{} at {}", decision(how), when.as_millis()),
        );
        lines.push(format!("turn {fence}: began {}, {end}", began_at.as_millis()));
    }
    for (id, turns) in tombstones {
        lines.push(format!("taken back {id}: asked in {}", list(turns)));
    }
    for (id, when) in deliveries {
        lines.push(format!("delivery {id}: {}", when.as_millis()));
    }
    for (id, Revision { by, at, since, parts }) in revisions {
        let by = by.as_ref().map_or("?", |person| person.as_str());
        let (at, since) = (at.as_millis(), since.as_millis());
        lines.push(format!("revision of {id}: by {by}, at {at}, since {since}, {}", all(parts)));
    }
    if let Some(Undo { edit, until, from, entries }) = undo {
        lines.push(format!("undo {edit}: until {}, from {from}", until.as_millis()));
        lines.extend(entries.iter().map(|held| format!("  held {}", entry(held))));
    }
    for (edit, ClosedEdit { at, expired }) in closed_edits {
        lines.push(format!("closed edit {edit}: at {}, expired {expired}", at.as_millis()));
    }
    for (agent, through) in cleared {
        lines.push(format!("cleared {agent}: through {through}"));
    }
    lines.join("\n")
}

fn entry(entry: &Entry) -> String {
    let Entry { number, message, gone, waiting, asked_in, turn, sending, revised_at, way_back } =
        entry;
    let Message { id, author, at, reply_to, audience, parts } = message;
    let Audience { roster, only } = audience;
    let author = match author {
        Author::Person(Some(person)) => format!("person {person}"),
        Author::Person(None) => "person ?".to_owned(),
        Author::Agent(agent) => format!("agent {agent}"),
    };
    let mut text = format!("#{number} {id}: {author}, at {}, roster {roster}", at.as_millis());
    if let Some(only) = only {
        let _infallible = write!(text, ", only {}", list(only));
    }
    if let Some(reply_to) = reply_to {
        let _infallible = write!(text, ", reply to {reply_to}");
    }
    if !asked_in.is_empty() {
        let _infallible = write!(text, ", asked in {}", list(asked_in));
    }
    if let Some(turn) = turn {
        let _infallible = write!(text, ", of turn {turn}");
    }
    if let Some(revised_at) = revised_at {
        let _infallible = write!(text, ", revised {}", revised_at.as_millis());
    }
    if let Some(WayBack { token, delivery, received_at }) = way_back {
        let token = if token.is_some() { "a token" } else { "no token" };
        let at = received_at.as_millis();
        let _infallible = write!(text, ", way back {delivery} at {at} with {token}");
    }
    let flags = [(*gone, ", gone"), (*waiting, ", waiting")];
    text.extend(flags.into_iter().filter(|(on, _)| *on).map(|(_, name)| name));
    let _infallible = write!(text, ", {sending:?}, {}", all(parts));
    text
}

fn lease(lease: &Lease) -> String {
    let Lease { fence, holder, until, seen_through, questions } = lease;
    let until = until.as_millis();
    let questions = list(questions);
    format!("lease {fence}: {holder}, until {until}, seen {seen_through}, questions {questions}")
}

fn decision(decision: &Decision) -> String {
    match decision {
        Decision::Answered => "answered".to_owned(),
        Decision::Silent { reason: None } => "silent".to_owned(),
        Decision::Silent { reason: Some(reason) } => format!("silent ({:?})", reason.as_str()),
        Decision::Failed { code } => format!("failed ({code})"),
        Decision::Stopped => "stopped".to_owned(),
        Decision::Cancelled => "cancelled".to_owned(),
        Decision::Released => "released".to_owned(),
    }
}

fn all(parts: &[Part]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match part {
            Part::Text { text } => format!("{:?}", text.as_str()),
            Part::Media { key, mime } => format!("media {key} ({mime})"),
            Part::Original { line } => format!("found as {:?}", line.as_str()),
        })
        .collect();
    format!("[{}]", parts.join(", "))
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("{{{}}}", items.join(", "))
}

fn moment(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "never".to_owned(), |at| at.as_millis().to_string())
}
