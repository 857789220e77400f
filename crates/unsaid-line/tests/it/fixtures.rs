//! Webhooks as LINE sends them, one file for each kind of event and message.

use std::{fs, path::Path};

use serde_json::Value;
use unsaid_line::{
    inbound::Receipt,
    wire::{self, Event},
};

use crate::door::Door;

pub(crate) struct Fixture {
    /// The name of its file.
    pub(crate) name: String,
    pub(crate) body: String,
}

/// All of them, by name.
pub(crate) fn fixtures() -> Vec<Fixture> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut fixtures: Vec<Fixture> = fs::read_dir(directory)
        .unwrap()
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            Fixture { name, body: fs::read_to_string(path).unwrap() }
        })
        .collect();
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(fixtures.len() > 30);
    fixtures
}

#[test]
fn every_fixture_is_read_without_a_fault() {
    let mut kinds = Vec::new();
    for Fixture { name, body } in fixtures() {
        for event in wire::read(body.as_bytes()).unwrap() {
            match event.unwrap_or_else(|malformed| panic!("{name}: {malformed}")) {
                Event::Heard(heard) => kinds.push(heard.kind.name()),
                Event::Ignored { kind } => assert_eq!(kind.name(), "other", "{name}"),
            }
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    let expected = [
        "follow",
        "join",
        "leave",
        "memberJoined",
        "memberLeft",
        "message",
        "messageEdited",
        "unfollow",
        "unsend",
    ];
    assert_eq!(kinds, expected);
}

#[tokio::test]
async fn all_fixtures_together_are_one_conversation_and_again_change_nothing() {
    let door = Door::new();
    let mut sum = Receipt::default();
    let mut fixtures = fixtures();
    fixtures.sort_by_key(|fixture| happened_at(&fixture.body));
    for Fixture { name, body } in &fixtures {
        let receipt = door.call_raw(body.as_bytes()).await;
        let receipt = receipt.unwrap_or_else(|rejected| panic!("{name}: {rejected}"));
        sum.taken += receipt.taken;
        sum.ignored += receipt.ignored;
        assert_eq!(receipt.malformed + receipt.refused + receipt.duplicates, 0, "{name}");
    }
    assert_eq!((sum.taken, sum.ignored), (32, 8));
    let chats = ["U4af4980629f8b1a8d6a9f0c2f1b0aa01", "Ca56f94637c1a4d0e8b7a3d2c1e0f9b02"];
    let before = (door.state(chats[0]).await, door.state(chats[1]).await);
    for Fixture { body, .. } in &fixtures {
        door.call_raw(body.as_bytes()).await.unwrap();
    }
    assert_eq!((door.state(chats[0]).await, door.state(chats[1]).await), before);
}

/// When its first event happened, if it has one.
fn happened_at(body: &str) -> Option<i64> {
    let body: Value = serde_json::from_str(body).unwrap();
    body["events"][0]["timestamp"].as_i64()
}
