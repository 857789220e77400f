//! What ends a turn from outside (H5).

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use unsaid_app::{
    answer::{Ended, LEASE_MS, speech::Speech},
    edit::{Edit, Goes, edit},
    stop::{Reach, Stopped, stop},
};
use unsaid_core::{
    domain::conversation::{
        change::{Change, Decision, Interrupt, SendOutcome},
        log::Sending,
    },
    port::{history::History as _, model::EndReason},
};
use unsaid_testkit::{
    builder::{edit_id, holder_id, line_key, message, message_id, person_id},
    failing::Fault,
    messenger::{DrivenMessenger, Posts},
    model::{Asked, DrivenModel, ScriptedModel, end, heard, reply, text},
};

use crate::{
    given::made,
    theatre::{Theatre, end_of, failed},
};

/// What people do, and where: in the process of the turn, or in another.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Unsend,
    EditInPlace,
    EditFromHere,
    Stop,
    EraseAll,
}

const DEEDS: [Deed; 5] =
    [Deed::Unsend, Deed::EditInPlace, Deed::EditFromHere, Deed::Stop, Deed::EraseAll];

async fn act(theatre: &Theatre, deed: Deed) {
    match deed {
        Deed::Unsend => theatre.unsend("m1").await,
        Deed::EditInPlace => {
            theatre.edit("m1", "new").await;
        }
        Deed::EditFromHere => {
            let new = Edit {
                call: theatre.call(),
                from: message_id("m1").into(),
                with: Some((message("m9"), Some(theatre.now()))),
                id: edit_id("e1"),
                undo_ms: 0,
                interrupt: Interrupt::Yes,
                expect: None,
                goes: Goes::WhereConsentWants,
            };
            made(edit(&*theatre.port, &theatre.watchers, new).await.unwrap());
        }
        Deed::Stop => {
            let reach = Reach::AlsoOwed;
            let stopped = stop(&*theatre.port, &theatre.watchers, theatre.call(), reach).await;
            assert_eq!(made(stopped.unwrap()), Stopped::Stopped);
        }
        Deed::EraseAll => {
            theatre.talk().make(Change::EraseAll).await;
            theatre.watchers.running().look_again(theatre.key());
        }
    }
}

async fn nothing_came_of_it(theatre: &Theatre, deed: Deed) {
    assert!(theatre.messenger.asked().is_empty(), "{deed:?}");
    assert!(theatre.answers().await.is_empty(), "{deed:?}");
}

#[tokio::test(start_paused = true)]
async fn h5_a_turn_that_thinks_is_over_at_once() {
    for deed in DEEDS {
        let theatre = Theatre::line().await;
        theatre.ask("m1").await;
        let (model, mut asks) = DrivenModel::new();
        let turn = theatre.start(theatre.with_tools(model));
        let asked = asks.next().await;
        let before = Instant::now();
        act(&theatre, deed).await;
        asked.cancelled().await;
        assert_eq!(end_of(turn).await, Ended::Cancelled, "{deed:?}");
        assert_eq!(before.elapsed(), Duration::ZERO, "{deed:?}");
        asked.answer([reply("too late")]);
        nothing_came_of_it(&theatre, deed).await;
    }
}

#[tokio::test(start_paused = true)]
async fn h5_a_look_that_fails_is_made_good_at_once() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let (model, mut asks) = DrivenModel::new();
    let turn = theatre.start(theatre.with_tools(model));
    let asked = asks.next().await;
    let before = Instant::now();
    theatre.store.fail("overview", Fault::Unavailable);
    theatre.unsend("m1").await;
    asked.cancelled().await;
    assert_eq!(end_of(turn).await, Ended::Cancelled);
    // A timer that is due at once takes a moment of its own.
    assert!(before.elapsed() <= Duration::from_millis(2), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn h5_a_stream_is_over_at_once_and_nothing_of_it_is_kept() {
    for deed in DEEDS {
        let theatre = Theatre::session().await;
        theatre.ask("m1").await;
        let (model, mut asks) = DrivenModel::new();
        let turn = theatre.start(theatre.in_text(model, Arc::new(Speech::default())));
        let asked = asks.next().await;
        asked.say(text("half"));
        act(&theatre, deed).await;
        asked.cancelled().await;
        assert_eq!(end_of(turn).await, Ended::Cancelled, "{deed:?}");
        nothing_came_of_it(&theatre, deed).await;
        theatre.talk().assert_unsaid("half").await;
    }
}

#[tokio::test(start_paused = true)]
async fn h5_another_process_is_noticed_by_the_next_renewal() {
    for deed in DEEDS {
        let theatre = Theatre::line().await;
        theatre.ask("m1").await;
        let (model, mut asks) = DrivenModel::new();
        let turn = theatre.start(theatre.with_tools(model));
        let asked = asks.next().await;
        let before = Instant::now();
        act(&theatre.another("p2"), deed).await;
        asked.cancelled().await;
        assert_eq!(end_of(turn).await, Ended::Cancelled, "{deed:?}");
        assert!(before.elapsed() <= Duration::from_secs(10), "{deed:?}");
        nothing_came_of_it(&theatre, deed).await;
    }
}

#[tokio::test(start_paused = true)]
async fn h5_another_process_is_noticed_before_anything_leaves() {
    for deed in DEEDS {
        let theatre = Theatre::line().await;
        theatre.ask("m1").await;
        let (model, mut asks) = DrivenModel::new();
        let turn = theatre.start(theatre.with_tools(model));
        let asked = asks.next().await;
        act(&theatre.another("p2"), deed).await;
        asked.answer([reply("too late")]);
        assert_eq!(end_of(turn).await, Ended::Cancelled, "{deed:?}");
        nothing_came_of_it(&theatre, deed).await;
    }
}

/// A turn whose letter is with the messenger.
async fn sending() -> (Theatre, Posts, tokio::task::JoinSet<Ended>) {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    theatre.ask("m2").await;
    let (messenger, posts) = DrivenMessenger::new();
    let model = ScriptedModel::saying(vec![reply("quoting m1"), end(EndReason::Calls)]);
    let turn = theatre.start(theatre.with_messenger(model, messenger));
    (theatre, posts, turn)
}

#[tokio::test(start_paused = true)]
async fn h5_what_was_accepted_stands_and_loses_its_words() {
    let (theatre, mut posts, turn) = sending().await;
    let posted = posts.next().await;
    theatre.unsend("m1").await;
    posted.settle(SendOutcome::Sent);
    assert!(matches!(end_of(turn).await, Ended::Answered { known: true, .. }));
    let answer = theatre.answers().await.remove(0);
    assert_eq!((answer.sending, answer.gone), (Sending::Sent, true));
    theatre.talk().assert_unsaid("quoting m1").await;
    assert_eq!(theatre.whole().await.log.waiting().len(), 1, "m2 is answered anew");
    let model = ScriptedModel::saying(vec![reply("m2"), end(EndReason::Calls)]);
    let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
    assert_eq!(theatre.turn(&cast).await.name(), "answered");
    assert!(!heard(&model.asked()[0]).contains("words of m1"));
}

#[tokio::test(start_paused = true)]
async fn what_is_being_sent_is_waited_for_whatever_happens() {
    let (theatre, mut posts, turn) = sending().await;
    let posted = posts.next().await;
    theatre.shutdown.cancel();
    // waits: nothing happens meanwhile, and that is what is tried
    tokio::time::sleep(Duration::from_secs(20)).await;
    posted.settle(SendOutcome::Sent);
    assert_eq!(end_of(turn).await.name(), "answered");
    assert_eq!(theatre.answers().await[0].sending, Sending::Sent);
}

#[tokio::test(start_paused = true)]
async fn shutdown_hands_the_turn_back() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let (model, mut asks) = DrivenModel::new();
    let turn = theatre.start(theatre.with_tools(model));
    let asked: Asked = asks.next().await;
    theatre.shutdown.cancel();
    asked.cancelled().await;
    assert_eq!(end_of(turn).await, Ended::Released);
    assert_eq!(theatre.decision().await, Decision::Released);
    let whole = theatre.whole().await;
    assert_eq!((whole.log.waiting().len(), whole.wanted_at), (1, Some(theatre.now())));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_turn_is_limited() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let (model, _asks) = DrivenModel::new();
    let mut cast = theatre.with_tools(model);
    cast.time_max = Duration::from_secs(45);
    let before = Instant::now();
    assert_eq!(theatre.turn(&cast).await, Ended::Failed { code: "turn_timeout" });
    assert_eq!(before.elapsed(), Duration::from_secs(45));
    assert_eq!(theatre.decision().await, failed("turn_timeout"));
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_keeps_its_lease() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let (model, mut asks) = DrivenModel::new();
    let turn = theatre.start(theatre.with_tools(model));
    let asked = asks.next().await;
    for _ in 0..12 {
        // waits: for the lease to be renewed, or not
        tokio::time::sleep(Duration::from_secs(10)).await;
        let lease = theatre.talk().overview().await.turn.expect("it runs");
        assert!(theatre.now() < lease.until);
    }
    asked.answer([reply("at last")]);
    assert_eq!(end_of(turn).await.name(), "answered");
}

#[tokio::test(start_paused = true)]
async fn a_lost_lease_ends_the_turn_in_silence() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let (model, mut asks) = DrivenModel::new();
    let turn = theatre.start(theatre.with_tools(model));
    let asked = asks.next().await;
    for nth in 1..=60 {
        theatre.store.fail_nth("commit", nth, Fault::Unavailable);
    }
    let before = Instant::now();
    asked.cancelled().await;
    assert!(before.elapsed() <= Duration::from_millis(LEASE_MS.unsigned_abs() + 1_000));
    assert_eq!(end_of(turn).await, Ended::Cancelled);
    assert!(theatre.messenger.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn h11_an_answer_of_a_dead_turn_is_settled_as_unknown_and_never_sent_again() {
    let (theatre, mut posts, mut turn) = sending().await;
    let posted = posts.next().await;
    // The process dies, with its letter on the way.
    turn.abort_all();
    drop((posted, turn.join_next().await));
    let other = theatre.another("p2");
    let model = ScriptedModel::saying(vec![reply("again"), end(EndReason::Calls)]);
    let cast = other.with_tools(model);
    assert_eq!(other.turn(&cast).await.name(), "not_begun", "the lease still runs");
    // waits: for the lease to run out
    tokio::time::sleep(Duration::from_millis(LEASE_MS.unsigned_abs())).await;
    assert_eq!(other.turn(&cast).await.name(), "not_begun", "nobody waits any more");
    assert_eq!(theatre.answers().await[0].sending, Sending::Unknown);
    assert!(other.messenger.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_living_sender_of_a_cancelled_turn_is_not_overtaken() {
    let (theatre, mut posts, turn) = sending().await;
    let posted = posts.next().await;
    theatre.unsend("m1").await;
    let other = theatre.another("p2");
    let model = ScriptedModel::saying(vec![reply("m2"), end(EndReason::Calls)]);
    let cast = other.with_tools(model);
    let ended = other.turn(&cast).await;
    assert_eq!(ended.name(), "not_begun", "the first answer is still on its way");
    posted.settle(SendOutcome::Failed);
    assert_eq!(end_of(turn).await, Ended::Cancelled);
    assert_eq!(other.turn(&cast).await.name(), "answered");
    let sending: Vec<Sending> =
        theatre.answers().await.iter().map(|answer| answer.sending).collect();
    assert_eq!(sending, [Sending::Failed, Sending::Sent]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_of_this_process_that_nobody_runs_is_in_nobodys_way() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let until = theatre.now().plus_millis(LEASE_MS);
    theatre.talk().make(Change::Begin { holder: holder_id("p1"), until }).await;
    let model = ScriptedModel::saying(vec![reply("hello"), end(EndReason::Calls)]);
    assert_eq!(theatre.turn(&theatre.with_tools(model)).await.name(), "answered");
}

#[tokio::test(start_paused = true)]
async fn turns_of_a_person_can_be_told_to_look() {
    let theatre = Theatre::session().await;
    theatre.ask("m1").await;
    let (model, mut asks) = DrivenModel::new();
    let turn = theatre.start(theatre.in_text(model, Arc::new(Speech::default())));
    let asked = asks.next().await;
    assert_eq!(theatre.watchers.running().count(), 1);
    theatre.store.drop_conversation(theatre.key()).await.unwrap();
    theatre.watchers.running().look_again(&line_key("U7"));
    theatre.watchers.running().look_again_for(&person_id("bob"));
    theatre.watchers.running().look_again_for(&person_id("ana"));
    asked.cancelled().await;
    assert_eq!(end_of(turn).await, Ended::Cancelled);
    assert_eq!(theatre.watchers.running().count(), 0);
}
