//! The rules of a conversation, tried: tables of plain cases, and properties of any order of any
//! changes. No async, no store: [`unsaid_core::domain::conversation::Conversation::apply`] alone.
//!
//! - `given`: messages, and a conversation that people and an agent talk in.
//! - `whole`: what is true of every conversation at every moment.
//! - `words`: every word that a conversation holds, wherever it holds it.
//! - `step`, `ledger`: random changes, and what must stay true of them ever after.

#[cfg(test)]
mod erase;
#[cfg(test)]
mod forget;
#[cfg(test)]
mod given;
#[cfg(test)]
mod intents;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod prompt;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod remember;
#[cfg(test)]
mod replace;
#[cfg(test)]
mod revise;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod step;
#[cfg(test)]
mod turns;
#[cfg(test)]
mod undo;
#[cfg(test)]
mod ways_back;
#[cfg(test)]
mod whole;
#[cfg(test)]
mod words;
