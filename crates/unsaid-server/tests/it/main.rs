//! The binary as a person meets it: true processes, true sockets, true signals.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod accounts;
mod at_once;
mod bucket;
mod chat;
mod command;
mod disk;
mod doctor;
mod erasing;
mod export;
mod import;
mod jobs;
mod killed_turn;
mod line;
mod openapi;
mod orders;
mod page;
mod people;
mod postgres;
mod refuse;
mod rounds;
mod running;
mod serve;
mod sessions;
mod simulate;
mod talk;
mod use_chat;
mod wait;
mod worlds;
mod worlds_proof;
