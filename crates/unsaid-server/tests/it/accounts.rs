//! Accounts over HTTP: the door in this process, on a true SQLite file, with a clock that the tests
//! move.
//!
//! - `house`: that door, and callers.
//! - `sign_up`, `tokens`, `cookies`: who somebody is. `me`, `consent`, `erasure`, `export`: what they
//!   may do.
//! - `sources`: what admins see of LINE.
//! - `limits`: how often. `once`: the same call again.

mod consent;
mod cookies;
mod erasure;
mod export;
pub(crate) mod house;
mod limits;
mod me;
mod once;
mod racing;
mod setup;
mod sign_up;
mod sources;
mod tokens;
