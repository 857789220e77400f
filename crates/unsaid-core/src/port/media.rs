//! Pictures, recordings and files. They live and die with their message.

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::{
    conversation::key::ConversationKey,
    id::{MediaKey, MessageId},
};

/// A stored file.
#[derive(Clone, PartialEq, Eq)]
pub struct MediaFile {
    /// Its type, as found in its bytes.
    pub mime: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for MediaFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MediaFile({}, {} bytes)", self.mime, self.bytes.len())
    }
}

/// Which message of which conversation a file belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaPlace {
    /// The conversation.
    pub conversation: ConversationKey,
    /// The message.
    pub message: MessageId,
}

/// See the module.
#[async_trait]
pub trait Media: Send + Sync {
    /// Keeps a file for a message. `false`, and nothing kept, if that message is not there (any
    /// more), or the key is taken.
    async fn put(
        &self,
        key: &MediaKey,
        place: &MediaPlace,
        file: MediaFile,
    ) -> Result<bool, StoreError>;

    /// A file of this conversation, as long as its message can be heard.
    async fn get(
        &self,
        conversation: &ConversationKey,
        key: &MediaKey,
    ) -> Result<Option<MediaFile>, StoreError>;
}
