//! The list of sources on LINE and of their turns, without their words.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::change::{Change, Decided, Decision, EndedTurn, SendOutcome},
        id::Fence,
    },
    port::{Store, history::SourceReport},
};

use crate::{
    builder::{
        answer, ask, at, chat_key, line_key, message, message_id, say, session_key, source_id,
        unsend, words,
    },
    talk::{LEASE_MS, Talk},
};

async fn page(store: &Arc<dyn Store>, after: Option<&str>, limit: usize) -> Vec<String> {
    let after = after.map(source_id);
    let page = store.sources(after.as_ref(), limit).await.expect("the store answers");
    page.iter().map(|source| source.id.to_string()).collect()
}

/// The only source.
async fn report(store: &Arc<dyn Store>) -> SourceReport {
    let mut page = store.sources(None, 10).await.expect("the store answers");
    let one = page.pop().expect("there is a source");
    assert_eq!(page, [], "there is one source");
    one
}

/// Sources are listed by id, page by page; chats and sessions are none.
pub async fn sources_are_listed_by_id(store: Arc<dyn Store>) {
    assert_eq!(page(&store, None, 10).await, Vec::<String>::new());
    let keys = [line_key("U2"), line_key("C1"), line_key("u.1/x"), line_key("U10")];
    for key in keys.into_iter().chain([chat_key("C0"), session_key("C2")]) {
        Talk::new(&store, key).say("m1").await;
    }
    assert_eq!(page(&store, None, 10).await, ["C1", "U10", "U2", "u.1/x"]);
    assert_eq!(page(&store, None, 2).await, ["C1", "U10"]);
    assert_eq!(page(&store, Some("U10"), 2).await, ["U2", "u.1/x"]);
    assert_eq!(page(&store, Some("D"), 1).await, ["U10"], "after one that is not there");
    assert_eq!(page(&store, Some("u.1/x"), 10).await, Vec::<String>::new());
    assert_eq!(page(&store, None, 0).await, Vec::<String>::new());
}

/// However many there are, every source is on one page.
pub async fn no_source_is_missed_between_pages(store: Arc<dyn Store>) {
    let names: Vec<String> = (10..45).map(|number| format!("U{number}")).collect();
    for name in names.iter().rev() {
        Talk::new(&store, line_key(name)).say("m1").await;
    }
    for dropped in ["U10", "U27", "U28", "U44"] {
        store.drop_conversation(&line_key(dropped)).await.expect("the store answers");
    }
    let left = names.iter().filter(|name| !["U10", "U27", "U28", "U44"].contains(&name.as_str()));
    let (mut seen, mut after) = (Vec::new(), None::<String>);
    loop {
        let some = page(&store, after.as_deref(), 4).await;
        let Some(last) = some.last() else { break };
        after = Some(last.clone());
        seen.extend(some);
    }
    assert!(seen.iter().eq(left), "{seen:?}");
}

/// A source tells how many messages can be heard, and when the newest was said.
pub async fn a_source_counts_what_is_heard(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.make(say(message("m1"))).await;
    let said_at = message("m1").at;
    let quiet = SourceReport {
        id: source_id("U1"),
        messages: 1,
        last_at: Some(said_at),
        last_decision: None,
    };
    assert_eq!(report(&store).await, quiet);
    talk.ask("m2").await;
    let fence = talk.begin().await.fence;
    talk.make(Change::Intend { fence, message: answer("r1") }).await;
    assert_eq!(report(&store).await, SourceReport { messages: 2, ..quiet.clone() });
    talk.make(Change::Settle { id: message_id("r1"), outcome: SendOutcome::Sent }).await;
    let answered = SourceReport {
        messages: 3,
        last_at: Some(talk.now),
        last_decision: Some((Decided::Answered, talk.now)),
        ..quiet
    };
    assert_eq!(report(&store).await, answered, "the end of a turn is later than its words");
    let mut late = message("m3");
    late.at = at(7_000);
    talk.make(ask(late, talk.now)).await;
    let later = SourceReport { messages: 4, last_at: Some(at(7_000)), ..answered.clone() };
    assert_eq!(report(&store).await, later);
    talk.make(unsend("m3")).await;
    assert_eq!(report(&store).await, answered);
}

/// A source tells how its newest turn ended, and nothing of why; a turn that runs is not over.
pub async fn a_source_tells_how_its_newest_turn_ended(store: Arc<dyn Store>) {
    let mut talk = Talk::line(&store);
    let silent = Decision::Silent { reason: Some(words("not meant for me")) };
    let failed = Decision::Failed { code: "model_timeout".to_owned() };
    let mut last = None;
    for round in 0..6 {
        talk.wait(10);
        let question = format!("m{round}");
        talk.ask(&question).await;
        let fence = talk.begin().await.fence;
        assert_eq!(report(&store).await.last_decision, last, "a turn runs");
        let (change, decided) = match round {
            0 => (Change::Decide { fence, decision: silent.clone() }, Decided::Silent),
            1 => {
                let code = "model_timeout".to_owned();
                (Change::Decide { fence, decision: failed.clone() }, Decided::Failed { code })
            }
            2 => (Change::Stop, Decided::Stopped),
            3 => (unsend(&question), Decided::Cancelled),
            4 => {
                let messages = vec![answer("r1")];
                (Change::Answer { fence, messages, last: true }, Decided::Answered)
            }
            _ => (Change::Release { fence }, Decided::Released),
        };
        talk.wait(1);
        talk.make(change).await;
        last = Some((decided, talk.now));
        let found = report(&store).await;
        assert_eq!((&found.last_decision, found.last_at), (&last, Some(talk.now)));
    }
    talk.begin().await;
    talk.wait(LEASE_MS);
    talk.begin().await;
    assert_eq!(report(&store).await.last_decision, Some((Decided::Released, talk.now)));
}

/// H8: where everything was forgotten is a source without messages; a dropped one is none.
pub async fn h8_a_source_that_was_forgotten_tells_nothing(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.exchange("m1", "r1").await;
    talk.make(Change::EraseAll).await;
    let empty = SourceReport::new(source_id("U1"), 0, None, None);
    assert_eq!(report(&store).await, empty);
    store.sweep(talk.now, 100).await.expect("the store answers");
    assert_eq!(report(&store).await, empty);
    store.drop_conversation(&talk.key).await.expect("the store answers");
    assert_eq!(page(&store, None, 10).await, Vec::<String>::new());
    talk.say("m2").await;
    assert_eq!(report(&store).await.messages, 1);
}

async fn turns(talk: &Talk, before: Option<u64>, limit: usize) -> Vec<EndedTurn> {
    let before = before.map(Fence::new);
    talk.store.turns(&talk.key, before, limit).await.expect("the store answers")
}

async fn fences(talk: &Talk, before: Option<u64>, limit: usize) -> Vec<u64> {
    turns(talk, before, limit).await.iter().map(|turn| turn.fence.get()).collect()
}

/// Asks, and ends the turn; what is told of it.
async fn ended(talk: &mut Talk, id: &str, decision: Decision) -> EndedTurn {
    talk.wait(10);
    talk.ask(id).await;
    let (fence, began_at) = (talk.begin().await.fence, talk.now);
    talk.wait(3);
    let decided = Decided::from(&decision);
    talk.make(Change::Decide { fence, decision }).await;
    EndedTurn { fence, began_at, decided, ended_at: talk.now }
}

/// Turns that are over are listed newest first, page by page: how and when, and nothing of why. What
/// was forgotten tells of none.
pub async fn turns_that_are_over_are_listed_newest_first(store: Arc<dyn Store>) {
    let mut talk = Talk::line(&store);
    assert_eq!(turns(&talk, None, 10).await, []);
    let silent = Decision::Silent { reason: Some(words("not meant for me")) };
    let failed = Decision::Failed { code: "model_timeout".to_owned() };
    let mut expected = vec![ended(&mut talk, "m1", silent.clone()).await];
    expected.push(ended(&mut talk, "m2", failed).await);
    for round in 3..9 {
        expected.push(ended(&mut talk, &format!("m{round}"), silent.clone()).await);
    }
    expected.reverse();
    Talk::new(&store, line_key("U2")).exchange("m1", "r1").await;
    talk.ask("m9").await;
    talk.begin().await;
    assert_eq!(turns(&talk, None, 10).await, expected, "the ninth runs");
    assert_eq!(turns(&talk, None, 3).await, expected[..3]);
    assert_eq!(turns(&talk, Some(6), 2).await, expected[3..5]);
    assert_eq!(turns(&talk, Some(2), 10).await, expected[7..]);
    assert_eq!(fences(&talk, Some(1), 10).await, [0_u64; 0]);
    assert_eq!(fences(&talk, None, 0).await, [0_u64; 0]);
    talk.make(Change::EraseAll).await;
    assert_eq!(turns(&talk, None, 10).await, []);
    store.sweep(talk.now, 100).await.expect("the store answers");
    assert_eq!(turns(&talk, None, 10).await, []);
    let again = ended(&mut talk, "m10", silent).await;
    assert_eq!(turns(&talk, None, 10).await, [again]);
    store.drop_conversation(&talk.key).await.expect("the store answers");
    assert_eq!(turns(&talk, None, 10).await, []);
}

/// A turn of which no message tells any more is listed where it was.
pub async fn a_turn_whose_question_was_taken_back_keeps_its_place(store: Arc<dyn Store>) {
    let mut talk = Talk::line(&store);
    let silent = Decision::Silent { reason: None };
    for round in 1..=12 {
        let question = format!("m{round}");
        if round % 4 == 3 {
            talk.ask(&question).await;
            talk.begin().await;
            talk.make(unsend(&question)).await;
        } else {
            ended(&mut talk, &question, silent.clone()).await;
        }
    }
    let newest_first: Vec<u64> = (1..=12).rev().collect();
    assert_eq!(fences(&talk, None, 100).await, newest_first);
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let some = turns(&talk, before, 2).await;
        let Some(last) = some.last() else { break };
        before = Some(last.fence.get());
        seen.extend(some);
    }
    let (shown, all) = (seen.iter().map(|turn| turn.fence.get()), newest_first.into_iter());
    assert!(shown.eq(all), "{seen:?}");
    let cancelled = seen.iter().filter(|turn| turn.decided == Decided::Cancelled);
    assert_eq!(cancelled.count(), 3);
}
