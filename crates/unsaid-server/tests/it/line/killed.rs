//! The server is killed, and the next one goes on.

use unsaid_line::stand_in::{Call, Fault};

use super::event::{again, person};
use super::house::{House, thought};
use super::keeper::Keeper;
use super::thinker::{Asked, reply};

fn script(asked: &Asked) -> super::thinker::Deed {
    reply(thought(asked.nth))
}

#[test]
fn killed_after_the_200_it_answers_once() {
    // nothing begins before the kill
    let flags = [("line.debounce", "3s")];
    let mut house = House::with(Keeper::Sqlite, script, &flags);
    let ana = person("Uana");
    let event = house.text(&ana, "m1", "persimmons are ripe");
    house.deliver(std::slice::from_ref(&event));
    house.kill();
    assert_eq!((house.said().len(), house.thinker.asked().len()), (0, 0));
    house.revive();
    house.deliver(&[again(&event)]);
    assert_eq!(house.next_said(), thought(0));
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert_eq!(house.said(), [thought(0), thought(1)]);
    house.end();
}

#[test]
fn killed_while_the_model_thinks_it_answers_once() {
    let mut house = House::thinking(Keeper::Sqlite);
    let ana = person("Uana");
    house.thinker.hold();
    house.say(&ana, "m1", "persimmons are ripe");
    house.thinker.until_asked(1);
    house.kill();
    house.thinker.release();
    house.revive();
    assert_eq!(house.next_said(), thought(1));
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(2));
    assert_eq!(house.said(), [thought(1), thought(2)]);
    house.end();
}

/// LINE has the reply, and the server died before it knew.
#[test]
fn killed_while_line_answers_it_does_not_say_it_again() {
    let mut house = House::thinking(Keeper::Sqlite);
    let ana = person("Uana");
    house.line.fault_after(Call::Reply, Fault::Hang);
    assert_eq!(house.ask(&ana, "m1", "persimmons are ripe"), thought(0));
    house.kill();
    house.line.hang_up();
    house.revive();
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert_eq!((house.said(), house.pushes()), (vec![thought(0), thought(1)], 0));
    assert!(house.thinker.until_asked(2).words.contains(&thought(0)));
    house.end();
}
