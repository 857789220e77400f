//! What leaves through the LINE door, against a LINE that stands in. Nothing leaves this machine.
//!
//! - `client`, `stand_in`: the calls, and how strict the other side is.
//! - `sending`, `loading`: letters and the animation.
//! - `logs`: what must never be in them.
//! - `house`, `post`: all of them, ready to use.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod house;
mod loading;
mod logs;
mod post;
mod sending;
mod stand_in;
