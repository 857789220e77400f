//! The bucket for LINE conversations.

use std::sync::Arc;

use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::port::Store;
use unsaid_core::port::joined::Joined;
use unsaid_store_object::bucket::inspect::Finding;
use unsaid_store_object::bucket::place::{self, Opened};
use unsaid_store_object::{BucketStore, Options};

use crate::config::{Config, History};
use crate::refusal::Refusal;
use crate::system::SystemChance;

/// The bucket, if one is configured, looked at and found good.
///
/// # Errors
/// If it cannot be used, does no conditional writes, or keeps what was taken back.
pub async fn checked(config: &Config) -> Result<Option<BucketStore>, Refusal> {
    let Some(history) = &config.history else { return Ok(None) };
    let opened = open(history)?;
    if let Some(objection) = objections(history, &opened).await.into_iter().next() {
        return Err(Refusal::new(objection.to_string()));
    }
    let options = Options { object_bytes_max: config.limits.object_bytes, ..Options::default() };
    Ok(Some(BucketStore::new(opened.bucket, Arc::new(SystemChance), options)))
}

/// The bucket beside the database.
#[must_use]
pub fn joined(bucket: Option<BucketStore>, database: Arc<dyn Store>) -> Arc<dyn Store> {
    match bucket {
        None => database,
        Some(apart) => {
            Arc::new(Joined { is_apart: is_line, apart: Arc::new(apart), rest: database })
        }
    }
}

/// Opens it; nothing is sent yet.
///
/// # Errors
/// If the credentials or the directory cannot be used.
pub fn open(history: &History) -> Result<Opened, Refusal> {
    let opened = history.place.open(&place::Options::default());
    opened.map_err(|error| Refusal::new(error.to_string()))
}

/// What speaks against it and was not accepted.
pub async fn objections(history: &History, opened: &Opened) -> Vec<Finding> {
    let findings = opened.inspect(&SystemChance).await;
    let accepted = |finding: &Finding| history.accept_delay && finding.can_be_accepted();
    findings.into_iter().filter(|finding| !accepted(finding)).collect()
}

/// Whether a conversation is one of LINE's.
pub(super) fn is_line(key: &ConversationKey) -> bool {
    match key {
        ConversationKey::Line(_) => true,
        ConversationKey::Chat(_) | ConversationKey::Session(_) => false,
    }
}
