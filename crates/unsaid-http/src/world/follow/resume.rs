//! Listeners that come back, and how far they were.

use unsaid_app::logs::Log;
use unsaid_core::domain::id::EventNumber;
use unsaid_core::port::error::StoreError;

use super::{Follow, Newest};
use crate::world::frame::{Frame, Nothing};

impl Follow {
    /// From an event on that the listener knows. They are told to look anew if it is none of this chat,
    /// if it is of a log that is not shown any more since consent has changed, if nobody can say how far
    /// they were in the other log, or if both logs have news, for nobody can say in which order.
    pub(crate) async fn after(mut self, known: &str) -> Result<Self, StoreError> {
        let number = known.parse().map_or(EventNumber::ZERO, EventNumber::new);
        match self.told_with(number).await? {
            Some(told) => self.told = told,
            None => self.say(&Frame::Reset(Nothing {})),
        }
        Ok(self)
    }

    /// How far the listener was who was told this event.
    async fn told_with(&self, number: EventNumber) -> Result<Option<Newest>, StoreError> {
        if number == EventNumber::ZERO {
            return Ok(None);
        }
        let mut told = self.begun_at;
        if self.shows_both() {
            match self.state.worlds.bookmarks.find(&self.chat, number) {
                Some(bookmark) => told = bookmark,
                None => return Ok(None),
            }
        } else if self.stored {
            told.kept = number;
        } else {
            told.volatile = number;
        }
        let mut have_news = 0;
        for log in [Log::Kept, Log::Volatile] {
            let news = self.history(log).events_after(&self.key(), *told.of(log), 1).await?;
            let Some(news) = news else { return Ok(None) };
            have_news += news.len();
        }
        Ok((have_news < 2).then_some(told))
    }

    /// Remembers how far the listener is who is told this event, if its number alone does not say it.
    pub(super) fn bookmark(&self, log: Log, number: EventNumber) {
        if self.shows_both() && self.replayed.is_none() {
            let mut told = self.told;
            *told.of(log) = number;
            self.state.worlds.bookmarks.put(&self.chat, number, told);
        }
    }

    fn shows_both(&self) -> bool {
        self.stored && self.told.volatile != EventNumber::ZERO
    }
}
