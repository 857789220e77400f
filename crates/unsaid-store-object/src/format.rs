//! How a conversation is written down: JSON Lines, one line a message, and a first line of our own.
//!
//! The format is described for people in `docs/reference/jsonl.md`.
//!
//! - [`line`]: one message as the product before ours wrote it, and as we do.
//! - [`facts`]: what a line cannot say about its message.
//! - [`head`]: the first line.
//! - [`sheet`]: lines with the bookkeeping that belongs to them; a sealed segment is one.
//! - [`held`]: a live object, read and written.
//! - [`found`]: an object without a first line.

pub(crate) mod facts;
pub(crate) mod found;
#[cfg(test)]
mod golden;
pub(crate) mod head;
pub(crate) mod held;
pub(crate) mod line;
pub(crate) mod mirror;
pub(crate) mod sheet;
