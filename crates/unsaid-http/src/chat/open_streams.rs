//! How many streams somebody has open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use unsaid_core::domain::id::PersonId;

/// Everybody's, up to so many each. Cheap to clone.
#[derive(Debug, Clone)]
pub struct OpenStreams {
    open: Arc<Mutex<HashMap<PersonId, usize>>>,
    most: usize,
}

/// One of them; dropping it closes it.
#[derive(Debug)]
pub(crate) struct OpenStream {
    streams: OpenStreams,
    person: PersonId,
}

impl OpenStreams {
    /// Nobody's yet.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { open: Arc::default(), most }
    }

    /// Opens one, unless there are too many.
    pub(crate) fn open(&self, person: &PersonId) -> Option<OpenStream> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(person.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(OpenStream { streams: self.clone(), person: person.clone() })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.person) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.person);
            }
        }
    }
}
