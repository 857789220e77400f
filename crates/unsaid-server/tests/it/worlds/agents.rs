//! The agents of a world.

use serde_json::json;
use unsaid_core::limits::Limits;

use super::owner::{Owner, wrong};
use crate::accounts::house::{House, Plan};

#[tokio::test]
async fn an_agent_is_added_shown_changed_and_removed() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    ana.make("w").await;
    assert_eq!(ana.look("/w/agents").await, json!([]));
    let plain = ana.post("/w/agents", json!({ "name": " Kai " })).await;
    let kai = json!({ "id": "kai", "name": "Kai", "systemPrompt": "", "autoReply": true });
    assert_eq!((plain.status, &plain.body), (201, &kai));
    let lin = json!({
        "name": "Lin 2", "systemPrompt": "You are Lin.\nBe brief.", "provider": "openai",
        "model": "some-model", "autoReply": false,
    });
    let full = ana.post("/w/agents", lin).await;
    let lin = json!({
        "id": "lin-2", "name": "Lin 2", "systemPrompt": "You are Lin.\nBe brief.",
        "provider": "openai", "model": "some-model", "autoReply": false,
    });
    assert_eq!((full.status, &full.body), (201, &lin));
    assert_eq!(ana.look("/w/agents").await, json!([kai, lin]), "in order of creation");
    assert_eq!(ana.look("/w/agents/lin-2").await, lin);
    let same = ana.patch("/w/agents/lin-2", json!({})).await;
    assert_eq!((same.status, &same.body), (200, &lin));
    let body = json!({ "name": "Line", "systemPrompt": "", "provider": null, "autoReply": true });
    let changed = ana.patch("/w/agents/lin-2", body).await;
    let lin = json!({
        "id": "lin-2", "name": "Line", "systemPrompt": "", "model": "some-model",
        "autoReply": true,
    });
    assert_eq!((changed.status, &changed.body), (200, &lin));
    assert_eq!(ana.look("/w/agents/lin-2").await, lin);
    assert_eq!(ana.delete("/w/agents/kai").await.status, 204);
    let gone = ana.delete("/w/agents/kai").await;
    assert_eq!(gone.refusal(), (404, "AGENT_NOT_FOUND", "Agent not found"));
    assert_eq!(ana.look("/w/agents").await, json!([lin]));
    assert_eq!(ana.look("/w").await["agentCount"], 1);
}

#[tokio::test]
async fn an_agent_that_is_removed_leads_no_more() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.patch("/w", json!({ "mainAgent": "kai" })).await;
    ana.delete("/w/agents/kai").await;
    assert_eq!(ana.look("/w").await["mainAgent"], json!(null));
}

#[tokio::test]
async fn the_same_name_twice_and_too_many_are_refused() {
    let limits = Limits { agents_per_world: 2, ..Plan::default().limits };
    let house = House::planned(Plan { limits, ..Plan::default() }).await;
    let ana = Owner::new(&house, "ana", true).await;
    ana.make("w").await;
    ana.make("v").await;
    ana.hire("w", "kai").await;
    let again = ana.post("/w/agents", json!({ "name": "KAI!" })).await;
    assert_eq!(again.refusal(), (409, "AGENT_EXISTS", "An agent of this name exists"));
    ana.hire("v", "kai").await;
    ana.hire("w", "lin").await;
    let many = ana.post("/w/agents", json!({ "name": "mia" })).await;
    let expected = (409, "LIMIT_REACHED", "The limit of this installation is reached");
    assert_eq!(many.refusal(), expected);
    ana.delete("/w/agents/kai").await;
    ana.hire("w", "mia").await;
}

#[tokio::test]
async fn what_cannot_be_an_agent_is_refused_by_field() {
    let limits = Limits { message_chars: 20, ..Plan::default().limits };
    let house = House::planned(Plan { limits, ..Plan::default() }).await;
    let ana = Owner::new(&house, "ana", true).await;
    ana.make("w").await;
    ana.hire("w", "kai").await;
    let long = "京".repeat(21);
    for (body, field, problem) in [
        (json!({ "name": " " }), "name", "empty"),
        (json!({ "name": "x".repeat(101) }), "name", "longer than 100 characters"),
        (json!({ "name": " HUMAN! " }), "name", "stands for the person"),
        (json!({ "systemPrompt": long }), "systemPrompt", "longer than 20 characters"),
        (json!({ "systemPrompt": null }), "systemPrompt", "of the wrong type"),
        (json!({ "systemPrompt": "a\0" }), "systemPrompt", "contains U+0000"),
        (json!({ "provider": "" }), "provider", "empty"),
        (json!({ "provider": 1 }), "provider", "of the wrong type"),
        (json!({ "model": "x".repeat(101) }), "model", "longer than 100 characters"),
        (json!({ "autoReply": "yes" }), "autoReply", "of the wrong type"),
        (json!({ "autoReply": null }), "autoReply", "of the wrong type"),
        (json!({ "joined": 0 }), "joined", "unknown"),
        (json!({ "auto_reply": true }), "auto_reply", "unknown"),
    ] {
        let expected = (400, "VALIDATION_ERROR", &json!(field), &json!(problem));
        let refused = ana.patch("/w/agents/kai", body.clone()).await;
        assert_eq!(wrong(&refused), expected, "{body}");
        let mut whole = json!({ "name": "new" });
        for (field, value) in body.as_object().unwrap() {
            whole[field] = value.clone();
        }
        let refused = ana.post("/w/agents", whole).await;
        assert_eq!(wrong(&refused), expected, "{body}");
    }
    for (body, problem) in
        [(json!({}), "missing"), (json!({ "name": "?" }), "has neither letter nor digit")]
    {
        let refused = ana.post("/w/agents", body).await;
        let expected = (400, "VALIDATION_ERROR", &json!("name"), &json!(problem));
        assert_eq!(wrong(&refused), expected);
    }
    let fits = json!({ "name": "new", "systemPrompt": "京".repeat(20) });
    assert_eq!(ana.post("/w/agents", fits).await.status, 201);
    assert_eq!(ana.look("/w").await["agentCount"], 2);
}
