//! For tests only.
//!
//! - [`mod@contract`]: what every store must do, case by case; [`contract!`] stamps it for a store.
//! - [`random`]: random changes, made in a store and in the specification, and compared.
//! - [`failing`]: a store that fails, or loses the answer, at a named call.
//! - [`model`], [`messenger`]: what thinks and what carries, driven by the test or by a script.
//! - [`orders`]: every order in which things can happen around a turn, on any store.
//! - [`bucket`]: clouds to stand in for the real ones, with faults on order.
//! - [`clock`]: time and chance in the hand of the test.
//! - [`builder`]: the smallest valid values; [`talk`]: a conversation in a store, in few words.
//! - [`describe`]: the whole state of a conversation as text, words included.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::wildcard_enum_match_arm,
    reason = "panicking is how a test says no"
)]

pub mod bucket;
pub mod builder;
pub mod clock;
pub mod contract;
pub mod describe;
pub mod failing;
pub mod messenger;
pub mod model;
pub mod orders;
pub mod random;
pub mod talk;
