//! What was said, and who heard it.

use serde_json::{Value, json};
use unsaid_testkit::builder::words_of;

use super::owner::{Owner, text, wrong};
use crate::accounts::house::{House, MINUTE_MS};

#[tokio::test]
async fn a_message_says_who_spoke_and_who_heard() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    ana.hire("w", "Kai").await;
    ana.hire("w", "Lin").await;
    ana.says("w", &chat, "m1").await;
    house.clock.advance(MINUTE_MS + 7);
    ana.hears("w", &chat, "lin", "m1", "m2").await;
    let page = ana.look(&format!("/w/chats/{chat}/messages")).await;
    let expected = json!({
        "messages": [
            {
                "messageId": "m1", "chatId": chat, "role": "user", "sender": "human",
                "content": words_of("m1"), "createdAt": "2026-01-17T10:30:00.000Z",
                "seenByAgents": ["kai", "lin"],
            },
            {
                "messageId": "m2", "chatId": chat, "role": "assistant", "sender": "lin",
                "agentId": "lin", "content": words_of("m2"),
                "createdAt": "2026-01-17T10:31:00.007Z", "replyToMessageId": "m1",
                "seenByAgents": ["lin"],
            },
        ],
        "hasMore": false, "stored": true,
    });
    assert_eq!(page, expected);
    assert_eq!(ana.look("/w").await["chats"][0]["messageCount"], 2);
    assert_eq!(ana.look("/w/chats").await[0]["messageCount"], 2);
    let memory = ana.look("/w/agents/lin/memory").await;
    assert_eq!(memory, expected["messages"], "of the current chat");
    assert_eq!(ana.look("/w/agents/kai/memory").await, json!([expected["messages"][0]]));
}

#[tokio::test]
async fn who_heard_follows_who_is_there() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.says("w", &chat, "m1").await;
    ana.hears("w", &chat, "kai", "m1", "m2").await;
    ana.hire("w", "lin").await;
    ana.says("w", &chat, "m3").await;
    let seen = |list: &[(&str, &[&str])]| -> Vec<(String, Vec<String>)> {
        let text = |it: &&str| (*it).to_owned();
        list.iter().map(|(id, by)| (text(id), by.iter().map(text).collect())).collect()
    };
    let joined_later = [("m1", &["kai"][..]), ("m2", &["kai"]), ("m3", &["kai", "lin"])];
    assert_eq!(ana.seen("w", &chat).await, seen(&joined_later));
    assert_eq!(ana.memory("w", "lin", &chat).await, ["m3"]);

    let cleared = ana.delete(&format!("/w/agents/kai/memory?chatId={chat}")).await;
    assert_eq!((cleared.status, cleared.body), (204, Value::Null));
    ana.says("w", &chat, "m4").await;
    let none: &[&str] = &[];
    let forgotten = [("m1", none), ("m2", none), ("m3", &["lin"]), ("m4", &["kai", "lin"])];
    assert_eq!(ana.seen("w", &chat).await, seen(&forgotten));
    assert_eq!(ana.memory("w", "kai", &chat).await, ["m4"]);
    assert_eq!(ana.memory("w", "lin", &chat).await, ["m3", "m4"], "for itself only");

    ana.delete("/w/agents/lin").await;
    let removed = [("m1", none), ("m2", none), ("m3", none), ("m4", &["kai"])];
    assert_eq!(ana.seen("w", &chat).await, seen(&removed));
    ana.delete("/w/agents/kai").await;
    ana.hire("w", "kai").await;
    let anew = [("m1", none), ("m2", none), ("m3", none), ("m4", none)];
    assert_eq!(ana.seen("w", &chat).await, seen(&anew), "what it said stays, and is not its own");
}

#[tokio::test]
async fn a_memory_is_of_one_chat() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let (first, kai) = (ana.make("w").await, "kai");
    ana.hire("w", kai).await;
    let second = ana.chat("w", "second").await;
    ana.says("w", &first, "m1").await;
    ana.says("w", &second, "m2").await;
    assert_eq!(ana.delete("/w/agents/kai/memory").await.status, 204, "of the current chat");
    assert_eq!(ana.memory("w", kai, &first).await, [""; 0]);
    assert_eq!(ana.memory("w", kai, &second).await, ["m2"]);
    // Where nothing was said there is nothing to forget.
    let third = ana.chat("w", "third").await;
    let path = format!("/w/agents/kai/memory?chatId={third}");
    assert_eq!(ana.delete(&path).await.status, 204);
    ana.says("w", &third, "m3").await;
    assert_eq!(ana.memory("w", kai, &third).await, ["m3"]);
}

#[tokio::test]
async fn without_a_current_chat_one_must_be_named() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.says("w", &chat, "m1").await;
    ana.patch("/w", json!({ "currentChatId": null })).await;
    for (method, path) in [
        ("GET", "/w/agents/kai/memory"),
        ("DELETE", "/w/agents/kai/memory"),
        ("GET", "/w/messages/m1/count"),
    ] {
        let refused = ana.send(method, path, Value::Null).await;
        let problem = json!("missing, and no chat is current");
        let expected = (400, "VALIDATION_ERROR", &json!("chatId"), &problem);
        assert_eq!(wrong(&refused), expected, "{method} {path}");
    }
    assert_eq!(ana.memory("w", "kai", &chat).await, ["m1"]);
    let count = ana.look(&format!("/w/messages/m1/count?chatId={chat}")).await;
    assert_eq!(count["count"], 1);
    assert_eq!(ana.seen("w", &chat).await.len(), 1, "reading still works");
}

#[tokio::test]
async fn a_long_memory_is_whole() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    ana.hire("w", "kai").await;
    let ids: Vec<String> = (0..450).map(|number| format!("m{number}")).collect();
    for id in &ids {
        ana.says("w", &chat, id).await;
    }
    assert_eq!(ana.memory("w", "kai", &chat).await, ids);
    ana.delete("/w/agents/kai/memory").await;
    ana.says("w", &chat, "new").await;
    assert_eq!(ana.memory("w", "kai", &chat).await, ["new"]);
}

#[tokio::test]
async fn messages_come_in_pages_from_the_newest_back() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    for number in 0..103 {
        ana.says("w", &chat, &format!("m{number}")).await;
    }
    let page = async |query: &str| {
        let page = ana.look(&format!("/w/chats/{chat}/messages{query}")).await;
        let messages = page["messages"].as_array().unwrap();
        let end = |message: Option<&Value>| message.map(|it| text(&it["messageId"]));
        let ends = [end(messages.first()), end(messages.last())].map(Option::unwrap_or_default);
        (messages.len(), ends.join(".."), page["hasMore"].as_bool().unwrap())
    };
    assert_eq!(page("").await, (50, "m53..m102".into(), true));
    assert_eq!(page("?before=m53").await, (50, "m3..m52".into(), true));
    assert_eq!(page("?before=m3").await, (3, "m0..m2".into(), false));
    assert_eq!(page("?before=m0").await, (0, "..".into(), false));
    assert_eq!(page("?limit=1").await, (1, "m102..m102".into(), true));
    assert_eq!(page("?limit=2&before=m2").await, (2, "m0..m1".into(), false));
    assert_eq!(page("?limit=100").await, (100, "m3..m102".into(), true));
    assert_eq!(page("?limit=1000").await, (100, "m3..m102".into(), true), "clamped");
    for unknown in ["nothing", "", "%E6%9D%B1", "a%20b"] {
        let refused = ana.get(&format!("/w/chats/{chat}/messages?before={unknown}")).await;
        assert_eq!(refused.refusal(), (404, "MESSAGE_NOT_FOUND", "Message not found"));
    }
    for wrong in ["limit=0", "limit=-1", "limit=a", "limit=", "after=m1", "before=%00"] {
        let refused = ana.get(&format!("/w/chats/{chat}/messages?{wrong}")).await;
        assert_eq!(refused.refusal().1, "VALIDATION_ERROR", "{wrong}");
    }
}

#[tokio::test]
async fn a_count_says_what_an_edit_would_remove() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.says("w", &chat, "m1").await;
    ana.hears("w", &chat, "kai", "m1", "m2").await;
    ana.says("w", &chat, "m3").await;
    let said = |sender: &str, id: &str| json!({ "sender": sender, "text": words_of(id) });
    let all = [said("human", "m1"), said("kai", "m2"), said("human", "m3")];
    let expected = json!({ "count": 3, "isFirst": true, "preview": all });
    assert_eq!(ana.look(&format!("/w/messages/m1/count?chatId={chat}")).await, expected);
    let expected = json!({ "count": 1, "isFirst": false, "preview": [all[2]] });
    assert_eq!(ana.look("/w/messages/m3/count").await, expected, "in the current chat");
    let agents = ana.get("/w/messages/m2/count").await;
    assert_eq!((agents.status, agents.refusal().1), (400, "INVALID_MESSAGE_TYPE"));
    for unknown in ["nothing", "%E6%9D%B1", "a%20b"] {
        let refused = ana.get(&format!("/w/messages/{unknown}/count")).await;
        assert_eq!(refused.refusal(), (404, "MESSAGE_NOT_FOUND", "Message not found"));
    }
    let other = ana.chat("w", "other").await;
    let refused = ana.get(&format!("/w/messages/m1/count?chatId={other}")).await;
    assert_eq!(refused.refusal().1, "MESSAGE_NOT_FOUND", "it is in another chat");
    for unknown in ["nothing", ""] {
        let refused = ana.get(&format!("/w/messages/m1/count?chatId={unknown}")).await;
        assert_eq!(refused.refusal().1, "CHAT_NOT_FOUND");
    }
    for number in 4..20 {
        ana.says("w", &chat, &format!("m{number}")).await;
    }
    let count = ana.look("/w/messages/m1/count").await;
    assert_eq!((&count["count"], count["preview"].as_array().unwrap().len()), (&json!(19), 10));
    assert_eq!(count["preview"][9], said("human", "m10"));
}
