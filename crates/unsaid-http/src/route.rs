//! The handlers: extract, call one use case, shape the answer.

pub(crate) mod health;
pub(crate) mod metrics;
