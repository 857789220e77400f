//! Signing up and in.

use serde_json::json;

use super::house::{House, PASSWORD, Plan};

#[tokio::test]
async fn registering_answers_exactly_this() {
    let house = House::new().await;
    let body = json!({
        "email": "  Ana@Example.ORG ", "password": PASSWORD, "name": "Ana",
        "store_history_consent": true,
    });
    let answer = house.call("POST", "/api/auth/register").json(body).await;
    let id = answer.body["user_id"].clone();
    assert_eq!(id.as_str().unwrap().len(), 36, "{id}");
    let expected = json!({ "status": "ok", "user_id": id, "message": "Registration successful" });
    assert_eq!((answer.status, answer.body), (201, expected));
    // trimmed and lower-cased, and found in any spelling
    let body = json!({ "email": "ANA@example.org ", "password": PASSWORD });
    let answer = house.call("POST", "/api/auth/login").json(body).await;
    assert_eq!(answer.body["user"]["email"], "ana@example.org");
}

#[tokio::test]
async fn display_name_serves_as_name() {
    let house = House::new().await;
    let body = json!({ "email": "a@b.c", "password": PASSWORD, "display_name": "Ana Lía" });
    assert_eq!(house.call("POST", "/api/auth/register").json(body).await.status, 201);
    let body = json!({ "email": "a@b.c", "password": PASSWORD });
    let answer = house.call("POST", "/api/auth/login").json(body).await;
    assert_eq!(answer.body["user"]["display_name"], "Ana Lía");
}

#[tokio::test]
async fn an_address_is_taken_once() {
    let house = House::new().await;
    house.sign_up("ana", true).await;
    let body = json!({ "email": "ANA@example.org", "password": PASSWORD, "name": "Other" });
    let answer = house.call("POST", "/api/auth/register").json(body).await;
    assert_eq!(answer.refusal(), (409, "EMAIL_TAKEN", "Email already registered"));
}

#[tokio::test]
async fn of_several_who_want_an_address_at_once_one_gets_it() {
    let house = House::new().await;
    let body = json!({ "email": "a@b.c", "password": PASSWORD, "name": "A" });
    let ask = || house.call("POST", "/api/auth/register").json(body.clone());
    let (a, b, c, d) = tokio::join!(ask(), ask(), ask(), ask());
    let mut seen = [a.status, b.status, c.status, d.status];
    seen.sort_unstable();
    assert_eq!(seen, [201, 409, 409, 409]);
}

#[tokio::test]
async fn what_is_wrong_with_a_registration_is_named() {
    let house = House::new().await;
    let good = json!({ "email": "a@b.c", "password": PASSWORD, "name": "A" });
    let cases = [
        ("email", json!("nobody")),
        ("email", json!(null)),
        ("email", json!(format!("{}@b.c", "a".repeat(255)))),
        ("password", json!("1234567")),
        ("password", json!("ä".repeat(129))),
        ("password", json!(12_345_678)),
        ("name", json!("")),
        ("name", json!("  ")),
        ("name", json!("n".repeat(101))),
        ("name", json!("a\u{0}b")),
        ("store_history_consent", json!("true")),
        ("store_history_consent", json!(1)),
        ("store_history_consent", json!([])),
        ("admin", json!(true)),
    ];
    for (field, value) in cases {
        let mut body = good.clone();
        body[field] = value.clone();
        let answer = house.call("POST", "/api/auth/register").json(body).await;
        assert_eq!(answer.refusal().0, 400, "{field} {value}: {answer:?}");
        assert_eq!(answer.refusal().1, "VALIDATION_ERROR");
        assert_eq!(answer.body["details"]["field"], field, "{value}: {answer:?}");
    }
    for field in ["email", "password", "name"] {
        let mut body = good.clone();
        body.as_object_mut().unwrap().remove(field);
        let answer = house.call("POST", "/api/auth/register").json(body).await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.body["details"]["field"], field);
    }
}

#[tokio::test]
async fn consent_that_is_absent_or_null_is_false() {
    let house = House::new().await;
    for (n, consent) in [None, Some(json!(null)), Some(json!(false))].into_iter().enumerate() {
        let email = format!("p{n}@example.org");
        let mut body = json!({ "email": email, "password": PASSWORD, "name": "P" });
        if let Some(consent) = consent {
            body["store_history_consent"] = consent;
        }
        assert_eq!(house.call("POST", "/api/auth/register").json(body).await.status, 201);
        let token = house.token(&format!("p{n}")).await;
        let seen = house.get("/api/users/me/preferences", &token).await;
        assert_eq!(seen.body["store_history"], false);
    }
}

#[tokio::test]
async fn passwords_of_8_and_of_128_characters_are_taken() {
    let house = House::new().await;
    for (n, password) in ["12345678".to_owned(), "日".repeat(128)].into_iter().enumerate() {
        let email = format!("p{n}@example.org");
        let body = json!({ "email": email, "password": password, "name": "P" });
        assert_eq!(house.call("POST", "/api/auth/register").json(body).await.status, 201);
        assert_eq!(house.login(&format!("p{n}"), &password).await.status, 200);
    }
}

#[tokio::test]
async fn registration_can_be_closed() {
    let house = House::planned(Plan { registration_open: false, ..Plan::default() }).await;
    let body = json!({ "email": "a@b.c", "password": PASSWORD, "name": "A" });
    let answer = house.call("POST", "/api/auth/register").json(body).await;
    assert_eq!(answer.refusal(), (403, "REGISTRATION_CLOSED", "Registration is closed"));
}

#[tokio::test]
async fn signing_in_answers_exactly_this() {
    let house = House::new().await;
    let id = house.sign_up("ana", true).await;
    let answer = house.login("ana", PASSWORD).await;
    let expected = json!({
        "token": answer.body["token"], "expires_in": 3_600, "token_type": "Bearer",
        "user": {
            "id": id, "email": "ana@example.org", "display_name": "ana", "account_type": "user",
        },
    });
    assert_eq!((answer.status, &answer.body), (200, &expected));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("set-cookie"), None);
}

#[tokio::test]
async fn nobody_learns_whether_an_account_exists() {
    let house = House::new().await;
    house.sign_up("ana", true).await;
    let mut said = Vec::new();
    for (name, password) in
        [("ana", "wrong horse"), ("ana", "x"), ("ana", ""), ("nobody", PASSWORD), ("n o", "x")]
    {
        let answer = house.login(name, password).await;
        assert_eq!(answer.refusal(), (401, "INVALID_CREDENTIALS", "Invalid email or password"));
        let mut body = answer.body;
        body.as_object_mut().unwrap().remove("request_id");
        said.push(body);
    }
    assert!(said.iter().all(|body| *body == said[0]), "{said:?}");
}

#[tokio::test]
async fn a_login_without_its_fields_is_refused() {
    let house = House::new().await;
    for (body, field) in [
        (json!({ "email": "a@b.c" }), "password"),
        (json!({ "password": PASSWORD }), "email"),
        (json!({ "email": 1, "password": PASSWORD }), "email"),
        (json!({ "email": "a@b.c", "password": PASSWORD, "more": 1 }), "more"),
    ] {
        let answer = house.call("POST", "/api/auth/login").json(body).await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.body["details"]["field"], field);
    }
    let answer = house.call("POST", "/api/auth/login").await_it().await;
    assert_eq!(answer.refusal().0, 415);
    let wrong = house.call("POST", "/api/auth/login?cookie=1");
    let answer = wrong.json(json!({ "email": "a@b.c", "password": PASSWORD })).await;
    assert_eq!(answer.body["details"]["field"], "cookie");
}
