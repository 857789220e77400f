//! The contract, the random run and the faults, on SQLite.

mod contract;
mod random;
mod sqlite;
