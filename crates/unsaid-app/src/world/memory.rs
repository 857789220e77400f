//! What one agent remembers of a chat: a view of the one log.

use unsaid_core::{
    domain::{
        conversation::{change::Change, log::Entry},
        hearing::Hearers,
        id::{AgentId, ChatId},
        time::Timestamp,
        world::Agent,
    },
    port::{error::StoreError, history::History, worlds::WorldKey},
};

use super::{Keeper, WorldError};
use crate::{
    call::{Call, Reply, out_of_contract},
    logs::{
        Log,
        view::{HeardIn, Placed},
    },
    place::Place,
};

/// Messages read at a time.
const MESSAGES_AT_A_TIME: usize = 200;

/// What an agent remembers, and who else heard it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Oldest first.
    pub messages: Vec<Placed>,
    /// Who heard them.
    pub heard_in: HeardIn,
    /// Whether what is said there is kept.
    pub stored: bool,
}

impl Keeper<'_> {
    /// Everything that an agent heard and said in a chat since it joined or was cleared.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn memory(
        &self,
        key: &WorldKey,
        agent: &AgentId,
        chat: &ChatId,
    ) -> Result<Memory, WorldError> {
        let agent = self.agent(key, agent).await?;
        let place = self.place(key, chat).await?;
        let _crossing = self.logs.cross_if_both(place.conversation()).await?;
        let heard_in = self.heard_in(key, place.conversation()).await?;
        let kept = self.remembered(Log::Kept, &heard_in, &agent, &place).await?;
        // Looked at after reading: what is shown was read while consent was on (H8).
        let stored = self.is_kept(&key.owner).await?;
        let mut messages = if stored { kept } else { Vec::new() };
        messages.extend(self.remembered(Log::Volatile, &heard_in, &agent, &place).await?);
        let messages = self.logs.in_order(place.conversation(), messages).await?;
        Ok(Memory { messages, heard_in, stored })
    }

    /// Lets an agent forget what it heard and said in a chat so far, in both logs. The messages
    /// stay, for everybody else.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn clear(
        &self,
        key: &WorldKey,
        agent: &AgentId,
        chat: &ChatId,
        now: Timestamp,
    ) -> Result<(), WorldError> {
        let agent = self.agent(key, agent).await?;
        let place = self.place(key, chat).await?;
        for log in [Log::Kept, Log::Volatile] {
            let history = &*self.logs.side(log).history;
            // Where nothing was said there is nothing to forget.
            if history.overview(place.conversation()).await?.is_none() {
                continue;
            }
            let call = Call::new(log.place(place.clone()), now);
            let commit = call.commit(Change::Clear(agent.id.clone()));
            match call.make(history, &self.logs.watchers, commit).await? {
                Reply::Made(_) => {}
                Reply::Refused(refusal) => return Err(out_of_contract(refusal).into()),
                Reply::Repeated(_) | Reply::KeyReused => {
                    return Err(out_of_contract("a key where there was none").into());
                }
            }
        }
        Ok(())
    }

    async fn remembered(
        &self,
        log: Log,
        heard_in: &HeardIn,
        agent: &Agent,
        place: &Place,
    ) -> Result<Vec<Placed>, StoreError> {
        let history = &*self.logs.side(log).history;
        let messages = remembered(history, heard_in.of(log), agent, place).await?;
        Ok(messages.into_iter().map(|entry| Placed { log, entry }).collect())
    }
}

/// From the newest back to where the agent was made to forget, a page at a time.
async fn remembered(
    history: &dyn History,
    hearers: &Hearers,
    agent: &Agent,
    place: &Place,
) -> Result<Vec<Entry>, StoreError> {
    let forgot = hearers.cleared.get(&agent.id);
    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let mut page = history.page(place.conversation(), before, MESSAGES_AT_A_TIME).await?;
        before = page.first().map(|entry| entry.number);
        let is_full = page.len() == MESSAGES_AT_A_TIME;
        let is_over = before.is_none_or(|first| forgot.is_some_and(|through| first <= *through));
        page.retain(|entry| hearers.remembers(agent, entry));
        pages.push(page);
        if is_over || !is_full {
            break;
        }
    }
    Ok(pages.into_iter().rev().flatten().collect())
}
