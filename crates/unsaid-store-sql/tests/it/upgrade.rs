//! A database that an older program made opens, and goes on where it was.

use std::sync::Arc;

use refinery::Target;
use rusqlite::Connection;
use unsaid_core::{
    domain::{
        conversation::change::{Change, Decision},
        id::{Fence, Number},
    },
    port::Store,
};
use unsaid_store_sql::sqlite::{schema_version, stored_version};
use unsaid_testkit::{
    builder::{answer, ask_by_way, chat_key, line_key, message, way_back, words_of},
    talk::Talk,
};

use crate::scene::Scene;

mod embedded {
    refinery::embed_migrations!("migrations/sqlite");
}

#[tokio::test]
async fn a_file_of_version_one_goes_on_where_it_was() {
    let scene = Scene::new();
    let mut plain = Connection::open(scene.db()).unwrap();
    embedded::migrations::runner()
        .set_grouped(true)
        .set_target(Target::Version(1))
        .run(&mut plain)
        .unwrap();
    plain.execute_batch(&talk_of_version_one(slot)).unwrap();
    plain.pragma_update(None, "user_version", 1).unwrap();
    plain.close().unwrap();
    assert_eq!(stored_version(&scene.db()).unwrap(), Some(1));
    assert_goes_on(&scene.open()).await;
    let version: u32 =
        scene.plain().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, schema_version());
    scene.assert_whole();
}

/// Words in a slot of the least size.
fn slot(_place: &str, id: i64, words: &str) -> String {
    let mut bytes = words.as_bytes().to_vec();
    bytes.resize(64, 0);
    format!("INSERT INTO words (id, content) VALUES ({id}, x'{}');", hex(&bytes))
}

/// What version 1 wrote, as statements: on LINE a question with its answer and one that waits, and a
/// chat in the middle of a turn.
pub(crate) fn talk_of_version_one(keep: impl Fn(&str, i64, &str) -> String) -> String {
    let mut sql = String::new();
    for (place, id, of) in
        [("line:U1", 1, "m1"), ("line:U1", 2, "r1"), ("line:U1", 3, "m2"), ("chat:c1", 4, "m1")]
    {
        let parts = format!(r#"[{{"type":"text","text":"{}"}}]"#, words_of(of));
        sql.push_str(&keep(place, id, &parts));
    }
    sql.push_str(
        "INSERT INTO conversation (key, version, last_number, last_fence, heard, wanted_at, \
            turn_holder, turn_until, turn_seen, turn_questions) VALUES \
            ('line:U1', 5, 3, 1, 3, 1000, NULL, NULL, NULL, NULL), \
            ('chat:c1', 2, 1, 1, 1, NULL, 'h1', 2000, 1, '1'); \
         INSERT INTO message (conversation, number, id, person, agent, at, roster, sending, \
            waiting, turn, asked_in, words) VALUES \
            ('line:U1', 1, 'm1', 'ana', NULL, 500, 0, 0, 0, NULL, '1', 1), \
            ('line:U1', 2, 'r1', NULL, 'kai', 500, 0, 2, 0, 1, NULL, 2), \
            ('line:U1', 3, 'm2', 'ana', NULL, 500, 0, 0, 1, NULL, NULL, 3), \
            ('chat:c1', 1, 'm1', 'ana', NULL, 500, 0, 0, 0, NULL, '1', 4); \
         INSERT INTO turn (conversation, fence, began_at, decision, ended_at) VALUES \
            ('line:U1', 1, 1000, 0, 1000), ('chat:c1', 1, 1000, NULL, NULL);",
    );
    sql
}

/// Fails unless what version 1 wrote is there, and can be talked on in with what is new.
pub(crate) async fn assert_goes_on(store: &Arc<dyn Store>) {
    let line = Talk::new(store, line_key("U1"));
    assert_eq!(line.heard().await, ["m1", "r1", "m2"]);
    let whole = line.whole().await;
    assert_eq!(whole.turns[&Fence::new(1)].ended, Some((Decision::Answered, line.now)));
    let old = line.find("m2").await.expect("it was said");
    assert_eq!((old.message, old.waiting, old.way_back), (message("m2"), true, None));
    line.make(ask_by_way(message("m3"), line.now)).await;
    let lease = line.begin().await;
    assert_eq!(lease.questions, [3, 4].map(Number::new).into());
    assert_eq!(line.find("m3").await.and_then(|entry| entry.way_back), Some(way_back("m3")));
    line.answer(lease.fence, &["r2"]).await;
    assert_eq!(line.find("m3").await.map(|entry| entry.way_back), Some(None));

    let chat = Talk::new(store, chat_key("c1"));
    let fence = Fence::new(1);
    chat.make(Change::Answer { fence, messages: vec![answer("r1")], last: true }).await;
    assert_eq!(chat.heard().await, ["m1", "r1"]);
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
