//! Argon2id, a few at a time and apart from the threads that serve.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, phc};
use argon2::{Algorithm, Argon2, Params, Version};
use async_trait::async_trait;
use tokio::sync::{Semaphore, oneshot};
use unsaid_core::domain::password::Password;
use unsaid_core::domain::person::PasswordHash;
use unsaid_core::port::clock::Chance;
use unsaid_core::port::passwords::{Passwords, PasswordsError};

/// KiB of memory, rounds and lanes of one hash.
const COST: (u32, u32, u32) = (19_456, 2, 1);
const SALT_BYTES: usize = 16;
/// Of the same cost as ours, and of no password: looking at it takes as long as at a true one.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdA$\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// See the module.
pub struct Argon2id {
    chance: Arc<dyn Chance>,
    at_once: Arc<Semaphore>,
    /// How many are being hashed or wait.
    inside: Arc<AtomicUsize>,
    inside_max: usize,
}

impl Argon2id {
    /// A hasher of `at_once` passwords, for which so many others may wait.
    #[must_use]
    pub fn new(chance: Arc<dyn Chance>, at_once: usize, waiting_max: usize) -> Self {
        let at_once = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            chance,
            at_once: Arc::new(Semaphore::new(at_once)),
            inside: Arc::default(),
            inside_max: at_once.saturating_add(waiting_max),
        }
    }

    /// Does slow work on a thread of its own. Work that has begun keeps its place, even if nobody
    /// waits for it any more.
    async fn slowly<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PasswordsError> + Send + 'static,
    ) -> Result<T, PasswordsError> {
        let inside = Inside::enter(&self.inside, self.inside_max)?;
        let broken = |why: &str| PasswordsError::Broken(why.to_owned());
        let permit = Arc::clone(&self.at_once).acquire_owned().await;
        let permit = permit.map_err(|_| broken("the hasher is closed"))?;
        let (done, answer) = oneshot::channel();
        // Not one of the runtime's many threads: the allocator keeps for each what it once used, and
        // this uses much.
        let thread = thread::Builder::new().name("unsaid-password".to_owned());
        let begun = thread.spawn(move || {
            let result = work();
            drop((permit, inside));
            // Nobody may wait any more.
            drop(done.send(result));
        });
        begun.map_err(|error| PasswordsError::Broken(error.to_string()))?;
        answer.await.unwrap_or_else(|_| Err(broken("the hasher panicked")))
    }
}

#[async_trait]
impl Passwords for Argon2id {
    async fn hash(&self, password: Password) -> Result<PasswordHash, PasswordsError> {
        let mut salt = [0; SALT_BYTES];
        self.chance.fill(&mut salt);
        self.slowly(move || hash(&password, &salt)).await
    }

    async fn matches(
        &self,
        typed: Password,
        hash: Option<PasswordHash>,
    ) -> Result<bool, PasswordsError> {
        self.slowly(move || matches(&typed, hash.as_ref())).await
    }
}

/// One that is being hashed or waits; leaving makes room, however it ends.
struct Inside(Arc<AtomicUsize>);

impl Inside {
    fn enter(count: &Arc<AtomicUsize>, max: usize) -> Result<Self, PasswordsError> {
        let entered = Self(Arc::clone(count));
        let before = count.fetch_add(1, Ordering::AcqRel);
        if before < max { Ok(entered) } else { Err(PasswordsError::Busy) }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn argon2() -> Result<Argon2<'static>, PasswordsError> {
    let (memory, rounds, lanes) = COST;
    let params = Params::new(memory, rounds, lanes, None).map_err(broken)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(password: &Password, salt: &[u8]) -> Result<PasswordHash, PasswordsError> {
    let hash = argon2()?.hash_password_with_salt(password.as_str().as_bytes(), salt);
    Ok(PasswordHash::new(hash.map_err(broken)?.to_string()))
}

fn matches(typed: &Password, hash: Option<&PasswordHash>) -> Result<bool, PasswordsError> {
    let theirs = hash.and_then(|hash| phc::PasswordHash::new(hash.as_str()).ok());
    let is_somebodys = theirs.is_some();
    let hash = match theirs {
        Some(hash) => hash,
        None => phc::PasswordHash::new(NOBODYS).map_err(broken)?,
    };
    // The cost is the one of the hash, so older ones still work when ours rises.
    let same = argon2()?.verify_password(typed.as_str().as_bytes(), &hash).is_ok();
    Ok(same && is_somebodys)
}

fn broken(error: impl std::fmt::Display) -> PasswordsError {
    PasswordsError::Broken(error.to_string())
}

#[cfg(test)]
mod tests;
