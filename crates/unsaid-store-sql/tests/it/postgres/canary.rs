//! H13: what was taken back is in no row of any table, and no index holds words.

use std::{collections::BTreeSet, sync::Arc};

use tokio::task::JoinSet;
use unsaid_core::{
    domain::{
        audit::EraseReason,
        conversation::change::{Change, Decision, Ripple},
        message::{Message, Part},
        person::{Email, PasswordHash},
        source::{SourceCard, SourceKind},
        world::{Agent, Chat, World},
    },
    port::{
        Store,
        directory::NameCard,
        erasure::{Batch, Claim},
        error::StoreError,
        media::MediaPlace,
        people::PersonChange,
    },
};
use unsaid_store_sql::postgres::PostgresStore;
use unsaid_testkit::{
    builder::{
        TERMS, agent, answer, at, chat, consent_line, edit, expert_id, media_key, message,
        message_id, new_session, person, person_id, picture, revise, say, source_id, unsend, words,
        world,
    },
    talk::Talk,
};

use super::database::Database;
use crate::canary::search::{mark, marked, marked_text, marks_of};

/// A moment at which every undo window and every memory of a test has ended.
const MUCH_LATER: i64 = 1_000_000_000_000;

struct House {
    database: Database,
    postgres: PostgresStore,
    store: Arc<dyn Store>,
}

impl House {
    async fn new() -> Self {
        let database = Database::new().await;
        let postgres = database.open().await;
        Self { store: Arc::new(postgres.clone()), postgres, database }
    }

    fn talk(&self) -> Talk {
        Talk::chat(&self.store)
    }

    /// Every mark in every row of every table, and in what the server says of its statements.
    async fn marks(&self) -> BTreeSet<u32> {
        let client = self.database.plain().await;
        let tables = "SELECT relname::text FROM pg_class WHERE relkind = 'r' \
            AND relnamespace = 'public'::regnamespace";
        let mut found = BTreeSet::new();
        for table in client.query(tables, &[]).await.unwrap() {
            let table: String = table.get(0);
            // Bytes come as text with everything but letters escaped.
            let escaped = "SET bytea_output = escape";
            client.batch_execute(escaped).await.unwrap();
            let sql = format!("SELECT t::text FROM {table} AS t");
            for row in client.query(&sql, &[]).await.unwrap() {
                found.extend(marks_of(row.get(0)));
            }
        }
        found
    }

    async fn assert_left(&self, marks: &[u32]) {
        assert_eq!(self.marks().await, marks.iter().copied().collect());
    }

    async fn sweep(&self, now: i64) {
        loop {
            let swept = self.store.sweep(at(now), 100).await.unwrap();
            if swept.expired + swept.purged == 0 {
                return;
            }
        }
    }
}

fn marked_answer(id: &str, mark: u32) -> Message {
    Message { parts: marked(id, mark, 500).parts, ..answer(id) }
}

#[tokio::test]
async fn h13_unsent_and_revised_words_are_in_no_row() {
    let house = House::new().await;
    let talk = house.talk();
    talk.make(say(marked("m1", 1, 20))).await;
    talk.make(say(marked("m2", 2, 20_000))).await;
    house.assert_left(&[1, 2]).await;
    talk.make(unsend("m2")).await;
    talk.make(revise("m1", &mark(3), at(3_000))).await;
    house.assert_left(&[3]).await;
    // An edit that came before its message, and then the message was taken back.
    talk.make(revise("m3", &mark(4), at(3_000))).await;
    house.assert_left(&[3, 4]).await;
    talk.make(unsend("m3")).await;
    house.assert_left(&[3]).await;
}

#[tokio::test]
async fn h13_an_answer_and_a_reason_go_with_their_question() {
    let house = House::new().await;
    let talk = house.talk();
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    let messages = vec![marked_answer("r1", 1)];
    talk.make(Change::Answer { fence, messages, last: true }).await;
    talk.ask("m2").await;
    let fence = talk.begin().await.fence;
    let decision = Decision::Silent { reason: Some(words(&mark(2))) };
    talk.make(Change::Decide { fence, decision }).await;
    house.assert_left(&[1, 2]).await;
    talk.make(unsend("m1")).await;
    house.assert_left(&[2]).await;
    talk.make(unsend("m2")).await;
    house.assert_left(&[]).await;
}

#[tokio::test]
async fn h13_what_an_edit_removed_goes_when_its_window_closes() {
    let house = House::new().await;
    let talk = house.talk();
    for number in 1..=3 {
        talk.make(say(marked(&format!("m{number}"), number, 700))).await;
    }
    talk.make(edit("m2", marked("m9", 9, 700), "e1", at(5_000))).await;
    house.assert_left(&[1, 2, 3, 9]).await;
    house.sweep(MUCH_LATER).await;
    house.assert_left(&[1, 9]).await;
}

#[tokio::test]
async fn h13_files_go_with_their_message() {
    let house = House::new().await;
    let talk = house.talk();
    let named = Part::Media { key: media_key("k1"), mime: "image/png".to_owned() };
    talk.make(say(Message { parts: vec![named], ..message("m1") })).await;
    let place = MediaPlace { conversation: talk.key.clone(), message: message_id("m1") };
    let bytes = marked_text(1, 700_000);
    assert!(house.store.put(&media_key("k1"), &place, picture(bytes.as_bytes())).await.unwrap());
    house.assert_left(&[1]).await;
    talk.make(unsend("m1")).await;
    house.sweep(2_000).await;
    house.assert_left(&[]).await;
}

#[tokio::test]
async fn h13_an_erased_account_is_in_no_row() {
    let house = House::new().await;
    let ana = unsaid_core::domain::person::Person {
        display_name: words(&mark(1)),
        email: Email::new(&format!("{}@example.org", mark(2))).unwrap(),
        password: PasswordHash::new(mark(3)),
        ..person("ana", true)
    };
    assert!(house.store.add(ana, consent_line(true, 0)).await.unwrap());
    let first = Chat { name: words(&mark(4)), ..chat("c1", 0) };
    let agents = vec![Agent { system_prompt: words(&marked_text(5, 5_000)), ..agent("kai") }];
    let made = World { name: words(&mark(6)), ..world("ana", "w") };
    house.store.add_world(made, first, agents).await.unwrap().unwrap();
    let mut session = new_session("s1", "ana", 10);
    session.expert = expert_id(&mark(7));
    house.store.open_session(session, TERMS).await.unwrap().expect("the first is free");
    for number in 100..110 {
        let talk = house.talk().owned_by("ana");
        talk.make(say(marked(&format!("m{number}"), number, 700))).await;
    }
    house
        .talk()
        .make(Change::EraseAuthor { person: person_id("ben"), ripple: Ripple::Withdraw })
        .await;
    let all: Vec<u32> = (1..=7).chain(100..110).collect();
    house.assert_left(&all).await;
    let change = PersonChange::DisplayName(words(&mark(8)));
    assert!(house.store.change(&person_id("ana"), change).await.unwrap());
    let all: Vec<u32> = (2..=8).chain(100..110).collect();
    house.assert_left(&all).await;
    let claim = house.store.claim(&person_id("ana"), EraseReason::Account, at(9_000)).await;
    assert_eq!(claim.unwrap(), Claim::Made);
    while house.store.erase_batch(&person_id("ana"), 7, at(9_000)).await.unwrap() == Batch::More {}
    house.sweep(0).await;
    house.assert_left(&[]).await;
}

/// Several servers hear of a person at once: of all they kept, the last is left.
#[tokio::test(flavor = "multi_thread")]
async fn h13_what_line_called_somebody_or_a_group_is_in_no_row() {
    let house = House::new().await;
    let other: Arc<dyn Store> = Arc::new(house.database.open().await);
    let mut keepers = JoinSet::new();
    for number in 1..=20 {
        let store = if number % 2 == 0 { Arc::clone(&house.store) } else { Arc::clone(&other) };
        keepers.spawn(async move {
            let (id, name) = (person_id("Uana"), Some(words(&mark(number))));
            store.keep_name(NameCard { id, name, at: at(1) }).await.unwrap();
            let source = SourceCard {
                id: source_id("C1"),
                kind: SourceKind::Group,
                name: Some(words(&mark(100 + number))),
                members: None,
                present: true,
                at: at(1),
            };
            store.keep_source(source).await.unwrap();
        });
    }
    keepers.join_all().await;
    let left = house.marks().await;
    assert!(left.len() == 2 && left.range(..100).count() == 1, "{left:?}");
    house.store.forget_name(&person_id("Uana")).await.unwrap();
    house.store.forget_source(&source_id("C1")).await.unwrap();
    house.assert_left(&[]).await;
}

/// Words are indexed nowhere, and their table is the only one with bytes that people wrote.
#[tokio::test]
async fn h13_no_index_holds_words() {
    let house = House::new().await;
    let sql = "SELECT c.relname::text, a.attname::text FROM pg_index i \
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) \
        JOIN pg_class c ON c.oid = i.indrelid JOIN pg_type t ON t.oid = a.atttypid \
        WHERE t.typname = 'bytea' AND c.relnamespace = 'public'::regnamespace ORDER BY 1, 2";
    let found = house.database.plain().await.query(sql, &[]).await.unwrap();
    let found: Vec<(String, String)> = found.iter().map(|row| (row.get(0), row.get(1))).collect();
    // digests, all of them
    let digests = [("allowance", "key"), ("person", "email_digest")];
    assert_eq!(found, digests.map(|(table, column)| (table.to_owned(), column.to_owned())));
}

#[tokio::test]
async fn h13_a_vacuum_gives_the_space_back() {
    let house = House::new().await;
    let talk = house.talk();
    for number in 0..50 {
        talk.make(say(marked(&format!("m{number}"), number, 3_000))).await;
    }
    talk.make(Change::EraseAll).await;
    house.sweep(2_000).await;
    let size = "SELECT pg_relation_size('words')";
    let plain = house.database.plain().await;
    assert!(plain.query_one(size, &[]).await.unwrap().get::<_, i64>(0) > 0);
    house.postgres.vacuum().await.unwrap();
    assert_eq!(plain.query_one(size, &[]).await.unwrap().get::<_, i64>(0), 0);
}

/// Texts of the server quote statements, and its details quote values: neither comes out.
#[tokio::test]
async fn h10_an_error_holds_no_words() {
    let house = House::new().await;
    let talk = house.talk();
    talk.make(say(message("m0"))).await;
    let plain = house.database.plain().await;
    let check = "ALTER TABLE words ADD CONSTRAINT small CHECK (length(content) < 10) NOT VALID";
    plain.batch_execute(check).await.unwrap();
    let error = talk.store.commit(&talk.key, talk.change(say(marked("m1", 1, 100)))).await;
    let error = error.unwrap_err();
    assert_eq!(error, StoreError::Conflict);
    plain.batch_execute("DROP TABLE message").await.unwrap();
    let error = talk.store.commit(&talk.key, talk.change(say(marked("m2", 2, 5)))).await;
    let error = error.unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt { .. }), "{error:?}");
    let text = format!("{error} {error:?}");
    assert!(!text.contains("SELECT") && marks_of(&text).is_empty(), "{text}");
}
