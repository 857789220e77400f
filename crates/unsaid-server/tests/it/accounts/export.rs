//! Everything held on somebody, over HTTP.

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use unsaid_core::port::history::{Commit, History as _};
use unsaid_testkit::builder::{
    TERMS, chat, chat_key, message_by, new_session, person_id, say, session_key, words_of, world,
};
use unsaid_testkit::failing::Fault;
use unsaid_testkit::talk::Talk;

use super::house::{BEGIN, DAY_MS, House};

const EXPORT: &str = "/api/users/me/export";

/// Somebody with a chat and a session, in which something was said; their id and token.
async fn talker(house: &House, name: &str) -> (String, String) {
    let id = house.sign_up(name, true).await;
    let (chat_id, session_id) = (format!("c-{name}"), format!("s-{name}"));
    let made = house.store.add_world(world(&id, "w1"), chat(&chat_id, 0), Vec::new()).await;
    made.unwrap().unwrap();
    let session = new_session(&session_id, &id, BEGIN.as_millis());
    house.store.open_session(session, TERMS).await.unwrap().unwrap();
    Talk::new(&house.store, chat_key(&chat_id)).owned_by(&id).say(&format!("{name}-1")).await;
    Talk::new(&house.store, session_key(&session_id)).owned_by(&id).say(&format!("{name}-2")).await;
    (id, house.token(name).await)
}

async fn asked(house: &House, token: &str) -> Response<Body> {
    let request = Request::get(EXPORT).header("authorization", format!("Bearer {token}"));
    house.response(request.body(Body::empty()).unwrap()).await
}

async fn lines(house: &House, token: &str) -> Vec<Value> {
    let response = asked(house, token).await;
    assert_eq!(response.status(), 200);
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn it_is_a_file_to_be_kept_and_nobody_elses() {
    let house = House::new().await;
    let (id, token) = talker(&house, "ana").await;
    let (_, other) = talker(&house, "ben").await;
    let response = asked(&house, &token).await;
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/x-ndjson");
    assert_eq!(header("cache-control"), "no-store");
    let named = "attachment; filename=\"unsaid-export.jsonl\"";
    assert_eq!(header("content-disposition"), named);
    let told = lines(&house, &token).await;
    let expected = ["person", "consent", "world", "chat", "message", "session", "message"];
    assert_eq!(kinds(&told), expected);
    assert_eq!((&told[0]["id"], &told[0]["email"]), (&json!(id), &json!("ana@example.org")));
    assert_eq!(told[0]["created_at"], "2026-01-17T10:30:00Z");
    assert_eq!(told[4]["content"], words_of("ana-1"));
    assert_eq!(
        (&told[6]["content"], &told[6]["conversation"]),
        (&json!(words_of("ana-2")), &json!("session"))
    );
    let others = lines(&house, &other).await;
    assert!(!Value::from(others).to_string().contains("ana-"));
}

#[tokio::test]
async fn h8_what_is_hidden_says_so_and_at_its_date_it_is_gone() {
    let house = House::new().await;
    let (_, token) = talker(&house, "ana").await;
    let off = json!({ "store_history": false });
    house.call("PATCH", "/api/users/me/preferences").bearer(&token).json(off).await;
    for line in lines(&house, &token).await {
        let is_history = line["type"] == "message" || line["type"] == "session";
        assert_eq!(line["hidden"] == true, is_history, "{line}");
    }
    house.clock.advance(30 * DAY_MS);
    let told = lines(&house, &house.token("ana").await).await;
    assert_eq!(kinds(&told), ["person", "consent", "consent", "billing", "world", "chat"]);
    assert_eq!(told[0]["history_deletion_scheduled_at"], Value::Null);
}

#[tokio::test]
async fn h7_what_is_only_in_memory_says_so() {
    let house = House::new().await;
    let id = house.sign_up("ben", false).await;
    let said = say(message_by(&id, "ben-1"));
    let commit = Commit::new(said, BEGIN).owned_by(person_id(&id));
    house.volatile.commit(&session_key("s-ben"), commit).await.unwrap();
    let told = lines(&house, &house.token("ben").await).await;
    assert_eq!(kinds(&told), ["person", "consent", "message"]);
    assert_eq!(
        (&told[2]["stored"], &told[2]["content"]),
        (&json!(false), &json!(words_of("ben-1")))
    );
    let (_, other) = talker(&house, "ana").await;
    let others = lines(&house, &other).await;
    assert!(!Value::from(others).to_string().contains("ben-"));
}

#[tokio::test]
async fn strangers_and_a_store_that_is_away_get_an_ordinary_refusal() {
    let house = House::new().await;
    let (_, token) = talker(&house, "ana").await;
    let nobody = house.call("GET", EXPORT).await_it().await;
    assert_eq!(nobody.refusal().1, "UNAUTHENTICATED");
    house.faults.fail("consents", Fault::Unavailable);
    let away = house.get(EXPORT, &token).await;
    assert_eq!(away.refusal().1, "STORAGE_UNAVAILABLE");
    assert_eq!(house.call("POST", EXPORT).bearer(&token).await_it().await.status, 405);
}

#[tokio::test]
async fn a_store_that_fails_on_the_way_breaks_the_answer_off() {
    let house = House::new().await;
    let (_, token) = talker(&house, "ana").await;
    house.faults.fail_nth("entries_after", 3, Fault::Unavailable);
    let response = asked(&house, &token).await;
    assert_eq!(response.status(), 200);
    let broken = to_bytes(response.into_body(), usize::MAX).await;
    assert!(broken.is_err(), "it must not look like an end");

    // And so a client sees it: without the chunk that ends a body.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut served = tokio::task::JoinSet::new();
    served.spawn(axum::serve(listener, house.door()).into_future());
    for (fails, ends) in [(true, false), (false, true)] {
        if fails {
            house.faults.fail_nth("entries_after", 3, Fault::Unavailable);
        }
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let call = format!(
            "GET {EXPORT} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(call.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap_or_default();
        let answer = String::from_utf8(answer).unwrap();
        // How much of it came before it broke off depends on what had left the server's buffer by then.
        let whole = answer.contains("transfer-encoding: chunked") && answer.contains("ana-1");
        assert!(whole || fails, "{answer}");
        assert_eq!(answer.ends_with("\r\n0\r\n\r\n"), ends, "{answer}");
    }
}
