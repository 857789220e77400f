//! What people see and change of themselves.

use serde_json::json;

use super::house::{House, PASSWORD};

const ME: &str = "/api/users/me";

#[tokio::test]
async fn me_answers_exactly_this() {
    let house = House::new().await;
    let id = house.sign_up("ana", true).await;
    let token = house.token("ana").await;
    let answer = house.get(ME, &token).await;
    let expected = json!({
        "id": id, "email": "ana@example.org", "display_name": "ana", "account_type": "user",
        "created_at": "2026-01-17T10:30:00Z",
        "preferences": {
            "store_history": true,
            "store_history_changed_at": "2026-01-17T10:30:00Z",
            "history_deletion_scheduled_at": null,
        },
    });
    assert_eq!((answer.status, answer.body), (200, expected));
}

#[tokio::test]
async fn a_name_can_be_changed_and_nothing_else() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let rename = |body| house.call("PATCH", ME).bearer(&token).json(body);
    let answer = rename(json!({ "display_name": "  Ana Lía " })).await;
    assert_eq!((answer.status, &answer.body["display_name"]), (200, &json!("Ana Lía")));
    assert_eq!(answer.body, house.get(ME, &token).await.body);
    for (body, field) in [
        (json!({}), "display_name"),
        (json!({ "display_name": null }), "display_name"),
        (json!({ "display_name": "" }), "display_name"),
        (json!({ "display_name": "n".repeat(101) }), "display_name"),
        (json!({ "display_name": "x", "email": "b@c.d" }), "email"),
        (json!({ "display_name": "x", "account_type": "admin" }), "account_type"),
    ] {
        let answer = rename(body).await;
        assert_eq!((answer.status, &answer.body["details"]["field"]), (400, &json!(field)));
    }
    assert_eq!(house.get(ME, &token).await.body["display_name"], "Ana Lía");
}

#[tokio::test]
async fn an_account_ends_for_whoever_knows_its_password() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let delete = |body| house.call("DELETE", ME).bearer(&token).json(body);
    let wrong = delete(json!({ "password": "wrong horse" })).await;
    assert_eq!(wrong.refusal(), (403, "WRONG_PASSWORD", "Wrong password"));
    assert_eq!(delete(json!({})).await.body["details"]["field"], "password");
    assert_eq!(house.get(ME, &token).await.status, 200);
    let answer = delete(json!({ "password": PASSWORD })).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(house.get(ME, &token).await.status, 401);
    assert_eq!(house.login("ana", PASSWORD).await.status, 401);
}

#[tokio::test]
async fn other_content_types_and_methods_are_refused() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let plain = house.call("PATCH", ME).bearer(&token).header("content-type", "text/plain");
    assert_eq!(plain.await_it().await.refusal().1, "UNSUPPORTED_MEDIA_TYPE");
    let put = house.call("PUT", ME).bearer(&token).await_it().await;
    assert_eq!(put.refusal().1, "METHOD_NOT_ALLOWED");
    let unknown = house.get("/api/users/you", &token).await;
    assert_eq!(unknown.refusal().1, "NOT_FOUND");
}
