//! Secrets and ended sign-ins.

use async_trait::async_trait;
use unsaid_core::{
    domain::{id::SignInId, secret::SecretKey, time::Timestamp},
    port::{access::Access, error::StoreError},
};

use crate::MemoryStore;

#[async_trait]
impl Access for MemoryStore {
    async fn secret(&self, name: &str, fresh: SecretKey) -> Result<SecretKey, StoreError> {
        Ok(self.lock()?.secrets.entry(name.to_owned()).or_insert(fresh).clone())
    }

    async fn end_sign_in(&self, id: &SignInId, until: Timestamp) -> Result<(), StoreError> {
        self.lock()?.ended_sign_ins.entry(id.clone()).or_insert(until);
        Ok(())
    }

    async fn is_sign_in_ended(&self, id: &SignInId) -> Result<bool, StoreError> {
        Ok(self.lock()?.ended_sign_ins.contains_key(id))
    }

    async fn forget_sign_ins(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut state = self.lock()?;
        let before = state.ended_sign_ins.len();
        state.ended_sign_ins.retain(|_, until| now < *until);
        Ok((before - state.ended_sign_ins.len()) as u64)
    }
}
