//! The link that lets the owner of a new installation in: once, and not for long.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::clock::Chance;

/// How long the link is good.
pub const GOOD_FOR_MS: i64 = 10 * 60_000;
const KEY_BYTES: usize = 24;

/// See the module. What is held is a digest, compared as such: the time it takes tells nothing.
#[derive(Default)]
pub struct SetupLink(Mutex<Option<Open>>);

#[derive(Clone)]
struct Open {
    digest: [u8; 32],
    until: Timestamp,
}

/// The right to come in, taken out of the link.
pub(crate) struct Taken(Open);

impl SetupLink {
    /// Opens the door for whoever has the key that comes back.
    pub fn open(&self, now: Timestamp, chance: &dyn Chance) -> String {
        let mut bytes = [0; KEY_BYTES];
        chance.fill(&mut bytes);
        let key = bytes.iter().fold(String::new(), |key, byte| format!("{key}{byte:02x}"));
        *self.lock() = Some(Open { digest: digest(&key), until: now.plus_millis(GOOD_FOR_MS) });
        key
    }

    /// Takes the right to come in, if the key is right and it is not too late.
    pub(crate) fn take(&self, key: &str, now: Timestamp) -> Option<Taken> {
        let mut open = self.lock();
        let is_good = |open: &Open| open.digest == digest(key) && now < open.until;
        if open.as_ref().is_some_and(is_good) { open.take().map(Taken) } else { None }
    }

    /// Nobody came in after all: the link is as it was.
    pub(crate) fn put_back(&self, taken: Taken) {
        *self.lock() = Some(taken.0);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SetupLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetupLink(…)")
    }
}

fn digest(key: &str) -> [u8; 32] {
    Sha256::digest(key).into()
}
