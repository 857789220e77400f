//! `unsaid erase` beside a running bot: a source, or a person wherever they spoke.

use unsaid_core::domain::id::{PersonId, SourceId};
use unsaid_core::domain::source::SourceKind;

use super::event::{member, person};
use super::house::{House, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;
use super::thinker::reply;
use crate::wait::until;

const ANA: &str = "U4af4980629a1b2c3d4e5f60718293a4b";
const BEN: &str = "Ubbbb980629a1b2c3d4e5f60718293a4b";
const GROUP: &str = "Ca56f94637c1b2c3d4e5f60718293a4b5";

/// A bot that says again what it was told last, and people whom LINE knows.
fn parrot(keeper: Keeper) -> House {
    let house = House::scripted(keeper, |asked| {
        let quotes = if asked.words.contains("kumquat") { "kumquat" } else { "nothing" };
        reply(format!("{}: {quotes}", thought(asked.nth)))
    });
    let group = SourceId::new(GROUP).unwrap();
    house.line.know_place(&group, SourceKind::Group, "Orchard", 2);
    for (id, name) in [(ANA, "Anastasia"), (BEN, "Benedict")] {
        house.line.know_member(&group, &PersonId::new(id).unwrap(), name);
        house.keep_private(name);
    }
    house
}

fn erase(house: &House, whose: &[&str]) -> String {
    let ended = house.command(&[&["erase"], whose].concat(), "");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    // At this level of the log whoever speaks to a bucket tells of connections.
    let loud = ended.stderr.lines().find(|line| !line.contains(" DEBUG "));
    assert_eq!(loud, None, "{ended:?}");
    ended.stdout
}

/// No file has this word any more.
fn assert_gone(house: &House, word: &str) {
    until(|| format!("{:?}", house.places_of(word.as_bytes())), |found| found == "[]");
}

fn a_source_is_forgotten_for_good(keeper: Keeper) {
    let mut house = parrot(keeper);
    let (ana, ben) = (member(GROUP, ANA), member(GROUP, BEN));
    assert!(house.ask(&ana, "m1", "the kumquat is secret").contains("kumquat"));
    house.ask(&person(BEN), "m1", "medlars stay");
    if keeper != Keeper::Postgres {
        assert!(!house.places_of(b"kumquat").is_empty(), "the search finds what is there");
    }
    assert_eq!(erase(&house, &["--source", GROUP]), format!("erased: 2 messages of {GROUP}\n"));
    assert_gone(&house, "kumquat");
    assert!(house.ask(&ben, "m2", "what was it again?").ends_with("nothing"));
    house.restart();
    assert!(house.ask(&ben, "m3", "and now, what was it?").ends_with("nothing"));
    let asked = house.thinker.asked();
    for asked in &asked[1..] {
        assert!(!asked.raw.contains("kumquat"), "{}", asked.raw);
    }
    assert_eq!(lines(&house.history(&person(BEN))).len(), 2, "others stay");
    assert!(!format!("{:?}", lines(&house.history(&ana))).contains("kumquat"));
    house.end();
}

fn a_person_is_forgotten_wherever_they_spoke(keeper: Keeper) {
    let house = parrot(keeper);
    let (ana, ben) = (member(GROUP, ANA), member(GROUP, BEN));
    house.ask(&ben, "m1", "medlars stay");
    assert!(house.ask(&ana, "m2", "the kumquat is secret").contains("kumquat"));
    assert!(house.ask(&person(ANA), "m1", "another kumquat").contains("kumquat"));
    if keeper != Keeper::Postgres {
        for word in ["kumquat", "Anastasia"] {
            assert!(!house.places_of(word.as_bytes()).is_empty(), "the search finds {word}");
        }
    }
    let said = format!("erased: 3 messages in 2 sources of {ANA}\n");
    assert_eq!(erase(&house, &["--user", ANA]), said);
    for word in ["kumquat", "Anastasia"] {
        assert_gone(&house, word);
    }
    assert!(house.ask(&ben, "m3", "what did she say?").ends_with("nothing"));
    assert!(house.ask(&person(ANA), "m2", "do you know me?").ends_with("nothing"));
    let asked = house.thinker.asked();
    assert!(asked[3].words.contains("medlars stay"), "{}", asked[3].words);
    for asked in &asked[3..] {
        assert!(!asked.raw.contains("kumquat"), "{}", asked.raw);
        for nth in [1, 2] {
            assert!(!asked.raw.contains(&thought(nth)), "the answer to it went too: {}", asked.raw);
        }
    }
    house.end();
}

fn an_answer_that_is_being_made_is_not_sent(keeper: Keeper) {
    for whose in [["--source", ANA], ["--user", ANA]] {
        let house = parrot(keeper);
        let ana = person(ANA);
        house.thinker.hold();
        house.say(&ana, "m1", "the kumquat is secret");
        house.thinker.until_asked(1);
        erase(&house, &whose);
        house.thinker.release();
        let next = house.ask(&ana, "m2", "what was it again?");
        assert_eq!(next, format!("{}: nothing", thought(1)), "{whose:?}");
        assert_eq!(house.said().len(), 1, "{whose:?}");
        house.end();
    }
}

#[test]
fn who_is_not_held_is_said_so() {
    let house = parrot(Keeper::Sqlite);
    assert_eq!(erase(&house, &["--user", ANA]), format!("nothing is held of {ANA}\n"));
    assert_eq!(erase(&house, &["--source", GROUP]), format!("nothing is held of {GROUP}\n"));
    for (whose, sentence) in [
        (["--user", GROUP], "nobody has this address or id"),
        (["--user", "U"], "nobody has this address or id"),
        (["--source", ""], "that is not an id of a source"),
        (["--source", "no id"], "that is not an id of a source"),
    ] {
        let ended = house.command(&["erase", whose[0], whose[1]], "");
        assert_eq!((ended.code, ended.stderr), (Some(2), format!("unsaid: {sentence}\n")));
    }
    let both = house.command(&["erase", "--user", ANA, "--source", GROUP], "");
    assert_eq!(both.code, Some(2), "one at a time");
    house.end();
}

#[test]
fn a_person_is_forgotten_on_postgres() {
    a_person_is_forgotten_wherever_they_spoke(Keeper::Postgres);
}

#[test]
fn a_source_is_forgotten_on_postgres() {
    a_source_is_forgotten_for_good(Keeper::Postgres);
}

on_every_history![
    a_source_is_forgotten_for_good,
    a_person_is_forgotten_wherever_they_spoke,
    an_answer_that_is_being_made_is_not_sent,
];
