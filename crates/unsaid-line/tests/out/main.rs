//! What leaves through the LINE door, against a LINE that stands in. Nothing leaves this machine.
//!
//! - `client`, `stand_in`: the calls, and how strict the other side is.
//! - `house`: both of them, ready to use.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod house;
mod stand_in;
