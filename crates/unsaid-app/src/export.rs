//! Everything that is held on one person, as JSON Lines, a piece at a time: settings first, then
//! conversations page by page, so that a long history needs no more memory than a short one.
//!
//! An export holds what can be read now. What was taken back, edited away or erased is not in it;
//! what is hidden between withdrawal and erasure is, and says so.

mod record;

use std::collections::VecDeque;

use unsaid_core::{
    domain::{
        consent::Consent,
        conversation::key::ConversationKey,
        id::{IdError, Number, PersonId, SourceId},
        message::Author,
        person::Person,
        session::Session,
        source::SourceKind,
        world::{Chat, World},
    },
    port::{
        Store,
        clock::Clock,
        error::{StoreError, corrupt},
        history::History,
        people::Which,
        volatile::Volatile,
        worlds::WorldKey,
    },
};

use self::record::{Keeping, Record};

/// Messages read at a time.
const MESSAGES_AT_A_TIME: usize = 100;
/// Sources looked up at a time.
const SOURCES_AT_A_TIME: usize = 100;

/// What every piece is read from.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// What is stored.
    pub store: &'a dyn Store,
    /// What is only in memory, if this process has it.
    pub memory: Option<&'a dyn Volatile>,
    /// The time.
    pub clock: &'a dyn Clock,
}

/// Why an export ended before its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// There is no such person, or no longer.
    #[error("no such person")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// An export that has come so far.
pub struct Export {
    person: PersonId,
    steps: VecDeque<Step>,
}

/// What comes next.
enum Step {
    Account,
    OnLine { alone: SourceId },
    OtherPlaces { after: Option<SourceId> },
    World(World),
    Chat(World, Chat),
    Session(Session),
    Log(Log),
}

/// A conversation that was read up to a number.
struct Log {
    key: ConversationKey,
    after: Number,
    /// Its messages are hidden and erased with the consent of the person.
    needs_consent: bool,
    /// Whether it is only in memory.
    in_memory: bool,
    /// The person shares it with others: only what they said themselves.
    is_shared: bool,
}

/// What an account's consent says about its history now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    Open,
    Hidden,
    Gone,
}

impl Export {
    /// Of somebody with an account.
    #[must_use]
    pub fn of_account(person: PersonId) -> Self {
        Self { person, steps: VecDeque::from([Step::Account]) }
    }

    /// Of somebody on LINE: what was said between them and the bot, and what they said among others.
    ///
    /// # Errors
    /// If this cannot be the id of somebody on LINE.
    pub fn of_line(person: PersonId) -> Result<Self, IdError> {
        let alone = SourceId::new(person.as_str())?;
        let talk = Step::Log(Log::on_line(alone.clone(), false));
        let steps = [Step::OnLine { alone }, talk, Step::OtherPlaces { after: None }];
        Ok(Self { person, steps: VecDeque::from(steps) })
    }

    /// The next lines, each with its end; `None` once everything was told. After an error there is
    /// no more to come, and what came is not all.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub async fn next(&mut self, desk: Desk<'_>) -> Result<Option<String>, ExportError> {
        while let Some(step) = self.steps.pop_front() {
            let told = self.take(desk, step).await;
            let told = told.inspect_err(|_| self.steps.clear())?;
            if !told.is_empty() {
                return Ok(Some(lines(&told)?));
            }
        }
        Ok(None)
    }

    async fn take(&mut self, desk: Desk<'_>, step: Step) -> Result<Vec<Record>, ExportError> {
        match step {
            Step::Account => self.account(desk).await,
            Step::OnLine { alone } => self.on_line(desk, &alone).await,
            Step::OtherPlaces { after } => self.other_places(desk, after).await,
            Step::World(world) => self.world(desk, world).await,
            Step::Chat(world, chat) => {
                let log = Log::owned(ConversationKey::Chat(chat.id.clone()));
                self.steps.push_front(Step::Log(log));
                Ok(vec![Record::chat(&world.id, chat)])
            }
            Step::Session(session) => self.session(desk, session).await,
            Step::Log(log) => self.page(desk, log).await,
        }
    }

    async fn account(&mut self, desk: Desk<'_>) -> Result<Vec<Record>, ExportError> {
        let consents = desk.store.consents(&self.person).await?;
        let billing = desk.store.billing(&self.person).await?;
        let worlds = desk.store.worlds(&self.person).await?;
        // All at once: a page could slip while somebody deletes one. They are small beside what was
        // said in them.
        let (sessions, _) = desk.store.sessions(&self.person, Which::All, 0, usize::MAX).await?;
        self.steps.extend(worlds.into_iter().map(Step::World));
        let oldest_first = sessions.into_iter().rev();
        self.steps.extend(oldest_first.map(|held| Step::Session(held.session)));
        if let Some(memory) = desk.memory {
            let held = memory.held().await?.into_iter().filter(|held| held.owner == self.person);
            self.steps.extend(held.map(|held| Step::Log(Log::in_memory(held.key))));
        }
        let person = self.who(desk).await?;
        let mut told = vec![Record::account(person, desk.clock.now())];
        told.extend(consents.into_iter().map(Record::consent));
        told.extend(billing.into_iter().map(Record::billing));
        Ok(told)
    }

    async fn on_line(&self, desk: Desk<'_>, alone: &SourceId) -> Result<Vec<Record>, ExportError> {
        let name = desk.store.names(std::slice::from_ref(&self.person)).await?.pop();
        let card = desk.store.source(alone).await?;
        let mut told = vec![Record::line_person(self.person.clone(), name)];
        told.extend(card.map(Record::source));
        Ok(told)
    }

    /// The places where several people speak, some at a time.
    async fn other_places(
        &mut self,
        desk: Desk<'_>,
        after: Option<SourceId>,
    ) -> Result<Vec<Record>, ExportError> {
        let page = desk.store.sources(after.as_ref(), SOURCES_AT_A_TIME).await?;
        let Some(last) = page.last() else { return Ok(Vec::new()) };
        self.steps.push_front(Step::OtherPlaces { after: Some(last.id.clone()) });
        for source in page.into_iter().rev().map(|report| report.id) {
            if SourceKind::told_by(&source) != Some(SourceKind::Person) {
                self.steps.push_front(Step::Log(Log::on_line(source, true)));
            }
        }
        Ok(Vec::new())
    }

    async fn world(&mut self, desk: Desk<'_>, world: World) -> Result<Vec<Record>, ExportError> {
        let key = WorldKey { owner: self.person.clone(), id: world.id.clone() };
        let (agents, chats) = (desk.store.agents(&key).await?, desk.store.chats(&key).await?);
        // Deleted meanwhile: then there is nothing to tell of it.
        let (Ok(agents), Ok(chats)) = (agents, chats) else { return Ok(Vec::new()) };
        for chat in chats.into_iter().rev() {
            self.steps.push_front(Step::Chat(world.clone(), chat));
        }
        let agents = agents.into_iter().map(|agent| Record::agent(&world.id, agent));
        let mut told: Vec<Record> =
            [Record::world(world.clone())].into_iter().chain(agents).collect();
        told.extend(self.failed_edits(desk, &key).await?);
        Ok(told)
    }

    /// They tell of messages, and are hidden and gone like them.
    async fn failed_edits(
        &self,
        desk: Desk<'_>,
        key: &WorldKey,
    ) -> Result<Vec<Record>, ExportError> {
        let failed = desk.store.failed_edits(key).await?;
        if failed.is_empty() {
            return Ok(Vec::new());
        }
        let sight = self.sight(desk).await?;
        let told = failed.into_iter().filter(|_| sight != Sight::Gone);
        Ok(told.map(|one| Record::failed_edit(&key.id, one, sight == Sight::Hidden)).collect())
    }

    /// From the due moment on a session is what the erasure leaves of it, done or not; so is one that
    /// was deleted meanwhile.
    async fn session(
        &mut self,
        desk: Desk<'_>,
        listed: Session,
    ) -> Result<Vec<Record>, ExportError> {
        let found = desk.store.session(&listed.id).await?;
        let sight = self.sight(desk).await?;
        let Some(session) = found.filter(|_| sight != Sight::Gone) else {
            return Ok(vec![Record::billing(listed.bill())]);
        };
        let log = Log::owned(ConversationKey::Session(session.id.clone()));
        self.steps.push_front(Step::Log(log));
        Ok(vec![Record::session(session, sight == Sight::Hidden)])
    }

    async fn page(&mut self, desk: Desk<'_>, mut log: Log) -> Result<Vec<Record>, ExportError> {
        let history: &dyn History = match (log.in_memory, desk.memory) {
            (false, _) => desk.store,
            (true, Some(memory)) => memory,
            (true, None) => return Ok(Vec::new()),
        };
        let mut page = history.entries_after(&log.key, log.after, MESSAGES_AT_A_TIME).await?;
        // Looked at after reading: what is told was read while it could be.
        let sight = if log.needs_consent { self.sight(desk).await? } else { Sight::Open };
        let Some(last) = page.last().filter(|_| sight != Sight::Gone) else {
            return Ok(Vec::new());
        };
        log.after = last.number;
        if log.is_shared {
            let theirs = Author::Person(Some(self.person.clone()));
            page.retain(|entry| entry.message.author == theirs);
        }
        let keeping = Keeping { hidden: sight == Sight::Hidden, stored: !log.in_memory };
        let told = page.into_iter().flat_map(|entry| Record::message(&log.key, entry, keeping));
        let told = told.collect();
        self.steps.push_front(Step::Log(log));
        Ok(told)
    }

    async fn who(&self, desk: Desk<'_>) -> Result<Person, ExportError> {
        desk.store.person(&self.person).await?.ok_or(ExportError::NotFound)
    }

    async fn sight(&self, desk: Desk<'_>) -> Result<Sight, ExportError> {
        let consent = self.who(desk).await?.consent;
        Ok(match consent {
            Consent::Withdrawn { .. } if consent.is_due(desk.clock.now()) => Sight::Gone,
            Consent::Withdrawn { .. } => Sight::Hidden,
            Consent::Granted { .. } | Consent::Withheld { .. } => Sight::Open,
        })
    }
}

impl Log {
    /// Of a world or a session.
    fn owned(key: ConversationKey) -> Self {
        let after = Number::ZERO;
        Self { key, after, needs_consent: true, in_memory: false, is_shared: false }
    }

    /// Said without consent: there is none to withdraw.
    fn in_memory(key: ConversationKey) -> Self {
        Self { needs_consent: false, in_memory: true, ..Self::owned(key) }
    }

    fn on_line(source: SourceId, is_shared: bool) -> Self {
        let key = ConversationKey::Line(source);
        Self { needs_consent: false, is_shared, ..Self::owned(key) }
    }
}

fn lines(records: &[Record]) -> Result<String, StoreError> {
    let mut lines = String::new();
    for record in records {
        let line = serde_json::to_string(record);
        lines.push_str(&line.map_err(|_| corrupt("an export", "cannot be written as JSON"))?);
        lines.push('\n');
    }
    Ok(lines)
}
