//! The log: every change as a few statements, in the words of `Conversation::apply`.

mod entry;
mod forget;
mod head;
mod read;
mod say;
mod sources;
mod sweep;
mod turn;
mod undo;
mod whole;

use unsaid_core::{
    domain::{
        conversation::{
            change::{Applied, Change, Event, Outcome, Refusal},
            key::ConversationKey,
        },
        id::MessageId,
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed},
    },
};

use self::head::Head;
pub(crate) use self::{
    entry::unpadded,
    forget::close_undo_windows,
    read::{entries_after, find, key_from, overview, page, tail, wanting},
    sources::{ended_turns, sources},
    sweep::{drop_conversation, purge_conversation, release_turns, sweep},
    whole::{cleared, whole, words_from},
};
use crate::{
    db::{Db, Lock, values},
    events, keys, people, worlds,
};

/// Whether a change may be lost with the power, if nothing came after it: who takes a turn or keeps it
/// is gone then, too, and its questions wait as before.
pub(crate) fn is_loose(change: &Change) -> bool {
    matches!(change, Change::Begin { .. } | Change::Renew { .. })
}

/// Makes one change, inside the transaction of `db`.
pub(crate) async fn commit(
    db: &dyn Db,
    key: &ConversationKey,
    commit: Commit,
) -> Result<Committed, StoreError> {
    let Commit { change, now, expect, owner, consent_of, once, after, at_home, beside: _ } = commit;
    if let Some(key) = &once
        && let Some(used) = keys::find(db, key).await?
    {
        return Ok(Committed::Repeated(used));
    }
    if let Some(person) = &consent_of {
        db.lock(Lock::Consent(person)).await?;
        if !people::consent_is_on(db, person).await? {
            return without_consent(db, key, &change).await;
        }
    }
    if let Some(key) = &after {
        // An erasure waits for this lock, or is done.
        db.lock(Lock::Consent(&key.person)).await?;
        if keys::find(db, key).await?.is_none() {
            return Ok(Committed::Refused(Refusal::VersionConflict));
        }
    }
    let mut head = Head::lock(db, key).await?;
    if at_home && !head.is_live() && !has_home(db, key).await? {
        return Ok(Committed::Refused(Refusal::NotFound));
    }
    if head.dropped {
        sweep::purge_dropped(db, &head).await?;
        head = Head::load(db, key).await?;
    }
    if expect.is_some_and(|version| version != head.version) {
        return Ok(Committed::Refused(Refusal::VersionConflict));
    }
    let loaded = head.clone();
    head.owner = head.owner.or(owner);
    let mut work = Work { db, head, now, events: Vec::new() };
    let outcome = match work.apply(change).await {
        Ok(outcome) => outcome,
        Err(Stop::Refused(refusal)) => return Ok(Committed::Refused(refusal)),
        Err(Stop::Broken(error)) => return Err(error),
    };
    let Work { mut head, events, .. } = work;
    let numbers = events::record(db, key, &events, &mut head.last_event).await?;
    if outcome.is_effective() {
        head.version = head.version.next();
        head.save(db, &loaded).await?;
        db.hint(&head.key);
    }
    if let Some(key) = &once {
        keys::insert(db, key).await?;
    }
    let version = head.version;
    Ok(Committed::Applied(Applied { outcome, version, events }, numbers))
}

/// What was taken back stays out, also for whoever would remember it elsewhere (H4).
async fn without_consent(
    db: &dyn Db,
    key: &ConversationKey,
    change: &Change,
) -> Result<Committed, StoreError> {
    let refused = Committed::Refused(Refusal::NoConsent);
    let Change::Say(say) = change else { return Ok(refused) };
    let head = Head::load(db, key).await?;
    if head.dropped || !has_tombstone(db, &head.key, &say.message.id).await? {
        return Ok(refused);
    }
    let (outcome, version) = (Outcome::TakenBack, head.version);
    Ok(Committed::Applied(Applied { outcome, version, events: Vec::new() }, Vec::new()))
}

async fn has_tombstone(db: &dyn Db, key: &str, id: &MessageId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM tombstone WHERE conversation = ?1 AND message = ?2";
    db.any(sql, values![key, id]).await
}

/// Whether the chat or session of a conversation is there. Whoever deletes it takes the lock of the
/// conversation in the same transaction: under that lock the answer stays true.
async fn has_home(db: &dyn Db, key: &ConversationKey) -> Result<bool, StoreError> {
    match key {
        ConversationKey::Line(_) => Ok(true),
        ConversationKey::Chat(id) => Ok(worlds::home(db, id).await?.is_some()),
        ConversationKey::Session(id) => people::has_session(db, id).await,
    }
}

/// A change under way.
struct Work<'a> {
    db: &'a dyn Db,
    head: Head,
    now: Timestamp,
    events: Vec<Event>,
}

/// Why a change does not go on. A refusal comes before anything is written.
enum Stop {
    Refused(Refusal),
    Broken(StoreError),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Broken(error)
    }
}

impl Work<'_> {
    async fn apply(&mut self, change: Change) -> Result<Outcome, Stop> {
        match change {
            Change::Say(say) => self.say(say).await,
            Change::Fill { id, parts } => self.fill(&id, &parts).await,
            Change::Begin { holder, until } => self.begin(holder, until).await,
            Change::Renew { fence, until } => self.renew(fence, until),
            Change::Intend { fence, message } => self.intend(fence, message).await,
            Change::Settle { id, outcome } => self.settle(&id, outcome).await,
            Change::Answer { fence, messages, last } => self.answer(fence, messages, last).await,
            Change::Decide { fence, decision } => self.decide(fence, decision).await,
            Change::Release { fence } => self.release(fence).await,
            Change::Stop => self.stop().await,
            Change::Revise(revise) => self.revise(revise).await,
            Change::Remove(remove) => self.remove(remove).await,
            Change::ReplaceTail(replace) => self.replace_tail(replace).await,
            Change::Restore { edit, interrupt, or_nothing } => {
                self.restore(&edit, interrupt, or_nothing).await
            }
            Change::CloseUndo if self.head.undo.is_none() => Ok(Outcome::Nothing),
            Change::CloseUndo => {
                self.close_undo(false).await?;
                Ok(Outcome::Done)
            }
            Change::Clear(agent) => self.clear(&agent).await,
            Change::EraseAuthor { person, ripple } => self.erase_author(&person, ripple).await,
            Change::EraseAll => self.erase_all().await,
            Change::Expire => self.expire().await,
        }
    }
}
