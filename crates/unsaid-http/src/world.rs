//! Worlds: how they are shown.
//!
//! - `shape`: worlds, agents, chats and messages as JSON.

pub(crate) mod shape;
