//! Whether what the listener said is answered, and whether somebody is still at it.

use tokio::time::sleep;
use unsaid_app::world::talk::is_settled;
use unsaid_core::domain::id::Fence;
use unsaid_core::port::error::StoreError;

use super::{Follow, LOOK_EVERY_WAITING, Stage};
use crate::world::frame::WorldKind;

impl Follow {
    /// Waits until what the listener said is answered, without telling anything.
    pub(crate) async fn answered(&mut self) -> Result<(), StoreError> {
        while !self.is_answered().await? {
            tokio::select! {
                notice = self.watch.next() => if notice.is_none() { sleep(LOOK_EVERY_WAITING).await },
                () = sleep(LOOK_EVERY_WAITING) => {}
            }
        }
        Ok(())
    }

    /// Whoever answers here is about to say so, and how it ended: they have until the next look.
    pub(super) async fn look_whether_still_answered(&mut self) -> Result<(), StoreError> {
        let is_settled = self.is_answered().await?;
        if std::mem::replace(&mut self.is_settled, is_settled) {
            return self.look_whether_answered().await;
        }
        self.look_whether_taken_back().await
    }

    pub(super) async fn look_whether_answered(&mut self) -> Result<(), StoreError> {
        self.look_whether_taken_back().await?;
        if self.own.is_some() && self.is_answered().await? {
            // What is to be heard first may be how it was answered; a call that is repeated knows that.
            if !self.watch.is_empty() && self.replayed.is_none() {
                self.stage = Stage::Closing;
                return Ok(());
            }
            // What came between reading and looking.
            self.read().await?;
            if self.announced.take().is_some() {
                // Whoever spoke last would say so after this.
                self.say_world(WorldKind::ResponseEnd, Vec::new());
            }
            self.say_world(WorldKind::Idle, Vec::new());
            self.stage = Stage::Over;
        }
        Ok(())
    }

    /// Whether a turn that begins is told. Once what the listener said is answered, only its answers
    /// are: of another round they would not hear the end.
    pub(super) async fn is_turn_told(&mut self, turn: Fence) -> Result<bool, StoreError> {
        let is_closing = self.stage == Stage::Closing || self.is_settled;
        let Some(own) = self.own.as_ref().filter(|_| is_closing) else { return Ok(true) };
        let question = self.history(own.log).find(&self.key(), &own.question).await?;
        let is_own = question.is_some_and(|question| question.asked_in.contains(&turn));
        if is_own {
            // The log was ahead of the notices, and they will say how it ended.
            (self.stage, self.is_settled) = (Stage::Going, false);
        }
        Ok(is_own)
    }

    pub(super) async fn is_answering(&self) -> Result<bool, StoreError> {
        self.state.sessions.logs.is_answering(&self.key(), self.state.clock.now()).await
    }

    async fn is_answered(&self) -> Result<bool, StoreError> {
        let Some(own) = &self.own else { return Ok(false) };
        is_settled(self.history(own.log), &self.key(), &own.question).await
    }
}
