//! Remembers what was taken in, so that it is not taken in again after somebody removed it here.
//!
//! An entry is a key as calls over HTTP use them, dated so that it never grows old. It holds no words, only
//! a keyed digest (see `digest`) and the id that the thing has here, and it goes with the account, or when
//! everything of a person is erased.

use unsaid_core::domain::id::{IdempotencyKey, PersonId};
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::Store;
use unsaid_core::port::error::{StoreError, corrupt};
use unsaid_core::port::keys::KeyUse;

const SCOPE: &str = "import agent-world";
const FOREVER: Timestamp = Timestamp::from_millis(i64::MAX);

/// See the module.
pub(super) struct Ledger<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) owner: &'a PersonId,
}

impl Ledger<'_> {
    /// The entry for a key, of something that has this id here.
    pub(super) fn entry(&self, key: &str, id: &str) -> Result<KeyUse, StoreError> {
        Ok(KeyUse {
            person: self.owner.clone(),
            scope: SCOPE.to_owned(),
            key: IdempotencyKey::new(key).map_err(|error| corrupt("ledger", error))?,
            body_digest: [0; 32],
            status: 201,
            ids: vec![id.to_owned()],
            at: FOREVER,
        })
    }

    /// The id in an entry, if there is one.
    pub(super) async fn find(&self, key: &str) -> Result<Option<String>, StoreError> {
        let used = self.store.used(&self.entry(key, "")?).await?;
        Ok(used.map(|used| used.ids.into_iter().next().unwrap_or_default()))
    }

    /// Whether there is an entry.
    pub(super) async fn knows(&self, key: &str) -> Result<bool, StoreError> {
        Ok(self.find(key).await?.is_some())
    }

    /// Makes an entry.
    pub(super) async fn remember(&self, key: &str, id: &str) -> Result<(), StoreError> {
        self.store.remember(self.entry(key, id)?).await.map(|_| ())
    }
}
