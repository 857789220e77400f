//! What became of turns, without words. The newest are in the live object or in few segments, and the
//! digests tell in which.

use std::{collections::BTreeMap, sync::Arc};

use unsaid_core::domain::{
    conversation::{change::EndedTurn, key::ConversationKey},
    id::Fence,
};

use super::{Inner, cache::Live, history::Look};
use crate::format::head::Segment;

impl Inner {
    /// The newest turns that are over, newest first.
    pub(crate) async fn ended_turns(
        self: &Arc<Self>,
        key: &ConversationKey,
        live: Arc<Live>,
        before: Option<Fence>,
        limit: usize,
    ) -> Look<Vec<EndedTurn>> {
        let newest = live.held.conversation.ended_turns(before).take(limit);
        let mut found: BTreeMap<Fence, EndedTurn> = newest.map(|turn| (turn.fence, turn)).collect();
        let digests = match self.digests(key, &live.held.segments).await? {
            Ok(digests) => digests,
            Err(moved) => return Ok(Err(moved)),
        };
        let newest_of = |segment: &Segment| digests.get(&segment.nonce)?.newest_fence(before);
        let sealed = live.held.segments.iter();
        let mut sealed: Vec<(Fence, &Segment)> =
            sealed.filter_map(|segment| Some((newest_of(segment)?, segment))).collect();
        sealed.sort_by_key(|(newest, _)| std::cmp::Reverse(*newest));
        for (newest, segment) in sealed {
            // Places do not tell how old a turn is: one that no message tells of is sealed early.
            let oldest_shown = found.keys().rev().take(limit).next_back();
            if found.len() >= limit && oldest_shown.is_none_or(|shown| *shown > newest) {
                break;
            }
            let sheet = match self.sheet(key, segment).await? {
                Ok(sheet) => sheet,
                Err(moved) => return Ok(Err(moved)),
            };
            let older = sheet.turns.iter();
            let older = older.filter(|(fence, _)| before.is_none_or(|before| **fence < before));
            let ended = older.filter_map(|(fence, record)| EndedTurn::of(*fence, record));
            found.extend(ended.map(|turn| (turn.fence, turn)));
        }
        Ok(Ok(found.into_values().rev().take(limit).collect()))
    }
}
