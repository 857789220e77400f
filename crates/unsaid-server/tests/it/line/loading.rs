//! Whoever waits for long sees that an answer is on its way; alone with the bot, and only there.

use std::time::{Duration, Instant};

use unsaid_line::stand_in::{Call, Fault, Sent, What};

use super::event::{dweller, member, person};
use super::house::{House, thought};
use super::keeper::Keeper;
use super::on_every_history;
use super::thinker::{Asked, Deed, reply};

const DELAY: Duration = Duration::from_millis(700);

fn script(asked: &Asked) -> Deed {
    reply(thought(asked.nth))
}

/// Who was shown that an answer comes, and for how long.
fn shown(house: &House) -> Vec<(String, u64)> {
    let shown = |Sent { to, what }| match what {
        What::Loading { seconds } => Some((to, seconds)),
        What::Reply { .. } | What::Push { .. } => None,
    };
    house.line.sent().into_iter().filter_map(shown).collect()
}

#[expect(clippy::disallowed_methods, reason = "nothing may be shown before its time")]
fn a_long_turn_is_shown_once_to_a_person(keeper: Keeper) {
    let flags =
        [("line.debounce", "0ms"), ("line.loading_delay", "700ms"), ("line.loading_seconds", "25")];
    let house = House::with(keeper, script, &flags);
    let ana = person("Uana");
    house.thinker.hold();
    let begun = Instant::now();
    house.say(&ana, "m1", "persimmons are ripe");
    house.thinker.until_asked(1);
    house.wait(house.line.until_seen(Call::Loading, 1));
    assert!(begun.elapsed() >= DELAY);
    assert!(house.said().is_empty());
    house.thinker.release();
    assert_eq!(house.next_said(), thought(0));
    let sent = house.line.sent();
    assert_eq!(sent.len(), 2, "{sent:?}");
    // first seen, then heard
    assert_eq!((shown(&house), sent[0].what.texts().len()), (vec![("Uana".to_owned(), 25)], 0));
    house.end();
}

/// Where several talk nothing is shown, while somebody alone is.
fn groups_and_rooms_are_shown_nothing(keeper: Keeper) {
    let flags = [("line.debounce", "0ms"), ("line.loading_delay", "0ms")];
    let house = House::with(keeper, script, &flags);
    house.thinker.hold();
    house.say(&member("Cgroup", "Uana"), "m1", "persimmons are ripe");
    house.say(&dweller("Rroom", "Uana"), "m2", "medlars are not");
    house.thinker.until_asked(2);
    house.say(&person("Uana"), "m3", "and what of quinces?");
    house.thinker.until_asked(3);
    house.wait(house.line.until_seen(Call::Loading, 1));
    house.thinker.release();
    for _ in 0..3 {
        house.next_said();
    }
    assert_eq!(shown(&house), [("Uana".to_owned(), 30)]);
    let calls = house.line.seen().iter().filter(|seen| seen.call == Call::Loading).count();
    assert_eq!(calls, 1);
    house.end();
}

on_every_history![a_long_turn_is_shown_once_to_a_person, groups_and_rooms_are_shown_nothing];

#[test]
fn an_animation_that_fails_harms_nothing() {
    for fault in [Fault::status(500), Fault::status(400), Fault::limited(60), Fault::Cut] {
        fails(fault);
    }
    // nobody answers until the turn is long over
    fails(Fault::Hang).line.hang_up();
}

fn fails(fault: Fault) -> House {
    let flags = [("line.debounce", "0ms"), ("line.loading_delay", "0ms")];
    let house = House::with(Keeper::Sqlite, script, &flags);
    let ana = person("Uana");
    house.line.fault(Call::Loading, fault);
    house.thinker.hold();
    house.say(&ana, "m1", "persimmons are ripe");
    house.thinker.until_asked(1);
    house.wait(house.line.until_seen(Call::Loading, 1));
    house.thinker.release();
    assert_eq!(house.next_said(), thought(0));
    assert!(shown(&house).is_empty());
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert_eq!((house.said(), house.pushes()), (vec![thought(0), thought(1)], 0));
    house
}

/// What is quick is not announced.
#[test]
fn a_short_turn_is_not_shown() {
    let house = House::thinking(Keeper::Sqlite);
    house.ask(&person("Uana"), "m1", "persimmons are ripe");
    assert!(shown(&house).is_empty());
    house.end();
}
