//! What is edited is known as it stands now.

use super::event::{edited, person, unsend};
use super::house::{House, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;

fn an_edit_replaces_the_words(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.ask(&ana, "m1", "teatime is at four");
    house.keep_private("teatime is at five");
    house.deliver(&[edited(&ana, "m1", "teatime is at five")]);
    house.ask(&ana, "m2", "when is it?");
    let asked = house.thinker.until_asked(2).raw;
    assert!(asked.contains("teatime is at five") && !asked.contains("at four"), "{asked}");
    // an edit is no question
    assert_eq!(house.said(), [thought(0), thought(1)]);
    house.end();
}

fn an_edit_while_the_model_thinks_begins_anew(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.thinker.hold();
    house.say(&ana, "m1", "is teatime at four?");
    house.thinker.until_asked(1);
    house.keep_private("is teatime at five?");
    house.deliver(&[edited(&ana, "m1", "is teatime at five?")]);
    let second = house.thinker.until_asked(2).words;
    assert!(second.contains("at five?") && !second.contains("at four?"), "{second}");
    house.thinker.release();
    assert_eq!(house.next_said(), thought(1));
    house.ask(&ana, "m2", "thanks for that");
    assert_eq!(house.said(), [thought(1), thought(2)]);
    house.end();
}

fn edits_come_in_any_order(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    let message = house.text(&ana, "m1", "teatime is at four");
    let at = message["timestamp"].as_u64().unwrap();
    let (mut five, mut six) =
        (edited(&ana, "m1", "teatime is at five"), edited(&ana, "m1", "teatime is at six"));
    (five["timestamp"], six["timestamp"]) = ((at + 1).into(), (at + 2).into());
    // before its message, and the newest first
    house.deliver(&[six, five, message]);
    house.next_said();
    assert_eq!(lines(&house.history(&ana))[0], (true, "teatime is at six".to_owned()));
    house.deliver(&[unsend(&ana, "m1"), edited(&ana, "m1", "teatime is at seven")]);
    house.ask(&ana, "m2", "when is it?");
    let asked = house.thinker.asked();
    assert!(!asked.last().unwrap().raw.contains("teatime"), "{asked:?}");
    house.end();
}

on_every_history![
    an_edit_replaces_the_words,
    an_edit_while_the_model_thinks_begins_anew,
    edits_come_in_any_order,
];
