//! Sessions over HTTP: the door in this process, on a true SQLite file, with experts in the hand of
//! the test.
//!
//! - `heard`: answers as they are streamed.
//! - `opening`: opening, looking, ending, credits. `history`: lists and messages.
//! - `talking`: the stream. `client`: the bodies of `useChat`. `taking_back`: unsend, edit, delete.
//! - `withheld`: people who want nothing kept. `toggled`: the switch moved beside a
//!   writer. `again`: the same call again. `stored`: every answer says whether it is kept.
//! - `over`: sessions that end, or run out, while somebody answers.

mod again;
mod client;
mod heard;
mod history;
mod opening;
mod over;
mod same_id;
mod stored;
mod taking_back;
mod talking;
mod toggled;
mod withheld;
