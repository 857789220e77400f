//! Forget all on LINE: one source, or one person wherever they spoke.

use unsaid_app::forget_source::{
    Forgotten, House as Where, PersonForgotten, forget_person, forget_source,
};
use unsaid_core::{
    domain::{
        conversation::change::Change,
        message::{Message, Part},
        source::{SourceCard, SourceKind},
    },
    port::{directory::NameCard, media::MediaPlace},
};
use unsaid_testkit::{
    builder::{
        answer, ask, at, line_key, media_key, message_by, message_id, person_id, picture, say,
        source_id, words, words_of,
    },
    failing::Fault,
    talk::Talk,
};

use crate::given::House;

fn here(house: &House) -> Where<'_> {
    Where { store: &*house.port, watchers: &house.watchers, clock: &house.clock }
}

fn talk(house: &House, source: &str) -> Talk {
    let mut talk = Talk::new(&house.port, line_key(source));
    talk.now = house.now();
    talk
}

async fn is_known(house: &House, source: &str) {
    let (id, name) = (source_id(source), Some(words("Orchard")));
    let kind = SourceKind::Group;
    let card = SourceCard { id, kind, name, members: None, present: true, at: at(0) };
    house.port.keep_source(card).await.unwrap();
}

async fn is_called(house: &House, person: &str) {
    let card = NameCard { id: person_id(person), name: Some(words("Anastasia")), at: at(0) };
    house.port.keep_name(card).await.unwrap();
}

async fn has_name(house: &House, person: &str) -> bool {
    !house.port.names(&[person_id(person)]).await.unwrap().is_empty()
}

/// Somebody asks and is answered.
async fn exchange(talk: &Talk, person: &str, question: &str, reply: &str) {
    talk.make(ask(message_by(person, question), talk.now)).await;
    let fence = talk.begin().await.fence;
    talk.make(Change::Answer { fence, messages: vec![answer(reply)], last: true }).await;
}

fn forgotten(messages: u64) -> Forgotten {
    Forgotten { messages, held: true }
}

#[tokio::test]
async fn a_source_goes_with_its_files_its_turn_and_its_name() {
    let house = House::new().await;
    let (group, other) = (talk(&house, "C1"), talk(&house, "C2"));
    other.say("m1").await;
    exchange(&group, "U1", "m1", "r1").await;
    let part = Part::Media { key: media_key("f1"), mime: "image/png".to_owned() };
    let pictured = Message { parts: vec![part], ..message_by("U1", "m2") };
    group.make(ask(pictured, group.now)).await;
    let place = MediaPlace { conversation: group.key.clone(), message: message_id("m2") };
    assert!(house.port.put(&media_key("f1"), &place, picture(b"f1")).await.unwrap());
    group.begin().await;
    is_known(&house, "C1").await;
    assert_eq!(forget_source(here(&house), &source_id("C1")).await, Ok(forgotten(3)));
    assert_eq!(group.heard().await, Vec::<String>::new());
    assert_eq!(group.overview().await.turn, None);
    group.assert_unsaid(&words_of("m1")).await;
    assert_eq!(house.port.get(&group.key, &media_key("f1")).await.unwrap(), None);
    assert_eq!(house.port.source(&source_id("C1")).await.unwrap(), None);
    assert_eq!(other.heard().await, ["m1"]);
    let again = forget_source(here(&house), &source_id("C1")).await;
    assert_eq!(again, Ok(Forgotten::default()));
    group.say("m3").await;
    assert_eq!(group.heard().await, ["m3"], "it goes on");
}

#[tokio::test]
async fn what_is_not_there_is_not_made_by_forgetting_it() {
    let house = House::new().await;
    let nothing = forget_source(here(&house), &source_id("C1")).await;
    assert_eq!(nothing, Ok(Forgotten::default()));
    let nobody = forget_person(here(&house), &person_id("U1")).await;
    assert_eq!(nobody, Ok(PersonForgotten::default()));
    assert!(!house.knows(&line_key("C1")).await && !house.knows(&line_key("U1")).await);
}

#[tokio::test]
async fn a_name_is_something_that_is_held() {
    let house = House::new().await;
    is_called(&house, "U1").await;
    assert_eq!(forget_source(here(&house), &source_id("U1")).await, Ok(forgotten(0)));
    assert!(!has_name(&house, "U1").await);
    is_called(&house, "U1").await;
    let person = forget_person(here(&house), &person_id("U1")).await.unwrap();
    assert_eq!(person, PersonForgotten { held: true, ..PersonForgotten::default() });
    assert!(!has_name(&house, "U1").await);
}

#[tokio::test]
async fn a_person_is_forgotten_wherever_they_spoke_and_nobody_else_is() {
    let house = House::new().await;
    let (alone, group, room) = (talk(&house, "U1"), talk(&house, "C1"), talk(&house, "R1"));
    exchange(&alone, "U1", "m1", "r1").await;
    exchange(&group, "U1", "m2", "r2").await;
    exchange(&group, "U2", "m3", "r3").await;
    room.make(say(message_by("U1", "m4"))).await;
    talk(&house, "U2").make(say(message_by("U2", "m5"))).await;
    talk(&house, "C2").make(say(message_by("U2", "m6"))).await;
    is_called(&house, "U1").await;
    is_called(&house, "U2").await;
    let done = forget_person(here(&house), &person_id("U1")).await.unwrap();
    let expected = PersonForgotten { messages: 4, sources: 3, held: true, failed: Vec::new() };
    assert_eq!(done, expected);
    assert_eq!(alone.heard().await, Vec::<String>::new());
    assert_eq!(room.heard().await, Vec::<String>::new());
    assert_eq!(group.heard().await, ["m3", "r3"], "the answer went with its question");
    assert_eq!(talk(&house, "U2").heard().await, ["m5"]);
    assert_eq!(talk(&house, "C2").heard().await, ["m6"]);
    for id in ["m2", "r2"] {
        group.assert_unsaid(&words_of(id)).await;
    }
    group.make(say(message_by("U1", "m2"))).await;
    assert_eq!(group.heard().await, ["m3", "r3"], "what comes late stays out");
    assert!(!has_name(&house, "U1").await && has_name(&house, "U2").await);
}

#[tokio::test]
async fn every_page_of_a_long_group_is_looked_at() {
    let house = House::new().await;
    let group = talk(&house, "C1");
    for number in 0..350 {
        let person = if number % 7 == 0 { "U1" } else { "U2" };
        group.make(say(message_by(person, &format!("m{number}")))).await;
    }
    let done = forget_person(here(&house), &person_id("U1")).await.unwrap();
    assert_eq!((done.messages, done.sources), (50, 1));
    let left = group.whole().await.log;
    let gone = |number| left.by_id(&message_id(&format!("m{number}"))).is_none();
    assert!((0..350).all(|number| gone(number) == (number % 7 == 0)), "theirs, and no others");
    assert!(house.store.calls("page") >= 4, "not all at once");
}

#[tokio::test]
async fn a_turn_that_read_their_words_is_over() {
    let house = House::new().await;
    let group = talk(&house, "C1");
    group.make(ask(message_by("U1", "m1"), group.now)).await;
    group.begin().await;
    forget_person(here(&house), &person_id("U1")).await.unwrap();
    assert_eq!(group.overview().await.turn, None);
}

#[tokio::test]
async fn one_source_that_fails_does_not_stop_the_others() {
    let house = House::new().await;
    for source in ["C1", "C2"] {
        talk(&house, source).make(say(message_by("U1", "m1"))).await;
    }
    house.store.fail("page", Fault::Full);
    let done = forget_person(here(&house), &person_id("U1")).await.unwrap();
    assert_eq!((done.messages, done.failed.len()), (1, 1));
    assert_eq!(done.failed[0].0, source_id("C1"));
    assert_eq!(talk(&house, "C2").heard().await, Vec::<String>::new());
    let again = forget_person(here(&house), &person_id("U1")).await.unwrap();
    assert_eq!((again.messages, again.failed.len()), (1, 0), "again finds what is left");
}
