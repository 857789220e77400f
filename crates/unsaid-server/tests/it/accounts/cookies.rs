//! The page's cookie.

use serde_json::json;

use super::house::{Answer, House, MINUTE_MS, ORIGIN, PASSWORD, Plan};

const ME: &str = "/api/users/me";
const SWITCH: &str = "/api/users/me/preferences";

/// Signs somebody in as the page does; gives the answer.
async fn login(house: &House) -> Answer {
    let body = json!({ "email": "ana@example.org", "password": PASSWORD });
    house.call("POST", "/api/auth/login?cookie=true").json(body).await
}

/// Name and value of the cookie that an answer sets.
fn cookie(answer: &Answer) -> String {
    let line = answer.header("set-cookie").unwrap();
    line.split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn the_page_gets_a_cookie_and_no_token() {
    let house = House::new().await;
    let id = house.sign_up("ana", true).await;
    let answer = login(&house).await;
    let expected = json!({
        "expires_in": 3_600, "token_type": "Bearer",
        "user": {
            "id": id, "email": "ana@example.org", "display_name": "ana", "account_type": "user",
        },
    });
    assert_eq!((answer.status, &answer.body), (200, &expected));
    let line = answer.header("set-cookie").unwrap();
    let attributes: Vec<&str> = line.split("; ").skip(1).collect();
    for attribute in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/", "Max-Age=3600"] {
        assert!(attributes.contains(&attribute), "{attribute}: {line}");
    }
    let seen = house.call("GET", ME).cookie(&cookie(&answer)).await_it().await;
    assert_eq!((seen.status, &seen.body["id"]), (200, &json!(id)));
    assert_eq!(seen.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn over_plain_http_the_cookie_is_not_secure() {
    let house = House::planned(Plan { public_url: "http://127.0.0.1:8080", ..Plan::default() });
    let house = house.await;
    house.sign_up("ana", true).await;
    let line = login(&house).await;
    assert!(!line.header("set-cookie").unwrap().contains("Secure"));
}

#[tokio::test]
async fn with_a_cookie_a_change_must_come_from_our_own_page() {
    let house = House::new().await;
    house.sign_up("ana", true).await;
    let cookie = cookie(&login(&house).await);
    let change = || house.call("PATCH", SWITCH).cookie(&cookie);
    let body = json!({ "store_history": true });
    let ours = change().header("origin", ORIGIN).json(body.clone()).await;
    assert_eq!(ours.status, 200);
    for origin in ["https://evil.example", "null", "http://chat.example.org", ""] {
        let answer = change().header("origin", origin).json(body.clone()).await;
        assert_eq!(answer.refusal(), (403, "WRONG_ORIGIN", "Request from another origin"));
    }
    let answer = change().json(body.clone()).await;
    assert_eq!(answer.refusal().1, "WRONG_ORIGIN", "none is not ours either");
    let logout = house.call("POST", "/api/auth/logout").cookie(&cookie).await_it().await;
    assert_eq!(logout.refusal().1, "WRONG_ORIGIN");
    // reading changes nothing, and a bearer is nobody's page
    let read = house.call("GET", ME).cookie(&cookie).header("origin", "https://evil.example");
    assert_eq!(read.await_it().await.status, 200);
    let token = house.token("ana").await;
    let bearer = house.call("PATCH", SWITCH).bearer(&token).header("origin", "https://x.example");
    assert_eq!(bearer.json(body).await.status, 200);
}

#[tokio::test]
async fn a_bearer_header_wins() {
    let house = House::new().await;
    let ana = house.sign_up("ana", true).await;
    let cookie = cookie(&login(&house).await);
    let ben = house.sign_up("ben", true).await;
    let token = house.token("ben").await;
    let both = house.call("GET", ME).cookie(&cookie).bearer(&token).await_it().await;
    assert_eq!(both.body["id"], json!(ben));
    let wrong = house.call("GET", ME).cookie(&cookie).bearer("nonsense").await_it().await;
    assert_eq!(wrong.status, 401);
    // another scheme is a proxy's, not ours
    let basic = house.call("GET", ME).cookie(&cookie).header("authorization", "Basic eDp4");
    assert_eq!(basic.await_it().await.body["id"], json!(ana));
    let change = house.call("PATCH", SWITCH).cookie(&cookie).bearer(&token);
    assert_eq!(change.json(json!({ "store_history": true })).await.status, 200);
}

#[tokio::test]
async fn the_cookie_is_renewed_by_set_cookie_alone() {
    let house = House::new().await;
    house.sign_up("ana", true).await;
    let old = cookie(&login(&house).await);
    house.clock.advance(31 * MINUTE_MS);
    let answer = house.call("GET", ME).cookie(&old).await_it().await;
    assert_eq!(answer.header("x-new-token"), None);
    assert_eq!(answer.header("x-token-expires-in"), None);
    let new = cookie(&answer);
    assert_ne!(new, old);
    house.clock.advance(59 * MINUTE_MS);
    assert_eq!(house.call("GET", ME).cookie(&old).await_it().await.status, 401);
    assert_eq!(house.call("GET", ME).cookie(&new).await_it().await.status, 200);
}

#[tokio::test]
async fn logging_out_revokes_the_cookie_and_takes_it_away() {
    let house = House::new().await;
    house.sign_up("ana", true).await;
    let cookie = cookie(&login(&house).await);
    let logout = house.call("POST", "/api/auth/logout").cookie(&cookie).header("origin", ORIGIN);
    let answer = logout.await_it().await;
    assert_eq!(answer.status, 204);
    let line = answer.header("set-cookie").unwrap();
    assert!(line.starts_with("unsaid_token=; ") && line.contains("Max-Age=0"), "{line}");
    assert_eq!(house.call("GET", ME).cookie(&cookie).await_it().await.status, 401);
}

#[tokio::test]
async fn two_cookies_are_nobodys() {
    let house = House::new().await;
    house.sign_up("ana", true).await;
    let cookie = cookie(&login(&house).await);
    let twice = format!("{cookie}; {cookie}");
    assert_eq!(house.call("GET", ME).cookie(&twice).await_it().await.status, 401);
    let beside = format!("other=1; {cookie}");
    assert_eq!(house.call("GET", ME).cookie(&beside).await_it().await.status, 200);
}
