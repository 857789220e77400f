//! The handlers: extract, call one use case, shape the answer.

pub(crate) mod about;
pub(crate) mod admin;
pub(crate) mod auth;
pub(crate) mod chat;
pub(crate) mod docs;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod me;
pub(crate) mod metrics;
pub(crate) mod preferences;
pub(crate) mod session;
pub(crate) mod setup;
pub(crate) mod world;
