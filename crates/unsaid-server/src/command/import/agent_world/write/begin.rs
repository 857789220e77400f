//! What is remembered before anything is made.
//!
//! The id of a chat tells that it came from here, but not whether what was said in it may come: if
//! everything of the owner was erased since, what was remembered of it went, too. So that a world is
//! being taken in is remembered first of all. Who does not find that entry finds the chats of a world
//! that was erased, and remembers them as such; who finds it goes on, whoever spoke there meanwhile.
//!
//! The entry is named by the newest erasure of when the import began: one that began after another
//! erasure has another, so that none goes on with what an erasure ended.

use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{ChatId, WorldId};
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::error::{StoreError, corrupt};

use super::super::chats::Talk;
use super::super::naming::chat_id;
use super::stop::Stop;
use super::{Place, Target};
use crate::refusal::Refusal;

/// A world that is being taken in.
#[derive(Clone)]
pub(super) struct Begun {
    /// The entry that says so.
    pub(super) entry: String,
    /// An erasure left it, with nothing remembered: settings and agents are the owner's by now.
    pub(super) is_left: bool,
    /// When everything of the owner was erased last, as the import began.
    since: Option<Timestamp>,
}

impl Target<'_> {
    /// When everything of the owner was erased last.
    ///
    /// # Errors
    /// If nobody can tell.
    pub(in super::super) async fn last_erased(&self) -> Result<Option<Timestamp>, Refusal> {
        let owner = self.store.person(self.owner).await;
        let owner =
            owner.map_err(|error| Refusal::new(format!("the account cannot be read: {error}")))?;
        Ok(owner.and_then(|owner| owner.erased_at))
    }

    /// Begins a world, or goes on with it; its chats.
    pub(super) async fn begin(
        &self,
        (source, id): (&str, &WorldId),
        talks: Vec<Talk>,
        since: Option<Timestamp>,
    ) -> Result<(Vec<Place>, Begun), Stop> {
        let newest = since.map_or_else(String::new, |at| at.as_millis().to_string());
        let entry = self.key(&["begun", source, &newest]);
        let left = self.key(&["erased world", source]);
        // Before anything else: what was remembered of the chats may go right after it is read.
        let is_begun = self.ledger().knows(&entry).await?;
        let mut places = self.places(source, talks).await?;
        if !is_begun {
            for place in places.iter().filter(|place| !place.was_known) {
                if self.store.home(&place.id).await?.is_some() {
                    self.ledger().remember(&left, id.as_str()).await?;
                }
                if self.was_spoken_in(&place.id).await? {
                    self.ledger().remember(&self.erased(place), place.id.as_str()).await?;
                }
            }
            self.ledger().remember(&entry, id.as_str()).await?;
        }
        for place in &mut places {
            place.was_erased = self.ledger().knows(&self.erased(place)).await?;
            place.was_known |= place.was_erased;
        }
        let begun = Begun { entry, is_left: self.ledger().knows(&left).await?, since };
        self.check_begun(&begun).await?;
        Ok((places, begun))
    }

    /// Stops if what was begun was forgotten since: with everything of the owner, or with the account.
    pub(super) async fn check_begun(&self, begun: &Begun) -> Result<(), Stop> {
        let Some(owner) = self.store.person(self.owner).await? else {
            return Err(Stop::OwnerGone);
        };
        let is_known = self.ledger().knows(&begun.entry).await?;
        if is_known && owner.erased_at == begun.since { Ok(()) } else { Err(Stop::Erased) }
    }

    fn erased(&self, place: &Place) -> String {
        self.key(&["erased", place.id.as_str()])
    }

    async fn was_spoken_in(&self, chat: &ChatId) -> Result<bool, StoreError> {
        let overview = self.store.overview(&ConversationKey::Chat(chat.clone())).await?;
        Ok(overview.is_some_and(|overview| overview.last_number.get() > 0))
    }

    async fn places(&self, world: &str, talks: Vec<Talk>) -> Result<Vec<Place>, StoreError> {
        let mut places = Vec::with_capacity(talks.len());
        for talk in talks {
            let id = chat_id(self.owner, world, talk.source.as_deref());
            let id = id.map_err(|error| corrupt("chat", error))?;
            let key = self.key(&["chat", id.as_str()]);
            let was_known = self.ledger().knows(&key).await?;
            let source = talk.source.as_deref().unwrap_or("none");
            let reported_as = format!("{world}, chat {source}");
            places.push(Place { id, key, talk, was_known, was_erased: false, reported_as });
        }
        Ok(places)
    }
}
