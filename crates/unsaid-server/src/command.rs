//! One file per command.

pub mod audit;
pub mod chat;
pub mod config;
pub mod doctor;
pub mod erase;
pub mod export;
pub mod import;
pub mod line;
pub mod migrate;
pub mod serve;
pub mod user;
