//! What places and people on LINE are called.

use std::sync::Arc;

use unsaid_core::{
    domain::source::{SourceCard, SourceKind},
    port::{Store, directory::NameCard},
};

use crate::builder::{at, person_id, source_id, words};

/// A group with a name.
fn group(id: &str) -> SourceCard {
    SourceCard {
        id: source_id(id),
        kind: SourceKind::Group,
        name: Some(words("the 山 hikers")),
        members: Some(7),
        present: true,
        at: at(1_000),
    }
}

fn card(id: &str, name: &str, when: i64) -> NameCard {
    NameCard { id: person_id(id), name: Some(words(name)), at: at(when) }
}

async fn source(store: &Arc<dyn Store>, id: &str) -> Option<SourceCard> {
    store.source(&source_id(id)).await.expect("the store answers")
}

async fn keep(store: &Arc<dyn Store>, card: SourceCard) {
    store.keep_source(card).await.expect("the store answers");
}

async fn names(store: &Arc<dyn Store>, people: &[&str]) -> Vec<NameCard> {
    let people: Vec<_> = people.iter().map(|id| person_id(id)).collect();
    store.names(&people).await.expect("the store answers")
}

/// What LINE said of a source comes back as it was said, of every kind.
pub async fn a_source_comes_back_whole(store: Arc<dyn Store>) {
    assert_eq!(source(&store, "C1").await, None);
    let room = SourceCard {
        kind: SourceKind::Room,
        name: None,
        members: None,
        present: false,
        at: at(-5),
        ..group("R1")
    };
    let person = SourceCard {
        kind: SourceKind::Person,
        name: Some(words("")),
        members: Some(u32::MAX),
        ..group("U1")
    };
    for card in [group("C1"), room, person] {
        keep(&store, card.clone()).await;
        assert_eq!(source(&store, card.id.as_str()).await, Some(card));
    }
    assert_eq!(source(&store, "C1").await, Some(group("C1")));
}

/// What is known of a source is what was said last.
pub async fn a_source_is_what_was_said_last(store: Arc<dyn Store>) {
    keep(&store, group("C1")).await;
    let nameless = SourceCard { name: None, members: Some(8), ..group("C1") };
    let renamed = SourceCard { name: Some(words("the swimmers")), at: at(900), ..group("C1") };
    for card in [nameless, renamed.clone(), renamed] {
        keep(&store, card.clone()).await;
        assert_eq!(source(&store, "C1").await, Some(card));
    }
}

/// A source that was forgotten is not known; another one is.
pub async fn a_forgotten_source_is_not_known(store: Arc<dyn Store>) {
    keep(&store, group("C1")).await;
    keep(&store, group("C2")).await;
    for _ in 0..2 {
        store.forget_source(&source_id("C1")).await.expect("the store answers");
        assert_eq!(source(&store, "C1").await, None);
    }
    assert_eq!(source(&store, "C2").await, Some(group("C2")));
    keep(&store, group("C1")).await;
    assert_eq!(source(&store, "C1").await, Some(group("C1")));
}

/// People are called what LINE said last, in the order in which they are asked for; who is not known
/// is left out.
pub async fn names_come_back_in_the_order_they_are_asked_for(store: Arc<dyn Store>) {
    assert_eq!(names(&store, &[]).await, []);
    assert_eq!(names(&store, &["ana"]).await, []);
    let nameless = NameCard { id: person_id("cem"), name: None, at: at(3) };
    let people = [card("ana", "Ana 😀", 1), card("ben", "", 2), nameless.clone()];
    for card in people.clone() {
        store.keep_name(card).await.expect("the store answers");
    }
    let [ana, ben, cem] = people;
    assert_eq!(names(&store, &["cem", "dan", "ana", "ben"]).await, [cem, ana.clone(), ben]);
    assert_eq!(names(&store, &["ana"]).await, [ana]);
    store.keep_name(card("ana", "Anna", 0)).await.expect("the store answers");
    store.keep_name(nameless.clone()).await.expect("the store answers");
    assert_eq!(names(&store, &["ana", "cem"]).await, [card("ana", "Anna", 0), nameless]);
}

/// However many people are asked for at once.
pub async fn names_of_a_crowd_come_back(store: Arc<dyn Store>) {
    let crowd: Vec<String> = (0..30).map(|number| format!("p{number}")).collect();
    for id in crowd.iter().filter(|id| id.as_str() != "p17") {
        store.keep_name(card(id, &format!("name of {id}"), 1)).await.expect("the store answers");
    }
    for asked in [1, 7, 8, 9, 16, 17, 30] {
        let people: Vec<&str> = crowd[..asked].iter().map(String::as_str).collect();
        let known = people.iter().filter(|id| **id != "p17");
        let known: Vec<NameCard> = known.map(|id| card(id, &format!("name of {id}"), 1)).collect();
        assert_eq!(names(&store, &people).await, known);
    }
}

/// A name that was forgotten is not known; another one is.
pub async fn a_forgotten_name_is_not_known(store: Arc<dyn Store>) {
    for id in ["ana", "ben"] {
        store.keep_name(card(id, id, 1)).await.expect("the store answers");
    }
    for _ in 0..2 {
        store.forget_name(&person_id("ana")).await.expect("the store answers");
        assert_eq!(names(&store, &["ana", "ben"]).await, [card("ben", "ben", 1)]);
    }
}

/// Of several who keep a card at once, one is the last; nobody is refused.
pub async fn of_several_who_keep_a_card_one_is_the_last(store: Arc<dyn Store>) {
    let mut keepers = tokio::task::JoinSet::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        keepers.spawn(async move {
            let named = card("ana", &format!("ana {number}"), number);
            store.keep_name(named.clone()).await.expect("the store answers");
            let count = u32::try_from(number).ok();
            keep(&store, SourceCard { members: count, ..group("C1") }).await;
            named
        });
    }
    let kept = keepers.join_all().await;
    let found = names(&store, &["ana"]).await;
    assert!(matches!(&found[..], [one] if kept.contains(one)), "{found:?}");
    assert!(source(&store, "C1").await.is_some_and(|card| card.members < Some(8)));
}
