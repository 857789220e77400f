//! For tests only.
//!
//! - [`mod@contract`]: what every store must do, case by case; [`contract!`] stamps it for a store.
//! - [`random`]: random changes, made in a store and in the specification, and compared.
//! - [`failing`]: a store that fails, or loses the answer, at a named call.
//! - [`clock`]: time and chance in the hand of the test.
//! - [`builder`]: the smallest valid values; [`talk`]: a conversation in a store, in few words.
//! - [`describe`]: the whole state of a conversation as text, words included.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::wildcard_enum_match_arm,
    reason = "panicking is how a test says no"
)]

pub mod builder;
pub mod clock;
pub mod contract;
pub mod describe;
pub mod failing;
pub mod random;
pub mod talk;
