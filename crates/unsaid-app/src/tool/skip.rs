//! Say nothing.

use super::{Tool, Wish, text};

/// What a model is told that it is for.
const DESCRIPTION: &str =
    "Stay silent, because no answer is needed. It ends your turn; nobody in the chat is told.";

pub(super) fn tool() -> Tool {
    let schemas =
        (include_str!("schema/skip.parameters.json"), include_str!("schema/skip.result.json"));
    Tool::new(("skip", DESCRIPTION), schemas, |arguments| {
        Some(Wish::Skip { reason: text(arguments, "reason")? })
    })
}
