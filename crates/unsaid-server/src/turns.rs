//! The turns of this server: the desk they work at, who answers at which door, and what wakes them.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio_util::sync::CancellationToken;
use unsaid_app::answer::{Desk, LEASE_MS, Settings};
use unsaid_app::event::{Notice, Watchers};
use unsaid_app::tool::Tools;
use unsaid_app::worker::{Casting, Stage};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::HolderId;
use unsaid_core::port::Store;
use unsaid_core::port::error::StoreError;

use crate::config::{Config, Database};
use crate::refusal::Refusal;
use crate::system::{SystemChance, SystemClock, random_id};

/// Turns that run at once; most of their time they wait for a model.
pub const TURNS_AT_ONCE_MAX: usize = 256;

/// The desk of this process.
///
/// # Errors
/// Never in practice: the name of the process is made of letters.
pub fn desk(
    kind: &str,
    config: &Config,
    store: &Arc<dyn Store>,
    settings: Settings,
) -> Result<Desk, Refusal> {
    let holder = HolderId::new(format!("{kind}-{}", random_id()));
    Ok(Desk {
        history: Arc::<dyn Store>::clone(store),
        media: Arc::<dyn Store>::clone(store),
        people: Arc::<dyn Store>::clone(store),
        clock: Arc::new(SystemClock),
        chance: Arc::new(SystemChance),
        watchers: Arc::new(Watchers::default()),
        tools: Arc::new(Tools::reply_and_skip()),
        holder: holder.map_err(|error| Refusal::new(error.to_string()))?,
        settings: Settings {
            context_tokens: config.model.context_tokens,
            prompt_images: config.limits.prompt_images,
            tool_steps: config.model.tool_steps,
            ..settings
        },
    })
}

/// Numbers that follow from who else works on the same store.
#[must_use]
pub fn settings(config: &Config) -> Settings {
    let alone = match config.database {
        // A bucket may be shared by servers that have a file each.
        Database::Sqlite => config.history.is_none(),
        Database::Postgres(_) => false,
    };
    Settings { unsettled_ms: if alone { 0 } else { LEASE_MS }, ..Settings::default() }
}

/// Who answers at which door.
pub struct Doors {
    /// On LINE, if that door is open.
    pub line: Option<Arc<dyn Stage>>,
    /// In sessions.
    pub sessions: Arc<dyn Stage>,
    /// In the chats of worlds.
    pub worlds: Arc<dyn Stage>,
}

#[async_trait]
impl Stage for Doors {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        match (key, &self.line) {
            (ConversationKey::Line(_), Some(line)) => line.cast(key).await,
            (ConversationKey::Session(_), _) => self.sessions.cast(key).await,
            (ConversationKey::Chat(_), _) => self.worlds.cast(key).await,
            // Another server may have that door.
            (ConversationKey::Line(_), None) => Ok(Casting::Elsewhere),
        }
    }
}

/// Lets running turns and watchers look again when another server changed their conversation. A hint that is lost
/// costs time and nothing else.
pub async fn heed(
    mut hints: Receiver<ConversationKey>,
    watchers: Arc<Watchers>,
    ending: CancellationToken,
) {
    loop {
        let hint = tokio::select! {
            () = ending.cancelled() => return,
            hint = hints.recv() => hint,
        };
        match hint {
            Ok(key) => {
                watchers.running().look_again(&key);
                watchers.tell(&key, &Notice::Elsewhere);
            }
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
