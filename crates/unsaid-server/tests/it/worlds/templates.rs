//! Worlds that are ready made, of the personas that are configured.

use serde_json::{Value, json};
use unsaid_core::limits::Limits;

use super::owner::{Owner, text, wrong};
use crate::accounts::house::{House, Plan};

#[tokio::test]
async fn three_templates_bring_their_agents() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let templates = ana.look("/templates").await;
    let templates = templates.as_array().unwrap();
    assert_eq!(templates.len(), 3);
    for template in templates {
        let fields: Vec<&String> = template.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["description", "id", "name"]);
        let id = text(&template["id"]);
        let made = ana.post("", json!({ "name": format!("from {id}"), "template": id })).await;
        assert_eq!(made.status, 201, "{made:?}");
        let agents = ana.look(&format!("/from-{id}/agents")).await;
        let agents = agents.as_array().unwrap();
        assert!(!agents.is_empty());
        assert_eq!(made.body["agentCount"], agents.len());
        for agent in agents {
            assert!(!text(&agent["systemPrompt"]).is_empty());
            assert!(agent.get("model").is_none(), "the installation's");
            let called = text(&agent["name"]);
            assert!(text(&template["description"]).contains(&called), "{template}");
        }
    }
    let named = json!({ "name": "led", "template": "panel", "mainAgent": "helper" });
    let led = ana.post("", named).await;
    assert_eq!((led.status, &led.body["mainAgent"]), (201, &json!("helper")));
    for body in [
        json!({ "name": "x", "template": "one-to-one", "mainAgent": "helper" }),
        json!({ "name": "x", "mainAgent": "helper" }),
    ] {
        assert_eq!(ana.post("", body).await.refusal().1, "AGENT_NOT_FOUND");
    }
    let ids: Vec<String> =
        ana.look("").await.as_array().unwrap().iter().map(|w| text(&w["id"])).collect();
    assert_eq!(ids, ["from-one-to-one", "from-pair", "from-panel", "led"], "oldest first");
}

#[tokio::test]
async fn whoever_changes_a_persona_changes_the_agents() {
    let house = configured(&[
        ("personas.companion.name", "Mia"),
        ("personas.companion.prompt", "You are Mia."),
        ("personas.companion.model", "small"),
        ("personas.counsellor.prompt", ""),
        ("personas.mine.prompt", "You are mine."),
    ])
    .await;
    let ana = Owner::new(&house, "ana", true).await;
    let mia = json!({
        "id": "companion", "name": "Mia", "systemPrompt": "You are Mia.", "model": "small",
        "autoReply": true,
    });
    assert_eq!(agents(&ana, "one-to-one").await, json!([mia]));
    let panel = agents(&ana, "panel").await;
    assert_eq!(panel[0], mia);
    assert_eq!(ids(&panel), ["companion", "helper"], "whoever is left out is not in it");
    let shown = &ana.look("/templates").await[0];
    assert_eq!(shown["description"], "Somebody to talk to: Mia");
}

#[tokio::test]
async fn a_template_that_nobody_plays_is_not_there() {
    let house = configured(&[
        ("line.persona", "helper"),
        ("personas.companion.prompt", ""),
        ("personas.mine.prompt", "You are mine."),
    ])
    .await;
    let ana = Owner::new(&house, "ana", true).await;
    assert_eq!(ids(&ana.look("/templates").await), ["pair", "panel"]);
    let refused = ana.post("", json!({ "name": "w", "template": "one-to-one" })).await;
    let expected = (400, "VALIDATION_ERROR", &json!("template"), &json!("unknown"));
    assert_eq!(wrong(&refused), expected);
    assert_eq!(ana.look("").await, json!([]), "nothing was made");
}

#[tokio::test]
async fn personas_of_their_own_play_the_one_of_line_first() {
    let house = configured(&[
        ("line.persona", "zoe"),
        ("personas.companion.prompt", ""),
        ("personas.helper.prompt", ""),
        ("personas.counsellor.prompt", ""),
        ("personas.ann.prompt", "You are Ann."),
        ("personas.zoe.prompt", "You are Zoe."),
    ])
    .await;
    let ana = Owner::new(&house, "ana", true).await;
    assert_eq!(ids(&ana.look("/templates").await), ["one-to-one", "pair"]);
    assert_eq!(ids(&agents(&ana, "one-to-one").await), ["zoe"]);
    assert_eq!(ids(&agents(&ana, "pair").await), ["zoe", "ann"]);
}

#[tokio::test]
async fn no_template_gets_around_the_limit_of_agents() {
    let limits = Limits { agents_per_world: 2, ..Plan::default().limits };
    let house = House::planned(Plan { limits, ..Plan::default() }).await;
    let ana = Owner::new(&house, "ana", true).await;
    let many = ana.post("", json!({ "name": "panel", "template": "panel" })).await;
    let expected = (409, "LIMIT_REACHED", "The limit of this installation is reached");
    assert_eq!(many.refusal(), expected);
    assert_eq!(ana.look("").await, json!([]), "nothing was made");
    assert_eq!(ids(&agents(&ana, "pair").await), ["helper", "counsellor"]);
}

async fn configured(settings: &'static [(&'static str, &'static str)]) -> House {
    House::planned(Plan { settings, ..Plan::default() }).await
}

/// The agents of a new world of this template.
async fn agents(owner: &Owner<'_>, template: &str) -> Value {
    let made = owner.post("", json!({ "name": template, "template": template })).await;
    assert_eq!(made.status, 201, "{made:?}");
    owner.look(&format!("/{template}/agents")).await
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|each| text(&each["id"])).collect()
}
