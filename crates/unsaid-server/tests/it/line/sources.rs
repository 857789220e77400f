//! What admins see of those who talk to the bot.

use std::io::Write as _;

use serde_json::{Value, json};
use unsaid_core::domain::id::{PersonId, SourceId};
use unsaid_core::domain::source::SourceKind;

use super::event::{member, person};
use super::house::{House, thought};
use super::keeper::Keeper;
use super::on_every_history;
use super::thinker::{reply, skip};
use crate::running::{answer, connect};
use crate::wait::until;

const ANA: &str = "U4af4980629a1b2c3d4e5f60718293a4b";
const GROUP: &str = "Ca56f94637c1b2c3d4e5f60718293a4b5";
const ADMIN: &str = "admin@example.org";
const PASSWORD: &str = "correct horse";

/// Status and body of an answer.
fn call(house: &House, head: &str, body: &str) -> (u16, Value) {
    let mut stream = connect(house.address);
    let length = body.len();
    write!(
        stream,
        "{head}\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let text = answer(stream);
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap())
}

fn token(house: &House) -> String {
    let body = json!({ "email": ADMIN, "password": PASSWORD }).to_string();
    let (status, told) = call(house, "POST /api/auth/login HTTP/1.1", &body);
    assert_eq!(status, 200, "{told}");
    told["token"].as_str().unwrap().to_owned()
}

fn sources(house: &House, query: &str, token: &str) -> (u16, Value) {
    let path = format!("/api/admin/line/sources{query}");
    call(house, &format!("GET {path} HTTP/1.1\r\nauthorization: Bearer {token}"), "")
}

fn ids(page: &Value) -> Vec<&str> {
    let sources = page["sources"].as_array().unwrap();
    sources.iter().map(|source| source["id"].as_str().unwrap()).collect()
}

fn admins_see_counts_and_decisions_and_no_word(keeper: Keeper) {
    let house = House::scripted(keeper, |asked| {
        if asked.words.contains("among us") {
            skip("they talk to each other")
        } else {
            reply(thought(asked.nth))
        }
    });
    let added = house.command(&["user", "add", ADMIN], &format!("{PASSWORD}\n"));
    assert_eq!(added.code, Some(0), "{added:?}");
    let token = token(&house);
    assert_eq!(sources(&house, "", &token).0, 403);
    assert_eq!(house.command(&["user", "admin", ADMIN], "").code, Some(0));
    assert_eq!(sources(&house, "", &token).1, json!({ "sources": [], "has_more": false }));

    let (group, ana) = (SourceId::new(GROUP).unwrap(), PersonId::new(ANA).unwrap());
    house.line.know_place(&group, SourceKind::Group, "Orchard", 2);
    house.line.know_member(&group, &ana, "Anastasia");
    house.ask(&person(ANA), "m1", "persimmons are ripe");
    house.say(&member(GROUP, ANA), "m1", "this stays among us");
    let decided = |page: &str| page.contains("\"silent\"") && page.contains("\"answered\"");
    let page = until(|| sources(&house, "", &token).1.to_string(), decided);
    for word in ["persimmons", "among us", "each other", "thought", "Anastasia", "Orchard"] {
        assert!(!page.contains(word), "{page}");
    }
    let page: Value = serde_json::from_str(&page).unwrap();
    assert_eq!((ids(&page), &page["has_more"]), (vec![GROUP, ANA], &json!(false)));
    for (source, kind, messages, decision) in
        [(&page["sources"][0], "group", 1, "silent"), (&page["sources"][1], "user", 2, "answered")]
    {
        assert_eq!(
            (&source["kind"], &source["messages"], &source["last_decision"]["decision"]),
            (&json!(kind), &json!(messages), &json!(decision)),
        );
        let (at, decided) = (&source["last_activity"], &source["last_decision"]["at"]);
        assert!(at.as_str().unwrap().ends_with('Z') && decided.is_string(), "{source}");
        assert_eq!(source["stored"], json!(true));
        assert_eq!(source.as_object().unwrap().len(), 6, "{source}");
    }
    let (status, turns) = sources(&house, &format!("/{ANA}/turns"), &token);
    let decision = &turns["turns"][0]["decision"];
    assert_eq!((status, &turns["has_more"], decision), (200, &json!(false), &json!("answered")));
    let text = sources(&house, &format!("/{GROUP}/turns"), &token).1.to_string();
    assert!(text.contains("\"silent\"") && !text.contains("each other"), "{text}");
    assert_eq!(sources(&house, "/Unobody/turns", &token).0, 404);
    let (_, first) = sources(&house, "?limit=1", &token);
    assert_eq!((ids(&first), &first["has_more"]), (vec![GROUP], &json!(true)));
    let (_, second) = sources(&house, &format!("?limit=1&after={GROUP}"), &token);
    assert_eq!((ids(&second), &second["has_more"]), (vec![ANA], &json!(false)));
    house.end();
}

#[test]
fn admins_see_the_same_on_postgres() {
    admins_see_counts_and_decisions_and_no_word(Keeper::Postgres);
}

on_every_history![admins_see_counts_and_decisions_and_no_word];
