//! What is no webhook of LINE's.

use unsaid_line::{
    inbound::Rejected,
    signature::{ChannelSecret, sign},
};

use crate::{
    door::{Door, SECRET, taken},
    letter::{body, text},
};

#[tokio::test]
async fn without_a_right_signature_nothing_is_parsed_or_kept() {
    let door = Door::new();
    let good = body(&[text("Uana", "m1", "hello")]);
    let signature = sign(&ChannelSecret::new(SECRET), &good);
    let other = sign(&ChannelSecret::new("another"), &good);
    let (signature, other) = (signature.as_bytes(), other.as_bytes());
    let refused: [(&[&[u8]], &[u8]); 6] = [
        (&[], &good),
        (&[other], &good),
        (&[signature, signature], &good),
        (&[signature, other], &good),
        (&[b"?"], &good),
        (&[signature], b"not json at all"),
    ];
    for (signatures, body) in refused {
        let outcome = door.inbound.receive(signatures, body).await;
        assert_eq!(outcome, Err(Rejected::Signature));
    }
    assert_eq!(door.store.calls("commit"), 0);
    assert!(door.errands.taken().is_empty());
    assert_eq!(door.inbound.receive(&[signature], &good).await, Ok(taken(1)));
}

#[tokio::test]
async fn a_signed_body_without_a_list_of_events_is_no_webhook() {
    let door = Door::new();
    let deep = format!("{}1{}", "[".repeat(500_000), "]".repeat(500_000));
    for body in [
        "",
        " ",
        "events",
        "{",
        "null",
        "[]",
        r#"[[{"type":"follow"}]]"#,
        "{}",
        r#"{"destination":"U1"}"#,
        r#"{"events":null}"#,
        r#"{"events":{}}"#,
        r#"{"events":"[]"}"#,
        r#"{"events":0}"#,
        r#"{"Events":[]}"#,
        r#"{"events":[]"#,
        r#"{"events":[]} x"#,
        r#"{"events":[],}"#,
        r#"{"events":[{]}"#,
        r#"{"events":[],"events":[]}"#,
        r#"{"events":["\u12"]}"#,
        "{\"events\":[\"\u{1}\"]}",
        &deep,
    ] {
        let outcome = door.call_raw(body.as_bytes()).await;
        assert_eq!(outcome, Err(Rejected::NotAWebhook), "{body:.40}");
    }
    assert_eq!(door.call_raw(b" {\"events\" : [ ] } \n").await, Ok(taken(0)));
}
