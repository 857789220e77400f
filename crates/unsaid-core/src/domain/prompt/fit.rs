//! Which entries are kept.

use super::{Scene, ShownPiece, markup, tokens};
use crate::domain::{conversation::log::Entry, id::Number, message::Author, text::Words};

/// Between two messages of one turn.
const SEPARATOR_BYTES: usize = 1;

/// An entry as it would be shown.
pub(super) struct Candidate {
    pub(super) number: Number,
    /// Whether it is being answered.
    asked: bool,
    pub(super) tokens: usize,
    /// What the agent said itself.
    pub(super) own: Option<Words>,
    /// What others said.
    pub(super) heard: Vec<ShownPiece>,
}

impl Candidate {
    pub(super) fn new(scene: &Scene<'_>, entry: &Entry, asked: bool) -> Self {
        let number = entry.number;
        let own = match &entry.message.author {
            Author::Agent(agent) if agent == scene.me => true,
            Author::Agent(_) | Author::Person(_) => false,
        };
        if own {
            let own = markup::plain(&entry.message);
            return Self {
                number,
                asked,
                tokens: tokens(own.as_str().len() + SEPARATOR_BYTES),
                own: Some(own),
                heard: Vec::new(),
            };
        }
        let heard = markup::message(scene, &entry.message);
        let bytes: usize = heard.iter().map(markup::text_bytes).sum();
        Self { number, asked, tokens: tokens(bytes + SEPARATOR_BYTES), own: None, heard }
    }
}

/// From newest first to oldest first: those being answered, and the newest others that fit beside
/// them. If those alone are too much, they stand alone.
pub(super) fn fit(candidates: Vec<Candidate>, budget: usize) -> Vec<Candidate> {
    let asked: usize = candidates.iter().filter(|it| it.asked).map(|it| it.tokens).sum();
    let mut left = budget.saturating_sub(asked);
    let mut open = asked <= budget;
    let mut kept: Vec<Candidate> = candidates
        .into_iter()
        .filter(|candidate| {
            if candidate.asked {
                return true;
            }
            open = open && candidate.tokens <= left;
            if open {
                left -= candidate.tokens;
            }
            open
        })
        .collect();
    kept.reverse();
    kept
}
