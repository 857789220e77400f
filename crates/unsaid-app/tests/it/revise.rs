//! An edit in place.

use unsaid_app::{
    call::{Call, Once},
    place::Place,
    revise::{Revise, ReviseError, Revised, revise},
};
use unsaid_core::domain::{conversation::change::Ripple, message::Part};
use unsaid_testkit::builder::{at, message_id, person_id, words, words_of};

use crate::given::{House, chat_of, made, on_line};

async fn edits(
    house: &House,
    place: Place,
    (id, text, when): (&str, &str, i64),
) -> Result<Once<Revised>, ReviseError> {
    let new = Revise {
        call: Call::new(place, house.now()),
        id: message_id(id),
        by: Some(person_id("ana")),
        parts: vec![Part::text(words(text))],
        at: at(when),
        ripple: Ripple::Withdraw,
    };
    revise(&*house.port, &house.watchers, new).await
}

#[tokio::test]
async fn the_newest_edit_wins_and_answers_to_the_old_words_lose_theirs() {
    let house = House::new().await;
    let mut talk = house.talk();
    talk.key = on_line().conversation().clone();
    talk.exchange("m1", "a1").await;
    let newest = edits(&house, on_line(), ("m1", "newest", 20)).await.unwrap();
    assert_eq!(made(newest), Revised::Done);
    let older = edits(&house, on_line(), ("m1", "older", 10)).await.unwrap();
    assert_eq!(made(older), Revised::Older);
    for gone in [words_of("m1"), words_of("a1"), "older".to_owned()] {
        talk.assert_unsaid(&gone).await;
    }
    assert_eq!(talk.heard().await, ["m1"]);
    let answers = edits(&house, on_line(), ("a1", "not mine", 30)).await;
    assert_eq!(answers, Err(ReviseError::NotAPersons));
}

#[tokio::test]
async fn an_edit_waits_for_its_message_and_comes_too_late_for_an_unsend() {
    let house = House::new().await;
    let mut talk = house.talk();
    talk.key = on_line().conversation().clone();
    let early = edits(&house, on_line(), ("m1", "early", 20)).await.unwrap();
    assert_eq!(made(early), Revised::Waits);
    talk.say("m1").await;
    talk.assert_unsaid(&words_of("m1")).await;
    talk.make(unsaid_testkit::builder::unsend("m1")).await;
    let late = edits(&house, on_line(), ("m1", "late", 30)).await.unwrap();
    assert_eq!(made(late), Revised::TakenBack);
}

#[tokio::test]
async fn h7_without_consent_no_new_words_are_kept() {
    let house = House::new().await;
    let unkept = edits(&house, chat_of("bob"), ("m1", "secret", 20)).await.unwrap();
    assert_eq!(made(unkept), Revised::NotStored);
    assert!(!house.knows(chat_of("bob").conversation()).await);
}
