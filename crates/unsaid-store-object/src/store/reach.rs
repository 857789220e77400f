//! Which segments a change needs beside the live object.

use std::{collections::BTreeSet, sync::Arc};

use unsaid_core::{
    domain::{
        conversation::{
            DELIVERY_MEMORY_MS,
            change::{Change, Cut, ReplaceTail},
            key::ConversationKey,
        },
        id::{DeliveryId, Fence, MediaKey, MessageId},
        time::Timestamp,
    },
    port::error::StoreError,
};

use super::{
    Inner,
    ask::Ask,
    digest::{Digests, Mark, mark},
    fetch::Moved,
    work::Work,
};
use crate::{format::head::Segment, name};

/// What a change may find sealed.
enum Reach<'a> {
    /// Nothing: what waits, runs or can be undone is never sealed.
    Nothing,
    /// What these names stand for.
    Named(Names<'a>),
    /// The segments that have something for time to close.
    Old(fn(&Segment) -> Option<Timestamp>, Timestamp),
    /// Everything.
    All,
    /// Which files there are.
    Files,
}

/// The names that a change brings.
#[derive(Default)]
struct Names<'a> {
    ids: Vec<&'a MessageId>,
    delivery: Option<&'a DeliveryId>,
    file: Option<&'a MediaKey>,
    /// The change asks further: for the answers of the turns that were asked about it.
    ripples: bool,
    /// The change asks for everything after it.
    cuts: bool,
}

impl Inner {
    /// Takes in the segments that this needs; returns the files of segments, where that is asked.
    pub(crate) async fn reach(
        self: &Arc<Self>,
        key: &ConversationKey,
        work: &mut Work,
        ask: &Ask,
    ) -> Result<Result<BTreeSet<String>, Moved>, StoreError> {
        let none = BTreeSet::new();
        if work.held.segments.is_empty() {
            return Ok(Ok(none));
        }
        let wanted = match reach(ask, work) {
            Reach::Nothing => return Ok(Ok(none)),
            Reach::All => work.held.segments.clone(),
            Reach::Old(newest, horizon) => {
                let segments = work.held.segments.iter();
                let old = |segment: &&Segment| newest(segment).is_some_and(|at| at <= horizon);
                segments.filter(old).cloned().collect()
            }
            Reach::Files => return self.sealed_files(key, work).await,
            Reach::Named(names) => return self.reach_named(key, work, &names).await,
        };
        Ok(self.take_in(key, work, &wanted).await?.map(|()| none))
    }

    async fn reach_named(
        self: &Arc<Self>,
        key: &ConversationKey,
        work: &mut Work,
        names: &Names<'_>,
    ) -> Result<Result<BTreeSet<String>, Moved>, StoreError> {
        let digests = match &work.digests {
            Some(digests) => Arc::clone(digests),
            None => match self.digests(key, &work.held.segments).await? {
                Ok(digests) => Arc::new(digests),
                Err(moved) => return Ok(Err(moved)),
            },
        };
        work.digests = Some(Arc::clone(&digests));
        let mut wanted = names.found_in(&digests, &work.held.segments);
        if names.cuts && !wanted.is_empty() {
            wanted.clone_from(&work.held.segments);
        } else if let Err(moved) = self.take_in(key, work, &wanted).await? {
            return Ok(Err(moved));
        } else if names.ripples {
            let fences = asked_about(work, &names.ids);
            let told = |segment: &&Segment| {
                let digest = digests.get(&segment.nonce);
                digest.is_some_and(|digest| fences.iter().any(|fence| digest.has_fence(*fence)))
            };
            wanted = work.held.segments.iter().filter(told).cloned().collect();
        }
        Ok(self.take_in(key, work, &wanted).await?.map(|()| BTreeSet::new()))
    }

    async fn take_in(
        self: &Arc<Self>,
        key: &ConversationKey,
        work: &mut Work,
        segments: &[Segment],
    ) -> Result<Result<(), Moved>, StoreError> {
        let new: Vec<Segment> =
            segments.iter().filter(|segment| !work.has(segment)).cloned().collect();
        match self.sheets(key, &new).await? {
            Ok(sheets) => {
                for (segment, sheet) in sheets {
                    work.take_in(segment, Arc::unwrap_or_clone(sheet));
                }
                Ok(Ok(()))
            }
            Err(moved) => Ok(Err(moved)),
        }
    }

    async fn sealed_files(
        self: &Arc<Self>,
        key: &ConversationKey,
        work: &Work,
    ) -> Result<Result<BTreeSet<String>, Moved>, StoreError> {
        let digests = self.digests(key, &work.held.segments).await?;
        Ok(digests.map(|digests| {
            let files = digests.values().flat_map(|digest| digest.media.values());
            files.map(|binding| binding.object.clone()).collect()
        }))
    }
}

impl Names<'_> {
    /// The segments that may know one of the names.
    fn found_in(&self, digests: &Digests, segments: &[Segment]) -> Vec<Segment> {
        let ids: Vec<Mark> = self.ids.iter().copied().map(mark).collect();
        let delivery = self.delivery.map(mark);
        let knows = |segment: &&Segment| {
            digests.get(&segment.nonce).is_some_and(|digest| {
                ids.iter().any(|id| digest.has_id(*id))
                    || delivery.is_some_and(|id| digest.has_delivery(id))
                    || self.file.is_some_and(|key| digest.media.contains_key(key))
            })
        };
        segments.iter().filter(knows).cloned().collect()
    }
}

fn reach<'a>(ask: &'a Ask, work: &Work) -> Reach<'a> {
    match ask {
        Ask::Commit(commit) => of_change(&commit.change, commit.now),
        Ask::Expire(now) => Reach::Old(
            |segment| segment.deliveries.map(|(_, newest)| newest),
            now.plus_millis(-DELIVERY_MEMORY_MS),
        ),
        Ask::Bind(bind) => Reach::Named(Names {
            ids: vec![&bind.message],
            file: Some(&bind.key),
            ..Names::default()
        }),
        Ask::Drop => Reach::Files,
        Ask::Clean { seen } => {
            let live = |name: &&String| work.held.media.values().any(|file| file.object == **name);
            let all =
                seen.iter().filter(|name| name.starts_with(name::MEDIA)).all(|name| live(&name));
            if all { Reach::Nothing } else { Reach::Files }
        }
    }
}

fn of_change(change: &Change, now: Timestamp) -> Reach<'_> {
    let ids = |ids: Vec<_>| Names { ids, ..Names::default() };
    let names = match change {
        Change::Say(say) => Names { delivery: say.delivery.as_ref(), ..ids(vec![&say.message.id]) },
        Change::Fill { id, .. } | Change::Settle { id, .. } => ids(vec![id]),
        Change::Intend { message, .. } => ids(vec![&message.id]),
        Change::Answer { messages, .. } => {
            ids(messages.iter().map(|message| &message.id).collect())
        }
        Change::Revise(revise) => Names { ripples: true, ..ids(vec![&revise.id]) },
        Change::Remove(remove) => Names { ripples: true, ..ids(vec![&remove.id]) },
        Change::ReplaceTail(ReplaceTail { from: Cut::At(from), with, .. }) => {
            let with = with.iter().map(|(message, _)| &message.id);
            Names { cuts: true, ..ids(with.chain([from]).collect()) }
        }
        Change::Begin { .. }
        | Change::Renew { .. }
        | Change::Decide { .. }
        | Change::Release { .. }
        | Change::Stop
        | Change::Restore { .. }
        | Change::CloseUndo
        | Change::Clear(_) => return Reach::Nothing,
        // Segments are found by names, and here is none.
        Change::ReplaceTail(ReplaceTail { from: Cut::After(_), .. })
        | Change::EraseAuthor { .. }
        | Change::EraseAll => return Reach::All,
        Change::Expire => {
            let oldest = |segment: &Segment| segment.deliveries.map(|(oldest, _)| oldest);
            return Reach::Old(oldest, now.plus_millis(-DELIVERY_MEMORY_MS));
        }
    };
    Reach::Named(names)
}

/// The turns that were asked about messages, live or taken back.
fn asked_about(work: &Work, ids: &[&MessageId]) -> BTreeSet<Fence> {
    let conversation = &work.held.conversation;
    let mut fences = BTreeSet::new();
    for id in ids {
        fences.extend(conversation.tombstones.get(*id).into_iter().flatten());
        let entry = conversation.log.by_id(id);
        fences.extend(entry.into_iter().flat_map(|entry| &entry.asked_in));
    }
    fences
}
