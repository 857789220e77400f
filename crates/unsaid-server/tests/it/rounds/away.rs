//! Storage that goes away: before it is known who calls, and after what they wanted was done.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::yield_now;
use tokio::time::{pause, resume, timeout};
use unsaid_testkit::failing::Fault;

use super::company::Company;
use crate::accounts::house::{Answer, Call, House, MINUTE_MS, ORIGIN, PASSWORD};

/// What is asked for to know who calls.
const LOOKED_UP: [&str; 2] = ["person", "is_sign_in_ended"];
/// More often than anybody tries to read.
const FAILURES: u64 = 100;
/// Whatever does not come within this does not come.
const PATIENCE: Duration = Duration::from_mins(1);

/// Somebody without agents: nobody works behind the door whom a failure could strike instead.
async fn alone<'a>(house: &'a House, name: &str, consent: bool) -> (Company<'a>, String) {
    let ana = Company::of(house, name, consent, &[]).await;
    let said = ana.calls("POST", "messages", json!({ "message": "one", "stream": false })).await;
    let id = said.body["messageId"].as_str().unwrap().to_owned();
    (ana, id)
}

fn edit(ana: &Company<'_>, words: &str) -> Value {
    json!({ "chatId": ana.chat, "newContent": words, "stream": false })
}

/// What is shown of the chat.
async fn shown(ana: &Company<'_>) -> Vec<Value> {
    let page = ana.gets(&format!("chats/{}/messages", ana.chat)).await.body;
    let messages = page["messages"].as_array().unwrap().iter();
    messages.map(|message| message["content"].clone()).collect()
}

async fn noted(ana: &Company<'_>) -> Vec<Value> {
    let listed = ana.gets("edit-errors").await;
    assert_eq!(listed.status, 200, "{listed:?}");
    listed.body.as_array().unwrap().clone()
}

/// The page's cookie.
async fn cookie(house: &House) -> String {
    let body = json!({ "email": "ana@example.org", "password": PASSWORD });
    let signed_in = house.call("POST", "/api/auth/login?cookie=true").json(body).await;
    let line = signed_in.header("set-cookie").unwrap();
    line.split(';').next().unwrap().to_owned()
}

/// A call with these headers.
async fn with(call: Call<'_>, headers: &[(&str, &str)], body: &Value) -> Answer {
    let call = headers.iter().fold(call, |call, (name, value)| call.header(name, value));
    call.json(body.clone()).await
}

#[tokio::test]
async fn an_edit_or_removal_is_noted_also_if_storage_fails_before_its_caller_is_looked_up() {
    let house = House::new().await;
    let (ana, id) = alone(&house, "ana", true).await;
    let (token, cookie) = (format!("Bearer {}", ana.token), cookie(&house).await);
    let (bearer, page) =
        ([("authorization", token.as_str())], [("cookie", cookie.as_str()), ("origin", ORIGIN)]);
    let path = ana.path(&format!("messages/{id}"));
    let (edit, in_chat) = (edit(&ana, "rosebud"), json!({ "chatId": ana.chat }));
    let mut failures = 0;
    for headers in [&bearer[..], &page] {
        for looked_up in LOOKED_UP {
            for (method, body) in [("PUT", &edit), ("DELETE", &in_chat)] {
                let told = format!("{method} without {looked_up}");
                house.faults.fail(looked_up, Fault::Unavailable);
                let failed = with(house.call(method, &path), headers, body).await;
                let code = "STORAGE_UNAVAILABLE";
                assert_eq!((failed.status, failed.refusal().1), (503, code), "{told}");
                failures += 1;
                let listed = noted(&ana).await;
                assert_eq!(listed.len(), failures, "{told}");
                let last = listed.last().unwrap();
                let seen = [&last["chatId"], &last["messageId"], &last["code"]];
                assert_eq!(seen, [&json!(ana.chat), &json!(id), &json!(code)], "{told}");
                assert!(!last.to_string().contains("rosebud"), "{told}");
            }
        }
    }
    assert_eq!(shown(&ana).await, ["one"]);
}

#[tokio::test]
async fn nobody_is_noted_who_has_not_proven_who_they_are() {
    let house = House::new().await;
    let (mut ana, id) = alone(&house, "ana", true).await;
    let (token, cookie) = (format!("Bearer {}", ana.token), cookie(&house).await);
    let path = ana.path(&format!("messages/{id}"));
    let (edit, in_chat) = (edit(&ana, "rosebud"), json!({ "chatId": ana.chat }));
    house.faults.fail("person", Fault::Unavailable);
    let refused = async |headers: &[(&str, &str)], expected: (u16, &str)| {
        for (method, body) in [("PUT", &edit), ("DELETE", &in_chat)] {
            let refused = with(house.call(method, &path), headers, body).await;
            assert_eq!((refused.status, refused.refusal().1), expected, "{method} {headers:?}");
        }
    };
    let nobody = (401, "UNAUTHENTICATED");
    refused(&[], nobody).await;
    refused(&[("authorization", "Bearer nonsense")], nobody).await;
    let elsewhere = [("cookie", cookie.as_str()), ("origin", "https://evil.example")];
    refused(&elsewhere, (403, "WRONG_ORIGIN")).await;
    house.clock.advance(61 * MINUTE_MS);
    refused(&[("authorization", &token)], nobody).await;
    assert!(!house.faults.is_spent(), "nobody was looked up");
    assert_eq!(ana.gets("edit-errors").await.status, 401);
    house.faults.fail_nth("person", 1, Fault::Unavailable);
    ana.token = house.token("ana").await;
    assert_eq!(ana.gets("edit-errors").await.status, 503);
    assert!(noted(&ana).await.is_empty());
    // Who has signed out is known to nobody either, once storage answers.
    let logout = house.call("POST", "/api/auth/logout").bearer(&ana.token).await_it().await;
    assert_eq!(logout.status, 204);
    refused(&[("authorization", &format!("Bearer {}", ana.token))], nobody).await;
    ana.token = house.token("ana").await;
    assert!(noted(&ana).await.is_empty());
}

/// Makes a call; whatever it looks for after its commit is not found, for longer than it tries.
async fn unread(ana: &Company<'_>, consent: bool, call: (&str, &str, Value)) -> Answer {
    let faults = if consent { &ana.house.faults } else { &ana.house.memory_faults };
    // What is edited in memory is looked for first.
    let looked = u64::from(!consent && call.0 == "PUT");
    let before = faults.calls("find") + looked;
    for nth in 1..=FAILURES {
        faults.fail_nth("find", nth + looked, Fault::Unavailable);
    }
    let hurry = async {
        while faults.calls("find") <= before {
            yield_now().await;
        }
        // From now on nothing is asked of a store that could be late.
        pause();
    };
    let (method, path, body) = call;
    let hurry = timeout(PATIENCE, hurry);
    let (told, hurried) = tokio::join!(ana.calls(method, path, body), hurry);
    hurried.expect("it is looked for");
    resume();
    told
}

#[tokio::test]
async fn h6_what_was_done_is_not_called_a_failure_because_nobody_can_read_the_answers() {
    for (name, consent) in [("ana", true), ("bob", false)] {
        let house = House::new().await;
        let (ana, id) = alone(&house, name, consent).await;
        let failure = json!({ "code": "STORAGE_UNAVAILABLE", "error": "Storage does not answer" });
        let path = format!("messages/{id}");
        let edited = unread(&ana, consent, ("PUT", &path, edit(&ana, "two"))).await;
        assert_eq!(edited.status, 200, "{edited:?}");
        assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 1, "{edited:?}");
        let body = json!({ "message": "three", "stream": false });
        let said = unread(&ana, consent, ("POST", "messages", body)).await;
        assert_eq!(said.status, 200, "{said:?}");
        for told in [&edited, &said] {
            assert!(told.body["messageId"].is_string(), "{told:?}");
            assert_eq!((&told.body["messages"], &told.body["error"]), (&json!([]), &failure));
            assert_eq!(told.body["stored"], consent, "{told:?}");
        }
        assert_eq!(shown(&ana).await, ["two", "three"]);
        assert!(noted(&ana).await.is_empty(), "nothing failed");
    }
}
