//! Conversations as JSONL objects in a bucket or a directory.
//!
//! - [`bucket`]: what is asked of a place for objects, and the places there are.
//! - [`BucketStore`]: conversations in such a place.
//! - [`legacy`]: what the product before ours wrote, for an importer.
//! - `format`: lines and first lines. `name`: what objects are called.

pub mod bucket;
mod format;
pub mod legacy;
mod name;
mod store;

pub use self::store::{BucketStore, Options, Quarantined};
