//! Passes words on as they come, but for what may turn out to be a call that a model wrote as text.

use unsaid_core::domain::text::Words;

use crate::answer::voices::Voice;

/// What a written call begins with.
const CALL_BEGINS: [char; 4] = ['{', '[', '<', '`'];

/// See the module.
pub(super) struct Mouth<'a> {
    voice: &'a Voice<'a>,
    held: String,
    is_open: bool,
}

impl<'a> Mouth<'a> {
    pub(super) fn new(voice: &'a Voice<'a>) -> Self {
        Self { voice, held: String::new(), is_open: false }
    }

    pub(super) fn more(&mut self, words: &Words) {
        if self.is_open {
            return self.voice.more(words);
        }
        self.held.push_str(words.as_str());
        let first = self.held.trim_start().chars().next();
        if first.is_some_and(|letter| !CALL_BEGINS.contains(&letter)) {
            self.open();
        }
    }

    /// It is no call: says what was held back.
    pub(super) fn open(&mut self) {
        if !self.is_open {
            self.is_open = true;
            self.voice.more(&Words::lossy(std::mem::take(&mut self.held)));
        }
    }
}
