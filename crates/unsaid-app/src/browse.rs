//! What can be read of a conversation. In worlds and sessions nothing can while consent is off:
//! what is held is hidden, and gone at its date (H8).

use unsaid_core::{
    domain::{
        consent::Consent,
        conversation::log::Entry,
        id::{MessageId, Number},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{History, Tail},
        people::People,
    },
};

use crate::place::Place;

/// How many messages a count shows.
pub const PREVIEW_MESSAGES_MAX: usize = 10;

/// Which page is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Browse {
    /// Of which conversation.
    pub place: Place,
    /// When.
    pub now: Timestamp,
    /// The newest messages before this one; `None` is the newest of all.
    pub before: Option<MessageId>,
    /// How many at most; the door has clamped it.
    pub limit: usize,
}

/// Of which message the tail is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Of which conversation.
    pub place: Place,
    /// When.
    pub now: Timestamp,
    /// The message.
    pub from: MessageId,
}

/// Something to read, or the reason why there is nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen<T> {
    /// It can be read.
    Shown(T),
    /// Consent is off: nothing can be read.
    Hidden {
        /// When what is held will be gone; `None` if nothing is held.
        gone_at: Option<Timestamp>,
    },
}

/// A page of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Oldest first.
    pub messages: Vec<Entry>,
    /// Whether there are older ones.
    pub has_more: bool,
}

/// Why nothing can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrowseError {
    /// The message that was named is not there.
    #[error("no such message")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// A page of what can be heard.
///
/// # Errors
/// See [`BrowseError`].
pub async fn page(
    history: &dyn History,
    people: &dyn People,
    browse: Browse,
) -> Result<Seen<Page>, BrowseError> {
    let Browse { place, now, before, limit } = browse;
    let read = read_page(history, &place, before.as_ref(), limit).await;
    seen(people, &place, now, read).await
}

/// What an edit of a message would remove: how many, whether it is the first, and a preview.
///
/// # Errors
/// See [`BrowseError`].
pub async fn tail(
    history: &dyn History,
    people: &dyn People,
    count: Count,
) -> Result<Seen<Tail>, BrowseError> {
    let Count { place, now, from } = count;
    let read = match history.tail(place.conversation(), &from, PREVIEW_MESSAGES_MAX).await {
        Ok(found) => found.ok_or(BrowseError::NotFound),
        Err(error) => Err(error.into()),
    };
    seen(people, &place, now, read).await
}

async fn read_page(
    history: &dyn History,
    place: &Place,
    before: Option<&MessageId>,
    limit: usize,
) -> Result<Page, BrowseError> {
    let key = place.conversation();
    let before: Option<Number> = match before {
        None => None,
        Some(id) => {
            let entry = history.find(key, id).await?;
            Some(entry.ok_or(BrowseError::NotFound)?.number)
        }
    };
    // One more than wanted tells whether there are more.
    let mut messages = history.page(key, before, limit.saturating_add(1)).await?;
    let surplus = messages.len().saturating_sub(limit);
    messages.drain(..surplus);
    Ok(Page { messages, has_more: surplus > 0 })
}

/// Consent is looked at after reading: what is shown was read while it was on. Where it is off, not
/// even an absence shows.
async fn seen<T>(
    people: &dyn People,
    place: &Place,
    now: Timestamp,
    read: Result<T, BrowseError>,
) -> Result<Seen<T>, BrowseError> {
    let Some(owner) = place.consent_of() else { return read.map(Seen::Shown) };
    let consent: Option<Consent> = people.person(owner).await?.map(|person| person.consent);
    match consent {
        Some(consent) if consent.is_on() => read.map(Seen::Shown),
        Some(consent) => Ok(Seen::Hidden { gone_at: consent.deletion_scheduled_at(now) }),
        None => Ok(Seen::Hidden { gone_at: None }),
    }
}
