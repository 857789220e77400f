//! What the process may do to itself.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};

use crate::refusal::Refusal;

/// What a command needs that is done soon: one thread.
///
/// # Errors
/// If the system does not give it.
pub fn runtime() -> Result<Runtime, Refusal> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|error| Refusal::new(format!("cannot start: {error}")))
}

/// A crash must not write the memory to a file: it holds words that nobody agreed to keep.
///
/// The limit stops ordinary core files, the dumpable flag those handed to a program. Failure is
/// not fatal, and there is no log yet to tell.
pub fn forbid_core_dumps() {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).unwrap_or_default();
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .unwrap_or_default();
}

/// Every connection is an open file; the usual limit is far below the permitted one.
pub fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).unwrap_or_default();
}
