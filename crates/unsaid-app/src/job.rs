//! What outlives a request is a job: repeatable, in batches, resumable, callable.

/// Whether to stop; asked between batches.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Send + Sync);
