//! Looking around: what other processes wrote, what time has closed, what was left over.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tokio::{task::JoinSet, time::Instant};
use unsaid_core::{
    domain::{conversation::key::ConversationKey, time::Timestamp},
    port::{error::StoreError, history::Swept},
};

use super::{
    Inner,
    ask::{Answer, Ask},
    fetch::failed,
};
use crate::{
    bucket::Listed,
    format::held::Held,
    name::{self, Kind},
};

/// Conversations that one sweep looks after, however small its limit.
const CLEANED_AT_ONCE: usize = 200;
/// First lines that are read at the same time.
const AT_ONCE: usize = 16;

impl Inner {
    /// Lists the bucket if that was long ago.
    pub(crate) async fn rescan_if_due(self: &Arc<Self>) -> Result<(), StoreError> {
        let last = self.index().scanned_at;
        let due = last.is_none_or(|last| last.elapsed() >= self.options.rescan_every);
        if due { self.rescan().await } else { Ok(()) }
    }

    /// Lists the bucket, and reads the first lines of live objects that changed.
    pub(crate) async fn rescan(self: &Arc<Self>) -> Result<(), StoreError> {
        let (since, started) = (self.index().last_note(), Instant::now());
        let mut live: BTreeMap<ConversationKey, Listed> = BTreeMap::new();
        for object in self.list(name::HISTORY).await? {
            if let Some(Kind::Live(key)) = name::kind(&object.name) {
                live.insert(key, object);
            }
        }
        self.forget_changed(&live);
        let changed =
            |(key, object): &(&ConversationKey, &Listed)| !self.index().is_current(key, object);
        let changed: Vec<_> = live.iter().filter(changed).collect();
        for some in changed.chunks(AT_ONCE) {
            let mut looks = JoinSet::new();
            for (key, object) in some {
                let (inner, key, object) = (Arc::clone(self), (*key).clone(), (*object).clone());
                looks.spawn(async move { inner.look_at(&key, &object).await });
            }
            looks.join_all().await.into_iter().collect::<Result<(), StoreError>>()?;
        }
        let keys: BTreeSet<ConversationKey> = live.into_keys().collect();
        let mut index = self.index();
        index.forget_unlisted(&keys, since);
        index.scanned_at = Some(started);
        Ok(())
    }

    /// One sweep: what time has closed, and what was left over.
    pub(crate) async fn sweep(
        self: &Arc<Self>,
        now: Timestamp,
        limit: usize,
    ) -> Result<Swept, StoreError> {
        self.rescan_if_due().await?;
        self.suspect_all_once().await?;
        let mut swept = Swept::default();
        let due = self.index().due(now, limit.max(1));
        for key in due {
            let ask = self.ask(&key, Ask::Expire(now), self.options.erase_within);
            match ask.await? {
                Answer::Swept(expired) => swept.expired += u64::from(expired),
                Answer::Committed(_) | Answer::Bound(_) | Answer::Cleaned(_) => {}
            }
        }
        let suspects = self.index().take_suspects(limit.max(CLEANED_AT_ONCE));
        for key in suspects {
            match self.clean(&key).await {
                Ok(deleted) => swept.purged += deleted,
                Err(error) => {
                    // It stays suspected; others are looked after all the same.
                    self.index().suspect(&key);
                    tracing::warn!(conversation = %key, error = error.name(), "not cleaned yet");
                }
            }
        }
        Ok(swept)
    }

    /// After a start every conversation with segments or files may have something left over.
    async fn suspect_all_once(&self) -> Result<(), StoreError> {
        if self.index().cleaned_once {
            return Ok(());
        }
        for place in [name::HISTORY, name::MEDIA] {
            for object in self.list(place).await? {
                if let Some(Kind::Owned(key)) = name::kind(&object.name) {
                    self.index().suspect(&key);
                }
            }
        }
        self.index().cleaned_once = true;
        Ok(())
    }

    /// Deletes what the live object does not name. The live object is written first, so that
    /// whoever is about to name one of these has to look again.
    async fn clean(self: &Arc<Self>, key: &ConversationKey) -> Result<u64, StoreError> {
        // What cannot be deleted now is not worth a write.
        for name in &self.live(key).await?.held.doomed {
            let deleted = self.in_time(self.bucket.delete(name)).await;
            deleted.map_err(|error| failed(&error))?;
            self.cache().note_deleted(key, name.clone());
        }
        let mut seen = Vec::new();
        for place in [name::sealed_prefix(key), name::media_prefix(key)] {
            let listed = self.list(&place).await?.into_iter();
            seen.extend(listed.map(|object| object.name).filter(|name| name::is_ours(name)));
        }
        let ask = self.ask(key, Ask::Clean { seen }, self.options.erase_within).await?;
        let unnamed = match ask {
            Answer::Cleaned(unnamed) => unnamed,
            Answer::Committed(_) | Answer::Bound(_) | Answer::Swept(_) => Vec::new(),
        };
        for name in &unnamed {
            let deleted = self.in_time(self.bucket.delete(name)).await;
            deleted.map_err(|error| failed(&error))?;
        }
        Ok(unnamed.len() as u64)
    }

    /// Words taken back elsewhere must not stay in our memory.
    fn forget_changed(&self, live: &BTreeMap<ConversationKey, Listed>) {
        let mut cache = self.cache();
        for key in cache.keys() {
            cache.forget_if_changed(&key, live.get(&key));
        }
    }

    async fn look_at(&self, key: &ConversationKey, object: &Listed) -> Result<(), StoreError> {
        let note = self.index().note_of(key);
        let Some(start) = self.first_line(&object.name).await? else { return Ok(()) };
        let held = match Held::read_head(&object.name, &start, key) {
            Ok(held) => held.unwrap_or_default(),
            Err(error) => {
                // One damaged object must not hide all others.
                tracing::warn!(object = object.name, error = error.name(), "cannot be read");
                Held::default()
            }
        };
        let mut index = self.index();
        if index.note_of(key) == note {
            index.note(key, Some(&object.version), &held);
            if !held.doomed.is_empty() {
                index.suspect(key);
            }
        }
        Ok(())
    }
}
