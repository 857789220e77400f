//! A conversation while it is changed: what the live object holds, and the segments that a change
//! needs beside it.
//!
//! Sealed numbers are smaller than all others, and what waits, runs or is about to leave is never
//! sealed. So most changes mean the same to the live part as to the whole; [`super::reach`] knows
//! which do not.

use std::{collections::BTreeSet, sync::Arc};

use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{Applied, Change, Cut, Refusal, ReplaceTail},
            key::ConversationKey,
            log::Entry,
        },
        id::{Fence, MessageId, Number},
        time::Timestamp,
    },
    port::history::{Commit, Committed},
};

use super::{
    ask::{Answer, Ask, Bind, Bound},
    digest::Digests,
};
use crate::{
    format::{
        head::{Binding, Segment},
        held::Held,
        sheet::{Sheet, Why},
    },
    name,
};

/// See the module.
pub(crate) struct Work {
    pub(crate) held: Held,
    /// Segments that were taken in, as they were.
    pub(crate) origins: Vec<(Segment, Sheet)>,
    /// What all segments know, once somebody asked.
    pub(crate) digests: Option<Arc<Digests>>,
    /// Whether anything is to be written.
    pub(crate) changed: bool,
}

impl Work {
    pub(crate) fn new(held: Held) -> Self {
        Self { held, origins: Vec::new(), digests: None, changed: false }
    }

    /// Whether a segment was taken in.
    pub(crate) fn has(&self, segment: &Segment) -> bool {
        self.origins.iter().any(|(origin, _)| origin == segment)
    }

    /// Takes a segment in: from now on it is part of the conversation at hand.
    pub(crate) fn take_in(&mut self, segment: Segment, sheet: Sheet) {
        let Sheet { entries, foreign, turns, tombstones, deliveries, media } = sheet.clone();
        let conversation = &mut self.held.conversation;
        let live = std::mem::take(&mut conversation.log);
        conversation.log = entries.into_iter().chain(live.iter().cloned()).collect();
        conversation.turns.extend(turns);
        conversation.tombstones.extend(tombstones);
        conversation.deliveries.extend(deliveries);
        self.held.media.extend(media);
        self.held.foreign.extend(foreign);
        self.held.foreign.sort_by_key(|foreign| foreign.after);
        self.origins.push((segment, sheet));
    }

    /// Does what is asked. `sealed_files` are the objects of files that segments name, where that
    /// matters.
    pub(crate) fn make(
        &mut self,
        ask: &Ask,
        key: &ConversationKey,
        sealed_files: &BTreeSet<String>,
    ) -> Answer {
        match ask {
            Ask::Commit(commit) => Answer::Committed(self.commit(commit)),
            Ask::Expire(now) => Answer::Swept(self.expire(*now)),
            Ask::Bind(bind) => Answer::Bound(self.bind(bind)),
            Ask::Drop => {
                self.drop_all(sealed_files, key);
                Answer::Cleaned(Vec::new())
            }
            Ask::Clean { seen } => Answer::Cleaned(self.clean(seen, key, sealed_files)),
        }
    }

    fn commit(&mut self, commit: &Commit) -> Committed {
        let version = self.held.conversation.version;
        if commit.expect.is_some_and(|expected| expected != version) {
            return Committed::Refused(Refusal::VersionConflict);
        }
        match self.apply(&commit.change, commit.now) {
            Err(refusal) => Committed::Refused(refusal),
            Ok(applied) => {
                if applied.outcome.is_effective() && self.held.owner.is_none() {
                    self.held.owner.clone_from(&commit.owner);
                }
                Committed::Applied(applied, Vec::new())
            }
        }
    }

    fn apply(&mut self, change: &Change, now: Timestamp) -> Result<Applied, Refusal> {
        let place = self.place_of(change);
        let applied = self.held.conversation.apply(change.clone(), now)?;
        let effective = applied.outcome.is_effective();
        self.changed |= effective;
        self.drop_foreign(change, place.filter(|_| effective));
        if effective {
            if let (Some(number), false) = (place, cuts(change)) {
                self.drop_unnamed_files(number);
            }
            self.drop_lost_files();
        }
        Ok(applied)
    }

    /// The number of what a change rewrites, or from which on it forgets.
    fn place_of(&self, change: &Change) -> Option<Number> {
        if let Change::ReplaceTail(ReplaceTail { from: Cut::After(number), .. }) = change {
            return Some(number.next());
        }
        let entry = self.held.conversation.log.by_id(rewritten(change)?)?;
        Some(entry.number)
    }

    /// Lines that are not heard go with what they belong to.
    fn drop_foreign(&mut self, change: &Change, place: Option<Number>) {
        let conversation = &self.held.conversation;
        let before = self.held.foreign.len();
        self.held.foreign.retain(|foreign| {
            if *change == Change::EraseAll {
                return false;
            }
            if cuts(change) && place.is_some_and(|from| foreign.after >= from) {
                return false;
            }
            match (&foreign.why, change) {
                (Why::Opaque { by }, Change::EraseAuthor { person, .. }) => {
                    by.as_deref() != Some(person.as_str())
                }
                (Why::Twin { of }, _) => place != Some(*of) && has_words(conversation, *of),
                (Why::Opaque { .. } | Why::Bad { .. }, _) => true,
            }
        });
        self.changed |= before != self.held.foreign.len();
    }

    /// Of the files of a message with new parts only those stay that the parts name.
    fn drop_unnamed_files(&mut self, number: Number) {
        let Some(entry) = self.held.conversation.log.get(number) else { return };
        let doomed = &mut self.held.doomed;
        self.held.media.retain(|key, binding| {
            let stays = binding.number != number || entry.message.media().any(|named| named == key);
            if !stays {
                doomed.insert(binding.object.clone());
            }
            stays
        });
    }

    /// Files die when their message has left the log, the undo buffer, or lost its words.
    fn drop_lost_files(&mut self) {
        let (conversation, doomed) = (&self.held.conversation, &mut self.held.doomed);
        self.held.media.retain(|key, binding| {
            if has_words(conversation, binding.number) {
                return true;
            }
            // Two lines of the product before ours may name one object.
            let other = conversation.log.iter().find(|entry| {
                !name::is_ours(&binding.object) && entry.message.media().any(|named| named == key)
            });
            if let Some(other) = other {
                binding.number = other.number;
                return true;
            }
            doomed.insert(binding.object.clone());
            false
        });
    }

    fn bind(&mut self, bind: &Bind) -> Bound {
        if self.held.cleanings != bind.cleanings {
            return Bound::Again { cleanings: self.held.cleanings };
        }
        let entry = self.held.conversation.log.by_id(&bind.message).filter(|entry| !entry.gone);
        let Some(entry) = entry.filter(|_| !self.held.media.contains_key(&bind.key)) else {
            return Bound::No;
        };
        let (mime, object) = (bind.mime.clone(), bind.object.clone());
        let binding = Binding { number: entry.number, mime, object };
        self.held.media.insert(bind.key.clone(), binding);
        self.changed = true;
        Bound::Yes
    }

    /// Drops what time has closed in the live part and in the segments taken in.
    fn expire(&mut self, now: Timestamp) -> bool {
        let applied = self.apply(&Change::Expire, now);
        applied.is_ok_and(|applied| applied.outcome.is_effective())
    }

    /// Of the objects seen, those that nobody names. The conversation counts the cleaning, so that
    /// nobody names them from now on.
    fn clean(
        &mut self,
        seen: &[String],
        key: &ConversationKey,
        sealed_files: &BTreeSet<String>,
    ) -> Vec<String> {
        let prefix = name::sealed_prefix(key);
        let segments = self.held.segments.iter();
        let mut named: BTreeSet<String> =
            segments.map(|segment| format!("{prefix}{}", segment.nonce)).collect();
        named.extend(self.held.media.values().map(|binding| binding.object.clone()));
        named.extend(sealed_files.iter().cloned());
        let unnamed: Vec<String> =
            seen.iter().filter(|name| !named.contains(*name)).cloned().collect();
        self.held.cleanings += u64::from(!unnamed.is_empty());
        self.changed |= !unnamed.is_empty() || !self.held.doomed.is_empty();
        unnamed
    }

    /// Forgets everything, counters included; what must be deleted is named.
    fn drop_all(&mut self, files: &BTreeSet<String>, key: &ConversationKey) {
        let held = std::mem::take(&mut self.held);
        if !held.exists() && held.segments.is_empty() && held.foreign.is_empty() {
            self.held = held;
            return;
        }
        let mut doomed = held.doomed;
        doomed.extend(held.media.into_values().map(|binding| binding.object));
        let prefix = name::sealed_prefix(key);
        doomed.extend(held.segments.iter().map(|segment| format!("{prefix}{}", segment.nonce)));
        doomed.extend(files.iter().cloned());
        self.held.doomed = doomed;
        self.held.cleanings = held.cleanings;
        self.held.nonces = held.nonces;
        self.origins.clear();
        self.changed = true;
    }
}

/// Whether the words of a number are anywhere.
pub(crate) fn has_words(conversation: &Conversation, number: Number) -> bool {
    let in_undo = |wanted: Number| {
        let undo = conversation.undo.as_ref()?;
        undo.entries.iter().find(|entry: &&Entry| entry.number == wanted)
    };
    let entry = conversation.log.get(number).or_else(|| in_undo(number));
    entry.is_some_and(|entry| !entry.gone)
}

/// The turns whose records stay live: those that entries and buffers tell of, and the newest that is
/// over, so that a list of sources needs no segment for it.
pub(crate) fn told(conversation: &Conversation) -> BTreeSet<Fence> {
    let undone = conversation.undo.iter().flat_map(|undo| &undo.entries);
    let mut told: BTreeSet<Fence> = conversation.turn.iter().map(|lease| lease.fence).collect();
    let newest = conversation.turns.iter().rev().find(|(_, turn)| turn.ended.is_some());
    told.extend(newest.map(|(fence, _)| *fence));
    for entry in conversation.log.iter().chain(undone) {
        told.extend(entry.asked_in.iter().chain(&entry.turn));
    }
    told
}

/// The message whose words a change replaces, or from which on it forgets.
fn rewritten(change: &Change) -> Option<&MessageId> {
    if let Change::Fill { id, .. } = change {
        Some(id)
    } else if let Change::Revise(revise) = change {
        Some(&revise.id)
    } else if let Change::ReplaceTail(ReplaceTail { from: Cut::At(id), .. }) = change {
        Some(id)
    } else {
        None
    }
}

fn cuts(change: &Change) -> bool {
    matches!(change, Change::ReplaceTail(_))
}
