//! Worlds over HTTP: the door in this process, on a true SQLite file.
//!
//! - `owner`: somebody who has worlds.
//! - `making`, `templates`, `agents`, `chats`: settings. `reading`: what was said, and who heard it.
//! - `others`: whose worlds they are. `again`: the same call again. `withheld`: people who want nothing
//!   kept. `paths`: both spellings.

mod again;
mod agents;
mod chats;
mod making;
mod others;
mod owner;
mod paths;
mod reading;
mod templates;
mod withheld;
