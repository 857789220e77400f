//! How often things may be done.

use serde_json::json;
use unsaid_core::limits::Limits;
use unsaid_http::client::TrustedNetwork;

use super::house::{Answer, House, MINUTE_MS, PASSWORD, Plan};

const ME: &str = "/api/users/me";

async fn house(limits: Limits) -> House {
    House::planned(Plan { limits, ..Plan::default() }).await
}

fn assert_limited(answer: &Answer, seconds: &str) {
    assert_eq!(answer.refusal(), (429, "RATE_LIMITED", "Too many requests"));
    assert_eq!(answer.header("retry-after"), Some(seconds));
}

async fn login_from(house: &House, address: &str, email: &str) -> Answer {
    let body = json!({ "email": email, "password": "wrong horse" });
    house.call("POST", "/api/auth/login").from(address).json(body).await
}

#[tokio::test]
async fn an_account_is_tried_so_often_in_15_minutes_from_wherever() {
    let house = house(Limits { logins_per_15min_account: 3, ..Limits::default() }).await;
    house.sign_up("ana", true).await;
    for n in 0..3 {
        let answer = login_from(&house, &format!("192.0.2.{n}"), "Ana@example.org ").await;
        assert_eq!(answer.status, 401);
    }
    house.clock.advance(MINUTE_MS);
    let answer = house.login("ana", PASSWORD).await;
    assert_limited(&answer, "840");
    // others are not touched, and nobody learns whether there is such an account
    assert_eq!(login_from(&house, "192.0.2.9", "ben@example.org").await.status, 401);
    house.clock.advance(14 * MINUTE_MS);
    assert_eq!(house.login("ana", PASSWORD).await.status, 200);
}

#[tokio::test]
async fn an_unknown_account_is_limited_alike() {
    let house = house(Limits { logins_per_15min_account: 1, ..Limits::default() }).await;
    assert_eq!(login_from(&house, "192.0.2.1", "nobody@example.org").await.status, 401);
    assert_limited(&login_from(&house, "192.0.2.2", "nobody@example.org").await, "900");
}

#[tokio::test]
async fn an_address_tries_so_often_in_15_minutes_whatever_the_account() {
    let house = house(Limits { logins_per_15min_address: 2, ..Limits::default() }).await;
    for name in ["a@b.c", "d@e.f"] {
        assert_eq!(login_from(&house, "192.0.2.1", name).await.status, 401);
    }
    assert_limited(&login_from(&house, "192.0.2.1", "g@h.i").await, "900");
    assert_eq!(login_from(&house, "192.0.2.2", "g@h.i").await.status, 401);
    // of an IPv6 address the network counts
    for n in 1..=2 {
        assert_eq!(login_from(&house, &format!("2001:db8::{n}"), "g@h.i").await.status, 401);
    }
    assert_limited(&login_from(&house, "2001:db8::3", "g@h.i").await, "900");
}

#[tokio::test]
async fn an_address_signs_up_so_often_in_an_hour() {
    let house = house(Limits { registrations_per_hour_address: 2, ..Limits::default() }).await;
    let sign_up = async |n: u32| {
        let body = json!({ "email": format!("p{n}@b.c"), "password": PASSWORD, "name": "P" });
        house.call("POST", "/api/auth/register").from("192.0.2.1").json(body).await
    };
    for n in 0..2 {
        assert_eq!(sign_up(n).await.status, 201);
    }
    assert_limited(&sign_up(2).await, "3600");
    house.clock.advance(60 * MINUTE_MS);
    assert_eq!(sign_up(2).await.status, 201);
}

#[tokio::test]
async fn only_trusted_proxies_say_for_whom_they_call() {
    let limits = Limits { logins_per_15min_address: 1, ..Limits::default() };
    let trusted_proxies = vec![TrustedNetwork::new("10.0.0.0".parse().unwrap(), 8)];
    let house = House::planned(Plan { limits, trusted_proxies, ..Plan::default() }).await;
    let login = async |peer: &str, forwarded: &str| {
        let body = json!({ "email": "a@b.c", "password": "wrong horse" });
        let call = house.call("POST", "/api/auth/login").from(peer);
        call.header("x-forwarded-for", forwarded).json(body).await.status
    };
    assert_eq!(login("10.0.0.1", "198.51.100.1").await, 401);
    assert_eq!(login("10.0.0.1", "198.51.100.2").await, 401);
    assert_eq!(login("10.0.0.2", "198.51.100.2").await, 429);
    assert_eq!(login("192.0.2.1", "198.51.100.3").await, 401);
    assert_eq!(login("192.0.2.1", "198.51.100.4").await, 429, "a stranger says what it likes");
}

#[tokio::test]
async fn a_person_writes_and_reads_so_often_in_a_minute() {
    let limits = Limits { writes_per_min: 2, reads_per_min: 3, ..Limits::default() };
    let house = house(limits).await;
    let token = house.somebody("ana", true).await;
    let other = house.somebody("ben", true).await;
    let write = |token: &str| {
        let call = house.call("PATCH", ME).bearer(token);
        call.json(json!({ "display_name": "x" }))
    };
    for _ in 0..2 {
        assert_eq!(write(&token).await.status, 200);
    }
    assert_limited(&write(&token).await, "60");
    for _ in 0..3 {
        assert_eq!(house.get(ME, &token).await.status, 200);
    }
    house.clock.advance(500);
    assert_limited(&house.get(ME, &token).await, "60");
    assert_eq!(write(&other).await.status, 200, "everybody has their own");
    house.clock.advance(MINUTE_MS);
    assert_eq!(write(&token).await.status, 200);
    assert_eq!(house.get(ME, &token).await.status, 200);
}

#[tokio::test]
async fn a_password_is_not_guessed_from_inside_either() {
    let house = house(Limits { logins_per_15min_account: 2, ..Limits::default() }).await;
    let token = house.somebody("ana", true).await;
    let guess = || {
        let call = house.call("DELETE", ME).bearer(&token);
        call.json(json!({ "password": "wrong horse" }))
    };
    for _ in 0..2 {
        assert_eq!(guess().await.status, 403);
    }
    assert_limited(&guess().await, "900");
}

#[tokio::test]
async fn only_so_many_passwords_wait_to_be_hashed() {
    let limits =
        Limits { password_hashes_at_once: 1, password_hashes_waiting: 1, ..Limits::default() };
    let house = house(limits).await;
    let tries = (0..6).map(|n| login_from(&house, "192.0.2.1", ["a@b", "c@d"][n % 2]));
    let answers = all(tries.collect()).await;
    let mut seen: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    seen.sort_unstable();
    assert!(seen.contains(&401) && seen.contains(&429), "{seen:?}");
    let busy = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert_limited(busy, "2");
}

/// Asks everybody at once, on this thread: they all come in before the first is done.
async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in futures.iter_mut().zip(&mut done).filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(output) = future.as_mut().poll(context) {
                *done = Some(output);
            }
        }
        if done.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}
