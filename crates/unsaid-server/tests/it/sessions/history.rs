use serde_json::json;
use unsaid_app::erase::erase_due;
use unsaid_core::domain::audit::EraseReason;
use unsaid_core::port::volatile::Volatile as _;

use super::heard::{Guest, said};
use crate::accounts::house::{BEGIN, DAY_MS, House, MINUTE_MS};

#[tokio::test]
async fn sessions_are_listed_newest_first_with_a_preview() {
    let house = House::new().await;
    let first = Guest::new(&house, "ana", true).await;
    first.exchange("Hola, necesito ayuda...", &"á".repeat(150)).await;
    house.clock.advance(MINUTE_MS);
    let second = Guest::with(&house, first.token.clone()).await;
    second.exchange("one", "two").await;
    second.exchange("three", "Gracias por tu ayuda...").await;
    let path = format!("/api/sessions/{}/end", second.session);
    house.clock.advance(MINUTE_MS);
    house.call("POST", &path).bearer(&first.token).await_it().await;
    let listed = house.get("/api/users/me/sessions", &first.token).await;
    let expected = json!({
        "sessions": [
            {
                "id": second.session, "expert_id": "calma", "expert_name": "Clara Rodrigues",
                "started_at": "2026-01-17T10:31:00Z", "ended_at": "2026-01-17T10:32:00Z",
                "message_count": 4, "last_message_preview": "Gracias por tu ayuda...",
                "session_type": "freemium",
            },
            {
                "id": first.session, "expert_id": "calma", "expert_name": "Clara Rodrigues",
                "started_at": "2026-01-17T10:30:00Z", "ended_at": null,
                "message_count": 2, "last_message_preview": "á".repeat(100),
                "session_type": "freemium",
            },
        ],
        "total": 2, "has_more": false,
    });
    assert_eq!((listed.status, listed.body), (200, expected));
}

#[tokio::test]
async fn lists_come_in_pages() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    for _ in 0..3 {
        Guest::with(&house, token.clone()).await.exchange("hello", "hi").await;
        house.clock.advance(MINUTE_MS);
    }
    let page = async |query: &str| {
        let answer = house.get(&format!("/api/users/me/sessions{query}"), &token).await;
        assert_eq!(answer.status, 200, "{query}");
        let count = answer.body["sessions"].as_array().unwrap().len();
        (count, answer.body["total"].as_u64().unwrap(), answer.body["has_more"].as_bool().unwrap())
    };
    assert_eq!(page("").await, (3, 3, false));
    assert_eq!(page("?limit=2").await, (2, 3, true));
    assert_eq!(page("?limit=2&offset=2").await, (1, 3, false));
    assert_eq!(page("?limit=1000").await, (3, 3, false));
    assert_eq!(page("?offset=99999999999999999999").await, (0, 3, false));
    for wrong in ["?limit=0", "?limit=-1", "?limit=+5", "?limit=a", "?limit=", "?offset=-1", "?x=1"]
    {
        let answer = house.get(&format!("/api/users/me/sessions{wrong}"), &token).await;
        assert_eq!(answer.refusal().1, "VALIDATION_ERROR", "{wrong}");
    }
}

#[tokio::test]
async fn messages_have_id_role_content_and_time() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let stored = ana.exchange("Hola", "Buenas").await;
    let answer = house.get(&format!("/api/sessions/{}/messages", ana.session), &ana.token).await;
    let at = "2026-01-17T10:30:00Z";
    let expected = json!({ "session_id": ana.session, "messages": [
        { "id": stored["user_message_id"], "role": "user", "content": "Hola", "timestamp": at },
        {
            "id": stored["assistant_message_id"], "role": "assistant", "content": "Buenas",
            "timestamp": at,
        },
    ] });
    assert_eq!((answer.status, answer.body), (200, expected));
}

#[tokio::test]
async fn what_is_kept_is_hidden_while_off_and_comes_back_before_the_date() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange("hello", "hi").await;
    ana.switches(false).await;
    let off = house.get("/api/users/me/sessions", &ana.token).await;
    let expected = json!({
        "sessions": [], "total": 0, "has_more": false, "message": "History storage is disabled",
    });
    assert_eq!((off.status, off.body), (200, expected));
    let path = format!("/api/sessions/{}/messages", ana.session);
    let hidden = house.get(&path, &ana.token).await;
    let sentence = "Session not found or history storage disabled";
    assert_eq!(hidden.refusal(), (404, "SESSION_NOT_FOUND", sentence));
    ana.switches(true).await;
    assert_eq!(ana.messages().await, said(&[("user", "hello"), ("assistant", "hi")]));
    assert_eq!(house.get("/api/users/me/sessions", &ana.token).await.body["total"], 1);
}

#[tokio::test]
async fn nothing_comes_back_after_the_date_even_if_the_job_is_late() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange("hello", "hi").await;
    ana.switches(false).await;
    house.clock.advance(30 * DAY_MS);
    let token = house.token("ana").await;
    let ana = Guest { token, ..ana };
    ana.switches(true).await;
    let listed = house.get("/api/users/me/sessions", &ana.token).await;
    assert_eq!(listed.body, json!({ "sessions": [], "total": 0, "has_more": false }));
    let path = format!("/api/sessions/{}/messages", ana.session);
    assert_eq!(house.get(&path, &ana.token).await.status, 404);
}

#[tokio::test]
async fn from_the_due_moment_on_a_session_is_gone_for_every_call_even_if_the_job_is_late() {
    let house = House::new().await;
    let due = BEGIN.plus_millis(30 * DAY_MS);
    let calls = [
        ("GET", "/api/sessions/SESSION"),
        ("GET", "/api/sessions/SESSION/messages"),
        ("POST", "/api/sessions/SESSION/end"),
        ("DELETE", "/api/sessions/SESSION"),
        ("PUT", "/api/sessions/SESSION/messages/MESSAGE"),
        ("DELETE", "/api/sessions/SESSION/messages/MESSAGE"),
        ("POST", "/api/chat"),
        ("GET", "/api/chat/SESSION/stream"),
        ("POST", "/api/chat/SESSION/stop"),
    ];
    for (number, (method, path)) in calls.into_iter().enumerate() {
        house.clock.set(BEGIN);
        let name = format!("guest{number}");
        let guest = Guest::new(&house, &name, true).await;
        let stored = guest.exchange("hello", "hi").await;
        guest.switches(false).await;
        house.clock.set(due.plus_millis(-1));
        let guest = Guest { token: house.token(&name).await, ..guest };
        let looks = format!("/api/sessions/{}", guest.session);
        assert_eq!(house.get(&looks, &guest.token).await.status, 200, "not yet");
        house.clock.set(due);
        let path = path.replace("SESSION", &guest.session);
        let path = path.replace("MESSAGE", stored["user_message_id"].as_str().unwrap());
        let body = match (method, path.as_str()) {
            (_, "/api/chat") => json!({ "session_id": guest.session, "message": "again" }),
            ("PUT", _) => json!({ "message": "again" }),
            _ => json!({}),
        };
        let gone = house.call(method, &path).bearer(&guest.token).json(body).await;
        let refusal = (gone.refusal().0, gone.refusal().1);
        assert_eq!(refusal, (404, "SESSION_NOT_FOUND"), "{method} {path}: {gone:?}");
    }
    let report = erase_due(&*house.store, &*house.clock, &|| false).await.unwrap();
    assert_eq!(report.erased, calls.len() as u64, "their bytes follow");
    let audit = house.store.audit(None, 99).await.unwrap();
    assert_eq!(audit.len(), calls.len());
    assert!(audit.iter().all(|line| line.reason == EraseReason::Due && line.erased.sessions == 1));
}

#[tokio::test]
async fn a_session_begun_after_the_due_moment_is_not_erased_by_a_job_that_is_late() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.switches(false).await;
    house.clock.advance(30 * DAY_MS);
    let late = Guest::with(&house, house.token("ana").await).await;
    late.exchange("hello", "hi").await;
    house.clock.advance(1);
    erase_due(&*house.store, &*house.clock, &|| false).await.unwrap();
    let path = format!("/api/sessions/{}", late.session);
    assert_eq!(house.get(&path, &late.token).await.status, 200);
    assert_eq!(house.volatile.held().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_session_opened_while_on_and_held_while_off_is_not_listed_later() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let listed = async || house.get("/api/users/me/sessions", &ana.token).await.body;
    let read = async || {
        let path = format!("/api/sessions/{}/messages", ana.session);
        house.get(&path, &ana.token).await.status
    };
    assert_eq!((listed().await["total"].clone(), read().await), (json!(1), 200), "nothing yet");
    house.clock.advance(MINUTE_MS);
    ana.switches(false).await;
    ana.exchange("hello", "hi").await;
    house.clock.advance(MINUTE_MS);
    ana.switches(true).await;
    let nothing = json!({ "sessions": [], "total": 0, "has_more": false });
    assert_eq!((listed().await, read().await), (nothing, 404));
    // From now on it is kept, and so it is listed.
    ana.exchange("hello again", "hi").await;
    assert_eq!((listed().await["total"].clone(), read().await), (json!(1), 200));
}

#[tokio::test]
async fn a_session_held_while_off_is_not_listed_later() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    ana.exchange("in confidence", "of course").await;
    house.clock.advance(1);
    ana.switches(true).await;
    let listed = house.get("/api/users/me/sessions", &ana.token).await;
    assert_eq!(listed.body, json!({ "sessions": [], "total": 0, "has_more": false }));
    let path = format!("/api/sessions/{}/messages", ana.session);
    assert_eq!(house.get(&path, &ana.token).await.status, 404);
    // From now on it is kept, and so it is listed.
    ana.exchange("for the record", "noted").await;
    let listed = house.get("/api/users/me/sessions", &ana.token).await;
    assert_eq!(listed.body["total"], 1);
    assert_eq!(ana.messages().await, said(&[("user", "for the record"), ("assistant", "noted")]));
}
