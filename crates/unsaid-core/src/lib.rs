//! The rules of the house: what a conversation is, how it may change, and what a store must promise.
//!
//! - [`domain`]: pure values and functions. No sockets, no SQL, no HTTP, no clock.
//!   [`domain::conversation`] is the specification of every store.
//! - [`port`]: the traits that stores and the outside world implement.
//! - [`limits`]: every number in one struct, units in the names.

pub mod domain;
pub mod limits;
pub mod port;
