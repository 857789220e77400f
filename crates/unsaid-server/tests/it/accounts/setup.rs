//! The link that lets the owner of a new installation in.

use serde_json::json;
use unsaid_core::port::clock::Clock as _;
use unsaid_testkit::clock::SeededChance;

use super::house::{House, MINUTE_MS, ORIGIN};

fn link(house: &House) -> String {
    let key = house.accounts.setup.open(house.clock.now(), &SeededChance::new(3));
    format!("/setup?key={key}")
}

#[tokio::test]
async fn the_link_signs_the_owner_in_once() {
    let house = House::new().await;
    let link = link(&house);
    let answer = house.call("GET", &link).await_it().await;
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")));
    let given = answer.header("set-cookie").unwrap();
    assert!(given.contains("HttpOnly") && given.contains("SameSite=Strict"), "{given}");
    let cookie = given.split(';').next().unwrap();
    let me = house.call("GET", "/api/users/me").cookie(cookie).await_it().await;
    assert_eq!((me.status, &me.body["account_type"]), (200, &json!("admin")));
    assert_eq!(me.body["preferences"]["store_history"], false, "the first screen asks");
    let run = house.call("POST", "/api/admin/erasures/run").cookie(cookie);
    assert_eq!(run.header("origin", ORIGIN).await_it().await.status, 200);
    let again = house.call("GET", &link).await_it().await;
    let said = (403, "SETUP_LINK_INVALID", "This link was used, is too old or is wrong");
    assert_eq!(again.refusal(), said);
    assert_eq!(again.header("set-cookie"), None);
}

#[tokio::test]
async fn the_link_is_good_for_ten_minutes() {
    let house = House::new().await;
    let link = link(&house);
    house.clock.advance(10 * MINUTE_MS);
    assert_eq!(house.call("GET", &link).await_it().await.refusal().0, 403);
    house.clock.advance(-1);
    assert_eq!(house.call("GET", &link).await_it().await.status, 303);
}

#[tokio::test]
async fn a_wrong_key_lets_nobody_in_and_uses_nothing_up() {
    let house = House::new().await;
    for path in ["/setup", "/setup?key=", "/setup?key=x"] {
        assert_eq!(house.call("GET", path).await_it().await.refusal().1, "SETUP_LINK_INVALID");
    }
    let link = link(&house);
    for path in ["/setup", "/setup?key=", "/setup?key=x", &format!("{link}0")] {
        assert_eq!(house.call("GET", path).await_it().await.refusal().0, 403);
    }
    assert_eq!(house.call("HEAD", &link).await_it().await.status, 405);
    assert_eq!(house.call("GET", &link).await_it().await.status, 303);
}

#[tokio::test]
async fn the_owner_has_no_password_before_one_is_set() {
    let house = House::new().await;
    house.call("GET", &link(&house)).await_it().await;
    for password in ["!", "", "correct horse"] {
        let body = json!({ "email": "owner@localhost", "password": password });
        let answer = house.call("POST", "/api/auth/login").json(body).await;
        assert_eq!(answer.refusal().1, "INVALID_CREDENTIALS");
    }
}
