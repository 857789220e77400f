//! Seed 000: what is taken back is not known any more, whenever that comes.

use serde_json::json;

use super::event::{again, member, person, unsend};
use super::house::{House, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;
use super::thinker::reply;

fn an_unsent_message_is_not_shown_again(keeper: Keeper) {
    // the answer quotes what it answers
    let mut house = House::scripted(keeper, |asked| {
        let quotes = if asked.words.contains("kumquat") { "kumquat" } else { "nothing" };
        reply(format!("{}: {quotes}", thought(asked.nth)))
    });
    let ana = person("Uana");
    assert!(house.ask(&ana, "m1", "the kumquat is secret").contains("kumquat"));
    house.deliver(&[unsend(&ana, "m1")]);
    assert!(house.ask(&ana, "m2", "what was it again?").ends_with("nothing"));
    house.restart();
    assert!(house.ask(&ana, "m3", "and now, what was it?").ends_with("nothing"));
    for asked in &house.thinker.asked()[1..] {
        assert!(!asked.raw.contains("kumquat"), "{}", asked.raw);
        // the answer to it went too
        assert!(!asked.raw.contains(&thought(0)), "{}", asked.raw);
    }
    let kept = format!("{:?}", lines(&house.history(&ana)));
    assert!(!kept.contains("kumquat"), "{kept}");
    house.end();
}

fn an_unsend_before_its_message_keeps_it_out(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.deliver(&[unsend(&ana, "m1")]);
    house.say(&ana, "m1", "the kumquat is secret");
    assert_eq!(house.ask(&ana, "m2", "what was it again?"), thought(0));
    let asked = house.thinker.asked();
    assert_eq!(asked.len(), 1);
    assert!(!asked[0].raw.contains("kumquat"), "{}", asked[0].raw);
    let log = house.end();
    assert!(log.contains("unsend of an unknown message"), "{log}");
}

fn an_unsend_in_the_same_call_keeps_it_out(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    let secret = house.text(&ana, "m1", "the kumquat is secret");
    house.deliver(&[secret, unsend(&ana, "m1")]);
    house.say(&ana, "m2", "what was it again?");
    let shown = house.until_answered("what was it again?").raw;
    assert!(!shown.contains("kumquat"), "{shown}");
    house.end();
}

fn an_unsend_while_the_model_thinks_stops_the_answer(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.thinker.hold();
    house.say(&ana, "m1", "the kumquat is secret");
    assert!(house.thinker.until_asked(1).words.contains("kumquat"));
    house.deliver(&[unsend(&ana, "m1")]);
    house.thinker.release();
    assert_eq!(house.ask(&ana, "m2", "what was it again?"), thought(1));
    assert!(!house.thinker.until_asked(2).raw.contains("kumquat"));
    assert_eq!(house.said(), [thought(1)]);
    house.end();
}

/// What else waits is answered at once, without another word from anybody.
fn a_turn_that_lost_a_question_begins_again_with_the_others(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.thinker.hold();
    let both = [("m1", "the kumquat is secret"), ("m2", "is it teatime?")];
    let both = both.map(|(id, words)| house.text(&ana, id, words));
    house.deliver(&both);
    let first = house.thinker.until_asked(1).words;
    assert!(first.contains("kumquat") && first.contains("teatime"), "{first}");
    house.deliver(&[unsend(&ana, "m1")]);
    let second = house.thinker.until_asked(2).words;
    assert!(!second.contains("kumquat") && second.contains("teatime"), "{second}");
    house.thinker.release();
    assert_eq!(house.next_said(), thought(1));
    house.ask(&ana, "m3", "thanks for that");
    assert_eq!(house.said(), [thought(1), thought(2)]);
    house.end();
}

fn an_unsend_again_and_again_changes_nothing(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.ask(&ana, "m1", "the kumquat is secret");
    house.ask(&ana, "m2", "teatime is at four");
    let first = unsend(&ana, "m1");
    house.deliver(&[first.clone(), unsend(&ana, "m1")]);
    let before = house.history(&ana);
    for _ in 0..5 {
        house.deliver(&[again(&first), unsend(&ana, "m1")]);
    }
    assert_eq!(lines(&house.history(&ana)), lines(&before));
    house.ask(&ana, "m3", "when is it?");
    let shown = house.thinker.until_asked(3).raw;
    assert!(!shown.contains("kumquat") && shown.contains("teatime is at four"), "{shown}");
    house.end();
}

fn an_unsend_elsewhere_or_of_nothing_takes_nothing(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.ask(&ana, "m1", "teatime is at four");
    let mut without = unsend(&ana, "m1");
    without["unsend"] = json!({});
    house.deliver(&[
        unsend(&person("Uben"), "m1"),
        unsend(&member("Cgroup", "Uana"), "m1"),
        unsend(&ana, ""),
        without,
        house.text(&ana, "m2", "when is it?"),
    ]);
    house.next_said();
    let shown = house.thinker.until_asked(2).words;
    assert!(shown.contains("teatime is at four"), "{shown}");
    let log = house.end();
    assert!(log.matches("malformed event").count() >= 2, "{log}");
}

on_every_history![
    an_unsent_message_is_not_shown_again,
    an_unsend_before_its_message_keeps_it_out,
    an_unsend_in_the_same_call_keeps_it_out,
    an_unsend_while_the_model_thinks_stops_the_answer,
    a_turn_that_lost_a_question_begins_again_with_the_others,
    an_unsend_again_and_again_changes_nothing,
    an_unsend_elsewhere_or_of_nothing_takes_nothing,
];
