//! The LINE door, both ways.
//!
//! - [`errand`]: what is done for a source after LINE has its answer.

pub mod errand;
