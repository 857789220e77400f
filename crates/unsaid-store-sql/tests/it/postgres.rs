//! The contract, the random run and the faults, on PostgreSQL.
//!
//! - `database`: a database for each test, on the cluster that `cargo xtask test` starts.
//! - `cluster`: a cluster of its own, for tests that kill it; `crash` does.
//! - `stopped`: a server that stands still and goes on.
//! - `canary`: what was taken back is in no row and no index (H13).
//! - `several`, `allowances`, `anew`: several servers on one database. `partitioned`: the contract on spread
//!   tables. `upgrade`: a database of an older program.

mod allowances;
mod anew;
mod canary;
pub(crate) mod cluster;
mod contract;
mod crash;
mod database;
mod hints;
mod open;
mod partitioned;
mod random;
mod several;
pub(crate) mod stopped;
mod upgrade;
