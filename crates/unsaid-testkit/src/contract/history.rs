//! Remember: order, once, reading back.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Outcome, Refusal, Say},
            log::Sending,
        },
        id::{Number, Roster, Version},
        message::{Audience, Author, Message, Part},
    },
    port::{
        Store,
        history::{Commit, Committed},
    },
};

use crate::{
    builder::{
        agent_id, answer, ask, at, chat_key, cut, deliver, delivery_id, edit, line_key, media_key,
        message, message_id, person_id, revise, say, session_key, unsend, words, words_of,
    },
    talk::Talk,
};

/// What was said comes back exactly as it was said, field by field.
pub async fn h1_what_was_said_comes_back_whole(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    let said = Message {
        id: message_id("m2"),
        author: Author::Person(None),
        at: at(-7),
        reply_to: Some(message_id("m1")),
        audience: Audience { roster: Roster::new(3), only: Some(vec![agent_id("東京")]) },
        parts: vec![
            Part::text(words("it's 😀\n\"quoted\"")),
            Part::Media { key: media_key("k1"), mime: "image/png".to_owned() },
            Part::text(words("")),
        ],
    };
    let change = Change::Say(Say {
        message: said.clone(),
        delivery: Some(delivery_id("d1")),
        wants_answer: Some(at(1_500)),
        way_back: None,
    });
    assert_eq!(talk.outcome(change).await, Outcome::Said(Number::new(2)));
    let found = talk.find("m2").await.expect("it was said");
    assert_eq!(found.message, said);
    assert_eq!((found.number, found.sending), (Number::new(2), Sending::Here));
    assert!(found.waiting && !found.gone && found.asked_in.is_empty() && found.turn.is_none());
    let whole = talk.whole().await;
    assert_eq!(whole.log.by_id(&message_id("m2")), Some(&found));
    assert_eq!(whole.deliveries.get(&delivery_id("d1")), Some(&at(1_000)));
    assert_eq!(whole.wanted_at, Some(at(1_500)));
}

/// Numbers rise without gaps, whatever the clocks say.
pub async fn h2_numbers_rise_whatever_the_clock_says(store: Arc<dyn Store>) {
    let mut talk = Talk::chat(&store);
    for (index, step) in [0, -500, 0, 900].into_iter().enumerate() {
        talk.wait(step);
        let said = Message { at: at(-step), ..message(&format!("m{}", index + 1)) };
        let number = Number::new(index as u64 + 1);
        assert_eq!(talk.outcome(say(said)).await, Outcome::Said(number));
    }
    assert_eq!(talk.heard().await, ["m1", "m2", "m3", "m4"]);
}

/// A number that was given is never given again.
pub async fn h2_numbers_are_never_reused(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    talk.say("m2").await;
    talk.make(cut("m2")).await;
    assert_eq!(talk.say("m3").await, Number::new(3));
    talk.make(Change::EraseAll).await;
    assert_eq!(talk.say("m4").await, Number::new(4));
}

/// Writers at the same time get an order without gaps and without doubles.
pub async fn h2_writers_at_once_get_one_order(store: Arc<dyn Store>) {
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..8 {
        let talk = Talk::chat(&store);
        writers.spawn(async move {
            let mut numbers = Vec::new();
            for index in 0..5 {
                numbers.push(talk.say(&format!("m{writer}-{index}")).await.get());
            }
            assert!(numbers.is_sorted(), "a writer's own messages are in its order");
            numbers
        });
    }
    let mut numbers: Vec<u64> = writers.join_all().await.into_iter().flatten().collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=40).collect::<Vec<u64>>());
    assert_eq!(Talk::chat(&store).heard().await.len(), 40);
}

/// The same delivery takes effect once, even under another message id.
pub async fn h3_the_same_delivery_takes_effect_once(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    let first = talk.make(deliver(message("m1"), "d1")).await;
    let again = talk.make(deliver(message("m1"), "d1")).await;
    assert_eq!((again.outcome, again.version), (Outcome::Known, first.version));
    assert_eq!(talk.outcome(deliver(message("m2"), "d1")).await, Outcome::Known);
    assert_eq!(talk.heard().await, ["m1"]);
}

/// The same message id is the same message, even in another delivery and with other words.
pub async fn h3_the_same_message_id_takes_effect_once(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.make(deliver(message("m1"), "d1")).await;
    let other = Message { parts: vec![Part::text(words("other"))], ..message("m1") };
    assert_eq!(talk.outcome(deliver(other, "d2")).await, Outcome::Known);
    talk.assert_unsaid("other").await;
    let known = talk.whole().await.deliveries;
    assert!(!known.contains_key(&delivery_id("d2")), "what changed nothing is not remembered");
}

/// Ids are unique in their conversation only; conversations do not see each other (H9).
pub async fn h9_conversations_are_separate(store: Arc<dyn Store>) {
    let keys = [chat_key("x"), line_key("x"), session_key("x"), chat_key("y")];
    for key in &keys {
        let talk = Talk::new(&store, key.clone());
        assert_eq!(talk.say("m1").await, Number::new(1));
        talk.say(&format!("only-{}", key.to_string().replace(':', "-"))).await;
    }
    for key in &keys {
        let own = format!("only-{}", key.to_string().replace(':', "-"));
        assert_eq!(Talk::new(&store, key.clone()).heard().await, ["m1".to_owned(), own]);
    }
    Talk::new(&store, keys[0].clone()).make(Change::EraseAll).await;
    assert_eq!(Talk::new(&store, keys[3].clone()).heard().await.len(), 2);
}

/// A change that was decided from something read is refused once that has changed.
pub async fn a_change_that_expects_another_version_is_refused(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    let first = talk.change(say(message("m1"))).expecting(Version::ZERO);
    assert!(matches!(talk.commit(first).await, Committed::Applied(..)));
    let seen = talk.overview().await.version;
    talk.say("m2").await;
    let late = talk.change(cut("m1")).expecting(seen);
    assert_eq!(talk.commit(late).await, Committed::Refused(Refusal::VersionConflict));
    assert_eq!(talk.heard().await, ["m1", "m2"]);
    let seen = talk.overview().await.version;
    let fresh = talk.change(cut("m1")).expecting(seen);
    assert!(matches!(talk.commit(fresh).await, Committed::Applied(..)));
}

/// A refusal, and a change without effect, change nothing and make nothing.
pub async fn what_changes_nothing_makes_no_conversation(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store).owned_by("ana");
    assert_eq!(talk.refusal(cut("m1")).await, Refusal::NotFound);
    assert_eq!(talk.outcome(Change::Stop).await, Outcome::Nothing);
    assert_eq!(talk.outcome(Change::Expire).await, Outcome::Nothing);
    assert_eq!(store.overview(&talk.key).await.expect("the store answers"), None);
    assert_eq!(store.whole(&talk.key).await.expect("the store answers"), None);
    talk.say("m1").await;
    let before = talk.whole().await;
    assert_eq!(talk.refusal(cut("m2")).await, Refusal::NotFound);
    assert_eq!(talk.outcome(Change::CloseUndo).await, Outcome::Nothing);
    assert_eq!(talk.whole().await, before);
}

/// The owner that the first change told stays.
pub async fn the_first_change_tells_the_owner(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store).owned_by("ana");
    talk.say("m1").await;
    let other = Commit::new(say(message("m2")), talk.now).owned_by(person_id("ben"));
    talk.commit(other).await;
    talk.commit(Commit::new(say(message("m3")), talk.now)).await;
    assert_eq!(talk.overview().await.owner, Some(person_id("ana")));
    let line = Talk::line(&store);
    line.say("m1").await;
    assert_eq!(line.overview().await.owner, None);
    let told_later = Commit::new(say(message("m2")), line.now).owned_by(person_id("ben"));
    line.commit(told_later).await;
    assert_eq!(line.overview().await.owner, Some(person_id("ben")));
}

/// The overview counts what can be heard and shows the turn.
pub async fn an_overview_counts_what_is_heard(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.ask("m1").await;
    assert_eq!(talk.overview().await.wanted_at, Some(talk.now));
    let lease = talk.begin().await;
    talk.make(Change::Intend { fence: lease.fence, message: answer("r1") }).await;
    let overview = talk.overview().await;
    assert_eq!((overview.heard, overview.last_number), (1, Number::new(2)));
    assert_eq!((overview.turn, overview.wanted_at), (Some(lease), None));
    assert_eq!(overview.version, talk.whole().await.version);
}

/// Pages are the newest before a number, oldest first, and hold only what can be heard.
pub async fn a_page_is_the_newest_before_a_number(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    for index in 1..=6 {
        talk.say(&format!("m{index}")).await;
    }
    talk.make(unsend("m4")).await;
    let page = async |before: Option<u64>, limit| {
        let page = store.page(&talk.key, before.map(Number::new), limit).await;
        let page = page.expect("the store answers");
        page.iter().map(|entry| entry.number.get()).collect::<Vec<u64>>()
    };
    assert_eq!(page(None, 2).await, [5, 6]);
    assert_eq!(page(Some(5), 2).await, [2, 3]);
    assert_eq!(page(Some(4), 2).await, [2, 3], "a number that is gone still cuts");
    assert_eq!(page(Some(2), 10).await, [1]);
    assert_eq!(page(Some(1), 10).await, Vec::<u64>::new());
    assert_eq!(page(Some(99), 1).await, [6]);
    assert_eq!(page(None, 0).await, Vec::<u64>::new());
    let nowhere = store.page(&chat_key("nowhere"), None, 5).await.expect("the store answers");
    assert_eq!(nowhere, []);
}

/// The tail says what an edit would remove.
pub async fn a_tail_says_what_an_edit_would_remove(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    talk.exchange("m2", "r2").await;
    let tail = async |id: &str, preview| {
        store.tail(&talk.key, &message_id(id), preview).await.expect("the store answers")
    };
    let first = tail("m1", 2).await.expect("it can be heard");
    assert_eq!((first.count, first.is_first), (4, true));
    let shown: Vec<&str> = first.preview.iter().map(|entry| entry.message.id.as_str()).collect();
    assert_eq!(shown, ["m1", "r1"]);
    let second = tail("m2", 10).await.expect("it can be heard");
    assert_eq!((second.count, second.is_first, second.preview.len()), (2, false, 2));
    assert_eq!(tail("r1", 0).await.map(|tail| tail.count), Some(3), "an answer has one too");
    assert_eq!(tail("m9", 10).await, None);
    assert_eq!(store.tail(&chat_key("x"), &message_id("m1"), 1).await.ok(), Some(None));
}

/// Entries come oldest first, piece by piece: answers without words too, and nothing of what was
/// taken back, put aside or erased.
pub async fn entries_come_in_order_heard_or_not(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "a1").await;
    for id in ["m2", "m3"] {
        talk.say(id).await;
    }
    talk.make(unsend("m1")).await;
    talk.make(edit("m3", message("m4"), "e1", at(9_000))).await;
    let entries = async |after, limit| {
        let page = store.entries_after(&talk.key, Number::new(after), limit).await;
        let page = page.expect("the store answers");
        let told = page.iter().map(|entry| {
            let words = if entry.gone { "-" } else { "+" };
            format!("{}{}{words}", entry.number.get(), entry.message.id)
        });
        told.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(entries(0, 9).await, "2a1- 3m2+ 5m4+");
    assert_eq!(entries(0, 2).await, "2a1- 3m2+");
    assert_eq!(entries(3, 2).await, "5m4+");
    assert_eq!(entries(5, 2).await, "");
    talk.make(Change::EraseAll).await;
    talk.say("m5").await;
    assert_eq!(entries(0, 9).await, "6m5+");
    let nothing = store.entries_after(&chat_key("c9"), Number::ZERO, 9).await;
    assert_eq!(nothing.expect("the store answers"), []);
}

/// What is not there is absent, not an error.
pub async fn what_is_not_there_is_absent(store: Arc<dyn Store>) {
    let key = chat_key("nowhere");
    assert_eq!(store.overview(&key).await.expect("the store answers"), None);
    assert_eq!(store.whole(&key).await.expect("the store answers"), None);
    let id = message_id("m1");
    assert_eq!(store.find(&key, &id).await.expect("the store answers"), None);
    Talk::chat(&store).say("m1").await;
    assert_eq!(store.find(&key, &id).await.expect("the store answers"), None);
}

/// A promised picture is filled in; newer words than the promise stand.
pub async fn a_promise_is_filled_unless_newer_words_came(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.say("m1").await;
    talk.say("m2").await;
    let parts = vec![Part::Media { key: media_key("k1"), mime: "image/png".to_owned() }];
    let fill = |id: &str| Change::Fill { id: message_id(id), parts: parts.clone() };
    assert_eq!(talk.outcome(fill("m1")).await, Outcome::Done);
    assert_eq!(talk.find("m1").await.map(|entry| entry.message.parts), Some(parts.clone()));
    talk.assert_unsaid(&words_of("m1")).await;
    talk.make(revise("m2", "newer", at(9))).await;
    assert_eq!(talk.outcome(fill("m2")).await, Outcome::Nothing);
    assert_eq!(talk.refusal(fill("m3")).await, Refusal::NotFound);
}

/// An agent that was cleared has forgotten up to a number; the log stays.
pub async fn one_agent_forgets_and_the_log_stays(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    talk.say("m2").await;
    let kai = agent_id("kai");
    assert_eq!(talk.outcome(Change::Clear(kai.clone())).await, Outcome::Done);
    talk.say("m3").await;
    assert_eq!(talk.whole().await.cleared.get(&kai), Some(&Number::new(2)));
    assert_eq!(talk.heard().await, ["m1", "m2", "m3"]);
    talk.make(Change::Clear(kai.clone())).await;
    assert_eq!(talk.whole().await.cleared.get(&kai), Some(&Number::new(3)));
    let cleared = store.cleared(&talk.key).await.expect("the store answers");
    assert_eq!(cleared, [(kai, Number::new(3))].into());
    let cleared = store.cleared(&chat_key("elsewhere")).await.expect("the store answers");
    assert!(cleared.is_empty());
}

/// A dropped conversation is gone altogether, and a new one of its name knows nothing of it.
pub async fn a_dropped_conversation_is_gone_altogether(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store).owned_by("ana");
    talk.make(ask(message("m1"), talk.now)).await;
    talk.make(deliver(message("m2"), "d1")).await;
    talk.make(unsend("m3")).await;
    store.drop_conversation(&talk.key).await.expect("the store answers");
    assert_eq!(store.overview(&talk.key).await.expect("the store answers"), None);
    assert_eq!(store.whole(&talk.key).await.expect("the store answers"), None);
    assert_eq!(talk.heard().await, Vec::<String>::new());
    assert_eq!(talk.find("m1").await, None);
    assert_eq!(talk.events().await, []);
    assert_eq!(store.wanting(at(9_999), 10).await.expect("the store answers"), []);
    store.drop_conversation(&talk.key).await.expect("again is the same");
    let fresh = talk.make(deliver(message("m3"), "d1")).await;
    assert_eq!((fresh.outcome, fresh.version), (Outcome::Said(Number::new(1)), Version::new(1)));
    assert_eq!(talk.heard().await, ["m3"]);
}

/// Whoever asks for health gets it from a store that works.
pub async fn a_store_that_works_says_so(store: Arc<dyn Store>) {
    store.check().await.expect("the store can be read and written");
    Talk::chat(&store).say("m1").await;
    store.check().await.expect("the store can be read and written");
}
