//! The smallest valid values. A test changes what it is about with `..message("m1")`.

use unsaid_core::{
    domain::{
        consent::Consent,
        conversation::{
            change::{Change, Interrupt, Missing, Remove, ReplaceTail, Revise, Ripple, Say},
            key::ConversationKey,
        },
        id::{
            AgentId, ChatId, DeliveryId, EditId, ErrorCode, ExpertId, FailedEditId, HolderId,
            IdempotencyKey, MediaKey, MessageId, PersonId, Roster, SessionId, SourceId, WorldId,
        },
        message::{Audience, Author, Message, Part, ReplyToken, WayBack},
        person::{ConsentLine, Email, PasswordHash, Person},
        session::SessionTerms,
        text::Words,
        time::Timestamp,
        world::{Agent, Chat, FailedEdit, World},
    },
    port::{
        keys::KeyUse,
        media::MediaFile,
        people::{ConsentMove, NewSession},
        worlds::WorldKey,
    },
};

/// From withdrawal to erasure, in tests.
pub const GRACE_MS: i64 = 30 * 24 * 60 * 60 * 1_000;

/// What sessions cost in tests: one is free.
pub const TERMS: SessionTerms = SessionTerms { free: 1, free_minutes: 15, paid_minutes: 60 };

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident -> $id:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(text: &str) -> $id {
            $id::new(text).expect("tests name things validly")
        }
    )*};
}

ids! {
    /// A message's id.
    message_id -> MessageId;
    /// A person's id.
    person_id -> PersonId;
    /// An agent's id.
    agent_id -> AgentId;
    /// The id of an expert.
    expert_id -> ExpertId;
    /// A source's id.
    source_id -> SourceId;
    /// A chat's id.
    chat_id -> ChatId;
    /// A session's id.
    session_id -> SessionId;
    /// A world's id.
    world_id -> WorldId;
    /// A delivery's id.
    delivery_id -> DeliveryId;
    /// An edit's id.
    edit_id -> EditId;
    /// The id of an edit that failed.
    failed_edit_id -> FailedEditId;
    /// What went wrong.
    error_code -> ErrorCode;
    /// Who may hold turns.
    holder_id -> HolderId;
    /// A file's name.
    media_key -> MediaKey;
    /// A client's key.
    idempotency_key -> IdempotencyKey;
    /// What somebody says.
    words -> Words;
}

/// A moment, in milliseconds.
#[must_use]
pub const fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// The conversation of a chat.
#[must_use]
pub fn chat_key(id: &str) -> ConversationKey {
    ConversationKey::Chat(chat_id(id))
}

/// The conversation of a session.
#[must_use]
pub fn session_key(id: &str) -> ConversationKey {
    ConversationKey::Session(session_id(id))
}

/// A conversation on LINE.
#[must_use]
pub fn line_key(id: &str) -> ConversationKey {
    ConversationKey::Line(source_id(id))
}

/// The text of [`message`] and [`answer`]: no two ids share it, so that absence can be searched for.
#[must_use]
pub fn words_of(id: &str) -> String {
    format!("<words of {id}>")
}

/// Something that `ana` says.
#[must_use]
pub fn message(id: &str) -> Message {
    Message {
        id: message_id(id),
        author: Author::Person(Some(person_id("ana"))),
        at: at(500),
        reply_to: None,
        audience: Audience::default(),
        parts: vec![Part::text(words(&words_of(id)))],
    }
}

/// Something that a person says.
#[must_use]
pub fn message_by(person: &str, id: &str) -> Message {
    Message { author: Author::Person(Some(person_id(person))), ..message(id) }
}

/// Something that the agent `kai` says.
#[must_use]
pub fn answer(id: &str) -> Message {
    Message { author: Author::Agent(agent_id("kai")), ..message(id) }
}

/// Somebody says something that wants no answer.
#[must_use]
pub fn say(message: Message) -> Change {
    Change::Say(Say { message, delivery: None, wants_answer: None, way_back: None })
}

/// Somebody says something that wants an answer.
#[must_use]
pub fn ask(message: Message, wanted_at: Timestamp) -> Change {
    Change::Say(Say { message, delivery: None, wants_answer: Some(wanted_at), way_back: None })
}

/// How an answer gets back to what a delivery brought.
#[must_use]
pub fn way_back(delivery: &str) -> WayBack {
    WayBack {
        token: Some(ReplyToken::new(format!("token of {delivery}"))),
        delivery: delivery_id(delivery),
        received_at: at(900),
    }
}

/// Somebody says something that wants an answer, by the [`way_back`] of its id.
#[must_use]
pub fn ask_by_way(message: Message, wanted_at: Timestamp) -> Change {
    let way_back = Some(way_back(message.id.as_str()));
    Change::Say(Say { message, delivery: None, wants_answer: Some(wanted_at), way_back })
}

/// A delivery brings something that wants no answer.
#[must_use]
pub fn deliver(message: Message, delivery: &str) -> Change {
    Change::Say(Say {
        message,
        delivery: Some(delivery_id(delivery)),
        wants_answer: None,
        way_back: None,
    })
}

/// Forget one, as LINE asks for it: remembered if unknown, with its answers.
#[must_use]
pub fn unsend(id: &str) -> Change {
    remove(id, Missing::Remember, Ripple::Withdraw)
}

/// Forget one.
#[must_use]
pub fn remove(id: &str, missing: Missing, ripple: Ripple) -> Change {
    Change::Remove(Remove { id: message_id(id), missing, ripple })
}

/// An edit in place, with its answers.
#[must_use]
pub fn revise(id: &str, text: &str, at: Timestamp) -> Change {
    let parts = vec![Part::text(words(text))];
    let by = Some(person_id("ana"));
    Change::Revise(Revise { id: message_id(id), by, parts, at, ripple: Ripple::Withdraw })
}

/// Forget from here, for good.
#[must_use]
pub fn cut(from: &str) -> Change {
    Change::ReplaceTail(ReplaceTail {
        from: message_id(from).into(),
        with: None,
        undo: None,
        interrupt: Interrupt::No,
    })
}

/// An edit that can be undone.
#[must_use]
pub fn edit(from: &str, with: Message, edit: &str, until: Timestamp) -> Change {
    Change::ReplaceTail(ReplaceTail {
        from: message_id(from).into(),
        with: Some((with, None)),
        undo: Some((edit_id(edit), until)),
        interrupt: Interrupt::No,
    })
}

/// Undoes an edit, unless a turn is running.
#[must_use]
pub fn restore(edit: &str) -> Change {
    Change::Restore { edit: edit_id(edit), interrupt: Interrupt::No, or_nothing: false }
}

/// A person whose account was made at zero.
#[must_use]
pub fn person(id: &str, consent: bool) -> Person {
    Person {
        id: person_id(id),
        email: email(id),
        display_name: words(id),
        password: PasswordHash::new("$argon2id$none"),
        admin: false,
        created_at: at(0),
        tokens_since: at(0),
        consent: Consent::initial(consent, at(0)),
        erased_at: None,
        paid_credits: 0,
        free_used: 0,
    }
}

/// The address of [`person`].
#[must_use]
pub fn email(person: &str) -> Email {
    Email::new(&format!("{person}@example.org")).expect("tests name things validly")
}

/// A line of the consent ledger.
#[must_use]
pub fn consent_line(granted: bool, when: i64) -> ConsentLine {
    let (notice_version, door) = ("1".to_owned(), "test".to_owned());
    ConsentLine { at: at(when), granted, notice_version, door }
}

/// A move of the switch.
#[must_use]
pub fn consent_move(grant: bool, now: i64) -> ConsentMove {
    let (notice_version, door) = ("1".to_owned(), "test".to_owned());
    ConsentMove { grant, now: at(now), grace_ms: GRACE_MS, notice_version, door }
}

/// A session with the expert `kai`.
#[must_use]
pub fn new_session(id: &str, owner: &str, now: i64) -> NewSession {
    let expert = expert_id("kai");
    NewSession { id: session_id(id), owner: person_id(owner), expert, now: at(now) }
}

/// An empty world.
#[must_use]
pub fn world(owner: &str, id: &str) -> World {
    World {
        owner: person_id(owner),
        id: world_id(id),
        name: words(id),
        turn_limit: 5,
        main_agent: None,
        current_chat: None,
        roster: Roster::ZERO,
        created_at: at(0),
    }
}

/// The name of a world.
#[must_use]
pub fn world_key(owner: &str, id: &str) -> WorldKey {
    WorldKey { owner: person_id(owner), id: world_id(id) }
}

/// An edit of `m1` in `c1` that failed.
#[must_use]
pub fn failed_edit(id: &str, when: i64) -> FailedEdit {
    FailedEdit {
        id: failed_edit_id(id),
        at: at(when),
        chat: chat_id("c1"),
        message: message_id("m1"),
        code: error_code("STORAGE_FULL"),
    }
}

/// An agent that answers everything.
#[must_use]
pub fn agent(id: &str) -> Agent {
    Agent {
        id: agent_id(id),
        name: words(id),
        system_prompt: words(&format!("you are {id}")),
        provider: None,
        model: None,
        auto_reply: true,
        joined: Roster::ZERO,
    }
}

/// A chat.
#[must_use]
pub fn chat(id: &str, created_at: i64) -> Chat {
    Chat { id: chat_id(id), name: words(id), created_at: at(created_at) }
}

/// A use of a key.
#[must_use]
pub fn key_use(person: &str, key: &str, when: i64) -> KeyUse {
    KeyUse {
        person: person_id(person),
        scope: "POST /worlds/w/messages".to_owned(),
        key: idempotency_key(key),
        body_digest: [7; 32],
        status: 200,
        ids: vec!["m1".to_owned()],
        at: at(when),
    }
}

/// A small picture.
#[must_use]
pub fn picture(bytes: &[u8]) -> MediaFile {
    MediaFile { mime: "image/png".to_owned(), bytes: bytes.to_vec() }
}
