//! Worlds: several agents of one person, and chats with them.
//!
//! - [`WorldStage`]: who answers in a chat.
//! - [`mod@talk`]: what is said in one.

mod stage;
pub mod talk;

pub use self::stage::WorldStage;
