//! The erasure job (H8, H13) as processes run it: killed at every step, several at once, and what
//! can be seen of it afterwards.
//!
//! - `base`: where things are kept, and where a text can be found there.
//! - `people`: who is due and who is not, and what must hold of them afterwards.
//! - `child`: a process that runs the job and is killed. `killed`: where, and what then.
//! - `together`: servers and commands that run the job at the same time.
//! - `audit`: a line that was changed.

mod audit;
pub(crate) mod base;
mod child;
mod killed;
mod people;
mod together;
