//! What admins see of LINE, over HTTP.

use serde_json::{Value, json};
use unsaid_core::domain::conversation::change::{Change, Decision};
use unsaid_core::port::people::PersonChange;
use unsaid_testkit::builder::{line_key, words, words_of};
use unsaid_testkit::talk::Talk;

use super::house::{BEGIN, House};

const SOURCES: &str = "/api/admin/line/sources";

async fn admin(house: &House) -> String {
    let id = house.sign_up("admin", false).await;
    let change = PersonChange::Admin(true);
    assert!(house.store.change(&id.try_into().unwrap(), change).await.unwrap());
    house.token("admin").await
}

fn talk(house: &House, source: &str) -> Talk {
    let mut talk = Talk::new(&house.store, line_key(source));
    talk.now = BEGIN;
    talk
}

#[tokio::test]
async fn the_list_answers_exactly_this() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let empty = house.get(SOURCES, &admin).await;
    assert_eq!((empty.status, empty.body), (200, json!({ "sources": [], "has_more": false })));
    talk(&house, "U1").exchange("m1", "r1").await;
    let group = talk(&house, "C1");
    group.ask("m1").await;
    let fence = group.begin().await.fence;
    let reason = Some(words("they talk about pears"));
    group.make(Change::Decide { fence, decision: Decision::Silent { reason } }).await;
    let failing = talk(&house, "R1");
    failing.ask("m1").await;
    let fence = failing.begin().await.fence;
    let code = "model_timeout".to_owned();
    failing.make(Change::Decide { fence, decision: Decision::Failed { code } }).await;
    talk(&house, "R2").make(Change::EraseAll).await;
    let answer = house.get(SOURCES, &admin).await;
    let at = "2026-01-17T10:30:00Z";
    let source = |id: &str, kind: &str, messages: u64, decision: &str| {
        json!({
            "id": id, "kind": kind, "messages": messages, "stored": true, "last_activity": at,
            "last_decision": { "decision": decision, "at": at },
        })
    };
    let expected = json!({ "has_more": false, "sources": [
        source("C1", "group", 1, "silent"),
        source("R1", "room", 1, "failed"),
        {
            "id": "R2", "kind": "room", "messages": 0, "stored": true,
            "last_activity": null, "last_decision": null,
        },
        source("U1", "user", 2, "answered"),
    ] });
    assert_eq!((answer.status, &answer.body), (200, &expected));
    let text = answer.body.to_string();
    assert!(!text.contains("pears") && !text.contains(&words_of("m1")), "{text}");
}

#[tokio::test]
async fn the_list_comes_in_pages() {
    let house = House::new().await;
    let admin = admin(&house).await;
    for number in 0..120 {
        talk(&house, &format!("U{number:03}")).say("m1").await;
    }
    let page = async |query: &str| {
        let answer = house.get(&format!("{SOURCES}{query}"), &admin).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let sources = answer.body["sources"].as_array().unwrap();
        let id = |source: &Value| source["id"].as_str().unwrap().to_owned();
        let ends = (sources.first().map(id), sources.last().map(id));
        (sources.len(), ends, answer.body["has_more"].as_bool().unwrap())
    };
    let ends = |first: &str, last: &str| (Some(first.to_owned()), Some(last.to_owned()));
    assert_eq!(page("").await, (100, ends("U000", "U099"), true));
    assert_eq!(page("?after=U099").await, (20, ends("U100", "U119"), false));
    assert_eq!(page("?limit=20&after=U099").await, (20, ends("U100", "U119"), false));
    assert_eq!(page("?limit=19&after=U099").await, (19, ends("U100", "U118"), true));
    assert_eq!(page("?limit=1000").await, (100, ends("U000", "U099"), true));
    assert_eq!(page("?after=U119").await, (0, (None, None), false));
    assert_eq!(page("?after=T").await.1, ends("U000", "U099"));
    let long = format!("?after={}", "U".repeat(65));
    for query in ["?limit=0", "?limit=-1", "?limit=x", "?after=", "?after=%C3%A9", &long, "?a=1"] {
        assert_eq!(house.get(&format!("{SOURCES}{query}"), &admin).await.status, 400, "{query}");
    }
}

#[tokio::test]
async fn only_admins_see_the_list() {
    let house = House::new().await;
    let nobody = house.call("GET", SOURCES).await_it().await;
    assert_eq!(nobody.status, 401, "{nobody:?}");
    let token = house.somebody("ana", true).await;
    let forbidden = house.get(SOURCES, &token).await;
    assert_eq!(forbidden.refusal(), (403, "FORBIDDEN", "Not allowed"));
}

fn turns_of(source: &str, query: &str) -> String {
    format!("{SOURCES}/{source}/turns{query}")
}

async fn decide(talk: &Talk, id: &str, decision: Decision) {
    talk.ask(id).await;
    let fence = talk.begin().await.fence;
    talk.make(Change::Decide { fence, decision }).await;
}

#[tokio::test]
async fn the_turns_of_a_source_answer_exactly_this() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let mut talk = talk(&house, "U1");
    talk.exchange("m1", "r1").await;
    talk.wait(1_000);
    let reason = Some(words("they talk about pears"));
    decide(&talk, "m2", Decision::Silent { reason }).await;
    decide(&talk, "m3", Decision::Failed { code: "model_timeout".to_owned() }).await;
    talk.ask("m4").await;
    talk.begin().await;
    let turn = |id: u64, decision: &str, code: Option<&str>, at: &str| json!({ "id": id, "decision": decision, "code": code, "began_at": at, "ended_at": at });
    let (first, later) = ("2026-01-17T10:30:00Z", "2026-01-17T10:30:01Z");
    let all = [
        turn(3, "failed", Some("model_timeout"), later),
        turn(2, "silent", None, later),
        turn(1, "answered", None, first),
    ];
    for (query, turns, has_more) in [
        ("", &all[..], false),
        ("?limit=2", &all[..2], true),
        ("?limit=2&before=2", &all[2..], false),
        ("?before=1", &[], false),
        ("?limit=1000&before=99999999999999999999999", &all[..], false),
    ] {
        let answer = house.get(&turns_of("U1", query), &admin).await;
        let expected = json!({ "turns": turns, "has_more": has_more });
        assert_eq!((answer.status, answer.body), (200, expected), "{query}");
    }
    talk.make(Change::EraseAll).await;
    let empty = house.get(&turns_of("U1", ""), &admin).await;
    assert_eq!((empty.status, empty.body), (200, json!({ "turns": [], "has_more": false })));
}

#[tokio::test]
async fn turns_are_for_admins_and_of_a_source_that_is_there() {
    let house = House::new().await;
    let nobody = house.call("GET", &turns_of("U1", "")).await_it().await;
    assert_eq!(nobody.status, 401, "{nobody:?}");
    let token = house.somebody("ana", true).await;
    let forbidden = house.get(&turns_of("U1", ""), &token).await;
    assert_eq!(forbidden.refusal(), (403, "FORBIDDEN", "Not allowed"));
    let admin = admin(&house).await;
    talk(&house, "U1").say("m1").await;
    assert_eq!(house.get(&turns_of("U1", ""), &admin).await.status, 200);
    for unknown in ["U2", "%C3%A9", &"U".repeat(65)] {
        let answer = house.get(&turns_of(unknown, ""), &admin).await;
        assert_eq!((answer.status, &answer.body["code"]), (404, &json!("NOT_FOUND")), "{unknown}");
    }
    for query in ["?limit=0", "?limit=x", "?before=", "?before=-1", "?a=1"] {
        let answer = house.get(&turns_of("U1", query), &admin).await;
        assert_eq!(answer.status, 400, "{query}");
    }
}
