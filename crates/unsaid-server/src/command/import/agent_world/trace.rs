//! What a copy is known by if it has no id.

use std::collections::BTreeMap;

use unsaid_core::domain::time::Timestamp;

use super::cast::Cast;
use super::digest::Keyed;
use super::merge::{Heard, Speaker};

const LETTERS: usize = 32;

/// The traces of one memory. They depend on nothing outside of it, so that they are the same whichever
/// other memories can be read.
pub(super) struct Traces<'a> {
    keyed: &'a Keyed,
    cast: &'a Cast<'a>,
    counts: BTreeMap<(Option<String>, String), u64>,
}

impl<'a> Traces<'a> {
    pub(super) fn new(keyed: &'a Keyed, cast: &'a Cast<'a>) -> Self {
        Self { keyed, cast, counts: BTreeMap::new() }
    }

    /// Who said it, when this memory says it was, the words, and which of those that are all alike.
    pub(super) fn of(
        &mut self,
        chat: Option<&str>,
        heard: &Heard,
        at: Option<Timestamp>,
    ) -> String {
        let speaker = match &heard.speaker {
            // No agent has an empty id.
            Speaker::Person => String::new(),
            Speaker::Agent(id) => self.cast.source_of(id),
        };
        let at = at.map_or_else(String::new, |at| at.as_millis().to_string());
        let said = self.keyed.name(&[&speaker, &at, heard.words.as_str()], LETTERS);
        let count = self.counts.entry((chat.map(str::to_owned), said.clone())).or_default();
        *count += 1;
        self.keyed.name(&[&said, &count.to_string()], LETTERS)
    }
}
