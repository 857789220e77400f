//! Pictures that people send: promised when their message is stored, fetched after LINE has its
//! answer, and at the latest before a model would look at them.
//!
//! A promise ends once, whoever keeps it: with the picture, or with a sentence that stands for it. If
//! its message is taken back first, nothing of it is kept.
//!
//! - `promise`: what was promised, and how that ends. `scale`: a picture as models take it.
//! - `flight`: one download of a picture at a time.

mod flight;
mod promise;
mod scale;

use std::{fmt, fmt::Write as _, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep, timeout, timeout_at},
};
use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, log::Entry},
        id::{MediaKey, MessageId},
        message::Part,
        text::Words,
    },
    port::{
        clock::Clock,
        error::StoreError,
        history::History,
        media::{Media, MediaFile, MediaPlace},
    },
};

use self::{
    flight::{Flight, Flights},
    promise::promised_key,
    scale::{NotAPicture, fit},
};
use crate::client::{LineClient, LineError};

/// The type of a picture that is still on its way.
pub const PENDING_MIME: &str = "image/*";

/// What stands for a picture that could not be fetched.
pub const LOAD_FAILED: &str = "[User sent an image, but an error occurred while loading]";

/// Promised pictures, by how the promise ended: `kept`, `failed`, or `gone` with its message.
pub const PICTURES_TOTAL: &str = "unsaid_line_pictures_total";

/// Pictures of one turn that are fetched at the same time.
const AT_ONCE: usize = 3;
/// Pictures of the whole process that are decoded at the same time: each may take much memory.
const SCALED_AT_ONCE: usize = 2;
/// How long giving up may take.
const GIVE_UP_MAX: Duration = Duration::from_secs(1);

/// The name under which the picture of a message is kept.
#[must_use]
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "it does not: hex digits are a short visible text"
)]
pub fn media_key(message: &MessageId) -> MediaKey {
    MediaKey::new(format!("line-{message}")).unwrap_or_else(|_too_long| {
        let digest = Sha256::digest(message.as_str());
        let digits = digest.iter().fold(String::new(), |mut digits, byte| {
            // Writing to a text cannot fail.
            write!(digits, "{byte:02x}").ok();
            digits
        });
        MediaKey::new(format!("line-{digits}")).expect("hex digits are a key")
    })
}

/// The part that promises the picture of a message.
#[must_use]
pub fn promise(message: &MessageId) -> Part {
    Part::Media { key: media_key(message), mime: PENDING_MIME.to_owned() }
}

/// Whether a picture of this message is still promised.
#[must_use]
pub fn is_promised(entry: &Entry) -> bool {
    promised_key(entry).is_some()
}

/// See the module.
pub struct Pictures {
    client: LineClient,
    history: Arc<dyn History>,
    media: Arc<dyn Media>,
    clock: Arc<dyn Clock>,
    times: PictureTimes,
    flights: Flights,
    scaling: Arc<Semaphore>,
}

/// How long fetching may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureTimes {
    /// One picture, with all attempts.
    pub whole: Duration,
    /// Before another attempt.
    pub pause: Duration,
}

impl Default for PictureTimes {
    fn default() -> Self {
        Self { whole: Duration::from_secs(30), pause: Duration::from_secs(1) }
    }
}

/// How a promise ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetched {
    /// The picture is there.
    Kept,
    /// The sentence stands for it.
    Failed,
    /// There was no promise any more: it was kept before, or its message is gone.
    Gone,
}

impl Fetched {
    fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Failed => "failed",
            Self::Gone => "gone",
        }
    }
}

/// Why there is no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum NoPicture {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Bytes(#[from] NotAPicture),
    #[error("a turn could not wait for it")]
    GivenUp,
}

impl NoPicture {
    fn name(self) -> &'static str {
        match self {
            Self::Line(error) => error.name(),
            Self::Bytes(error) => error.name(),
            Self::GivenUp => "given_up",
        }
    }
}

impl fmt::Debug for Pictures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pictures({:?})", self.times)
    }
}

/// Tells the metrics what they are.
pub fn describe_metrics() {
    metrics::describe_counter!(PICTURES_TOTAL, "promised pictures, by how the promise ended");
}

impl Pictures {
    /// Fetches with this client, and keeps in these stores.
    #[must_use]
    pub fn new(
        client: LineClient,
        history: Arc<dyn History>,
        media: Arc<dyn Media>,
        clock: Arc<dyn Clock>,
        times: PictureTimes,
    ) -> Self {
        let scaling = Arc::new(Semaphore::new(SCALED_AT_ONCE));
        Self { client, history, media, clock, times, flights: Flights::default(), scaling }
    }

    /// Fetches the picture of a message, if one is promised. Whoever comes while somebody else is at
    /// it waits for them.
    ///
    /// # Errors
    /// If a store failed: the promise stands.
    pub async fn fetch(
        &self,
        conversation: &ConversationKey,
        message: &MessageId,
    ) -> Result<Fetched, StoreError> {
        let flight = self.flights.of(conversation, message);
        let _alone = flight.alone().await;
        let fetched = self.fetch_alone(conversation, message, &flight).await?;
        metrics::counter!(PICTURES_TOTAL, "outcome" => fetched.name()).increment(1);
        Ok(fetched)
    }

    /// Fetches what these messages still promise, the newest first. What cannot be had within the
    /// time is given up: the sentence stands for it.
    pub async fn make_ready(
        &self,
        conversation: &ConversationKey,
        entries: &[Entry],
        within: Duration,
    ) {
        let promised = entries.iter().rev().filter(|entry| is_promised(entry));
        let promised: Vec<MessageId> = promised.map(|entry| entry.message.id.clone()).collect();
        let each = stream::iter(promised.clone());
        let fetching = each.for_each_concurrent(AT_ONCE, |message| async move {
            if let Err(error) = self.fetch(conversation, &message).await {
                report(conversation, &message, &error);
            }
        });
        if timeout(within, fetching).await.is_ok() {
            return;
        }
        let each = stream::iter(promised);
        let giving_up = each.for_each_concurrent(None, |message| async move {
            if let Err(error) = self.give_up(conversation, &message).await {
                report(conversation, &message, &error);
            }
        });
        // What takes longer is the store's failure, which the turn will meet itself.
        timeout(GIVE_UP_MAX, giving_up).await.ok();
    }

    async fn fetch_alone(
        &self,
        conversation: &ConversationKey,
        message: &MessageId,
        flight: &Flight,
    ) -> Result<Fetched, StoreError> {
        let Some(key) = self.promised(conversation, message).await? else {
            return Ok(Fetched::Gone);
        };
        let place = MediaPlace { conversation: conversation.clone(), message: message.clone() };
        // Whoever fetched it before may have been stopped just before saying so.
        let mut mime = self.media.get(conversation, &key).await?.map(|file| file.mime);
        if mime.is_none() {
            let loaded = tokio::select! {
                biased;
                () = flight.given_up() => Err(NoPicture::GivenUp),
                loaded = self.load(message) => loaded,
            };
            mime = match loaded {
                Ok(file) => self.put(&key, &place, file).await?,
                Err(error) => {
                    let error = error.name();
                    tracing::warn!(%conversation, %message, error, "no picture");
                    return self.fail(conversation, message).await;
                }
            };
        }
        let Some(mime) = mime else { return Ok(Fetched::Gone) };
        let kept = self.end(conversation, message, Part::Media { key, mime }).await?;
        Ok(if kept { Fetched::Kept } else { Fetched::Gone })
    }

    /// Downloads it, and makes it as large as models want it.
    async fn load(&self, message: &MessageId) -> Result<MediaFile, NoPicture> {
        let bytes = self.download(message).await?;
        let permit = Arc::clone(&self.scaling).acquire_owned().await;
        let scaled = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            fit(&bytes)
        });
        Ok(scaled.await.map_err(|_panicked| NotAPicture::Broken)??)
    }

    async fn download(&self, message: &MessageId) -> Result<Bytes, LineError> {
        let ends = Instant::now() + self.times.whole;
        loop {
            let downloading = timeout_at(ends, self.client.content(message)).await;
            let error = match downloading {
                Ok(Ok(bytes)) => return Ok(bytes),
                Ok(Err(error)) => error,
                Err(_late) => return Err(LineError::TimedOut),
            };
            let wait = error.retry_after().unwrap_or(self.times.pause);
            if !error.may_pass() || Instant::now() + wait >= ends {
                return Err(error);
            }
            sleep(wait).await;
        }
    }

    /// Keeps a file; what is then kept has this type. None if the message is gone.
    async fn put(
        &self,
        key: &MediaKey,
        place: &MediaPlace,
        file: MediaFile,
    ) -> Result<Option<String>, StoreError> {
        let mime = file.mime.clone();
        if self.media.put(key, place, file).await? {
            return Ok(Some(mime));
        }
        // Another server may have been quicker.
        let held = self.media.get(&place.conversation, key).await?;
        Ok(held.map(|file| file.mime))
    }

    /// Ends a promise without a picture, whoever is at it.
    async fn give_up(
        &self,
        conversation: &ConversationKey,
        message: &MessageId,
    ) -> Result<(), StoreError> {
        let flight = self.flights.of(conversation, message);
        flight.give_up();
        let _alone = flight.alone().await;
        self.fail(conversation, message).await.map(drop)
    }

    async fn fail(
        &self,
        conversation: &ConversationKey,
        message: &MessageId,
    ) -> Result<Fetched, StoreError> {
        let sentence = Part::text(Words::lossy(LOAD_FAILED));
        let told = self.end(conversation, message, sentence).await?;
        Ok(if told { Fetched::Failed } else { Fetched::Gone })
    }
}

/// Says that a store failed, by ids.
pub(crate) fn report(conversation: &ConversationKey, message: &MessageId, error: &StoreError) {
    tracing::warn!(%conversation, %message, error = error.name(), "picture not kept");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_a_name_for_its_picture() {
        let key = |id: &str| media_key(&MessageId::new(id).unwrap());
        assert_eq!(key("1234").as_str(), "line-1234");
        let (long, other) = ("x".repeat(128), format!("{}y", "x".repeat(127)));
        assert_eq!(key(&long).as_str().len(), "line-".len() + 64);
        assert_ne!(key(&long), key(&other));
    }
}
