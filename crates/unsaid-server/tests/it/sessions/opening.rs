use serde_json::{Value, json};
use unsaid_core::domain::id::PersonId;
use unsaid_core::domain::session::SessionTerms;
use unsaid_core::port::people::PersonChange;
use unsaid_testkit::model::text;

use super::heard::{Guest, said};
use crate::accounts::house::{House, MINUTE_MS, Plan};

fn counted() -> Plan {
    let terms = SessionTerms { free: 1, free_minutes: 5, paid_minutes: 45 };
    Plan { terms, ..Plan::default() }
}

async fn open(house: &House, token: &str, body: Value) -> crate::accounts::house::Answer {
    house.call("POST", "/api/sessions").bearer(token).json(body).await
}

#[tokio::test]
async fn experts_are_the_personas() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let answer = house.get("/api/experts", &token).await;
    let expected = json!({ "experts": [
        { "id": "calma", "name": "Clara Rodrigues", "description": "about calma" },
        { "id": "legal", "name": "Luis Vega", "description": "about legal" },
        { "id": "my-expert", "name": "Mio Soto", "description": "about my-expert" },
        { "id": "my_Expert", "name": "Mia Soto", "description": "about my_Expert" },
    ] });
    assert_eq!((answer.status, answer.body), (200, expected));
    let nobody = house.call("GET", "/api/experts").await_it().await;
    assert_eq!(nobody.status, 401);
}

#[tokio::test]
async fn a_session_that_is_not_counted_is_not_timed() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let answer = open(&house, &token, json!({ "expert_id": "legal" })).await;
    assert_eq!(answer.status, 201);
    let id = answer.body["session"]["id"].as_str().unwrap().to_owned();
    let expected = json!({ "status": "ok", "session": {
        "id": id, "expert_id": "legal", "session_type": "freemium", "duration_minutes": null,
        "started_at": "2026-01-17T10:30:00Z", "expires_at": null, "status": "active",
        "stored": true,
    } });
    assert_eq!(answer.body, expected);
    let shown = house.get(&format!("/api/sessions/{id}"), &token).await;
    let expected = json!({
        "session_id": id, "status": "active", "session_type": "freemium",
        "remaining_seconds": null, "expires_at": null, "started_at": "2026-01-17T10:30:00Z",
        "expert_id": "legal", "stored": true,
    });
    assert_eq!((shown.status, shown.body), (200, expected));
    let credits = house.get("/api/users/credits", &token).await;
    assert_eq!(credits.body["total_available"], Value::Null);
}

#[tokio::test]
async fn whoever_names_nobody_gets_the_usual_expert() {
    let house = House::new().await;
    let token = house.somebody("ana", false).await;
    let answer = open(&house, &token, json!({})).await;
    assert_eq!(answer.body["session"]["expert_id"], "calma");
    assert_eq!(answer.body["session"]["stored"], false);
    for wrong in ["nobody", "!!", "", "Calma", "calma!", " calma", "my_expert", "é"] {
        let answer = open(&house, &token, json!({ "expert_id": wrong })).await;
        assert_eq!(answer.refusal(), (400, "UNKNOWN_EXPERT", "Unknown expert"));
    }
    let wrong = open(&house, &token, json!({ "expert_id": 7 })).await;
    assert_eq!(wrong.refusal().1, "VALIDATION_ERROR");
    let nothing = house.call("POST", "/api/sessions").bearer(&token).await_it().await;
    assert_eq!(nothing.body["session"]["expert_id"], "calma");
    let null = open(&house, &token, Value::Null).await;
    assert_eq!(null.body["session"]["expert_id"], "calma");
}

#[tokio::test]
async fn an_expert_is_named_as_it_is_configured() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    for (expert, name) in [("my_Expert", "Mia Soto"), ("my-expert", "Mio Soto")] {
        let opened = open(&house, &token, json!({ "expert_id": expert })).await.body;
        assert_eq!(opened["session"]["expert_id"], expert);
        let session = opened["session"]["id"].as_str().unwrap().to_owned();
        let guest = Guest { house: &house, token: token.clone(), session };
        let mut stream = guest.asks("hello").await;
        let asked = guest.asked().await;
        assert!(asked.request.system.as_str().contains(name), "who was asked");
        asked.answer([text("hi")]);
        stream.rest().await;
        assert_eq!(guest.messages().await, said(&[("user", "hello"), ("assistant", "hi")]));
        let listed = house.get("/api/users/me/sessions?limit=1", &token).await.body;
        let line = &listed["sessions"][0];
        assert_eq!((&line["expert_id"], &line["expert_name"]), (&json!(expert), &json!(name)));
        house.clock.advance(MINUTE_MS);
    }
}

#[tokio::test]
async fn free_sessions_are_counted_and_timed_and_then_paid_ones() {
    let house = House::planned(counted()).await;
    let id = house.sign_up("ana", true).await;
    let token = house.token("ana").await;
    let credits = async || {
        let answer = house.get("/api/users/credits", &token).await;
        assert_eq!(answer.body["user_id"], id.as_str());
        let count = |field: &str| answer.body[field].as_u64().unwrap();
        (count("free_remaining"), count("paid_remaining"), count("total_available"))
    };
    assert_eq!(credits().await, (1, 0, 1));
    let free = open(&house, &token, json!({})).await.body;
    assert_eq!(free["session"]["duration_minutes"], 5);
    assert_eq!(free["session"]["expires_at"], "2026-01-17T10:35:00Z");
    assert_eq!(credits().await, (0, 0, 0));
    let refused = open(&house, &token, json!({})).await;
    assert_eq!(refused.refusal(), (402, "NO_CREDITS", "No session credits left"));
    house.store.change(&PersonId::new(id.clone()).unwrap(), PersonChange::Grant(2)).await.unwrap();
    assert_eq!(credits().await, (0, 2, 2));
    let paid = open(&house, &token, json!({})).await.body;
    assert_eq!(paid["session"]["session_type"], "paid");
    assert_eq!(paid["session"]["duration_minutes"], 45);
    assert_eq!(credits().await, (0, 1, 1));
}

#[tokio::test]
async fn time_runs_out() {
    let house = House::planned(counted()).await;
    let ana = Guest::new(&house, "ana", true).await;
    let path = format!("/api/sessions/{}", ana.session);
    house.clock.advance(MINUTE_MS);
    let shown = house.get(&path, &ana.token).await.body;
    assert_eq!((&shown["status"], &shown["remaining_seconds"]), (&json!("active"), &json!(240)));
    house.clock.advance(4 * MINUTE_MS);
    let shown = house.get(&path, &ana.token).await.body;
    assert_eq!((&shown["status"], &shown["remaining_seconds"]), (&json!("expired"), &json!(0)));
    let body = json!({ "session_id": ana.session, "message": "still there?" });
    let refused = house.call("POST", "/api/chat").bearer(&ana.token).json(body).await;
    assert_eq!(refused.refusal().1, "SESSION_NOT_ACTIVE");
    house.clock.advance(MINUTE_MS);
    let end = house.call("POST", &format!("{path}/end")).bearer(&ana.token);
    let ended = end.json(json!({})).await.body;
    assert_eq!(ended["duration_used_seconds"], 300);
}

#[tokio::test]
async fn ending_twice_is_ending_once() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    house.clock.advance(90_000);
    let path = format!("/api/sessions/{}/end", ana.session);
    let first = house.call("POST", &path).bearer(&ana.token).json(json!({})).await;
    let expected = json!({
        "session_id": ana.session, "status": "ended", "duration_used_seconds": 90,
    });
    assert_eq!((first.status, first.body), (200, expected.clone()));
    house.clock.advance(90_000);
    let second = house.call("POST", &path).bearer(&ana.token).await_it().await;
    assert_eq!((second.status, second.body), (200, expected));
}

#[tokio::test]
async fn somebody_elses_session_does_not_exist() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let stored = ana.exchange("hello", "hi").await;
    let message = stored["user_message_id"].as_str().unwrap();
    let ben = house.somebody("ben", true).await;
    let id = &ana.session;
    let calls = [
        ("GET", format!("/api/sessions/{id}")),
        ("POST", format!("/api/sessions/{id}/end")),
        ("GET", format!("/api/sessions/{id}/messages")),
        ("DELETE", format!("/api/sessions/{id}")),
        ("DELETE", format!("/api/sessions/{id}/messages/{message}")),
        ("GET", format!("/api/chat/{id}/stream")),
        ("POST", format!("/api/chat/{id}/stop")),
    ];
    let unknown = "00000000-0000-4000-8000-000000000000";
    for (method, path) in calls {
        for path in [path.clone(), path.replace(id.as_str(), unknown)] {
            let answer = house.call(method, &path).bearer(&ben).await_it().await;
            let sentence = "Session not found or history storage disabled";
            assert_eq!(answer.refusal(), (404, "SESSION_NOT_FOUND", sentence), "{method} {path}");
        }
        let path = path.replace(id.as_str(), "no-uuid");
        let answer = house.call(method, &path).bearer(&ben).await_it().await;
        assert_eq!(answer.refusal().1, "VALIDATION_ERROR", "{method} {path}");
        assert_eq!(answer.body["details"]["field"], "session_id", "{method} {path}");
    }
    let path = format!("/api/sessions/{id}/messages/a%20b");
    let answer = house.call("DELETE", &path).bearer(&ana.token).await_it().await;
    assert_eq!(answer.refusal().1, "VALIDATION_ERROR");
    assert_eq!(answer.body["details"]["field"], "message_id");
    assert_eq!(ana.messages().await.len(), 2);
}
