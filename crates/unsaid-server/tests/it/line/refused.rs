//! What is no webhook, and where there is no door.

use std::io::Write as _;

use tempfile::tempdir;

use super::event::{body, event, person};
use super::house::{House, post, post_signed, signature, thought};
use super::keeper::Keeper;
use crate::running::{Running, answer, connect, get};

#[test]
fn only_what_line_signed_is_heard() {
    let house = House::thinking(Keeper::Sqlite);
    let ana = person("Uana");
    let body = body(&[house.text(&ana, "m1", "persimmons are ripe")]);
    let good = signature(&body);
    let other = signature("{}");
    let two = format!("{good},{good}");
    let refused: [&[&str]; 6] = [&[], &[&other], &[""], &[&good, &good], &[&two], &["no base64"]];
    for signatures in refused {
        let answer = post_signed(house.address, signatures, &body);
        assert!(answer.starts_with("HTTP/1.1 401 "), "{signatures:?}: {answer}");
        assert!(!answer.contains("persimmons"), "{answer}");
    }
    // it was not parsed either
    let answer = post_signed(house.address, &[&good], "no json");
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    assert_eq!(house.ask(&ana, "m2", "is anybody there?"), thought(0));
    assert!(!house.thinker.until_asked(1).raw.contains("persimmons"));
    house.end();
}

#[test]
fn the_known_signature_is_taken() {
    let house = House::thinking(Keeper::Sqlite);
    let body = r#"{"destination":"U8e742f61d673b39c7fff3cecb7536ef0","events":[]}"#;
    let known = "GhRKmvmHys4Pi8DxkF4+EayaH0OqtJtaZxgTD9fMDLs=";
    let answer = post_signed(house.address, &[known], body);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("{}"), "{answer}");
    house.end();
}

#[test]
fn what_is_no_webhook_is_refused() {
    let house = House::thinking(Keeper::Sqlite);
    for body in
        ["", "no json", "[]", "{}", r#"{"events":{}}"#, r#"{"events":null}"#, "{\"events\":["]
    {
        let answer = post(house.address, body);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{body}: {answer}");
    }
    let answer = get(house.address, "/line/webhook");
    assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
    let large = format!(r#"{{"events":[],"x":"{}"}}"#, "x".repeat(1 << 20));
    let answer = post(house.address, &large);
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(house.thinker.asked().is_empty());
    house.end();
}

/// Most clients write everything before they read, and give up if that fails.
#[test]
fn whoever_sends_too_much_reads_that_it_is_too_much() {
    let house = House::thinking(Keeper::Sqlite);
    for path in ["/line/webhook", "/api/auth/login"] {
        for bytes in [(1 << 20) + 1, 5 << 20, 20 << 20] {
            for _ in 0..5 {
                let mut caller = connect(house.address);
                let head = format!(
                    "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                     content-length: {bytes}\r\n\r\n"
                );
                caller.write_all(head.as_bytes()).unwrap();
                let written = caller.write_all(&vec![b'x'; bytes]);
                assert!(written.is_ok(), "{path} {bytes}: {written:?}");
                let answer = answer(caller);
                assert!(answer.starts_with("HTTP/1.1 413 "), "{path} {bytes}: {answer}");
                assert!(answer.contains("BODY_TOO_LARGE"), "{path} {bytes}: {answer}");
            }
        }
    }
    house.end();
}

/// One event that cannot be read does not stop the others; unknown ones are fine.
#[test]
fn each_event_stands_for_itself() {
    let house = House::thinking(Keeper::Sqlite);
    let ana = person("Uana");
    let mut broken = house.text(&ana, "m1", "medlars are not");
    broken["message"]["id"] = "".into();
    let mut unknown = house.text(&ana, "m2", "neither are quinces");
    unknown["message"]["type"] = "hologram".into();
    let good = house.text(&ana, "m3", "persimmons are ripe");
    house.deliver(&[broken, event(&ana, "somethingNew"), unknown, 7.into(), good]);
    assert_eq!(house.next_said(), thought(0));
    let shown = house.thinker.until_asked(1).words;
    assert!(shown.contains("persimmons are ripe") && !shown.contains("medlars"), "{shown}");
    house.end();
}

#[test]
fn words_that_no_text_can_hold_are_mended() {
    let house = House::thinking(Keeper::Sqlite);
    let ana = person("Uana");
    let body = body(&[house.text(&ana, "m1", "ripe WRONG fruit")]);
    let body = body.replace("WRONG", r"\ud83d \u0000");
    let answer = post(house.address, &body);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    house.next_said();
    let shown = house.thinker.until_asked(1).words;
    assert!(shown.contains("ripe \u{fffd} \u{fffd} fruit"), "{shown}");
    house.end();
}

#[test]
fn without_credentials_there_is_no_door() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    let answer = post(address, r#"{"events":[]}"#);
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    assert!(get(address, "/line/webhook").starts_with("HTTP/1.1 404 "));
}
