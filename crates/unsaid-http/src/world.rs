//! Worlds: what the door holds for them, and how they are shown.
//!
//! - `shape`: worlds, agents, chats and messages as JSON. `frame`: what a stream says.
//! - `follow`: one chat as it goes on, for whoever listens.
//! - [`edit_errors`]: edits that failed.

pub mod edit_errors;
pub(crate) mod follow;
pub(crate) mod frame;
pub(crate) mod shape;

use unsaid_app::answer::voices::Voices;

use self::edit_errors::EditErrors;

/// What worlds need.
pub struct Worlds {
    /// Who speaks.
    pub voices: Voices,
    /// For how long an edit can be undone, in milliseconds.
    pub undo_ms: i64,
    /// Edits that failed.
    pub edit_errors: EditErrors,
}
