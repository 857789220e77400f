//! Whether what the listener said is answered, and whether somebody is still at it.

use tokio::time::sleep;
use unsaid_app::world::talk::is_settled;
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
            self.say_world(WorldKind::Idle, Vec::new());
            self.stage = Stage::Over;
        }
        Ok(())
    }

    pub(super) async fn is_answering(&self) -> Result<bool, StoreError> {
        self.state.sessions.logs.is_answering(&self.key(), self.state.clock.now()).await
    }

    async fn is_answered(&self) -> Result<bool, StoreError> {
        let Some(own) = &self.own else { return Ok(false) };
        is_settled(self.history(own.log), &self.key(), &own.question).await
    }
}
