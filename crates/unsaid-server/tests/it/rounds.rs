//! Talking in worlds over HTTP: the door in this process, with agents in the hand of the test.
//!
//! - `company`: somebody with a world of agents, and streams as they are read.
//! - `talking`: who answers, in which order, and what is told meanwhile. `memory`: what each is shown.
//! - `editing`: forgetting from a message on. `taking_back`: unsending, undoing, stopping.
//! - `resuming`: streams that go on where they were cut. `withheld`: people who want nothing kept.
//!   `stored`: every answer says whether it is kept. `switched`: consent that changes in the middle of a chat.
//!   `both_logs`: whoever watches one then.
//! - `frames`: what a stream says, to the letter. `routing`: worlds with a main agent. `undoing`: what
//!   ends an undo.
//! - `again`: the same call again. `keys`: keys that are refused. `refusals`, `wrong`: what is refused.
//!   `corners`: what is seldom called. `hung_up`: callers who do not wait. `away`: storage that goes.
//!   `seed`: what the original feared.

mod again;
mod away;
mod both_logs;
pub(crate) mod company;
mod corners;
mod editing;
mod frames;
mod hung_up;
mod keys;
mod memory;
mod refusals;
mod resuming;
mod routing;
mod seed;
mod stored;
mod switched;
mod taking_back;
mod talking;
mod undoing;
mod withheld;
mod wrong;
