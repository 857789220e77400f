//! What worlds promise, tried where it is hardest to keep.
//!
//! - `in_house`: the door in this process. `failing`: each call of the store fails once. `resuming`:
//!   streams that are cut anywhere. `following`: streams that have much to tell.
//! - `sse`: streams as they come. `state`: what a conversation is to be after a change.
//! - `world`: somebody in a world of a true server. `oracle`: the model of such servers.
//! - `killed`: `kill -9` at each write of an edit. `fenced`: answers that nobody wants any more.
//! - `restarted`: streams over the life of a server, and over several servers. `cut`: live streams that
//!   are cut anywhere. `replicas`: what servers know of each other's rounds.
//! - `away`: a database that is gone for a while. `configured`: other settings than ours. `imported`,
//!   `unwritable`: what seed 003 feared of messages without ids, and of files that cannot be written.
//!   `reminded`: edits that failed, and who still knows of them.

mod away;
mod configured;
mod cut;
mod fenced;
mod imported;
mod in_house;
mod killed;
mod oracle;
mod reminded;
mod replicas;
mod restarted;
mod sse;
mod state;
mod unwritable;
mod world;

use std::time::Duration;

/// Whatever does not come within this does not come.
const PATIENCE: Duration = Duration::from_mins(1);
