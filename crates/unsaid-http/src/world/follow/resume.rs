//! Listeners that come back, and how far they were.

use unsaid_app::logs::Log;
use unsaid_core::domain::id::EventNumber;
use unsaid_core::port::error::StoreError;

use super::{Follow, Newest};
use crate::world::bookmarks::Told;
use crate::world::frame::{Frame, Nothing};

impl Follow {
    /// From an event on that the listener knows. They are told to look anew if it is none of this chat,
    /// if it is of a log that is not shown any more since consent has changed, if nobody can say how far
    /// they were in the other log, or if both logs have news, for nobody can say in which order.
    pub(crate) async fn after(mut self, known: &str) -> Result<Self, StoreError> {
        let number = known.parse().map_or(EventNumber::ZERO, EventNumber::new);
        match self.told_with(number).await? {
            Some(told) => (self.told, self.newest) = (told, Some(number)),
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
        match self.state.worlds.bookmarks.find(&self.chat, number, self.stored) {
            Some(Told::UpTo(noted)) => told = noted,
            // There is nothing of which its number does not say enough.
            None if self.stored && told.volatile == EventNumber::ZERO => told.kept = number,
            None if !self.stored && told.kept == EventNumber::ZERO => told.volatile = number,
            None | Some(Told::Nobody) => return Ok(None),
        }
        let mut have_news = 0;
        for log in [Log::Kept, Log::Volatile] {
            let news = self.history(log).events_after(&self.key(), *told.of(log), 1).await?;
            let Some(news) = news else { return Ok(None) };
            have_news += news.len();
        }
        Ok((have_news < 2).then_some(told))
    }

    /// Remembers how far the listener is who is told this event, where its number alone does not say it.
    pub(super) fn bookmark(&mut self, log: Log, number: EventNumber) {
        self.newest = Some(number);
        let mut told = self.told;
        *told.of(log) = number;
        let is_kept = self.stored || told.kept != EventNumber::ZERO;
        if is_kept && told.volatile != EventNumber::ZERO && self.replayed.is_none() {
            self.state.worlds.bookmarks.put(&self.chat, number, told, self.stored);
        }
    }

    /// Tells the listener to look anew. Where they come back with the newest event that they know, they
    /// know more or less than they were told until then.
    pub(super) fn look_anew(&mut self) {
        if let Some(newest) = self.newest {
            self.state.worlds.bookmarks.spoil(newest);
        }
        self.say(&Frame::Reset(Nothing {}));
    }
}
