//! The durable store. What the ports mean is written once, in SQL that every engine speaks
//! (`history`, `people`, …, over `db::Db`); an engine adds how it connects, commits and erases.
//!
//! - [`sqlite`]: one file, one writer thread that commits waiting changes together, some readers.
//! - `history/`: the changes of a conversation, one file per verb, checked against
//!   `Conversation::apply` by the contract and the random run.

mod db;
mod erasure;
mod events;
mod history;
mod keys;
mod media;
mod people;
pub mod sqlite;
mod worlds;
