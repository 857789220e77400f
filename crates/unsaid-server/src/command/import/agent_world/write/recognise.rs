//! What was taken in before.

use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{ChatId, MessageId};
use unsaid_core::domain::message::Part;
use unsaid_core::port::error::{StoreError, corrupt};

use super::super::marks::{Marks, marks};
use super::super::merge::Merged;
use super::super::naming::Met;
use super::super::report::Report;
use super::{Place, Target};

const DOUBTFUL: &str = "has the id of another message, and one of them was taken in before";

enum Before {
    /// It has this id here, or had; not all that it could be known by was remembered.
    Known(MessageId, Vec<String>),
    /// Either it or another one.
    Doubtful,
    Never,
}

impl Target<'_> {
    /// The messages of a chat, and which of them were taken in before. Of these, what they can be known
    /// by is made whole: the next time other copies may be left.
    pub(super) async fn recognise(
        &self,
        place: &Place,
        messages: Vec<Merged>,
        report: &mut Report,
    ) -> Result<Vec<Met>, StoreError> {
        let all = marks(&self.keyed, &place.id, &messages);
        let owner = self.store.person(self.owner).await?;
        let may_keep = owner.is_some_and(|owner| owner.consent.is_on());
        let mut met = Vec::with_capacity(messages.len());
        for ((message, marks), number) in messages.into_iter().zip(all).zip(1..) {
            let known_as = match self.before(&place.id, &message, &marks).await? {
                Before::Known(id, missing) => {
                    report.known += 1;
                    // Without consent not even a digest of words is written.
                    for mark in missing.iter().filter(|_| may_keep) {
                        self.ledger().remember(mark, id.as_str()).await?;
                    }
                    Some(id)
                }
                Before::Doubtful => {
                    report.gaps.one(&place.reported_as, number, DOUBTFUL);
                    continue;
                }
                Before::Never => None,
            };
            met.push(Met { message, marks, known_as });
        }
        Ok(met)
    }

    async fn before(
        &self,
        chat: &ChatId,
        message: &Merged,
        marks: &Marks,
    ) -> Result<Before, StoreError> {
        let (mut known_as, mut missing) = (None, Vec::new());
        for mark in &marks.own {
            match self.ledger().find(mark).await? {
                Some(id) => known_as = known_as.or(Some(id)),
                None => missing.push(mark.clone()),
            }
        }
        let mut former = marks.former.iter();
        while let (None, Some(mark)) = (&known_as, former.next()) {
            known_as = self.ledger().find(mark).await?;
        }
        if let Some(id) = known_as {
            let id = MessageId::new(id).map_err(|error| corrupt("ledger", error))?;
            return Ok(Before::Known(id, missing));
        }
        for mark in &marks.doubtful {
            let Some(id) = self.ledger().find(mark).await? else { continue };
            let id = MessageId::new(id).map_err(|error| corrupt("ledger", error))?;
            match self.words_here(chat, &id).await? {
                Some(parts) if parts == [Part::text(message.words.clone())] => {
                    return Ok(Before::Known(id, missing));
                }
                // It is there, and says something else: that was the other one.
                Some(_) => {}
                None => return Ok(Before::Doubtful),
            }
        }
        Ok(Before::Never)
    }

    async fn words_here(
        &self,
        chat: &ChatId,
        id: &MessageId,
    ) -> Result<Option<Vec<Part>>, StoreError> {
        let entry = self.store.find(&ConversationKey::Chat(chat.clone()), id).await?;
        Ok(entry.filter(|entry| !entry.gone).map(|entry| entry.message.parts))
    }
}
