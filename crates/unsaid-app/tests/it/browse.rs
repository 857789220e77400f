//! What can be read, and what is hidden.

use unsaid_app::{
    browse::{Browse, BrowseError, Count, Page, Seen, page, tail},
    place::Place,
};
use unsaid_core::port::{error::StoreError, history::Tail};
use unsaid_testkit::{
    builder::{GRACE_MS, message_id, person_id},
    failing::Fault,
};

use crate::given::{House, chat_of, on_line, session_of};

async fn browses(
    house: &House,
    place: Place,
    before: Option<&str>,
    limit: usize,
) -> Result<Seen<Page>, BrowseError> {
    let before = before.map(message_id);
    let browse = Browse { place, now: house.now(), before, limit };
    page(&*house.port, &*house.port, browse).await
}

async fn counts(house: &House, place: Place, from: &str) -> Result<Seen<Tail>, BrowseError> {
    let count = Count { place, now: house.now(), from: message_id(from) };
    tail(&*house.port, &*house.port, count).await
}

fn shown<T: std::fmt::Debug>(seen: Result<Seen<T>, BrowseError>) -> T {
    match seen {
        Ok(Seen::Shown(shown)) => shown,
        other => panic!("not shown: {other:?}"),
    }
}

fn ids(page: &Page) -> Vec<&str> {
    page.messages.iter().map(|entry| entry.message.id.as_str()).collect()
}

#[tokio::test]
async fn pages_go_back_from_the_newest_and_say_whether_there_are_more() {
    let house = House::new().await;
    for n in 1..=5 {
        house.talk().say(&format!("m{n}")).await;
    }
    for (before, limit, expected, has_more) in [
        (None, 2, vec!["m4", "m5"], true),
        (Some("m4"), 2, vec!["m2", "m3"], true),
        (Some("m2"), 2, vec!["m1"], false),
        (Some("m1"), 2, vec![], false),
        (None, 5, vec!["m1", "m2", "m3", "m4", "m5"], false),
        (None, 4, vec!["m2", "m3", "m4", "m5"], true),
    ] {
        let page = shown(browses(&house, chat_of("ana"), before, limit).await);
        assert_eq!((ids(&page), page.has_more), (expected, has_more), "{before:?} {limit}");
    }
}

#[tokio::test]
async fn an_unknown_cursor_is_not_found_and_one_without_words_still_points() {
    let house = House::new().await;
    house.talk().exchange("m1", "a1").await;
    house.talk().exchange("m2", "a2").await;
    let unknown = browses(&house, chat_of("ana"), Some("m9"), 2).await;
    assert_eq!(unknown, Err(BrowseError::NotFound));
    house.talk().make(unsaid_testkit::builder::unsend("m2")).await;
    let page = shown(browses(&house, chat_of("ana"), Some("a2"), 2).await);
    assert_eq!(ids(&page), ["m1", "a1"]);
}

#[tokio::test]
async fn an_empty_conversation_is_an_empty_page() {
    let house = House::new().await;
    let page = shown(browses(&house, chat_of("ana"), None, 10).await);
    assert_eq!(page, Page { messages: vec![], has_more: false });
}

#[tokio::test]
async fn the_tail_is_counted_with_a_preview_of_ten() {
    let house = House::new().await;
    for n in 1..=12 {
        house.talk().say(&format!("m{n}")).await;
    }
    let tail = shown(counts(&house, chat_of("ana"), "m1").await);
    assert_eq!((tail.count, tail.is_first, tail.preview.len()), (12, true, 10));
    let tail = shown(counts(&house, chat_of("ana"), "m12").await);
    assert_eq!((tail.count, tail.is_first, tail.preview.len()), (1, false, 1));
    let unknown = counts(&house, chat_of("ana"), "m99").await;
    assert_eq!(unknown, Err(BrowseError::NotFound));
}

#[tokio::test]
async fn h8_after_withdrawal_all_is_hidden_until_it_is_gone() {
    let house = House::new().await;
    house.talk().say("m1").await;
    house.switch("ana", false).await;
    let due = house.now().plus_millis(GRACE_MS);
    let hidden = |gone_at| Ok(Seen::Hidden { gone_at });
    for from in ["m1", "m9"] {
        assert_eq!(browses(&house, chat_of("ana"), Some(from), 9).await, hidden(Some(due)));
        let counted = counts(&house, chat_of("ana"), from).await;
        assert_eq!(counted, Ok(Seen::Hidden { gone_at: Some(due) }), "no absence shows");
    }
    house.clock.set(due);
    let gone = browses(&house, chat_of("ana"), None, 9).await;
    assert_eq!(gone, hidden(None), "whether or not the job has run");
}

#[tokio::test]
async fn h8_consent_given_again_in_time_brings_it_back() {
    let house = House::new().await;
    house.talk().say("m1").await;
    house.switch("ana", false).await;
    house.clock.advance(GRACE_MS - 1);
    house.switch("ana", true).await;
    let page = shown(browses(&house, chat_of("ana"), None, 9).await);
    assert_eq!(ids(&page), ["m1"]);
}

#[tokio::test]
async fn h8_consent_given_again_too_late_brings_nothing_back() {
    let house = House::new().await;
    house.talk().say("m1").await;
    house.switch("ana", false).await;
    house.clock.advance(GRACE_MS);
    house.switch("ana", true).await;
    assert!(shown(browses(&house, chat_of("ana"), None, 9).await).messages.is_empty());
}

#[tokio::test]
async fn who_never_consented_or_is_not_there_sees_nothing() {
    let house = House::new().await;
    for place in [chat_of("bob"), session_of("bob"), chat_of("nobody")] {
        let seen = browses(&house, place, None, 9).await;
        assert_eq!(seen, Ok(Seen::Hidden { gone_at: None }));
    }
}

#[tokio::test]
async fn on_line_nobodys_consent_hides_anything() {
    let house = House::new().await;
    let mut talk = house.talk();
    talk.key = on_line().conversation().clone();
    talk.owner = Some(person_id("bob"));
    talk.say("m1").await;
    assert_eq!(ids(&shown(browses(&house, on_line(), None, 9).await)), ["m1"]);
}

#[tokio::test]
async fn a_store_that_fails_is_broken_and_not_empty() {
    let house = House::new().await;
    for call in ["page", "person"] {
        house.store.fail(call, Fault::Unavailable);
        let failed = browses(&house, chat_of("ana"), None, 9).await;
        assert!(matches!(failed, Err(BrowseError::Broken(StoreError::Unavailable(_)))));
    }
}
