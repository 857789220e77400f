//! The door in this process, on every store.

mod failing;
mod resuming;
