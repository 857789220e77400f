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
//! - [`mod@forget`]: everything. [`mod@revise`]: an edit in place. [`mod@stop`]: the end of whatever turn is running.
//! - [`mod@answer`]: one turn, from its beginning to its end; [`tool`]: what a model may do in it;
//!   [`worker`]: finds out who owes an answer, and lets turns run.
//! - [`logs`]: what is kept and what is only in memory. [`session`]: talking to an expert.
//! - [`world`]: several agents, several chats.
//! - [`browse`]: what can be read. [`consent`]: whether words may be kept.
//! - [`mod@register`], [`mod@sign_in`], [`account`], [`owner`]: who somebody is; [`reception`] has
//!   what they share.
//! - [`mod@export`]: everything held on a person. [`audit`]: what is left to see of an erasure.
//! - [`sources`]: what admins see of LINE. [`mod@forget_source`]: forget a source, or a person there.
//! - [`erase`], [`mod@sweep`], [`mod@follow`]: jobs; [`job`] has what they share. [`event`]: what watchers are told.

pub mod account;
pub mod answer;
pub mod audit;
mod backoff;
pub mod browse;
pub mod call;
pub mod consent;
pub mod edit;
pub mod erase;
pub mod event;
pub mod export;
pub mod follow;
pub mod forget;
pub mod forget_source;
pub mod job;
pub mod logs;
pub mod owner;
pub mod place;
pub mod reception;
pub mod register;
pub mod revise;
pub mod say;
pub mod session;
pub mod sign_in;
pub mod sources;
pub mod stop;
pub mod sweep;
pub mod tool;
pub mod undo;
pub mod unsend;
pub mod worker;
pub mod world;
