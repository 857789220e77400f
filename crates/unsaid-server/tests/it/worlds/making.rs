//! Worlds themselves.

use serde_json::{Value, json};
use unsaid_core::port::history::History;
use unsaid_testkit::builder::chat_key;

use super::owner::{Owner, text, wrong};
use crate::accounts::house::House;

#[tokio::test]
async fn a_world_is_made_with_one_chat() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    assert_eq!(ana.look("").await, json!([]));
    let made = ana.post("", json!({ "name": "  My World! " })).await;
    let chat = made.body["currentChatId"].clone();
    let expected = json!({
        "id": "my-world", "name": "My World!", "turnLimit": 5, "mainAgent": null,
        "currentChatId": chat, "agentCount": 0,
        "chats": [{
            "id": chat, "name": "New chat", "messageCount": 0,
            "createdAt": "2026-01-17T10:30:00.000Z", "stored": true,
        }],
        "stored": true,
    });
    assert_eq!((made.status, &made.body), (201, &expected));
    assert!(chat.as_str().is_some_and(|id| !id.is_empty()));
    assert_eq!(ana.look("/my-world").await, expected);
    assert_eq!(ana.look("").await, json!([expected]));
}

#[tokio::test]
async fn an_id_keeps_letters_and_digits_of_every_script() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    for (name, id) in
        [("東京 タワー", "東京-タワー"), ("--Ünïcode__42!!", "ünïcode-42"), ("ΑΘΗΝΑ", "αθηνα")]
    {
        let made = ana.post("", json!({ "name": name })).await;
        assert_eq!((made.status, text(&made.body["id"]).as_str()), (201, id));
    }
    let path = "/%E6%9D%B1%E4%BA%AC-%E3%82%BF%E3%83%AF%E3%83%BC";
    assert_eq!(ana.look(path).await["name"], "東京 タワー");
    let hired = ana.post(&format!("{path}/agents"), json!({ "name": "花子 さん" })).await;
    assert_eq!((hired.status, &hired.body["id"]), (201, &json!("花子-さん")));
    let agent = format!("{path}/agents/%E8%8A%B1%E5%AD%90-%E3%81%95%E3%82%93");
    assert_eq!(ana.look(&agent).await["name"], "花子 さん");
    assert_eq!(ana.delete(&agent).await.status, 204);
    assert_eq!(ana.delete(path).await.status, 204);
    assert_eq!(ana.get(path).await.refusal(), (404, "WORLD_NOT_FOUND", "World not found"));
}

#[tokio::test]
async fn a_name_can_be_used_once_by_everybody() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let ben = Owner::new(&house, "ben", true).await;
    ana.make("Same Name").await;
    let again = ana.post("", json!({ "name": "same-name" })).await;
    assert_eq!(again.refusal(), (409, "WORLD_EXISTS", "A world of this name exists"));
    ben.make("Same Name").await;
    assert_eq!(ana.look("").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_a_world_is_refused_by_field() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    for (body, field, problem) in [
        (json!({}), "name", "missing"),
        (json!({ "name": "" }), "name", "empty"),
        (json!({ "name": "   " }), "name", "empty"),
        (json!({ "name": "x".repeat(101) }), "name", "longer than 100 characters"),
        (json!({ "name": "!!! …" }), "name", "has neither letter nor digit"),
        (json!({ "name": "Templates" }), "name", "stands for the templates"),
        (json!({ "name": 5 }), "name", "of the wrong type"),
        (json!({ "name": null }), "name", "of the wrong type"),
        (json!({ "name": "a\0b" }), "name", "contains U+0000"),
        (json!({ "name": "w", "turnLimit": 0 }), "turnLimit", "not 1 to 50"),
        (json!({ "name": "w", "turnLimit": 51 }), "turnLimit", "not 1 to 50"),
        (json!({ "name": "w", "turnLimit": -1 }), "turnLimit", "of the wrong type"),
        (json!({ "name": "w", "turnLimit": 2.5 }), "turnLimit", "of the wrong type"),
        (json!({ "name": "w", "turnLimit": "5" }), "turnLimit", "of the wrong type"),
        (json!({ "name": "w", "template": "nothing" }), "template", "unknown"),
        (json!({ "name": "w", "turn_limit": 5 }), "turn_limit", "unknown"),
        (json!({ "name": "w", "id": "w" }), "id", "unknown"),
    ] {
        let refused = ana.post("", body.clone()).await;
        let expected = (400, "VALIDATION_ERROR", &json!(field), &json!(problem));
        assert_eq!(wrong(&refused), expected, "{body}");
    }
    let list = ana.post("", json!([])).await;
    assert_eq!(list.refusal().0, 400);
    let plain = house.call("POST", "/api/worlds").bearer(&ana.token).await_it().await;
    assert_eq!(plain.refusal().0, 415);
    assert_eq!(ana.look("").await, json!([]), "nothing was made");
}

#[tokio::test]
async fn names_of_one_and_of_a_hundred_characters_are_taken() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    for name in ["a".to_owned(), "京".repeat(100)] {
        let made = ana.post("", json!({ "name": name })).await;
        assert_eq!((made.status, &made.body["name"]), (201, &json!(name)));
    }
    for limit in [1, 50] {
        let body = json!({ "name": format!("limit {limit}"), "turnLimit": limit });
        let made = ana.post("", body).await;
        assert_eq!((made.status, &made.body["turnLimit"]), (201, &json!(limit)));
    }
}

#[tokio::test]
async fn a_world_is_changed_field_by_field() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let first = ana.make("w").await;
    ana.hire("w", "Kai").await;
    let other = ana.chat("w", "other").await;
    let before = ana.look("/w").await;
    let same = ana.patch("/w", json!({})).await;
    assert_eq!((same.status, &same.body), (200, &before));
    let changed = ana.patch("/w", json!({ "name": " New ", "turnLimit": 9 })).await;
    assert_eq!(changed.status, 200);
    let fields = ["id", "name", "turnLimit", "mainAgent", "currentChatId", "agentCount"];
    let shown = |body: &Value| fields.map(|field| body[field].clone());
    let expected = [json!("w"), json!("New"), json!(9), Value::Null, json!(first), json!(1)];
    assert_eq!(shown(&changed.body), expected);
    let body = json!({ "mainAgent": "kai", "currentChatId": other });
    let changed = ana.patch("/w", body).await;
    assert_eq!(
        (&changed.body["mainAgent"], &changed.body["currentChatId"]),
        (&json!("kai"), &json!(other))
    );
    let off = ana.patch("/w", json!({ "mainAgent": null, "currentChatId": null })).await;
    assert_eq!(off.status, 200);
    assert_eq!((&off.body["mainAgent"], &off.body["currentChatId"]), (&Value::Null, &Value::Null));
    assert_eq!(off.body["name"], "New");
    assert_eq!(ana.look("/w").await, off.body);
}

#[tokio::test]
async fn a_change_names_only_what_is_there() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    ana.make("w").await;
    let elsewhere = ana.make("elsewhere").await;
    ana.hire("elsewhere", "kai").await;
    let before = ana.look("/w").await;
    for (body, code) in [
        (json!({ "name": "x", "mainAgent": "kai" }), "AGENT_NOT_FOUND"),
        (json!({ "turnLimit": 1, "mainAgent": "No Id!" }), "AGENT_NOT_FOUND"),
        (json!({ "mainAgent": "" }), "AGENT_NOT_FOUND"),
        (json!({ "name": "x", "currentChatId": elsewhere }), "CHAT_NOT_FOUND"),
        (json!({ "currentChatId": "" }), "CHAT_NOT_FOUND"),
        (json!({ "currentChatId": "東京" }), "CHAT_NOT_FOUND"),
    ] {
        let refused = ana.patch("/w", body.clone()).await;
        assert_eq!((refused.status, refused.refusal().1), (404, code), "{body}");
    }
    for (body, field, problem) in [
        (json!({ "name": null }), "name", "of the wrong type"),
        (json!({ "name": " " }), "name", "empty"),
        (json!({ "turnLimit": null }), "turnLimit", "of the wrong type"),
        (json!({ "turnLimit": 51 }), "turnLimit", "not 1 to 50"),
        (json!({ "mainAgent": 1 }), "mainAgent", "of the wrong type"),
        (json!({ "currentChatId": true }), "currentChatId", "of the wrong type"),
        (json!({ "stored": true }), "stored", "unknown"),
    ] {
        let refused = ana.patch("/w", body.clone()).await;
        let expected = (400, "VALIDATION_ERROR", &json!(field), &json!(problem));
        assert_eq!(wrong(&refused), expected, "{body}");
    }
    assert_eq!(ana.look("/w").await, before, "nothing changed");
}

#[tokio::test]
async fn a_deleted_world_is_gone_with_what_was_said_in_it() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("ben", false)] {
        let owner = Owner::new(&house, name, consent).await;
        let chat = owner.make("w").await;
        owner.hire("w", "kai").await;
        owner.says("w", &chat, "m1").await;
        assert_eq!(owner.look("/w").await["chats"][0]["messageCount"], 1);
        assert_eq!(owner.delete("/w").await.status, 204);
        assert_eq!(owner.delete("/w").await.refusal().1, "WORLD_NOT_FOUND");
        assert_eq!(owner.look("").await, json!([]));
        // Made anew, nothing of it is there.
        let new = owner.make("w").await;
        assert_ne!(new, chat);
        let world = owner.look("/w").await;
        assert_eq!(
            (&world["agentCount"], &world["chats"][0]["messageCount"]),
            (&json!(0), &json!(0))
        );
        let gone = owner.get(&format!("/w/chats/{chat}/messages")).await;
        assert_eq!(gone.refusal(), (404, "CHAT_NOT_FOUND", "Chat not found"));
        for log in [&*house.store as &dyn History, &*house.volatile] {
            assert!(log.page(&chat_key(&chat), None, 9).await.unwrap().is_empty());
        }
    }
}
