//! What is known of the places where people talk.

use std::{fmt, sync::Arc};

use unsaid_core::{
    domain::{
        id::{PersonId, SourceId},
        source::{SourceCard, SourceKind},
        text::Words,
    },
    port::{directory::Directory, error::StoreError},
};

use crate::{
    client::{LineClient, LineError},
    errand::Where,
    names::Names,
};

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Places {
    client: LineClient,
    directory: Arc<dyn Directory>,
    names: Names,
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Places")
    }
}

impl Places {
    /// Asks this client, and keeps in this directory.
    #[must_use]
    pub fn new(client: LineClient, directory: Arc<dyn Directory>, names: Names) -> Self {
        Self { client, directory, names }
    }

    /// Somebody spoke there: it exists, and the bot is in it. A place that was not known yet is
    /// looked at as if the bot had just come.
    ///
    /// # Errors
    /// If the directory failed.
    pub async fn spoke(&self, place: &Where) -> Result<(), StoreError> {
        match self.directory.source(&place.id).await? {
            Some(card) if card.present || card.at > place.at => Ok(()),
            Some(card) => self.directory.keep_source(present(card, place)).await,
            None => {
                // First of all what is known without asking: turns look at it.
                self.directory.keep_source(blank(place)).await?;
                match place.kind {
                    SourceKind::Person => Ok(()),
                    SourceKind::Group | SourceKind::Room => {
                        let card = self.as_line_tells(blank(place)).await;
                        self.directory.keep_source(card).await
                    }
                }
            }
        }
    }

    /// The bot came: what the place is called and who is in it is asked anew.
    ///
    /// # Errors
    /// If the directory failed.
    pub async fn arrived(&self, place: &Where) -> Result<(), StoreError> {
        let known = self.directory.source(&place.id).await?;
        let card = self.as_line_tells(known.unwrap_or_else(|| blank(place))).await;
        self.directory.keep_source(present(card, place)).await?;
        match (place.kind, PersonId::new(place.id.as_str())) {
            (SourceKind::Person, Ok(person)) => self.names.refresh(&place.id, &person).await,
            (SourceKind::Person, Err(_)) | (SourceKind::Group | SourceKind::Room, _) => Ok(()),
        }
    }

    /// The bot was blocked, or left.
    ///
    /// # Errors
    /// If the directory failed.
    pub async fn left(&self, place: &Where) -> Result<(), StoreError> {
        let known = self.directory.source(&place.id).await?;
        let card = known.unwrap_or_else(|| blank(place));
        if card.at > place.at {
            // It came back since.
            return Ok(());
        }
        let gone = SourceCard { present: false, at: place.at, ..card };
        self.directory.keep_source(gone).await
    }

    /// Somebody came or went.
    ///
    /// # Errors
    /// If the directory failed.
    pub async fn members_changed(&self, place: &Where) -> Result<(), StoreError> {
        let known = self.directory.source(&place.id).await?;
        let card = known.unwrap_or_else(|| blank(place));
        match self.count(&card).await {
            Some(members) => {
                let at = card.at.max(place.at);
                let counted = SourceCard { members: Some(members), at, ..card };
                self.directory.keep_source(counted).await
            }
            None => Ok(()),
        }
    }

    /// What is known of a place, for a turn there. LINE is asked about one that nobody heard of.
    ///
    /// # Errors
    /// If the directory failed.
    pub async fn card(&self, place: &Where) -> Result<SourceCard, StoreError> {
        if let Some(card) = self.directory.source(&place.id).await? {
            return Ok(card);
        }
        let card = self.as_line_tells(blank(place)).await;
        self.directory.keep_source(card.clone()).await?;
        Ok(card)
    }

    /// With name and number as LINE tells them; what it does not tell stays as it was.
    async fn as_line_tells(&self, card: SourceCard) -> SourceCard {
        let (name, members) = (self.name(&card).await, self.count(&card).await);
        SourceCard { name: name.or(card.name), members: members.or(card.members), ..card }
    }

    async fn name(&self, card: &SourceCard) -> Option<Words> {
        match card.kind {
            SourceKind::Group => match self.client.group_summary(&card.id).await {
                Ok(summary) => summary.group_name,
                Err(error) => not_told(&card.id, "name", error),
            },
            // A room has no name, and a person's is the person's.
            SourceKind::Person | SourceKind::Room => None,
        }
    }

    async fn count(&self, card: &SourceCard) -> Option<u32> {
        match card.kind {
            SourceKind::Person => None,
            SourceKind::Group | SourceKind::Room => {
                match self.client.members_count(&card.id, card.kind).await {
                    Ok(members) => Some(members),
                    Err(error) => not_told(&card.id, "members", error),
                }
            }
        }
    }
}

/// The bot is there, unless something newer is known.
fn present(card: SourceCard, place: &Where) -> SourceCard {
    if card.at > place.at { card } else { SourceCard { present: true, at: place.at, ..card } }
}

/// What is known of a place that was just heard of.
pub(crate) fn blank(place: &Where) -> SourceCard {
    SourceCard {
        id: place.id.clone(),
        kind: place.kind,
        name: None,
        members: None,
        present: true,
        at: place.at,
    }
}

fn not_told<T>(source: &SourceId, what: &'static str, error: LineError) -> Option<T> {
    let (status, error) = (error.status(), error.name());
    tracing::info!(%source, what, error, status, "LINE does not tell");
    None
}
