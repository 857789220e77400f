use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};
use unsaid_testkit::builder::{at, person};
use unsaid_testkit::clock::SeededChance;

use super::*;

const MINUTE_MS: i64 = 60_000;
const KEY: [u8; 32] = [7; 32];

fn tokens() -> Tokens {
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let terms =
        Terms { token_ttl: minutes(60), refresh_below: minutes(30), session_cap: minutes(150) };
    Tokens::new(&SecretKey::new(KEY), terms)
}

fn signed_in(now: i64) -> (Tokens, Issued) {
    let (tokens, chance) = (tokens(), SeededChance::new(1));
    let issued = tokens.sign_in(&person("ana", true), at(now), &chance).unwrap();
    (tokens, issued)
}

/// A token as ours, but for one claim or the key.
fn forged(algorithm: Algorithm, key: &[u8], change: impl FnOnce(&mut Value)) -> String {
    let mut claims = json!({
        "sub": "ana", "iat": 0, "exp": 3_600, "iss": "unsaid", "aud": "unsaid", "jti": "j",
        "sid": "s", "signed_in_at": 0, "since": 0, "until": 3_600_000,
    });
    change(&mut claims);
    encode(&Header::new(algorithm), &claims, &EncodingKey::from_secret(key)).unwrap()
}

/// What it says, as others read it.
fn claims(issued: &Issued) -> Value {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.validate_exp = false;
    validation.set_audience(&[AUDIENCE]);
    let key = DecodingKey::from_secret(&KEY);
    decode::<Value>(&issued.text, &key, &validation).unwrap().claims
}

#[test]
fn a_token_says_who_and_counts_to_the_millisecond() {
    let (tokens, issued) = signed_in(1_234);
    assert_eq!(issued.expires_in_seconds, 3_600);
    let until = at(1_234 + 60 * MINUTE_MS);
    let token = tokens.read(&issued.text, until.plus_millis(-1)).unwrap();
    assert_eq!((token.person.as_str(), token.until, token.signed_in_at), ("ana", until, at(1_234)));
    assert_eq!(tokens.read(&issued.text, until), None);
}

#[test]
fn the_known_claims_are_all_there() {
    let (_, issued) = signed_in(1_500);
    let claims = claims(&issued);
    assert_eq!(claims["sub"], "ana");
    assert_eq!((&claims["iat"], &claims["exp"]), (&json!(1), &json!(3_601)));
    assert_eq!((&claims["iss"], &claims["aud"]), (&json!("unsaid"), &json!("unsaid")));
    assert_eq!(claims["jti"].as_str().unwrap().len(), 36);
    assert_ne!(claims["jti"], claims["sid"]);
}

#[test]
fn every_known_claim_is_required() {
    let tokens = tokens();
    let whole = forged(Algorithm::HS256, &KEY, |_| {});
    assert!(tokens.read(&whole, at(0)).is_some(), "the rest below fails for its own reason");
    for claim in ["sub", "iat", "exp", "iss", "aud", "jti", "sid", "until", "since"] {
        let without = forged(Algorithm::HS256, &KEY, |claims| {
            claims.as_object_mut().unwrap().remove(claim);
        });
        assert_eq!(tokens.read(&without, at(0)), None, "{claim}");
    }
    for (claim, wrong) in [
        ("iss", json!("else")),
        ("aud", json!("else")),
        ("jti", json!("")),
        ("sub", json!("")),
        ("sub", json!(1)),
        ("exp", json!("3600")),
        ("until", json!(0)),
        ("iat", json!(4_000)),
    ] {
        let with = forged(Algorithm::HS256, &KEY, |claims| claims[claim] = wrong);
        assert_eq!(tokens.read(&with, at(0)), None, "{claim}");
    }
}

#[test]
fn a_token_of_another_clock_counts_within_what_clocks_may_be_apart() {
    let tokens = tokens();
    let made = forged(Algorithm::HS256, &KEY, |claims| claims["iat"] = json!(100));
    assert!(tokens.read(&made, at(100_000 - CLOCKS_APART_MS)).is_some());
    assert_eq!(tokens.read(&made, at(100_000 - CLOCKS_APART_MS - 1)), None);
}

#[test]
fn a_token_ends_with_its_exp_even_if_it_says_more() {
    let tokens = tokens();
    let ends = forged(Algorithm::HS256, &KEY, |claims| claims["exp"] = json!(100));
    assert!(tokens.read(&ends, at(100_000 + ROUNDED_MS - 1)).is_some());
    assert_eq!(tokens.read(&ends, at(100_000 + ROUNDED_MS)), None);
    let far = |claims: &mut Value| claims["exp"] = json!(i64::MAX);
    assert!(tokens.read(&forged(Algorithm::HS256, &KEY, far), at(0)).is_some());
}

#[test]
fn only_our_key_and_our_algorithm_count() {
    let tokens = tokens();
    assert_eq!(tokens.read(&forged(Algorithm::HS256, &[8; 32], |_| {}), at(0)), None);
    assert_eq!(tokens.read(&forged(Algorithm::HS512, &KEY, |_| {}), at(0)), None);
    let (_, issued) = signed_in(0);
    let (head, signature) = issued.text.rsplit_once('.').unwrap();
    let (_, claims) = head.split_once('.').unwrap();
    // {"alg":"none","typ":"JWT"}
    let none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
    for text in [
        format!("{none}.{claims}."),
        format!("{none}.{claims}.{signature}"),
        format!("{head}."),
        head.to_owned(),
        String::new(),
        "…".to_owned(),
    ] {
        assert_eq!(tokens.read(&text, at(0)), None, "{text}");
    }
}

#[test]
fn a_token_is_renewed_when_little_is_left() {
    let (tokens, issued) = signed_in(0);
    let chance = SeededChance::new(2);
    let token = tokens.read(&issued.text, at(0)).unwrap();
    assert!(tokens.renewed(&token, at(30 * MINUTE_MS), &chance).is_none());
    let now = at(30 * MINUTE_MS + 1);
    let renewed = tokens.renewed(&token, now, &chance).unwrap();
    assert_eq!(renewed.expires_in_seconds, 3_600);
    let next = tokens.read(&renewed.text, now).unwrap();
    assert_eq!(next, Token { until: now.plus_millis(60 * MINUTE_MS), ..token });
}

#[test]
fn what_is_shortest_ends_first() {
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let chance = SeededChance::new(2);
    let of = |token_ttl, refresh_below, session_cap| {
        let terms = Terms { token_ttl, refresh_below, session_cap };
        let tokens = Tokens::new(&SecretKey::new(KEY), terms);
        let issued = tokens.sign_in(&person("ana", true), at(0), &chance).unwrap();
        let token = tokens.read(&issued.text, at(0)).unwrap();
        (tokens, token)
    };
    // A sign-in that may not last as long as a token.
    let (tokens, token) = of(minutes(60), minutes(30), minutes(1));
    assert_eq!(token.until, at(MINUTE_MS));
    assert!(tokens.renewed(&token, at(MINUTE_MS - 1), &chance).is_none());
    // A token that never has as much left as it should.
    let (tokens, token) = of(minutes(1), minutes(30), minutes(90));
    assert_eq!(token.until, at(MINUTE_MS));
    assert!(tokens.renewed(&token, at(0), &chance).is_none(), "it is as new as can be");
    let renewed = tokens.renewed(&token, at(1), &chance).unwrap();
    assert_eq!(tokens.read(&renewed.text, at(1)).unwrap().until, at(MINUTE_MS + 1));
}

#[test]
fn a_token_says_itself_how_long_it_lasts() {
    // whole seconds and not, with a whole life and with what the cap leaves
    for (signed_in_ms, now_ms) in [(0, 0), (1, 1), (999, 999), (999, 3_000_000), (1, 8_800_999)] {
        let (tokens, first) = signed_in(signed_in_ms);
        let token = tokens.read(&first.text, at(signed_in_ms)).unwrap();
        let token = Token { until: at(now_ms + 1), ..token };
        let renewed = tokens.renewed(&token, at(now_ms), &SeededChance::new(2)).unwrap();
        for issued in [first, renewed] {
            let claims = claims(&issued);
            let lasts = claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap();
            assert_eq!(lasts, issued.expires_in_seconds);
            let [exp, until] = ["exp", "until"].map(|claim| claims[claim].as_i64().unwrap());
            assert!((0..ROUNDED_MS).contains(&(until - exp * 1_000)));
        }
    }
}

#[test]
fn a_sign_in_lasts_no_longer_than_its_cap() {
    let (tokens, issued) = signed_in(0);
    let chance = SeededChance::new(2);
    let mut token = tokens.read(&issued.text, at(0)).unwrap();
    for minute in [50, 100] {
        let now = at(minute * MINUTE_MS);
        token = tokens.read(&tokens.renewed(&token, now, &chance).unwrap().text, now).unwrap();
    }
    let cap = at(150 * MINUTE_MS);
    assert_eq!(token.until, cap);
    assert!(tokens.renewed(&token, cap.plus_millis(-1), &chance).is_none());
    assert_eq!(tokens.end_of(&token), cap);
}
