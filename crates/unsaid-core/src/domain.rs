//! Pure values and functions.

pub mod allowance;
pub mod audit;
pub mod consent;
pub mod conversation;
pub mod hearing;
pub mod id;
pub mod message;
pub mod password;
pub mod person;
pub mod prompt;
pub mod routing;
pub mod secret;
pub mod session;
pub mod source;
pub mod text;
pub mod time;
pub mod world;
