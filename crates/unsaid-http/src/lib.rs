//! The HTTP door.
//!
//! - [`mod@router`]: the table of contents: every path, and the layers every call passes
//! - [`error`]: the one table of everything that can be refused or go wrong
//! - [`state`]: what the handlers are given
//! - [`auth`]: who is calling; [`token`], [`password`], [`setup`], [`public_address`] and [`client`]
//!   are what it takes to know
//! - [`body`]: bodies, read within their limit
//! - [`input`]: bodies, queries and paths, parsed into types
//! - [`idempotency`]: the same call takes effect once
//! - `openapi`: the description of the API, made from the handlers
//! - `stored`: every answer about a conversation says whether it is stored
//! - [`chat`]: what talking in sessions needs, and how answers are streamed
//! - [`rehearsal`]: trying the bot without LINE
//! - `world`: how worlds are found and shown
//! - `page`: the page, built into this binary
//! - [`watch`]: request ids, the request log and the HTTP metrics

pub mod auth;
pub mod body;
pub mod chat;
pub mod client;
pub mod error;
pub mod idempotency;
pub mod input;
pub mod password;
pub mod public_address;
pub mod rehearsal;
pub mod router;
pub mod setup;
pub mod state;
pub mod token;
pub mod watch;

mod openapi;
mod outlast;
mod page;
mod route;
mod stored;
pub mod world;

pub use router::router;
pub use state::AppState;
