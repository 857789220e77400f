//! Talking in worlds over HTTP: the door in this process, with agents in the hand of the test.
//!
//! - `company`: somebody with a world of agents, and streams as they are read.
//! - `talking`: who answers, in which order, and what is told meanwhile. `memory`: what each is shown.
//! - `editing`: forgetting from a message on. `taking_back`: unsending, undoing, stopping.
//! - `resuming`: streams that go on where they were cut. `withheld`: people who want nothing kept.
//! - `again`: the same call again. `refusals`: what is refused. `seed`: what the original feared.

mod again;
pub(crate) mod company;
mod editing;
mod memory;
mod refusals;
mod resuming;
mod seed;
mod taking_back;
mod talking;
mod withheld;
