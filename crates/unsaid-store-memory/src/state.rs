//! What is held, and the one place where a conversation changes.

use std::collections::{BTreeMap, HashMap, btree_map};

use unsaid_core::{
    domain::{
        audit::AuditLine,
        conversation::{
            Conversation,
            change::{Applied, Change, Event, Refusal},
            key::ConversationKey,
            log::Entry,
            seams::Seams,
        },
        id::{
            EventNumber, IdempotencyKey, MediaKey, MessageId, Number, PersonId, SessionId,
            SignInId, SourceId,
        },
        person::{ConsentLine, Person},
        secret::SecretKey,
        session::{BillingLine, Session},
        source::SourceCard,
        time::Timestamp,
    },
    port::{directory::NameCard, keys::KeyUse, media::MediaFile},
};

use crate::{bounds::Bounds, erasure::Pending, worlds::HeldWorld};

/// Everything.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) bounds: Bounds,
    pub(crate) conversations: BTreeMap<ConversationKey, Held>,
    pub(crate) people: BTreeMap<PersonId, Person>,
    pub(crate) ledger: HashMap<PersonId, Vec<ConsentLine>>,
    pub(crate) secrets: BTreeMap<String, SecretKey>,
    /// Until when each is remembered.
    pub(crate) ended_sign_ins: BTreeMap<SignInId, Timestamp>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) billing: Vec<BillingLine>,
    pub(crate) keys: HashMap<KeyName, KeyUse>,
    pub(crate) worlds: Vec<HeldWorld>,
    pub(crate) pending: BTreeMap<PersonId, Pending>,
    pub(crate) audit: Vec<AuditLine>,
    pub(crate) sources: HashMap<SourceId, SourceCard>,
    pub(crate) names: HashMap<PersonId, NameCard>,
    /// Conversations, the least recently touched first.
    pub(crate) by_touch: BTreeMap<u64, ConversationKey>,
    /// Of all conversations; counted only if it is bounded.
    pub(crate) bytes: usize,
    pub(crate) last_event: EventNumber,
    last_touch: u64,
}

/// Person, scope and key: the same use.
pub(crate) type KeyName = (PersonId, String, IdempotencyKey);

/// A conversation with what belongs to it.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) owner: Option<PersonId>,
    pub(crate) conversation: Conversation,
    pub(crate) events: Vec<(EventNumber, Event)>,
    /// Where it goes on after what is kept of the same conversation elsewhere.
    pub(crate) seams: Seams,
    /// Its files.
    pub(crate) media: BTreeMap<MediaKey, HeldFile>,
    /// When its first change came.
    pub(crate) since: Timestamp,
    pub(crate) touched_at: Timestamp,
    /// Its place in [`State::by_touch`].
    pub(crate) touch: u64,
    /// Its part of [`State::bytes`].
    pub(crate) bytes: usize,
}

/// A file. It belongs to a number, because an id can change hands while an edit can be undone.
#[derive(Debug)]
pub(crate) struct HeldFile {
    pub(crate) number: Number,
    pub(crate) file: MediaFile,
}

impl State {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            conversations: BTreeMap::new(),
            people: BTreeMap::new(),
            ledger: HashMap::new(),
            secrets: BTreeMap::new(),
            ended_sign_ins: BTreeMap::new(),
            sessions: BTreeMap::new(),
            billing: Vec::new(),
            keys: HashMap::new(),
            worlds: Vec::new(),
            pending: BTreeMap::new(),
            audit: Vec::new(),
            sources: HashMap::new(),
            names: HashMap::new(),
            by_touch: BTreeMap::new(),
            bytes: 0,
            last_event: EventNumber::ZERO,
            last_touch: 0,
        }
    }

    /// Makes a change, numbers its events, and lets files go with their messages. A conversation
    /// exists from its first effective change on.
    pub(crate) fn apply(
        &mut self,
        key: &ConversationKey,
        change: Change,
        now: Timestamp,
    ) -> Result<(Applied, Vec<EventNumber>), Refusal> {
        let rewritten = rewritten(&change).cloned();
        let (held, applied) = match self.conversations.entry(key.clone()) {
            btree_map::Entry::Occupied(place) => {
                let held = place.into_mut();
                let applied = held.conversation.apply(change, now)?;
                (held, applied)
            }
            btree_map::Entry::Vacant(place) => {
                let mut held = Held { since: now, touched_at: now, ..Held::default() };
                let applied = held.conversation.apply(change, now)?;
                if !applied.outcome.is_effective() {
                    return Ok((applied, Vec::new()));
                }
                (place.insert(held), applied)
            }
        };
        let mut numbers = Vec::new();
        if key.keeps_events() {
            for event in &applied.events {
                self.last_event = self.last_event.next();
                held.events.push((self.last_event, event.clone()));
                numbers.push(self.last_event);
            }
        }
        if let Some(id) = rewritten.filter(|_| applied.outcome.is_effective()) {
            self.drop_unnamed_files(key, &id);
        }
        self.drop_lost_files(key);
        Ok((applied, numbers))
    }

    /// Of the files of a message with new parts only those stay that the parts name.
    fn drop_unnamed_files(&mut self, key: &ConversationKey, id: &MessageId) {
        let Some(held) = self.conversations.get_mut(key) else { return };
        let Some(entry) = held.conversation.log.by_id(id) else { return };
        held.media.retain(|name, file| {
            file.number != entry.number || entry.message.media().any(|named| named == name)
        });
    }

    /// Files die when their message has left the log, the undo buffer, or lost its words.
    pub(crate) fn drop_lost_files(&mut self, key: &ConversationKey) {
        let Some(held) = self.conversations.get_mut(key) else { return };
        let conversation = &held.conversation;
        held.media.retain(|_, file| has_words(conversation, file.number));
    }

    /// Removes a conversation with its events and files.
    pub(crate) fn drop_conversation(&mut self, key: &ConversationKey) -> Option<Held> {
        let held = self.conversations.remove(key)?;
        self.by_touch.remove(&held.touch);
        self.bytes -= held.bytes;
        Some(held)
    }

    /// Somebody dealt with it just now.
    pub(crate) fn touch(&mut self, key: &ConversationKey, now: Timestamp) {
        let Some(held) = self.conversations.get_mut(key) else { return };
        self.by_touch.remove(&held.touch);
        self.last_touch += 1;
        held.touch = self.last_touch;
        held.touched_at = now;
        self.by_touch.insert(self.last_touch, key.clone());
    }

    /// The conversations of a person.
    pub(crate) fn owned_by(&self, person: &PersonId) -> Vec<ConversationKey> {
        let all = self.conversations.iter();
        all.filter(|(_, held)| held.owner.as_ref() == Some(person))
            .map(|(key, _)| key.clone())
            .collect()
    }
}

impl Held {
    /// What comes now was said when so much was kept elsewhere, and after this number here.
    pub(crate) fn go_on(&mut self, kept: Number, after: Number) {
        self.seams.go_on(kept, after);
        let (log, undo) = (&self.conversation.log, &self.conversation.undo);
        let undone = undo.as_ref().map_or(&[][..], |undo| &undo.entries);
        self.seams.join(|from, to| {
            let is_between = |entry: &Entry| from < entry.number && entry.number <= to;
            !log.from(from.next()).take(1).any(is_between) && !undone.iter().any(is_between)
        });
    }
}

/// The message that gets new parts in its place.
fn rewritten(change: &Change) -> Option<&MessageId> {
    if let Change::Fill { id, .. } = change {
        Some(id)
    } else if let Change::Revise(revise) = change {
        Some(&revise.id)
    } else {
        None
    }
}

fn has_words(conversation: &Conversation, number: Number) -> bool {
    let in_undo = |wanted: Number| {
        let undo = conversation.undo.as_ref()?;
        undo.entries.iter().find(|entry: &&Entry| entry.number == wanted)
    };
    let entry = conversation.log.get(number).or_else(|| in_undo(number));
    entry.is_some_and(|entry| !entry.gone)
}
