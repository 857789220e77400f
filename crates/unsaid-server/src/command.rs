//! One file per command.

pub mod config;
pub mod doctor;
pub mod migrate;
pub mod serve;
