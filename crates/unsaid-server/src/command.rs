//! One file per command.

pub mod chat;
pub mod config;
pub mod doctor;
pub mod import;
pub mod migrate;
pub mod serve;
