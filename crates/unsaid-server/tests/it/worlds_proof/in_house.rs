//! The door in this process, on every store.

mod crossing;
mod failing;
mod following;
mod resuming;
