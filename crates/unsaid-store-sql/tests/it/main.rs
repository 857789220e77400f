//! The contract, the random run and the faults, on SQLite; `postgres` has those of PostgreSQL.
//!
//! - `crash`, `power`: what was acknowledged survives `kill -9` and a power cut (H1).
//! - `faults`: a disk that is full, fails, or cannot be written (H10).
//! - `canary`: what was taken back is in no byte of any file (H13).
//! - `concurrency`: the file beside others.
//! - `upgrade`: a file of an older program.
//! - `child`, `scene`, `wait`: the process that is killed, its place, and patience.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod canary;
mod child;
mod concurrency;
mod contract;
mod crash;
mod faults;
mod postgres;
mod power;
mod random;
mod scene;
mod sqlite;
mod upgrade;
mod wait;
