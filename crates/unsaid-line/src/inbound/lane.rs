//! What one call says of one source, in order.

use unsaid_core::{domain::time::Timestamp, port::error::StoreError};

use super::{
    Inbound, Receipt,
    measured::{self, Storage},
    take::{Effect, Taken},
};
use crate::{errand::Errand, wire::Heard};

pub(super) struct Lane<'a> {
    inbound: &'a Inbound,
    now: Timestamp,
    heard: Vec<Heard>,
    /// How many of them are done.
    done: usize,
    receipt: Receipt,
    failure: Option<StoreError>,
    errands: Vec<Errand>,
}

impl<'a> Lane<'a> {
    pub(super) fn new(inbound: &'a Inbound, now: Timestamp) -> Self {
        let (receipt, errands) = (Receipt::default(), Vec::new());
        Self { inbound, now, heard: Vec::new(), done: 0, receipt, failure: None, errands }
    }

    pub(super) fn push(&mut self, heard: Heard) {
        self.heard.push(heard);
    }

    /// Takes in one after the other. The first that fails is the last: what comes after it must not
    /// get in before it.
    pub(super) async fn take_in(&mut self) {
        while let Some(heard) = self.heard.get(self.done) {
            match self.inbound.take(heard, self.now).await {
                Ok(Effect { taken, errands }) => {
                    self.done += 1;
                    self.count(taken);
                    self.errands.extend(errands);
                }
                Err(broken) => {
                    broken.what.failed(heard, broken.error.name());
                    self.failure = Some(broken.error);
                    return;
                }
            }
        }
    }

    /// Says where time ran out.
    pub(super) fn report_unfinished(&self) {
        if let Some(heard) = self.heard.get(self.done)
            && self.failure.is_none()
        {
            Storage::Timeout.failed(heard, "slow");
        }
    }

    pub(super) fn receipt(&self) -> Receipt {
        self.receipt
    }

    pub(super) fn take_failure(&mut self) -> Option<StoreError> {
        self.failure.take()
    }

    fn count(&mut self, taken: Taken) {
        match taken {
            Taken::Now => self.receipt.taken += 1,
            Taken::Before => {
                measured::duplicate();
                self.receipt.duplicates += 1;
            }
            Taken::Refused => self.receipt.refused += 1,
        }
    }
}

impl Drop for Lane<'_> {
    /// Only now, when nothing keeps LINE waiting any more; and always, also if LINE hung up.
    fn drop(&mut self) {
        for errand in self.errands.drain(..) {
            self.inbound.errands.take(errand);
        }
    }
}
