//! What leaves through the LINE door, against a LINE that stands in. Nothing leaves this machine.
//!
//! - `client`, `stand_in`: the calls, and how strict the other side is.
//! - `sending`, `loading`: letters and the animation.
//! - `pictures`: promises, and how they end.
//! - `names`, `errands`: who people are, and what is done for their places.
//! - `logs`: what must never be in them.
//! - `house`, `post`, `gallery`, `directory`: all of them, ready to use.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod directory;
mod errands;
mod gallery;
mod house;
mod loading;
mod logs;
mod names;
mod pictures;
mod post;
mod sending;
mod stand_in;
