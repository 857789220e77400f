//! H10: whoever waits while storage is away hears nothing strange, and not twice afterwards.

use unsaid_line::stand_in::{Call, Fault};

use super::event::person;
use super::house::{House, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;
use super::outage::Outage;

/// What was taken in and cannot be read when its turn is to begin is answered when it can.
fn a_turn_that_cannot_begin_is_begun_later(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    // LINE does not tell who she is yet, so that nothing begins before storage is away
    house.line.fault(Call::Profile, Fault::Hang);
    house.say(&ana, "m1", "persimmons are ripe");
    house.wait(house.line.until_seen(Call::Profile, 1));
    let outage = Outage::begin(&house, keeper);
    house.line.hang_up();
    house.server().wait_for_log("storage: no turn begun");
    house.server().wait_for_log("storage: no turn begun");
    assert_eq!((house.thinker.asked().len(), house.said().len()), (0, 0));
    outage.end(&house);
    assert_eq!(house.next_said(), thought(0));
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert_eq!(house.said(), [thought(0), thought(1)]);
    house.end();
}

/// An answer that cannot be written down is not given; the next turn knows the question.
fn an_answer_that_cannot_be_kept_is_not_given(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.thinker.hold();
    house.say(&ana, "m1", "persimmons are ripe");
    house.thinker.until_asked(1);
    let outage = Outage::begin(&house, keeper);
    house.thinker.release();
    house.server().wait_for_log("storage_write");
    assert!(house.said().is_empty());
    outage.end(&house);
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert!(house.thinker.until_asked(2).words.contains("persimmons are ripe"));
    assert_eq!(house.said(), [thought(1)]);
    let people = [(true, "persimmons are ripe"), (true, "are they, really?")];
    let kept = lines(&house.history(&ana));
    let asked = people.map(|(person, words)| (person, words.to_owned()));
    let heard: Vec<_> = kept.iter().filter(|line| line.0).cloned().collect();
    assert_eq!(heard, asked);
    house.end();
}

on_every_history![
    a_turn_that_cannot_begin_is_begun_later,
    an_answer_that_cannot_be_kept_is_not_given,
];
