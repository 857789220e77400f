//! The LINE door, both ways.
//!
//! In: [`signature`]: whether a call comes from LINE. [`wire`]: what it says. [`inbound`]: takes it in.
//!
//! Out: [`stage`]: who answers, and what the model is shown. [`messenger`]: letters of ours on their
//! way to LINE. [`client`]: LINE's API, as far as we call it.
//!
//! Between: [`errand`] and [`errand_runner`]: what is done for a source after LINE has its answer.
//! [`names`]: what people are called. [`picture`]: pictures that people send. [`stand_in`]: a LINE for
//! tests, and for trying a bot without an account.

pub mod client;
pub mod errand;
pub mod errand_runner;
pub mod inbound;
pub mod messenger;
pub mod names;
pub mod picture;
pub mod signature;
pub mod stage;
pub mod stand_in;
pub mod wire;
