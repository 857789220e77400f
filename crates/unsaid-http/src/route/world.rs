//! Worlds.
//!
//! - `room`: a chat of the caller. `say`, `edit`, `take_back`: what they do in it. `live`: how it goes on.

pub(crate) mod edit;
pub(crate) mod live;
pub(crate) mod room;
pub(crate) mod say;
pub(crate) mod take_back;
