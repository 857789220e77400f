//! Several servers on one database.

use std::thread;

use rustix::process::Signal;

use super::event::{again, member, person, unsend};
use super::house::{House, deliver_to, lines, thought};
use super::keeper::Keeper;

#[test]
fn a_webhook_that_comes_to_both_is_answered_once() {
    let house = House::thinking(Keeper::Postgres);
    let (other, there) = house.another();
    let (here, ana) = (house.address, person("Uana"));
    let event = house.text(&ana, "m1", "persimmons are ripe");
    let repeated = again(&event);
    thread::scope(|scope| {
        for nth in 0..20 {
            let event = if nth == 0 { &event } else { &repeated };
            let address = if nth % 2 == 0 { here } else { there };
            scope.spawn(move || deliver_to(address, std::slice::from_ref(event)));
        }
    });
    assert_eq!(house.next_said(), thought(0));
    deliver_to(there, &[repeated, house.text(&ana, "m2", "are they, really?")]);
    assert_eq!(house.next_said(), thought(1));
    assert_eq!(house.said(), [thought(0), thought(1)]);
    assert_eq!(house.history(&ana).log.len(), 4);
    other.signal(Signal::TERM);
    assert_eq!(other.end().code, Some(0));
    house.end();
}

#[test]
fn an_unsend_at_one_stops_the_answer_of_the_other() {
    let house = House::thinking(Keeper::Postgres);
    let (_other, there) = house.another();
    let ana = person("Uana");
    house.thinker.hold();
    house.say(&ana, "m1", "the kumquat is secret");
    house.thinker.until_asked(1);
    deliver_to(there, &[unsend(&ana, "m1")]);
    house.thinker.release();
    deliver_to(there, &[house.text(&ana, "m2", "what was it again?")]);
    assert_eq!(house.next_said(), thought(1));
    assert!(!house.thinker.until_asked(2).raw.contains("kumquat"));
    assert_eq!(house.said(), [thought(1)]);
    house.end();
}

#[test]
fn forty_messages_to_both_are_all_kept() {
    let house = House::thinking(Keeper::Postgres);
    let (_other, there) = house.another();
    let (here, ana) = (house.address, member("Cgroup", "Uana"));
    let events: Vec<_> = (0..40)
        .map(|nth| house.text(&ana, &format!("m{nth}"), &format!("fruit-{nth}-fell")))
        .collect();
    thread::scope(|scope| {
        for (nth, event) in events.iter().enumerate() {
            let address = if nth % 2 == 0 { here } else { there };
            scope.spawn(move || deliver_to(address, std::slice::from_ref(event)));
        }
    });
    let kept = lines(&house.history(&ana));
    for nth in 0..40 {
        let line = (true, format!("fruit-{nth}-fell"));
        assert_eq!(kept.iter().filter(|&kept| *kept == line).count(), 1, "{nth}");
    }
    house.next_said();
    house.end();
}
