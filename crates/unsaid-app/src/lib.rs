//! What can be done, one use case per file: command, outcome, refusal, function. LINE, HTTP, the
//! terminal and jobs are doors to the same rooms.
//!
//! Nothing here does I/O of its own, asks for the time or draws a number: ports, moments and ids
//! are handed in. Every error has two sorts of variants: what was *refused*, with the data a person
//! needs, and `Broken`, a store that failed.
//!
//! - [`place`]: a conversation and whose it is. [`call`]: the circumstances of a change.
//! - [`mod@say`], [`mod@unsend`], [`mod@edit`], [`mod@undo`]: remember, forget one, forget from
//!   here, and take that back.
//! - [`browse`]: what can be read. [`consent`]: whether words may be kept.
//! - [`erase`], [`mod@sweep`]: jobs; [`job`] has what they share. [`event`]: what watchers are told.

pub mod browse;
pub mod call;
pub mod consent;
pub mod edit;
pub mod erase;
pub mod event;
pub mod job;
pub mod place;
pub mod say;
pub mod sweep;
pub mod undo;
pub mod unsend;
