//! The server is killed, and the next one goes on.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use unsaid_core::domain::conversation::log::Sending;
use unsaid_line::stand_in::{Call, Fault};

use super::event::{Spot, again, body, person};
use super::house::{House, deliver_to, lines, signature, thought, try_post};
use super::keeper::Keeper;
use super::on_every_history;
use super::thinker::{Asked, reply};

/// A lease lasts half a minute, and a sweep comes every few seconds.
const LEASE_AND_MORE: Duration = Duration::from_secs(90);

fn script(asked: &Asked) -> super::thinker::Deed {
    reply(thought(asked.nth))
}

fn killed_after_the_200_it_answers_once(keeper: Keeper) {
    // nothing begins before the kill
    let flags = [("line.debounce", "5s")];
    let mut house = House::with(keeper, script, &flags);
    let ana = person("Uana");
    let event = house.text(&ana, "m1", "persimmons are ripe");
    house.deliver(std::slice::from_ref(&event));
    house.kill();
    assert_eq!((house.said().len(), house.thinker.asked().len()), (0, 0));
    house.revive();
    assert_eq!(lines(&house.history(&ana)), [(true, "persimmons are ripe".to_owned())]);
    house.deliver(&[again(&event)]);
    assert_eq!(house.next_said(), thought(0));
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert_eq!(house.said(), [thought(0), thought(1)]);
    house.end();
}

/// Deliveries run into the kill: whatever LINE was told is safe is there, and everything is there
/// once after it has come again.
fn killed_amid_deliveries_it_keeps_what_it_acknowledged(keeper: Keeper) {
    let mut house = House::with(keeper, script, &[("line.debounce", "10m")]);
    let spots: Vec<Spot> = (0..4).map(|nth| person(&format!("U{nth}"))).collect();
    let events: Vec<Vec<Value>> = spots
        .iter()
        .enumerate()
        .map(|(spot, who)| {
            (0..5).map(|nth| house.text(who, &format!("m{nth}"), &words(spot, nth))).collect()
        })
        .collect();
    let (say, said) = mpsc::channel();
    let address = house.address;
    let acknowledged: Vec<(usize, usize)> = thread::scope(|scope| {
        for (spot, events) in events.iter().enumerate() {
            let say = say.clone();
            scope.spawn(move || deliver_until_killed(address, events, |nth| (spot, nth), &say));
        }
        drop(say);
        let mut acknowledged: Vec<_> = said.iter().take(6).collect();
        house.kill();
        acknowledged.extend(said.iter());
        acknowledged
    });
    assert!(acknowledged.len() >= 6, "{acknowledged:?}");
    house.revive();
    let count = |house: &House, (spot, nth): (usize, usize)| {
        let kept = lines(&house.history(&spots[spot]));
        kept.iter().filter(|line| line.1 == words(spot, nth)).count()
    };
    for safe in acknowledged {
        assert_eq!(count(&house, safe), 1, "{safe:?}");
    }
    let address = house.address;
    thread::scope(|scope| {
        for events in &events {
            scope.spawn(move || {
                for event in events {
                    deliver_to(address, &[again(event)]);
                }
            });
        }
    });
    for (spot, who) in spots.iter().enumerate() {
        let mut kept = lines(&house.history(who));
        kept.sort();
        let all: Vec<_> = (0..5).map(|nth| (true, words(spot, nth))).collect();
        assert_eq!(kept, all);
    }
    assert_eq!((house.said().len(), house.thinker.asked().len()), (0, 0));
    house.end();
}

fn words(spot: usize, nth: usize) -> String {
    format!("fruit-{spot}-{nth}-fell")
}

/// Says which were acknowledged, until nobody answers any more.
fn deliver_until_killed(
    address: SocketAddr,
    events: &[Value],
    name: impl Fn(usize) -> (usize, usize),
    say: &mpsc::Sender<(usize, usize)>,
) {
    for (nth, event) in events.iter().enumerate() {
        let body = body(std::slice::from_ref(event));
        loop {
            match try_post(address, &[&signature(&body)], &body) {
                Ok(answer) if answer.starts_with("HTTP/1.1 200 ") => break,
                // too slow, so once more
                Ok(answer) if answer.starts_with("HTTP/1.1 503 ") => {}
                Ok(_) | Err(_) => return,
            }
        }
        say.send(name(nth)).unwrap();
    }
}

on_every_history![
    killed_after_the_200_it_answers_once,
    killed_amid_deliveries_it_keeps_what_it_acknowledged,
];

/// In a bucket, which may be shared, a dead server's turns run out. Nothing is said twice then, and
/// nothing is forgotten.
fn killed_amid_turns_in_a_bucket(keeper: Keeper) {
    let mut house = House::thinking(keeper);
    let (ana, ben) = (person("Uana"), person("Uben"));
    house.line.fault_after(Call::Reply, Fault::Hang);
    assert_eq!(house.ask(&ben, "m1", "medlars are not"), thought(0));
    house.thinker.hold();
    house.say(&ana, "m2", "persimmons are ripe");
    house.thinker.until_asked(2);
    house.kill();
    house.line.hang_up();
    house.thinker.release();
    house.revive();
    house.say(&ben, "m3", "are they, really?");
    let mut later = [(); 2].map(|()| house.next_said_within(LEASE_AND_MORE));
    later.sort();
    assert_eq!(later, [thought(2), thought(3)]);
    assert_eq!((house.said().len(), house.pushes()), (3, 0));
    let history = house.history(&ben);
    assert_eq!(history.log.iter().nth(1).unwrap().sending, Sending::Unknown);
    assert_eq!(lines(&history)[..2], [(true, "medlars are not".to_owned()), (false, thought(0))]);
    house.end();
}

#[test]
fn killed_amid_turns_in_a_directory() {
    killed_amid_turns_in_a_bucket(Keeper::Directory);
}

#[test]
fn killed_amid_turns_in_the_cloud() {
    killed_amid_turns_in_a_bucket(Keeper::Gcs);
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
