use serde_json::{Value, json};
use unsaid_testkit::model::{heard, text};

use super::company::{Company, Frames};
use crate::accounts::house::House;

#[tokio::test]
async fn an_edit_is_forgotten_by_every_agent_and_answered_anew() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("my secret is rosebud").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    ana.answers("o1", "rosebud, I see").await;
    ana.answers("a1", "I heard rosebud").await;
    frames.rest().await;
    let mut frames = ana.edits(&id, "my secret is nothing").await;
    assert_eq!(frames.status, 200);
    let removed = frames.next().await;
    assert_eq!(removed["type"], "removed");
    let result = &removed["data"]["result"];
    let said = frames.next().await;
    let new_id = said["data"]["messageId"].as_str().unwrap();
    assert_ne!(new_id, id);
    assert_eq!(
        *result,
        json!({
            "success": true, "messageId": id, "totalAgents": 2, "processedAgents": ["o1", "a1"],
            "failedAgents": [], "messagesRemovedTotal": 3, "requiresRetry": false,
            "resubmissionStatus": "success", "newMessageId": new_id,
            "editId": removed["data"]["editId"],
        })
    );
    assert_eq!(removed["data"]["fromMessageId"], id);
    assert_eq!(removed["data"]["count"], 3);
    for agent in ["o1", "a1"] {
        let (name, asked) = ana.asked().await;
        assert_eq!(name, agent);
        assert!(
            !format!("{}{}", asked.request.system.as_str(), heard(&asked.request))
                .contains("rosebud")
        );
        asked.answer([text("fine")]);
    }
    let told = frames.rest().await;
    assert_eq!(told.last().map(String::as_str), Some("idle"));
    assert_eq!(ana.log().await, ["human: my secret is nothing", "o1: fine", "a1: fine"]);
}

#[tokio::test]
async fn an_edit_waits_for_agents_unless_it_interrupts_them() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut frames = ana.says("rosebud").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    let (_, asked) = ana.asked().await;
    let body = json!({ "chatId": ana.chat, "newContent": "other" });
    let locked = ana.calls("PUT", &format!("messages/{id}"), body.clone()).await;
    let sentence = "Cannot edit messages while agents are responding";
    assert_eq!(locked.refusal(), (423, "WORLD_LOCKED", sentence));
    assert_eq!(locked.body["message"], "Please wait for agents to finish responding");
    assert_eq!(locked.header("retry-after"), Some("2"));
    let locked =
        ana.calls("DELETE", &format!("messages/{id}?chatId={}", ana.chat), Value::Null).await;
    assert_eq!(locked.status, 423);
    let path = ana.path(&format!("messages/{id}?interrupt=true"));
    let call = house.call("PUT", &path).bearer(&ana.token);
    let mut edited = Frames::of(call.stream(body).await);
    // First what was removed, and nothing of the round that it ended.
    assert_eq!(edited.until("human: other").await, ["removed 1", "human: other"]);
    asked.cancelled().await;
    asked.answer([text("rosebud!")]);
    ana.answers("o1", "fine").await;
    let told = edited.rest().await;
    assert_eq!(told.last().map(String::as_str), Some("idle"));
    assert!(told.iter().all(|frame| !frame.contains("rosebud")), "{told:?}");
    let told = frames.rest().await;
    assert!(told.iter().all(|frame| !frame.contains("rosebud!")), "{told:?}");
    assert_eq!(ana.log().await, ["human: other", "o1: fine"]);
}

#[tokio::test]
async fn the_chat_of_a_removal_stands_in_its_body_or_its_query() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    for (query, body) in [
        (String::new(), json!({ "chatId": ana.chat })),
        (format!("?chatId={}", ana.chat), Value::Null),
        (format!("?chatId={}", ana.chat), json!({})),
    ] {
        let id = ana.exchange("o1", "one", "first").await;
        let removed = ana.calls("DELETE", &format!("messages/{id}{query}"), body).await;
        assert_eq!((removed.status, &removed.body["messagesRemovedTotal"]), (200, &json!(2)));
    }
    let id = ana.exchange("o1", "one", "first").await;
    for body in [Value::Null, json!({})] {
        let refused = ana.calls("DELETE", &format!("messages/{id}"), body).await;
        assert_eq!((refused.status, refused.refusal().1), (400, "VALIDATION_ERROR"));
    }
}

/// One agent has answered, the other is speaking: the edit ends the round, and neither is remembered.
#[tokio::test]
async fn h5_a_round_in_its_middle_is_forgotten_whole() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1", "a1"]).await;
        let mut frames = ana.says("my secret is rosebud").await;
        let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
        ana.answers("o1", "rosebud, I see").await;
        let (_, speaking) = ana.asked().await;
        speaking.say(text("I heard rose"));
        frames.until("a1> I heard rose").await;
        let body = json!({ "chatId": ana.chat, "newContent": "nothing" });
        let path = ana.path(&format!("messages/{id}?interrupt=true"));
        let call = house.call("PUT", &path).bearer(&ana.token);
        let mut edited = Frames::of(call.stream(body).await);
        assert_eq!(edited.until("human: nothing").await, ["removed 2", "human: nothing"]);
        speaking.cancelled().await;
        speaking.answer([text("bud")]);
        for agent in ["o1", "a1"] {
            let (name, asked) = ana.asked().await;
            assert_eq!(name, agent);
            let request = format!("{:?}", heard(&asked.request));
            assert!(!request.contains("rose"), "{request}");
            asked.answer([text("fine")]);
        }
        let told = [edited.rest().await, frames.rest().await].concat();
        assert!(told.iter().all(|frame| !frame.contains("bud")), "{told:?}");
        let page = ana.gets(&format!("chats/{}/messages", ana.chat)).await.body.to_string();
        let memory = ana.gets("agents/a1/memory").await.body.to_string();
        for seen in [page, memory] {
            assert!(seen.contains("fine") && !seen.contains("rose"), "{seen}");
        }
    }
}

/// A round is taken up again with a question that is newer than what was answered already.
#[tokio::test]
async fn who_has_spoken_answers_what_was_said_since() {
    let house = House::new().await;
    for (name, instead) in [("ana", "other"), ("bob", "@o1 other")] {
        let ana = Company::of(&house, name, true, &["o1", "a1"]).await;
        let limit = house.call("PATCH", "/api/worlds/w").bearer(&ana.token);
        assert_eq!(limit.json(json!({ "turnLimit": 1 })).await.status, 200);
        let _first = ana.says("first").await;
        ana.answers("o1", "one").await;
        let (_, speaking) = ana.asked().await;
        let mut second = ana.says("second").await;
        let id = second.of_type("message").await["data"]["messageId"].as_str().unwrap().to_owned();
        let body = json!({ "chatId": ana.chat, "newContent": instead });
        let path = ana.path(&format!("messages/{id}?interrupt=true"));
        let call = house.call("PUT", &path).bearer(&ana.token);
        let mut edited = Frames::of(call.stream(body).await);
        speaking.cancelled().await;
        ana.answers("o1", "two").await;
        ana.answers("a1", "two").await;
        let told = edited.rest().await;
        assert!(!told.iter().any(|frame| frame.starts_with("turn-limit")), "{told:?}");
        let log = ana.log().await;
        assert_eq!(log[..3], ["human: first", "o1: one", &format!("human: {instead}")]);
        assert_eq!(log[3..], ["o1: two", "a1: two"]);
    }
}
