//! Every row of the table of events.

use serde_json::json;
use unsaid_core::domain::{
    id::{MediaKey, SourceId},
    message::{Author, Part, ReplyToken},
    source::SourceKind,
    time::Timestamp,
};
use unsaid_line::{
    errand::{Errand, Where},
    inbound::Receipt,
    picture::PENDING_MIME,
};
use unsaid_testkit::builder::{at, message_id, person_id};

use crate::{
    door::{DEBOUNCE_MS, Door, NOW, taken},
    letter::{self, HAPPENED, event, message, text, with},
};

#[tokio::test]
async fn ac_001_a_text_is_kept_with_author_time_and_the_wish_for_an_answer() {
    let door = Door::new();
    door.tell(text("Uana", "m1", "hello")).await;
    insta::assert_snapshot!(door.state("Uana").await, @r#"
    version 1, last number 1, last fence 0, wanted 1794700801700
    #1 m1: person Uana, at 1794700800000, roster 0, way back event-m1 at 1794700800200 with a token, waiting, Here, ["hello"]
    delivery event-m1: 1794700800200
    "#);
    let entry = door.talk("Uana").find("m1").await.unwrap();
    assert_eq!(entry.way_back.unwrap().token, Some(ReplyToken::new("token-of-m1")));
    assert_eq!(door.errands.taken(), ["Uana spoke in Person Uana"]);
}

#[tokio::test]
async fn ac_003_every_source_has_a_history_of_its_own() {
    let door = Door::new();
    let events = [
        text("Uana", "m1", "ramen"),
        text("Cgroup", "m2", "sushi"),
        text("Rroom", "m3", "udon"),
        with(
            &text("Cgroup", "m4", "soba"),
            &json!({"source": {"type": "group", "groupId": "Cgroup", "userId": "Ubob"}}),
        ),
    ];
    assert_eq!(door.call(&events).await, Ok(taken(4)));
    assert_eq!(door.heard("Uana").await, ["m1"]);
    assert_eq!(door.heard("Cgroup").await, ["m2", "m4"]);
    assert_eq!(door.heard("Rroom").await, ["m3"]);
    for (chat, id, person) in
        [("Uana", "m1", "Uana"), ("Cgroup", "m2", "Uana"), ("Cgroup", "m4", "Ubob")]
    {
        let author = Author::Person(Some(person_id(person)));
        assert_eq!(door.message(chat, id).await.author, author, "{id}");
    }
    let mut errands = door.errands.taken();
    errands.sort_unstable();
    assert_eq!(
        errands,
        [
            "Uana spoke in Group Cgroup",
            "Uana spoke in Person Uana",
            "Uana spoke in Room Rroom",
            "Ubob spoke in Group Cgroup",
        ]
    );
}

#[tokio::test]
async fn an_unknown_speaker_of_a_group_is_kept_as_such() {
    let door = Door::new();
    let source = json!({"source": {"type": "group", "groupId": "Cgroup"}});
    door.tell(with(&text("Cgroup", "m1", "hello"), &source)).await;
    assert_eq!(door.message("Cgroup", "m1").await.author, Author::Person(None));
    assert_eq!(door.errands.taken(), ["? spoke in Group Cgroup"]);
}

#[tokio::test]
async fn a_picture_is_promised_and_fetched_afterwards() {
    let door = Door::new();
    let content = json!({"type": "image", "contentProvider": {"type": "line"}, "quoteToken": "q"});
    door.tell(message("Uana", "m1", &content)).await;
    let promised =
        Part::Media { key: MediaKey::new("line-m1").unwrap(), mime: PENDING_MIME.to_owned() };
    assert_eq!(PENDING_MIME, "image/*");
    assert_eq!(door.message("Uana", "m1").await.parts, [promised]);
    let wanted = door.talk("Uana").overview().await.wanted_at;
    assert_eq!(wanted, Some(at(NOW + DEBOUNCE_MS)));
    let place = Where { id: SourceId::new("Uana").unwrap(), kind: SourceKind::Person, at: at(NOW) };
    let errands = [
        Errand::Spoke { place: place.clone(), person: Some(person_id("Uana")) },
        Errand::Picture { place, message: message_id("m1") },
    ];
    assert_eq!(door.errands.whole(), errands);
}

#[tokio::test]
async fn what_has_no_words_gets_a_placeholder_and_wants_an_answer() {
    for (content, expected) in [
        (json!({"type": "sticker", "packageId": "1", "stickerId": "2"}), "[User sent a sticker]"),
        (
            json!({"type": "sticker", "keywords": ["cony", "hi"], "text": "yes!"}),
            "[User sent a sticker: cony, hi, yes!]",
        ),
        (json!({"type": "video", "duration": 5}), "[User sent a video]"),
        (json!({"type": "audio", "duration": 5}), "[User sent an audio]"),
        (json!({"type": "location", "latitude": 35.6}), "[User sent a location]"),
        (
            json!({"type": "location", "title": "LINE", "address": "1-3 Kioicho"}),
            "[User sent a location: LINE, 1-3 Kioicho]",
        ),
        (json!({"type": "file", "fileName": "a b.pdf"}), "[User sent a file: a b.pdf]"),
    ] {
        let door = Door::new();
        door.tell(message("Cgroup", "m1", &content)).await;
        assert_eq!(door.words("Cgroup", "m1").await, expected);
        let wanted = door.talk("Cgroup").overview().await.wanted_at;
        assert_eq!(wanted, Some(at(NOW + DEBOUNCE_MS)), "{expected}");
        assert_eq!(door.errands.taken(), ["Uana spoke in Group Cgroup"], "{expected}");
    }
}

#[tokio::test]
async fn a_quote_is_kept_as_what_it_answers() {
    let door = Door::new();
    let content = json!({"type": "text", "text": "this", "quotedMessageId": "m0"});
    door.tell(message("Uana", "m1", &content)).await;
    assert_eq!(door.message("Uana", "m1").await.reply_to, Some(message_id("m0")));
}

#[tokio::test]
async fn arriving_is_an_errand_each_time_and_leaves_no_trace_in_the_log() {
    let door = Door::new();
    for (kind, chat, errand) in [
        ("follow", "Uana", "arrived in Person Uana"),
        ("follow", "Uana", "arrived in Person Uana"),
        ("join", "Cgroup", "arrived in Group Cgroup"),
        ("join", "Rroom", "arrived in Room Rroom"),
        ("memberJoined", "Cgroup", "members changed in Group Cgroup"),
        ("memberLeft", "Rroom", "members changed in Room Rroom"),
    ] {
        door.tell(event(kind, chat, "e1")).await;
        assert_eq!(door.errands.taken(), [errand], "{kind}");
        assert_eq!(door.state(chat).await, "", "{kind}");
    }
    assert_eq!(door.store.calls("commit"), 0);
}

#[tokio::test]
async fn leaving_stops_the_turn_and_keeps_the_history() {
    for (kind, chat, errand) in
        [("unfollow", "Uana", "left in Person Uana"), ("leave", "Cgroup", "left in Group Cgroup")]
    {
        let door = Door::new();
        door.tell(text(chat, "m1", "hello")).await;
        let lease = door.begin(chat).await;
        door.errands.taken();
        door.tell(event(kind, chat, "e1")).await;
        assert_eq!(door.errands.taken(), [errand]);
        assert_eq!(door.heard(chat).await, ["m1"]);
        let state = door.state(chat).await;
        assert!(state.contains(&format!("turn {}: ", lease.fence)) && state.contains("stopped"));
        let overview = door.talk(chat).overview().await;
        assert_eq!((overview.turn, overview.wanted_at), (None, None));
        // again, with nothing to stop
        door.tell(event(kind, chat, "e1")).await;
        assert_eq!(door.errands.taken(), [errand]);
        assert_eq!(door.state(chat).await, state);
    }
}

#[tokio::test]
async fn h3_leaving_is_old_news_once_somebody_spoke_since() {
    for (kind, chat) in [("unfollow", "Uana"), ("leave", "Cgroup")] {
        let door = Door::new();
        let left = event(kind, chat, "e1");
        door.tell(left.clone()).await;
        let later = json!({"timestamp": HAPPENED + 1});
        door.tell(with(&text(chat, "m1", "back again"), &later)).await;
        let lease = door.begin(chat).await;
        let state = door.state(chat).await;
        door.errands.taken();
        assert_eq!(
            door.call(std::slice::from_ref(&left)).await,
            Ok(Receipt { duplicates: 1, ..Receipt::default() })
        );
        assert!(door.errands.taken().is_empty(), "{kind}");
        assert_eq!(door.state(chat).await, state, "{kind}");
        assert_eq!(door.talk(chat).overview().await.turn, Some(lease), "{kind}");
        // without a time nobody can tell
        door.tell(with(&left, &json!({"timestamp": null}))).await;
        assert_eq!(door.talk(chat).overview().await.turn, None, "{kind}");
    }
}

#[tokio::test]
async fn anything_else_is_accepted_and_does_nothing() {
    let door = Door::new();
    let odd = json!({"type": "hologram", "id": "1"});
    let events = [
        event("postback", "Uana", "e1"),
        event("beacon", "Uana", "e2"),
        event("accountLink", "Uana", "e3"),
        event("somethingNew", "Uana", "e4"),
        json!({"type": "somethingNew"}),
        json!({"type": "module", "module": {"type": "attached"}}),
        message("Uana", "m1", &odd),
        with(&text("Uana", "m2", "hi"), &json!({"source": {"type": "planet", "planetId": "P1"}})),
        with(&letter::edited("Uana", "m3", "x", HAPPENED), &json!({"message": odd})),
        with(&event("follow", "Uana", "e5"), &json!({"source": {"type": "openchat"}})),
    ];
    let receipt = door.call(&events).await.unwrap();
    assert_eq!(receipt.ignored, events.len());
    assert_eq!(receipt.taken + receipt.duplicates + receipt.malformed + receipt.refused, 0);
    assert_eq!(door.state("Uana").await, "");
    assert!(door.errands.taken().is_empty());
}

#[tokio::test]
async fn a_call_without_events_is_fine() {
    assert_eq!(Door::new().call(&[]).await, Ok(taken(0)));
}

#[tokio::test]
async fn an_event_that_says_nothing_of_when_happened_now() {
    let door = Door::new();
    let late = json!({"timestamp": null, "webhookEventId": null, "mode": null,
                      "deliveryContext": null, "replyToken": null});
    door.tell(with(&text("Uana", "m1", "hello"), &late)).await;
    assert_eq!(door.message("Uana", "m1").await.at, at(NOW));
    let state = door.state("Uana").await;
    assert!(state.contains(&format!("way back message-m1 at {NOW} with no token")), "{state}");
    for (timestamp, kept) in [
        (json!(0), Timestamp::ZERO),
        (json!(-1), at(NOW)),
        (json!(1e300), at(NOW)),
        (json!(i64::MAX), at(NOW)),
        (json!("soon"), at(NOW)),
    ] {
        let door = Door::new();
        door.tell(with(&text("Uana", "m1", "hi"), &json!({"timestamp": timestamp}))).await;
        assert_eq!(door.message("Uana", "m1").await.at, kept, "{timestamp}");
    }
}
