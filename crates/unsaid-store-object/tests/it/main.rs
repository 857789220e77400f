//! The bucket store keeps the contract, and every bucket keeps its own.
//!
//! - `contract`, `random`: the contract and the random run, on every bucket.
//! - `faults`: a change has happened or it has not, whatever fails and wherever.
//! - `writers`: several processes, and many messages at once.
//! - `lines`: what the product before ours wrote.
//! - `cleaning`: nothing is left over. `looking`: what other processes did is found.
//! - `cost`: what an append costs.
//! - `bucket`: the buckets themselves.
//! - `decor`, `make`: buckets that count and fail, and stores in them.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod bucket;
mod cleaning;
mod contract;
mod cost;
mod decor;
mod faults;
mod lines;
mod listing;
mod looking;
mod make;
mod random;
mod writers;
