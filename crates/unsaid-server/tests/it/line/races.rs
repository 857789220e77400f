//! Much at once, and the same again.

use std::collections::BTreeSet;
use std::thread;

use super::event::{again, member, person, unsend};
use super::house::{House, deliver_to, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;

fn forty_messages_at_once_are_all_kept(keeper: Keeper) {
    let house = House::thinking(keeper);
    let spots: Vec<_> = (0..40).map(|nth| member("Cgroup", &format!("U{}", nth % 4))).collect();
    let words: Vec<String> = (0..40).map(|nth| format!("fruit-{nth}-fell")).collect();
    let events: Vec<_> =
        (0..40).map(|nth| house.text(&spots[nth], &format!("m{nth}"), &words[nth])).collect();
    let address = house.address;
    thread::scope(|scope| {
        for event in &events {
            scope.spawn(move || deliver_to(address, std::slice::from_ref(event)));
        }
    });
    // LINE was told that they are safe, so they are there
    let kept = lines(&house.history(&spots[0]));
    let people: Vec<&String> =
        kept.iter().filter(|(person, _)| *person).map(|(_, words)| words).collect();
    assert_eq!(people.len(), 40);
    assert_eq!(people.into_iter().collect::<BTreeSet<_>>(), words.iter().collect());
    house.say(&spots[0], "m40", "and that was all");
    let last = house.until_answered("and that was all");
    for word in &words {
        assert!(last.words.contains(word.as_str()), "{word} is not in {}", last.words);
    }
    house.end();
}

fn a_webhook_that_comes_twenty_times_is_answered_once(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    let event = house.text(&ana, "m1", "persimmons are ripe");
    let (address, repeated) = (house.address, again(&event));
    thread::scope(|scope| {
        for nth in 0..20 {
            let event = if nth == 0 { &event } else { &repeated };
            scope.spawn(move || deliver_to(address, std::slice::from_ref(event)));
        }
    });
    assert_eq!(house.next_said(), thought(0));
    // the same message under another name of delivery is the same message
    let other = house.text(&ana, "m1", "persimmons are ripe");
    house.deliver(&[again(&event), other]);
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert_eq!(house.said(), [thought(0), thought(1)]);
    assert_eq!(house.history(&ana).log.len(), 4);
    house.end();
}

/// Whichever wins: after both are accepted the words are gone.
fn a_message_and_its_unsend_at_once(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    let secrets: Vec<_> = (0..10)
        .map(|nth| house.text(&ana, &format!("m{nth}"), &format!("kumquat-{nth}-secret")))
        .collect();
    let takes: Vec<_> = (0..10).map(|nth| unsend(&ana, &format!("m{nth}"))).collect();
    let address = house.address;
    thread::scope(|scope| {
        for event in secrets.iter().chain(&takes) {
            scope.spawn(move || deliver_to(address, std::slice::from_ref(event)));
        }
    });
    let kept = format!("{:?}", lines(&house.history(&ana)));
    assert!(!kept.contains("kumquat"), "{kept}");
    house.say(&ana, "last", "what was it again?");
    let shown = house.until_answered("what was it");
    assert!(!shown.raw.contains("kumquat"), "{}", shown.raw);
    house.end();
}

/// What comes while a turn runs is answered together by the next one.
fn messages_that_come_meanwhile_are_answered_together(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.thinker.hold();
    house.say(&ana, "m1", "persimmons are ripe");
    house.thinker.until_asked(1);
    for (id, words) in [("m2", "medlars are not"), ("m3", "quinces neither")] {
        house.say(&ana, id, words);
    }
    house.thinker.release();
    assert_eq!([house.next_said(), house.next_said()], [thought(0), thought(1)]);
    let second = house.thinker.until_asked(2).words;
    assert!(second.contains("medlars are not") && second.contains("quinces neither"), "{second}");
    house.ask(&ana, "m4", "and that was all");
    assert_eq!(house.said(), [thought(0), thought(1), thought(2)]);
    house.end();
}

on_every_history![
    forty_messages_at_once_are_all_kept,
    a_webhook_that_comes_twenty_times_is_answered_once,
    a_message_and_its_unsend_at_once,
    messages_that_come_meanwhile_are_answered_together,
];
