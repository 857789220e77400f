//! `line.store_history = false`: it remembers as long as it runs, and no file ever holds a word.

use serde_json::json;
use unsaid_core::domain::id::MessageId;

use super::event::{edited, member, person, unsend};
use super::house::{House, thought};
use super::keeper::Keeper;
use super::on_every_history;
use super::thinker::{Asked, Deed, reply};

const DOT: &[u8] = include_bytes!("dot.png");
const FLAGS: [(&str, &str); 2] = [("line.debounce", "0ms"), ("line.store_history", "false")];

fn script(asked: &Asked) -> Deed {
    reply(thought(asked.nth))
}

/// None of these is anywhere, in whatever state the files are.
fn is_nowhere(house: &House, needles: &[&[u8]]) {
    for needle in needles {
        let found = house.places_of(needle);
        assert!(found.is_empty(), "{} is in {found:?}", String::from_utf8_lossy(needle));
    }
}

fn it_remembers_until_it_ends(keeper: Keeper) {
    let mut house = House::with(keeper, script, &FLAGS);
    let (ana, ben) = (person("Uana"), member("Cgroup", "Uben"));
    house.line.put_content(&MessageId::new("m2").unwrap(), "image/png", DOT);
    assert_eq!(house.ask(&ana, "m1", "persimmons are ripe"), thought(0));
    house.deliver(&[house
        .message(&ana, json!({"id": "m2", "type": "image", "contentProvider": {"type": "line"}}))]);
    assert_eq!(house.next_said(), thought(1));
    assert_eq!(house.ask(&ben, "m3", "medlars are not"), thought(2));
    assert_eq!(house.ask(&ana, "m4", "what did I say?"), thought(3));
    let asked = house.thinker.until_asked(4);
    assert!(asked.words.contains("persimmons are ripe") && asked.words.contains(&thought(0)));
    assert!(asked.raw.contains("data:image/png;base64,") && !asked.raw.contains("medlars"));
    let answers = house.thinker.answers();
    let mut needles: Vec<&[u8]> = vec![b"persimmons", b"medlars", b"what did I say", DOT];
    needles.extend(answers.iter().map(String::as_bytes));
    is_nowhere(&house, &needles);
    // that somebody was there is no secret, and shows that one can look
    assert!(!house.places_of(b"Uana").is_empty());
    house.kill();
    is_nowhere(&house, &needles);
    house.revive();
    assert_eq!(house.ask(&ana, "m5", "and what was it?"), thought(4));
    let asked = house.thinker.until_asked(5).raw;
    for gone in ["persimmons", "what did I say", "image/png", &thought(0), &thought(3)] {
        assert!(!asked.contains(gone), "{asked}");
    }
    house.restart();
    is_nowhere(&house, &needles);
    house.end();
}

fn what_is_taken_back_or_edited_is_gone_from_memory_too(keeper: Keeper) {
    let house = House::with(keeper, script, &FLAGS);
    let ana = person("Uana");
    house.ask(&ana, "m1", "the kumquat is secret");
    house.ask(&ana, "m2", "teatime is at four");
    house.keep_private("teatime is at five");
    // one before its message, too
    house.deliver(&[unsend(&ana, "m1"), unsend(&ana, "m3")]);
    house.deliver(&[edited(&ana, "m2", "teatime is at five")]);
    house.say(&ana, "m3", "the kumquat, once more");
    house.ask(&ana, "m4", "when is it?");
    let asked = house.thinker.until_asked(3).raw;
    assert!(asked.contains("at five") && !asked.contains("at four"), "{asked}");
    assert!(!asked.contains("kumquat"), "{asked}");
    // and while the model thinks
    house.thinker.hold();
    house.say(&ana, "m5", "one kumquat for the road");
    house.thinker.until_asked(4);
    house.deliver(&[unsend(&ana, "m5")]);
    house.thinker.release();
    assert_eq!(house.ask(&ana, "m6", "and now?"), thought(4));
    assert!(!house.thinker.until_asked(5).raw.contains("kumquat"));
    assert_eq!(house.said().len(), 4);
    is_nowhere(&house, &[b"kumquat", b"teatime"]);
    house.end();
}

on_every_history![it_remembers_until_it_ends, what_is_taken_back_or_edited_is_gone_from_memory_too,];
