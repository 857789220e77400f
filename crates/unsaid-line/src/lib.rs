//! The LINE door, both ways.
//!
//! - [`client`]: LINE's API, as far as we call it.
//! - [`errand`]: what is done for a source after LINE has its answer; [`errand_runner`]: by whom.
//! - [`messenger`]: letters of ours on their way to LINE.
//! - [`names`]: what people are called in a prompt.
//! - [`picture`]: pictures that people send.
//! - [`stand_in`]: a LINE for tests, and for trying a bot without an account.

pub mod client;
pub mod errand;
pub mod errand_runner;
pub mod messenger;
pub mod names;
pub mod picture;
pub mod stand_in;
