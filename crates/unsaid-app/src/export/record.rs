//! One line of an export.

use serde::Serialize;
use serde_json::Value;
use unsaid_core::{
    domain::{
        conversation::{
            key::ConversationKey,
            log::{Entry, Sending},
        },
        id::{
            AgentId, ChatId, ErrorCode, ExpertId, FailedEditId, MediaKey, MessageId, PersonId,
            SessionId, SourceId, WorldId,
        },
        message::{Author, Part},
        person::{ConsentLine, Person},
        session::{BillingLine, Session, SessionKind},
        source::{SourceCard, SourceKind},
        text::Words,
        time::Timestamp,
        world::{Agent, Chat, FailedEdit, World},
    },
    port::directory::NameCard,
};

use crate::consent::Preferences;

/// What a line says. It holds words, so it does not print itself.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Record {
    Person(AccountHolder),
    #[serde(rename = "person")]
    LinePerson {
        id: PersonId,
        display_name: Option<Words>,
    },
    Source {
        id: SourceId,
        kind: &'static str,
        name: Option<Words>,
        members: Option<u32>,
        present: bool,
        at: String,
    },
    Consent {
        at: String,
        granted: bool,
        notice_version: String,
        door: String,
    },
    Billing {
        user_id: PersonId,
        started_at: String,
        minutes: Option<u32>,
        session_type: &'static str,
    },
    World {
        id: WorldId,
        name: Words,
        turn_limit: u32,
        main_agent: Option<AgentId>,
        current_chat_id: Option<ChatId>,
        created_at: String,
    },
    Agent {
        world_id: WorldId,
        id: AgentId,
        name: Words,
        system_prompt: Words,
        provider: Option<String>,
        model: Option<String>,
        auto_reply: bool,
    },
    FailedEdit {
        world_id: WorldId,
        id: FailedEditId,
        chat_id: ChatId,
        message_id: MessageId,
        code: ErrorCode,
        at: String,
        #[serde(skip_serializing_if = "is_not")]
        hidden: bool,
    },
    Chat {
        world_id: WorldId,
        id: ChatId,
        name: Words,
        created_at: String,
    },
    Session {
        id: SessionId,
        expert_id: Option<ExpertId>,
        session_type: &'static str,
        duration_minutes: Option<u32>,
        started_at: String,
        ended_at: Option<String>,
        expires_at: Option<String>,
        #[serde(skip_serializing_if = "is_not")]
        hidden: bool,
    },
    Message(Box<Said>),
    Media {
        #[serde(flatten)]
        place: Place,
        message_id: MessageId,
        id: MediaKey,
        mime_type: String,
        #[serde(flatten)]
        keeping: Keeping,
    },
}

#[derive(Serialize)]
pub(super) struct AccountHolder {
    id: PersonId,
    email: String,
    display_name: Words,
    account_type: &'static str,
    created_at: String,
    store_history: bool,
    store_history_changed_at: String,
    history_deletion_scheduled_at: Option<String>,
    free_sessions_used: u32,
    paid_sessions_left: u32,
}

#[derive(Serialize)]
pub(super) struct Said {
    #[serde(flatten)]
    place: Place,
    id: MessageId,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    /// None: the words are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<MessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<String>,
    /// Of an answer: whether it reached the person; null is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<Value>,
    #[serde(skip_serializing_if = "is_not")]
    withdrawn: bool,
    /// The line of another program, where our fields cannot say all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<Words>,
    #[serde(flatten)]
    keeping: Keeping,
}

/// Where something was said.
#[derive(Clone, Serialize)]
pub(super) struct Place {
    conversation: &'static str,
    conversation_id: String,
}

/// How something is kept.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Keeping {
    pub(super) stored: bool,
    #[serde(skip_serializing_if = "is_not")]
    pub(super) hidden: bool,
}

impl Record {
    pub(super) fn account(person: Person, now: Timestamp) -> Self {
        let shown = Preferences::of(person.consent, now);
        Self::Person(AccountHolder {
            id: person.id,
            email: person.email.as_str().to_owned(),
            display_name: person.display_name,
            account_type: if person.admin { "admin" } else { "user" },
            created_at: person.created_at.to_seconds_text(),
            store_history: shown.store_history,
            store_history_changed_at: shown.changed_at.to_seconds_text(),
            history_deletion_scheduled_at: shown
                .deletion_scheduled_at
                .map(Timestamp::to_seconds_text),
            free_sessions_used: person.free_used,
            paid_sessions_left: person.paid_credits,
        })
    }

    pub(super) fn line_person(id: PersonId, card: Option<NameCard>) -> Self {
        Self::LinePerson { id, display_name: card.and_then(|card| card.name) }
    }

    pub(super) fn source(card: SourceCard) -> Self {
        let SourceCard { id, kind, name, members, present, at } = card;
        let kind = match kind {
            SourceKind::Person => "user",
            SourceKind::Group => "group",
            SourceKind::Room => "room",
        };
        Self::Source { id, kind, name, members, present, at: at.to_seconds_text() }
    }

    pub(super) fn consent(line: ConsentLine) -> Self {
        let ConsentLine { at, granted, notice_version, door } = line;
        Self::Consent { at: at.to_seconds_text(), granted, notice_version, door }
    }

    pub(super) fn billing(line: BillingLine) -> Self {
        let BillingLine { owner, started_at, minutes, kind } = line;
        let (started_at, session_type) = (started_at.to_seconds_text(), session_type(kind));
        Self::Billing { user_id: owner, started_at, minutes, session_type }
    }

    pub(super) fn world(world: World) -> Self {
        let World { owner: _, id, name, turn_limit, main_agent, current_chat, roster: _, .. } =
            world;
        let created_at = world.created_at.to_seconds_text();
        Self::World { id, name, turn_limit, main_agent, current_chat_id: current_chat, created_at }
    }

    pub(super) fn agent(world: &WorldId, agent: Agent) -> Self {
        let Agent { id, name, system_prompt, provider, model, auto_reply, joined: _ } = agent;
        let world_id = world.clone();
        Self::Agent { world_id, id, name, system_prompt, provider, model, auto_reply }
    }

    pub(super) fn failed_edit(world: &WorldId, failed: FailedEdit, hidden: bool) -> Self {
        let FailedEdit { id, at, chat: chat_id, message: message_id, code } = failed;
        let (world_id, at) = (world.clone(), at.to_seconds_text());
        Self::FailedEdit { world_id, id, chat_id, message_id, code, at, hidden }
    }

    pub(super) fn chat(world: &WorldId, chat: Chat) -> Self {
        let Chat { id, name, created_at } = chat;
        let created_at = created_at.to_seconds_text();
        Self::Chat { world_id: world.clone(), id, name, created_at }
    }

    pub(super) fn session(session: Session, hidden: bool) -> Self {
        let expires_at = session.expires_at().map(Timestamp::to_seconds_text);
        Self::Session {
            id: session.id,
            expert_id: session.expert,
            session_type: session_type(session.kind),
            duration_minutes: session.minutes,
            started_at: session.started_at.to_seconds_text(),
            ended_at: session.ended_at.map(Timestamp::to_seconds_text),
            expires_at,
            hidden,
        }
    }

    /// A message, and the files that belong to it.
    pub(super) fn message(key: &ConversationKey, entry: Entry, keeping: Keeping) -> Vec<Self> {
        let place = Place::of(key);
        let (sent, withdrawn) = (sent(&entry), entry.gone && entry.sending != Sending::Failed);
        let Entry { message, gone, revised_at, .. } = entry;
        let mut content = Pieces::default();
        for part in message.parts {
            content.add(part);
        }
        let (role, sender) = match message.author {
            Author::Person(person) => ("user", person.map(|id| id.as_str().to_owned())),
            Author::Agent(agent) => ("assistant", Some(agent.as_str().to_owned())),
        };
        let files: Vec<Self> = content
            .files
            .into_iter()
            .map(|(id, mime_type)| {
                let (place, message_id) = (place.clone(), message.id.clone());
                Self::Media { place, message_id, id, mime_type, keeping }
            })
            .collect();
        let said = Said {
            place,
            id: message.id,
            role,
            sender,
            content: (!gone).then(|| content.texts.join("\n")),
            at: message.at.to_seconds_text(),
            reply_to: message.reply_to,
            edited_at: revised_at.map(Timestamp::to_seconds_text),
            sent,
            withdrawn,
            original: content.original,
            keeping,
        };
        [Self::Message(Box::new(said))].into_iter().chain(files).collect()
    }
}

/// The parts of a message, sorted.
#[derive(Default)]
struct Pieces {
    texts: Vec<String>,
    files: Vec<(MediaKey, String)>,
    original: Option<Words>,
}

impl Pieces {
    fn add(&mut self, part: Part) {
        match part {
            Part::Text { text } => self.texts.push(text.into()),
            Part::Media { key, mime } => self.files.push((key, mime)),
            Part::Original { line } => self.original = Some(line),
        }
    }
}

impl Place {
    fn of(key: &ConversationKey) -> Self {
        let (conversation, id) = match key {
            ConversationKey::Line(source) => ("line", source.as_str()),
            ConversationKey::Chat(chat) => ("chat", chat.as_str()),
            ConversationKey::Session(session) => ("session", session.as_str()),
        };
        Self { conversation, conversation_id: id.to_owned() }
    }
}

fn sent(entry: &Entry) -> Option<Value> {
    if entry.message.author.is_person() {
        return None;
    }
    Some(match entry.sending {
        Sending::Here | Sending::Sent => Value::Bool(true),
        Sending::Failed => Value::Bool(false),
        Sending::Intended | Sending::Unknown => Value::Null,
    })
}

fn session_type(kind: SessionKind) -> &'static str {
    match kind {
        SessionKind::Free => "freemium",
        SessionKind::Paid => "paid",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in references")]
fn is_not(flag: &bool) -> bool {
    !flag
}
