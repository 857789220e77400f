//! Every word that a conversation holds. Exhaustive destructuring: a new field that may hold words
//! does not compile until somebody has looked at it here.

use unsaid_core::domain::{
    conversation::{
        ClosedEdit, Conversation, Revision, Undo,
        change::Decision,
        log::Entry,
        turn::{Lease, TurnRecord},
    },
    message::{Audience, Message, Part},
    text::Words,
};

/// All words in all places, in no particular order.
pub(crate) fn all(state: &Conversation) -> Vec<&str> {
    let Conversation {
        version: _,
        last_number: _,
        last_fence: _,
        log,
        turn,
        wanted_at: _,
        turns,
        tombstones: _,
        deliveries: _,
        revisions,
        undo,
        closed_edits,
        cleared: _,
    } = state;
    let mut found = Vec::new();
    if let Some(Lease { fence: _, holder: _, until: _, seen_through: _, questions: _ }) = turn {
        // Numbers and names of processes.
    }
    for ClosedEdit { at: _, expired: _ } in closed_edits.values() {}
    for entry in log.iter() {
        in_entry(entry, &mut found);
    }
    for TurnRecord { began_at: _, ended } in turns.values() {
        if let Some((decision, _)) = ended {
            in_decision(decision, &mut found);
        }
    }
    for Revision { by: _, at: _, since: _, parts } in revisions.values() {
        in_parts(parts, &mut found);
    }
    if let Some(Undo { edit: _, until: _, from: _, entries }) = undo {
        for entry in entries {
            in_entry(entry, &mut found);
        }
    }
    found
}

/// Whether a text is anywhere in a conversation.
pub(crate) fn holds(state: &Conversation, text: &str) -> bool {
    all(state).iter().any(|words| words.contains(text))
}

fn in_entry<'a>(entry: &'a Entry, found: &mut Vec<&'a str>) {
    let Entry {
        number: _,
        message,
        gone: _,
        waiting: _,
        asked_in: _,
        turn: _,
        sending: _,
        revised_at: _,
        way_back: _,
    } = entry;
    let Message { id: _, author: _, at: _, reply_to: _, audience, parts } = message;
    let Audience { roster: _, only: _ } = audience;
    in_parts(parts, found);
}

fn in_parts<'a>(parts: &'a [Part], found: &mut Vec<&'a str>) {
    for part in parts {
        match part {
            Part::Text { text } => found.push(text.as_str()),
            Part::Original { line } => found.push(line.as_str()),
            // A file is as good as its words: its name must go with it.
            Part::Media { key, mime } => found.extend([key.as_str(), mime.as_str()]),
        }
    }
}

fn in_decision<'a>(decision: &'a Decision, found: &mut Vec<&'a str>) {
    match decision {
        Decision::Silent { reason } => found.extend(reason.iter().map(Words::as_str)),
        Decision::Failed { code } => found.push(code),
        Decision::Answered | Decision::Stopped | Decision::Cancelled | Decision::Released => {}
    }
}
