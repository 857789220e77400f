//! Pictures and everything else that has no words.

use serde_json::{Value, json};
use unsaid_core::domain::id::MessageId;
use unsaid_line::picture::LOAD_FAILED;
use unsaid_line::stand_in::{Call, Fault};

use super::event::{Spot, person, unsend};
use super::house::{House, thought};
use super::keeper::Keeper;
use super::on_every_history;

const DOT: &[u8] = include_bytes!("dot.png");

fn picture(house: &House, spot: &Spot, id: &str) -> Value {
    house.message(spot, json!({"id": id, "type": "image", "contentProvider": {"type": "line"}}))
}

fn put(house: &House, id: &str, bytes: &'static [u8]) {
    house.line.put_content(&MessageId::new(id).unwrap(), "image/png", bytes);
}

fn a_picture_is_shown_to_the_model(keeper: Keeper) {
    let mut house = House::thinking(keeper);
    let ana = person("Uana");
    put(&house, "m1", DOT);
    house.deliver(&[picture(&house, &ana, "m1")]);
    assert_eq!(house.next_said(), thought(0));
    let shown = house.thinker.until_asked(1).raw;
    assert!(shown.contains(r#""type":"image_url""#) && shown.contains("data:image/png;base64,"));
    // kept, and not fetched again
    house.restart();
    house.ask(&ana, "m2", "what was in it?");
    assert!(house.thinker.until_asked(2).raw.contains("data:image/png;base64,"));
    let fetched = house.line.seen().iter().filter(|seen| seen.call == Call::Content).count();
    assert_eq!(fetched, 1);
    house.deliver(&[unsend(&ana, "m1")]);
    house.ask(&ana, "m3", "what was in it?");
    assert!(!house.thinker.until_asked(3).raw.contains("image"));
    house.end();
}

fn a_picture_that_cannot_be_fetched_is_a_sentence(keeper: Keeper) {
    let house = House::thinking(keeper);
    let elsewhere = format!("{}/v2/bot/info", house.line.base());
    let faults =
        [None, Some(Fault::status(410)), Some(Fault::Redirect(elsewhere)), Some(Fault::Flood)];
    for (nth, fault) in faults.into_iter().enumerate() {
        if let Some(fault) = fault {
            house.line.fault(Call::Content, fault);
        }
        is_a_sentence(&house, nth);
    }
    put(&house, "m4", b"no picture at all");
    is_a_sentence(&house, 4);
    house.end();
}

fn is_a_sentence(house: &House, nth: usize) {
    let spot = person(&format!("U{nth}"));
    house.deliver(&[picture(house, &spot, &format!("m{nth}"))]);
    assert_eq!(house.next_said(), thought(nth));
    let shown = house.thinker.until_asked(nth + 1);
    assert!(shown.words.contains(LOAD_FAILED), "{}", shown.words);
    assert!(!shown.raw.contains("image_url"), "{}", shown.raw);
}

fn what_has_no_words_gets_some(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    let sent = [
        (
            json!({"type": "sticker", "keywords": ["cony", "love"]}),
            "[User sent a sticker: cony, love]",
        ),
        (json!({"type": "video"}), "[User sent a video]"),
        (json!({"type": "audio"}), "[User sent an audio]"),
        (json!({"type": "location", "title": "Quay"}), "[User sent a location: Quay]"),
        (json!({"type": "file", "fileName": "figs.txt"}), "[User sent a file: figs.txt]"),
    ];
    for (nth, (mut message, words)) in sent.into_iter().enumerate() {
        message["id"] = format!("m{nth}").into();
        house.deliver(&[house.message(&ana, message)]);
        assert_eq!(house.next_said(), thought(nth));
        let shown = house.thinker.until_asked(nth + 1).words;
        assert!(shown.contains(words), "{shown}");
        house.keep_private(words);
    }
    house.end();
}

on_every_history![
    a_picture_is_shown_to_the_model,
    a_picture_that_cannot_be_fetched_is_a_sentence,
    what_has_no_words_gets_some,
];
