//! Say something.

use super::{Tool, Wish, text};

/// What a model is told that it is for.
const DESCRIPTION: &str = "Say something to the people in this chat. It ends your turn, so put everything into one message.";

pub(super) fn tool() -> Tool {
    let schemas =
        (include_str!("schema/reply.parameters.json"), include_str!("schema/reply.result.json"));
    Tool::new(("reply", DESCRIPTION), schemas, |arguments| {
        Some(Wish::Reply { message: text(arguments, "message")? })
    })
}
