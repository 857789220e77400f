//! The LINE that stands in is as strict as LINE.

use serde_json::{Value, json};
use unsaid_core::domain::{message::ReplyToken, source::SourceKind};
use unsaid_line::client::AccessToken;
use unsaid_line::stand_in::{Call, Fault, Sent, StandIn, What};
use uuid::Uuid;

use crate::house::{House, TOKEN, person, soon, source};

async fn post(line: &StandIn, path: &str, key: Option<&str>, body: &Value) -> (u16, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}/v2/bot/{path}", line.base())).bearer_auth(TOKEN);
    let request = match key {
        Some(key) => request.header("x-line-retry-key", key),
        None => request,
    };
    let response = request.body(body.to_string()).send().await.unwrap();
    let status = response.status().as_u16();
    let accepted = response.headers().contains_key("x-line-accepted-request-id");
    assert_eq!(accepted, status == 409);
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
}

fn text(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}

fn texts(sent: &Sent) -> Vec<&str> {
    sent.what.texts().iter().map(unsaid_core::domain::text::Words::as_str).collect()
}

#[tokio::test]
async fn a_reply_token_is_good_once() {
    let House { line, .. } = House::new().await;
    let token = line.issue_reply_token(&source("C1"));
    let body = json!({ "replyToken": token.expose(), "messages": [text("hi"), text("there")] });
    assert_eq!(post(&line, "message/reply", None, &body).await.0, 200);
    let (status, said) = post(&line, "message/reply", None, &body).await;
    assert_eq!((status, said), (400, json!({ "message": "Invalid reply token" })));
    let sent = soon(line.next_sent()).await;
    assert_eq!((sent.to.as_str(), texts(&sent)), ("C1", vec!["hi", "there"]));

    let old = line.issue_reply_token(&source("C1"));
    assert_ne!(old, token);
    line.expire_reply_token(&old);
    let body = json!({ "replyToken": old.expose(), "messages": [text("hi")] });
    assert_eq!(post(&line, "message/reply", None, &body).await.0, 400);
}

#[tokio::test]
async fn one_that_lasts_keeps_nothing_and_knows_the_newest() {
    let here = ([127, 0, 0, 1], 0).into();
    let line = StandIn::start_lasting(here, AccessToken::new(TOKEN), 2).await.unwrap();
    let reply = async |token: &ReplyToken| {
        let body = json!({ "replyToken": token.expose(), "messages": [text("hi")] });
        post(&line, "message/reply", None, &body).await.0
    };
    let tokens = ["C1", "C2", "C3"].map(|place| line.issue_reply_token(&source(place)));
    assert_eq!((reply(&tokens[0]).await, reply(&tokens[2]).await), (400, 200));
    assert_eq!((line.sent().len(), line.seen().len()), (0, 0));

    line.know_person(&person("U1"), "Kim");
    line.know_member(&source("C2"), &person("U2"), "Noa");
    line.know_place(&source("C2"), SourceKind::Group, "Orchard", line.count_members(&source("C2")));
    let name = |place: &str, id: &str| line.name_of(&source(place), &person(id)).map(String::from);
    assert_eq!((name("U1", "U1"), name("C2", "U2")), (Some("Kim".into()), Some("Noa".into())));
    assert_eq!((name("C2", "U1"), line.count_members(&source("C2"))), (None, 1));
    assert_eq!(line.forget_place(&source("C2")), [person("U2")]);
    assert_eq!((name("C2", "U2"), reply(&tokens[1]).await), (None, 400));
    assert_eq!(name("U1", "U1"), Some("Kim".into()));
}

#[tokio::test]
async fn a_reply_has_no_retry_key() {
    let House { line, .. } = House::new().await;
    let token = line.issue_reply_token(&source("U1"));
    let body = json!({ "replyToken": token.expose(), "messages": [text("hi")] });
    let key = Uuid::nil().to_string();
    assert_eq!(post(&line, "message/reply", Some(&key), &body).await.0, 400);
    assert_eq!(post(&line, "message/reply", None, &body).await.0, 200, "the token is still good");
}

#[tokio::test]
async fn a_push_is_taken_once_for_a_key() {
    let House { line, .. } = House::new().await;
    let body = json!({ "to": "U1", "messages": [text("hi")] });
    let key = Uuid::max().to_string();
    assert_eq!(post(&line, "message/push", Some("no key"), &body).await.0, 400);
    assert_eq!(post(&line, "message/push", Some(&key), &body).await.0, 200);
    assert_eq!(post(&line, "message/push", Some(&key), &body).await.0, 409);
    assert_eq!(post(&line, "message/push", None, &body).await.0, 200);
    let keys: Vec<_> = line.sent().into_iter().map(|sent| sent.what).collect();
    assert!(matches!(
        &keys[..],
        [What::Push { retry_key: Some(_), .. }, What::Push { retry_key: None, .. }]
    ));
}

#[tokio::test]
async fn bodies_are_as_line_wants_them() {
    let House { line, .. } = House::new().await;
    let cases = [
        (json!([]), 400),
        (json!([text("")]), 400),
        (json!([text("x".repeat(5_000))]), 200),
        (json!([text("x".repeat(5_001))]), 400),
        // one character of two units
        (json!([text("😀".repeat(2_500))]), 200),
        (json!([text("😀".repeat(2_501))]), 400),
        (json!(vec![text("x"); 5]), 200),
        (json!(vec![text("x"); 6]), 400),
        (json!([{ "type": "image", "text": "x" }]), 400),
        (json!("x"), 400),
    ];
    for (messages, expected) in cases {
        let body = json!({ "to": "U1", "messages": messages });
        assert_eq!(post(&line, "message/push", None, &body).await.0, expected, "{messages:.60}");
    }
    let nowhere = json!({ "to": "", "messages": [text("x")] });
    assert_eq!(post(&line, "message/push", None, &nowhere).await.0, 400);
}

#[tokio::test]
async fn the_animation_is_for_people_and_for_so_many_seconds() {
    let House { line, .. } = House::new().await;
    line.know_place(&source("C1"), SourceKind::Group, "Friends", 2);
    let cases = [("U1", 5, 202), ("U1", 60, 202), ("U1", 7, 400), ("U1", 65, 400), ("C1", 5, 400)];
    for (id, seconds, expected) in cases {
        let body = json!({ "chatId": id, "loadingSeconds": seconds });
        assert_eq!(post(&line, "chat/loading/start", None, &body).await.0, expected);
    }
    assert_eq!(line.sent().len(), 2);
}

#[tokio::test]
async fn a_fault_is_for_one_call_of_its_kind() {
    let House { line, client, .. } = House::new().await;
    line.know_person(&person("U1"), "Ana");
    line.fault(Call::Profile, Fault::status(500));
    line.fault(Call::Profile, Fault::Cut);
    assert!(client.bot_info().await.is_ok());
    assert!(client.profile(&person("U1")).await.is_err());
    assert!(client.profile(&person("U1")).await.is_err());
    assert!(client.profile(&person("U1")).await.is_ok());
    soon(line.until_seen(Call::Profile, 3)).await;
    let statuses: Vec<_> = line.seen().iter().map(|seen| seen.status).collect();
    assert_eq!(statuses, [Some(200), Some(500), None, Some(200)]);
}
