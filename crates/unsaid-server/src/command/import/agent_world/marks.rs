//! By what a message is known again, whichever of its copies can be read the next time.
//!
//! Each copy leaves a mark: its id, or if it has none its *trace*, which is made of who said it, the
//! time of this very copy and the words. A message that was taken in is remembered under the marks of
//! all its copies, and known by any of them.

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::id::{ChatId, MessageId};

use super::digest::Keyed;
use super::merge::{Merged, Speaker};

const LETTERS: usize = 32;

/// The marks of a message.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Under these it is remembered; at least one, and no other message of this import has it.
    pub(super) own: Vec<String>,
    /// Under these it may have been remembered before: its copies had no ids yet, or another message
    /// had the same id.
    pub(super) former: Vec<String>,
    /// If only these are known, nobody can tell which of several messages was taken in.
    pub(super) doubtful: Vec<String>,
}

/// A key for something that is taken in once.
pub(super) fn key(keyed: &Keyed, parts: &[&str]) -> String {
    keyed.name(parts, LETTERS)
}

/// The marks of all messages of a chat.
pub(super) fn marks(keyed: &Keyed, chat: &ChatId, messages: &[Merged]) -> Vec<Marks> {
    let mut count: BTreeMap<&MessageId, usize> = BTreeMap::new();
    for id in messages.iter().flat_map(|message| &message.ids) {
        *count.entry(id).or_default() += 1;
    }
    let is_shared = |id: &MessageId| count.get(id).is_some_and(|count| *count > 1);
    let mut all: Vec<Marks> =
        messages.iter().map(|message| candidates(keyed, chat, message, is_shared)).collect();
    let mut taken = BTreeSet::new();
    for marks in &mut all {
        let first = marks.own.first().cloned().unwrap_or_default();
        marks.own.retain(|mark| taken.insert(mark.clone()));
        if marks.own.is_empty() {
            marks.own.extend(numbered(keyed, &first, &mut taken));
        }
    }
    for marks in &mut all {
        marks.former.retain(|mark| taken.insert(mark.clone()));
    }
    all
}

fn candidates(
    keyed: &Keyed,
    chat: &ChatId,
    message: &Merged,
    is_shared: impl Fn(&MessageId) -> bool,
) -> Marks {
    let chat = chat.as_str();
    let trace = |trace: &String| key(keyed, &["trace", chat, trace]);
    let mut marks = Marks::default();
    for id in &message.ids {
        let alone = key(keyed, &["id", chat, id.as_str()]);
        let says = [speaker(&message.speaker), message.words.as_str()];
        let with_words = key(keyed, &["id and words", chat, id.as_str(), says[0], says[1]]);
        if is_shared(id) {
            marks.own.push(with_words);
            marks.doubtful.push(alone);
        } else {
            marks.own.push(alone);
            marks.former.push(with_words);
        }
    }
    marks.own.extend(message.traces.iter().map(trace));
    marks.former.extend(message.former_traces.iter().map(trace));
    marks
}

/// For one of which nothing is its own.
fn numbered(keyed: &Keyed, mark: &str, taken: &mut BTreeSet<String>) -> Option<String> {
    let marks = (2_u64..).map(|number| key(keyed, &["again", mark, &number.to_string()]));
    marks.into_iter().find(|mark| taken.insert(mark.clone()))
}

fn speaker(speaker: &Speaker) -> &str {
    match speaker {
        // No agent has an empty id.
        Speaker::Person => "",
        Speaker::Agent(id) => id.as_str(),
    }
}
