//! Calls that are seldom made: chats that are not there or not named, edits while a round runs, paths
//! without `/api`.

use serde_json::{Value, json};

use super::company::{Company, Frames};
use crate::accounts::house::House;

async fn session_off(ana: &Company<'_>) {
    let off = ana.house.call("PATCH", "/api/worlds/w").bearer(&ana.token);
    assert_eq!(off.json(json!({ "currentChatId": null })).await.status, 200);
}

#[tokio::test]
async fn a_chat_that_is_not_there_is_unknown_to_status_and_events() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    for path in ["status", "events"] {
        let refused = ana.gets(&format!("{path}?chatId=nowhere")).await;
        assert_eq!((refused.status, refused.refusal().1), (404, "CHAT_NOT_FOUND"), "{path}");
    }
}

#[tokio::test]
async fn with_session_mode_off_a_chat_must_be_named() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    session_off(&ana).await;
    for path in ["status", "events", "agents/o1/memory", &format!("messages/{id}/count")] {
        let refused = ana.gets(path).await;
        assert_eq!((refused.status, refused.refusal().1), (400, "VALIDATION_ERROR"), "{path}");
        assert_eq!(refused.body["details"]["field"], "chatId", "{path}");
    }
    let status = ana.gets(&format!("status?chatId={}", ana.chat)).await;
    assert_eq!((status.status, &status.body["isProcessing"]), (200, &json!(false)));
}

#[tokio::test]
async fn with_session_mode_off_nothing_is_undone() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let body = json!({ "chatId": ana.chat });
    let removed = ana.calls("DELETE", &format!("messages/{id}"), body).await.body;
    let undo = format!("edits/{}/undo", removed["editId"].as_str().unwrap());
    session_off(&ana).await;
    let refused = ana.calls("POST", &undo, Value::Null).await;
    assert_eq!((refused.status, refused.refusal().1), (409, "SESSION_OFF"));
    assert!(ana.log().await.is_empty());
    ana.calls("POST", &format!("setChat/{}", ana.chat), Value::Null).await;
    assert_eq!(ana.calls("POST", &undo, Value::Null).await.status, 200);
    assert_eq!(ana.log().await, ["human: one", "o1: first"]);
}

#[tokio::test]
async fn while_a_round_runs_nothing_is_removed_edited_or_undone() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let second = ana.exchange("o1", "two", "second").await;
    let mut frames = ana.edits(&second, "three").await;
    let removed = frames.next().await["data"]["editId"].as_str().unwrap().to_owned();
    let (_, asked) = ana.asked().await;
    let body = json!({ "chatId": ana.chat });
    let edited = json!({ "chatId": ana.chat, "newContent": "x" });
    for (method, path, body) in [
        ("PUT", format!("messages/{id}"), edited),
        ("DELETE", format!("messages/{id}"), body),
        ("POST", format!("edits/{removed}/undo"), Value::Null),
    ] {
        let refused = ana.calls(method, &path, body).await;
        let sentence = "Cannot edit messages while agents are responding";
        assert_eq!(refused.refusal(), (423, "WORLD_LOCKED", sentence), "{method}");
        let hint = "Please wait for agents to finish responding";
        assert_eq!(refused.body["message"], hint, "{method}");
        assert_eq!(refused.headers["retry-after"], "2", "{method}");
    }
    asked.answer([unsaid_testkit::model::text("third")]);
    frames.rest().await;
    assert_eq!(ana.log().await, ["human: one", "o1: first", "human: three", "o1: third"]);
}

#[tokio::test]
async fn only_whoever_edits_is_told_what_came_of_it() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let mut watched = ana.watches(None).await;
    let mut own = ana.edits(&id, "two").await;
    let (told, seen) = (own.next().await, watched.of_type("removed").await);
    ana.answers("o1", "second").await;
    own.rest().await;
    assert_eq!(told["data"]["result"]["messagesRemovedTotal"], 2);
    assert_eq!(seen["data"].get("result"), None, "{seen}");
    for field in ["fromMessageId", "count", "editId"] {
        assert_eq!(seen["data"][field], told["data"][field], "{field}");
    }
}

#[tokio::test]
async fn people_talk_without_api_in_the_path_too() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let call = |method: &str, path: &str| {
        house.call(method, &format!("/worlds/w/{path}")).bearer(&ana.token)
    };
    let mut watched = Frames::of(call("GET", "events").stream(Value::Null).await);
    let mut frames = Frames::of(call("POST", "messages").stream(json!({ "message": "one" })).await);
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    ana.answers("o1", "first").await;
    frames.rest().await;
    assert_eq!(watched.of_type("message").await["data"]["messageId"], id);
    let path = format!("messages/{id}");
    let body = json!({ "chatId": ana.chat, "newContent": "two", "stream": false });
    let (edited, ()) = tokio::join!(call("PUT", &path).json(body), ana.answers("o1", "second"));
    assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 2, "{edited:?}");
    let undo = format!("edits/{}/undo", edited.body["removal"]["editId"].as_str().unwrap());
    assert_eq!(call("POST", &undo).json(Value::Null).await.status, 200);
    let in_chat = json!({ "chatId": ana.chat });
    assert_eq!(call("POST", "messages/stop").json(in_chat.clone()).await.status, 200);
    let unsent = call("POST", &format!("{path}/unsend")).json(in_chat.clone()).await;
    assert_eq!((unsent.status, &unsent.body["messageId"]), (200, &json!(id)));
    let id = ana.exchange("o1", "three", "third").await;
    let removed = call("DELETE", &format!("messages/{id}")).json(in_chat).await;
    assert_eq!(removed.status, 200, "{removed:?}");
    for path in ["status", "edit-errors"] {
        assert_eq!(call("GET", path).await_it().await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn h8_what_is_hidden_is_removed_without_a_way_back() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let keeps = async |keeps: bool| {
        let call = house.call("PATCH", "/api/users/me/preferences").bearer(&ana.token);
        assert_eq!(call.json(json!({ "store_history": keeps })).await.status, 200);
    };
    keeps(false).await;
    let body = json!({ "chatId": ana.chat });
    let removed = ana.calls("DELETE", &format!("messages/{id}"), body).await;
    assert_eq!((removed.status, removed.body.get("editId")), (200, None), "{removed:?}");
    keeps(true).await;
    assert!(ana.log().await.is_empty());
}
