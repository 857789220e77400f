//! Messages as a chat has them, and a chat filled with many.

use std::path::Path;

use rusqlite::{Connection, params};
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Missing, Remove, Ripple, Say},
            key::ConversationKey,
        },
        id::{MessageId, PersonId, Roster},
        message::{Audience, Author, Message, Part},
        text::Words,
        time::Timestamp,
    },
    port::history::{Commit, Committed, History},
};

pub(crate) const TEXT: &str =
    "Somebody says a sentence of an ordinary length, as people do in a chat.";

pub(crate) fn key(text: &str) -> ConversationKey {
    text.parse().expect("a key")
}

/// A person's message that everybody in the world hears.
pub(crate) fn message(id: &str, roster: u64) -> Message {
    Message {
        id: MessageId::new(id).expect("an id"),
        author: Author::Person(Some(PersonId::new("ana").expect("an id"))),
        at: Timestamp::ZERO,
        reply_to: None,
        audience: Audience { roster: Roster::new(roster), only: None },
        parts: vec![Part::text(Words::new(TEXT).expect("words"))],
    }
}

/// Appends one and waits until it is durable.
pub(crate) async fn say(store: &dyn History, key: &ConversationKey, id: &str, roster: u64) {
    let say =
        Say { message: message(id, roster), delivery: None, wants_answer: None, way_back: None };
    let made = store.commit(key, Commit::new(Change::Say(say), Timestamp::ZERO)).await;
    assert!(matches!(made, Ok(Committed::Applied(..))), "an append");
}

/// Appends one that wants an answer.
pub(crate) async fn ask(store: &dyn History, key: &ConversationKey, id: &str) {
    let wants_answer = Some(Timestamp::ZERO);
    let message = message(id, 0);
    let say = Say { message, delivery: None, wants_answer, way_back: None };
    let made = store.commit(key, Commit::new(Change::Say(say), Timestamp::ZERO)).await;
    assert!(matches!(made, Ok(Committed::Applied(..))), "a question");
}

/// Takes one back.
pub(crate) async fn unsend(store: &dyn History, key: &ConversationKey, id: &str) {
    let id = MessageId::new(id).expect("an id");
    let remove = Remove { id, missing: Missing::Refuse, ripple: Ripple::Withdraw };
    let made = store.commit(key, Commit::new(Change::Remove(remove), Timestamp::ZERO)).await;
    assert!(matches!(made, Ok(Committed::Applied(..))), "an unsend");
}

/// Fills a chat in one transaction, as the store itself would have written it.
pub(crate) fn fill(path: &Path, key: &ConversationKey, from: u64, to: u64) {
    let connection = Connection::open(path).expect("opens");
    connection.execute_batch("PRAGMA synchronous = OFF; BEGIN").expect("begins");
    fill_on(&connection, key, from, to);
    connection.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)").expect("commits");
}

/// The same in a transaction that is open already.
pub(crate) fn fill_on(connection: &Connection, key: &ConversationKey, from: u64, to: u64) {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        connection.prepare_cached(sql).and_then(|mut it| it.execute(values)).expect("a statement");
    };
    let key = key.to_string();
    let mut content = content_text().into_bytes();
    content.resize(content.len().next_multiple_of(64), 0);
    for number in from..=to {
        let (number, id) = (number.cast_signed(), format!("m{number}"));
        run("INSERT INTO words (content) VALUES (?1)", params![content]);
        run(
            "INSERT INTO message (conversation, number, id, person, at, roster, sending, waiting, \
             words) VALUES (?1, ?2, ?3, 'ana', 0, 0, 0, 0, last_insert_rowid())",
            params![key, number, id],
        );
        run(
            "INSERT INTO event (conversation, number, kind, message, messages) \
             VALUES (?1, ?2, 0, ?3, 1)",
            params![key, number, id],
        );
    }
    let to = to.cast_signed();
    run(
        "INSERT INTO conversation (key, version, last_number, last_fence, heard, last_event) \
         VALUES (?1, ?2, ?2, 0, ?2, ?2) ON CONFLICT (key) DO UPDATE SET version = ?2, \
         last_number = ?2, heard = ?2, last_event = ?2",
        params![key, to],
    );
    run("UPDATE event_block SET taken = max(taken, ?1)", params![to]);
}

/// The words of a message as stores keep them.
pub(crate) fn content_text() -> String {
    format!(r#"[{{"type":"text","text":"{TEXT}"}}]"#)
}
