//! Read, apply, put: one batch of a lane, as often as it takes and as long as somebody waits.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};
use unsaid_core::{domain::conversation::key::ConversationKey, port::error::StoreError};

use super::{
    Inner,
    ask::Answer,
    cache::Live,
    fetch::Moved,
    lane::{late, unconfirmed},
    pending::Pending,
    seal::{NewSegment, Plan, Planner},
    work::Work,
};
use crate::{
    bucket::{BucketError, Expect, Put},
    name,
};

/// How often a batch is tried.
const TRIES_MAX: u64 = 40;

/// A batch on its way.
struct Batch {
    waiting: Vec<Arc<Pending>>,
    /// Writes of which it is not known whether they took place.
    sent: Vec<Sent>,
    /// Whether one of them may still arrive.
    uncertain: bool,
    /// What the write that took place leaves to be deleted.
    doomed: BTreeSet<String>,
    /// How often it was tried.
    tries: u64,
}

/// A write that left.
struct Sent {
    nonce: String,
    answers: Vec<Answer>,
    /// Segments that only it names.
    segments: Vec<String>,
}

/// What a try came to.
enum Step {
    Done(Vec<Answer>),
    Again(Duration),
    Failed(StoreError),
}

impl Inner {
    /// Writes a batch, and answers everybody in it.
    pub(crate) async fn write(self: &Arc<Self>, key: &ConversationKey, waiting: Vec<Arc<Pending>>) {
        let (sent, doomed) = (Vec::new(), BTreeSet::new());
        let mut batch = Batch { waiting, sent, uncertain: false, doomed, tries: 0 };
        while batch.tries < TRIES_MAX {
            batch.tries += 1;
            batch.drop_withdrawn();
            if batch.waiting.is_empty() {
                break;
            }
            match self.attempt(key, &mut batch).await {
                Step::Done(answers) => {
                    for (pending, answer) in batch.waiting.iter().zip(answers) {
                        pending.answer(Ok(answer));
                    }
                    batch.waiting.clear();
                }
                Step::Again(wait) => sleep(wait).await,
                Step::Failed(error) => batch.fail(&error),
            }
        }
        batch.fail(&late());
        if !batch.sent.is_empty() {
            // A write that may still arrive, or what it left behind, is looked after later.
            self.index().suspect(key);
        }
        self.delete_doomed(key, &batch.doomed).await;
    }

    async fn attempt(self: &Arc<Self>, key: &ConversationKey, batch: &mut Batch) -> Step {
        let live = match self.live(key).await {
            Ok(live) => live,
            Err(error) => return Step::Failed(error),
        };
        if let Some(sent) = batch.take_confirmed(&live) {
            self.index().note(key, live.at.as_ref(), &live.held);
            batch.doomed.clone_from(&live.held.doomed);
            return Step::Done(sent.answers);
        }
        self.call_back(key, batch).await;
        let mut work = Work::new(live.held.clone());
        let answers = match self.make(key, &mut work, batch).await {
            Ok(Ok(answers)) => answers,
            Ok(Err(Moved { .. })) => return Step::Again(self.jitter(batch.tries)),
            Err(error) => return Step::Failed(error),
        };
        if !work.changed {
            self.index().note(key, live.at.as_ref(), &live.held);
            return Step::Done(answers);
        }
        self.forget_deleted(key, &live, &mut work).await;
        let planner = Planner {
            key,
            object_bytes_max: self.options.object_bytes_max,
            nonce: &|| self.nonce(),
        };
        let nonce = self.nonce();
        match planner.plan(work, nonce.clone()) {
            Ok(plan) => {
                let segments = plan.segments.iter().map(|segment| segment.name.clone()).collect();
                let sent = Sent { nonce, answers, segments };
                self.send(key, batch, &live, plan, sent).await
            }
            Err(error) => Step::Failed(error),
        }
    }

    /// Does all that is asked, one after the other.
    async fn make(
        self: &Arc<Self>,
        key: &ConversationKey,
        work: &mut Work,
        batch: &Batch,
    ) -> Result<Result<Vec<Answer>, Moved>, StoreError> {
        let mut answers = Vec::with_capacity(batch.waiting.len());
        for pending in &batch.waiting {
            match self.reach(key, work, &pending.ask).await? {
                Ok(files) => answers.push(work.make(&pending.ask, key, &files)),
                Err(moved) => return Ok(Err(moved)),
            }
        }
        Ok(Ok(answers))
    }

    /// Segments first, the live object last.
    async fn send(
        &self,
        key: &ConversationKey,
        batch: &mut Batch,
        live: &Live,
        plan: Plan,
        sent: Sent,
    ) -> Step {
        let tries = batch.tries;
        if let Err(step) = self.put_segments(key, &plan.segments, tries).await {
            return step;
        }
        if !batch.waiting.iter().all(|pending| pending.send_off()) {
            self.delete_unsent(key, &sent.segments).await;
            return Step::Again(Duration::ZERO);
        }
        self.lanes.hold_until(key, Instant::now() + self.options.put_interval);
        let expect = live.at.clone().map_or(Expect::Absent, Expect::Version);
        let name = name::live(key);
        match self.in_time(self.bucket.put(&name, plan.live.clone(), &expect)).await {
            Ok(Put::Done(at)) => {
                batch.doomed.clone_from(&plan.held.doomed);
                self.keep(key, Live { at: Some(at), bytes: plan.live.len(), held: plan.held });
                for NewSegment { nonce, digest, .. } in &plan.segments {
                    self.cache().keep_digest(key, nonce, digest);
                }
                Step::Done(sent.answers)
            }
            Ok(Put::Stale) => {
                batch.sent.push(sent);
                Step::Again(self.jitter(tries))
            }
            Err(BucketError::Uncertain(_)) => {
                batch.sent.push(sent);
                batch.uncertain = true;
                Step::Again(self.jitter(tries))
            }
            Err(error @ (BucketError::Busy | BucketError::Away(_) | BucketError::Full)) => {
                self.delete_unsent(key, &sent.segments).await;
                self.not_written(&error, tries)
            }
        }
    }

    async fn put_segments(
        &self,
        key: &ConversationKey,
        segments: &[NewSegment],
        tries: u64,
    ) -> Result<(), Step> {
        for (place, segment) in segments.iter().enumerate() {
            let put = self.bucket.put(&segment.name, segment.bytes.clone(), &Expect::Absent);
            let error = match self.in_time(put).await {
                // After a lost answer the bucket may tell of our own write.
                Ok(Put::Done(_) | Put::Stale) => continue,
                Err(error) => error,
            };
            let written: Vec<String> =
                segments[..=place].iter().map(|segment| segment.name.clone()).collect();
            self.delete_unsent(key, &written).await;
            if let BucketError::Uncertain(_) = error {
                self.index().suspect(key);
            }
            return Err(self.not_written(&error, tries));
        }
        Ok(())
    }

    /// A try that certainly changed nothing.
    fn not_written(&self, error: &BucketError, tries: u64) -> Step {
        match error {
            BucketError::Busy => Step::Again(self.jitter(tries) * 4),
            BucketError::Uncertain(_) => Step::Again(self.jitter(tries)),
            BucketError::Away(why) => Step::Failed(StoreError::Unavailable(why.clone())),
            BucketError::Full => Step::Failed(StoreError::Full),
        }
    }

    /// Writes that were refused did not take place, unless one was uncertain: that may still come.
    async fn call_back(&self, key: &ConversationKey, batch: &mut Batch) {
        if batch.uncertain {
            return;
        }
        for sent in std::mem::take(&mut batch.sent) {
            self.delete_unsent(key, &sent.segments).await;
        }
        for pending in &batch.waiting {
            pending.call_back();
        }
    }

    /// Deletes what nobody will ever name.
    async fn delete_unsent(&self, key: &ConversationKey, names: &[String]) {
        for name in names {
            if self.in_time(self.bucket.delete(name)).await.is_err() {
                self.index().suspect(key);
            }
        }
    }

    /// What was doomed before is deleted before its name is forgotten.
    async fn forget_deleted(&self, key: &ConversationKey, live: &Live, work: &mut Work) {
        let deleted = self.cache().deleted(key);
        for name in &live.held.doomed {
            let gone =
                deleted.contains(name) || self.in_time(self.bucket.delete(name)).await.is_ok();
            if gone {
                work.held.doomed.remove(name);
            }
        }
    }

    /// Deletes what the newest write has doomed.
    async fn delete_doomed(&self, key: &ConversationKey, doomed: &BTreeSet<String>) {
        let deleted = self.cache().deleted(key);
        for name in doomed.iter().filter(|name| !deleted.contains(*name)) {
            if self.in_time(self.bucket.delete(name)).await.is_ok() {
                self.cache().note_deleted(key, name.clone());
            } else {
                self.index().suspect(key);
            }
        }
    }

    fn keep(&self, key: &ConversationKey, live: Live) {
        self.index().note(key, live.at.as_ref(), &live.held);
        self.cache().keep_live(key, &Arc::new(live));
    }
}

impl Batch {
    /// Those that waited too long, or do not wait any more, are not written.
    fn drop_withdrawn(&mut self) {
        let now = Instant::now();
        if self.uncertain {
            // They are part of what may have been written; they stay as long as anybody waits.
            if self.waiting.iter().all(|pending| pending.due <= now) {
                self.fail(&unconfirmed());
            }
            return;
        }
        self.waiting.retain(|pending| {
            let late = pending.due <= now && pending.withdraw();
            if late {
                pending.answer(Err(super::lane::late()));
            }
            !pending.is_withdrawn()
        });
    }

    /// The write that took place, if one of those that left did.
    fn take_confirmed(&mut self, live: &Live) -> Option<Sent> {
        let place = self.sent.iter().position(|sent| live.held.nonces.contains(&sent.nonce))?;
        let sent = self.sent.remove(place);
        // Nothing else of this batch can take place any more, but it may have left segments.
        self.sent.retain(|other| !other.segments.is_empty());
        Some(sent)
    }

    fn fail(&mut self, error: &StoreError) {
        // What left and was not looked after may have taken place.
        let error = if self.sent.is_empty() { error.clone() } else { unconfirmed() };
        for pending in self.waiting.drain(..) {
            pending.answer(Err(error.clone()));
        }
    }
}
