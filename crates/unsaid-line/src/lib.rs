//! The LINE door, both ways.
//!
//! - [`signature`]: whether a call comes from LINE. [`wire`]: what it says. [`inbound`]: takes it in.
//! - [`errand`]: what is done for a source after LINE has its answer.

pub mod errand;
pub mod inbound;
pub mod signature;
pub mod wire;
