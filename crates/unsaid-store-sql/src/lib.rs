//! The durable store. What the ports mean is written once, in SQL that every engine speaks
//! (`history`, `people`, …, over `db::Db`); an engine adds how it connects, commits and erases.
//!
//! - [`sqlite`]: one file, one writer thread that commits waiting changes together, some readers.
//! - [`postgres`]: several servers on one database, with locks instead of the one writer.
//! - `store`: the ports themselves, written once for both.
//! - `history/`: the changes of a conversation, one file per verb, checked against
//!   `Conversation::apply` by the contract and the random run.

mod db;
mod directory;
mod erasure;
mod events;
#[cfg(test)]
mod flat_cost;
mod history;
mod keys;
mod media;
mod open_error;
mod people;
pub mod postgres;
pub mod sqlite;
mod store;
mod worlds;
