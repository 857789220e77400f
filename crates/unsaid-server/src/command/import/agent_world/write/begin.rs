//! What is remembered before anything is made.
//!
//! The id of a chat tells that it came from here, but not whether what was said in it may come: if
//! everything of the owner was erased since, what was remembered of it went, too. So that a world is
//! being taken in is remembered first of all. Who does not find that entry finds the chats of a world
//! that was erased, and remembers them as such; who finds it goes on, whoever spoke there meanwhile.

use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{ChatId, WorldId};
use unsaid_core::port::error::StoreError;

use super::stop::Stop;
use super::{Place, Target};

impl Target<'_> {
    /// Begins a world, or goes on with it; the entry that says so.
    pub(super) async fn begin(
        &self,
        source: &str,
        id: &WorldId,
        places: &mut [Place],
    ) -> Result<String, StoreError> {
        let begun = self.key(&["begun", source]);
        if !self.ledger().knows(&begun).await? {
            for place in places.iter().filter(|place| !place.was_known) {
                if self.was_spoken_in(&place.id).await? {
                    self.ledger().remember(&self.erased(place), place.id.as_str()).await?;
                }
            }
            self.ledger().remember(&begun, id.as_str()).await?;
        }
        for place in places {
            place.was_erased = self.ledger().knows(&self.erased(place)).await?;
            place.was_known |= place.was_erased;
        }
        Ok(begun)
    }

    /// Stops if what was begun was forgotten since: with everything of the owner, or with the account.
    pub(super) async fn check_begun(&self, begun: &str) -> Result<(), Stop> {
        if self.ledger().knows(begun).await? {
            return Ok(());
        }
        let owner = self.store.person(self.owner).await?;
        Err(if owner.is_some() { Stop::Erased } else { Stop::OwnerGone })
    }

    fn erased(&self, place: &Place) -> String {
        self.key(&["erased", place.id.as_str()])
    }

    async fn was_spoken_in(&self, chat: &ChatId) -> Result<bool, StoreError> {
        let overview = self.store.overview(&ConversationKey::Chat(chat.clone())).await?;
        Ok(overview.is_some_and(|overview| overview.last_number.get() > 0))
    }
}
