//! What a turn reads, and what it does when storage fails (H10, H11).

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use unsaid_app::answer::{Desk, Ended, Settings};
use unsaid_core::{
    domain::{
        conversation::log::Sending,
        message::{Message, Part},
    },
    port::{
        media::{Media as _, MediaPlace},
        model::{EndReason, ModelRequest, ModelTurn, Piece},
    },
};
use unsaid_testkit::{
    builder::{ask, media_key, message, message_id, picture, say},
    failing::Fault,
    model::{ScriptedModel, end, heard, reply},
};

use crate::{
    interposed::{Interposed, Trick},
    theatre::{Theatre, failed, said_by_bob},
};

fn replying() -> Arc<ScriptedModel> {
    ScriptedModel::saying(vec![reply("hello"), end(EndReason::Calls)])
}

/// A process whose desk is a little different.
fn with_desk(theatre: &Theatre, change: impl FnOnce(Desk) -> Desk) -> Theatre {
    let other = theatre.another("p2");
    let Theatre { desk, .. } = other;
    let desk = Arc::into_inner(desk).expect("nobody else has it");
    Theatre { desk: Arc::new(change(desk)), ..theatre.another("p3") }
}

#[tokio::test(start_paused = true)]
async fn a_long_conversation_is_read_no_further_than_it_is_shown() {
    let theatre = Theatre::line().await;
    for number in 0..1_000 {
        theatre.talk().make(say(message(&format!("old{number}")))).await;
    }
    theatre.talk().make(ask(said_by_bob("m1"), theatre.now())).await;
    theatre.talk().make(say(message("later"))).await;
    let settings = Settings { context_tokens: 200, ..Settings::default() };
    let theatre = with_desk(&theatre, |desk| Desk { settings, ..desk });
    let model = replying();
    theatre.turn(&theatre.with_tools(Arc::<ScriptedModel>::clone(&model))).await;
    assert_eq!(theatre.store.calls("page"), 1);
    let heard = heard(&model.asked()[0]);
    assert!(heard.contains("from=\"bob\"") && heard.contains("words of m1"));
    assert!(heard.contains("old999") && !heard.contains("old900"));
}

#[tokio::test(start_paused = true)]
async fn a_prompt_holds_nothing_that_came_after_its_turn_began() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let (model, mut asks) = unsaid_testkit::model::DrivenModel::new();
    let turn = theatre.start(theatre.with_tools(model));
    let asked = asks.next().await;
    theatre.ask("m2").await;
    theatre.ask("m3").await;
    asked.answer([reply("one")]);
    assert_eq!(crate::theatre::end_of(turn).await.name(), "answered");
    let next = replying();
    theatre.turn(&theatre.with_tools(Arc::<ScriptedModel>::clone(&next))).await;
    let letter = theatre.messenger.outbox().pop().expect("it was answered");
    assert_eq!(letter.question, Some(message_id("m3")), "together, by the next turn");
    assert_eq!(theatre.arrived(), ["one", "hello"]);
}

/// Ana sends a picture.
async fn show(theatre: &Theatre, id: &str, stored: bool) {
    let key = media_key(&format!("k-{id}"));
    let parts = vec![Part::Media { key: key.clone(), mime: "image/png".to_owned() }];
    let shown = Message { parts, ..message(id) };
    theatre.talk().make(ask(shown, theatre.now())).await;
    if stored {
        let (conversation, message) = (theatre.key().clone(), message_id(id));
        let place = MediaPlace { conversation, message };
        assert!(theatre.store.put(&key, &place, picture(id.as_bytes())).await.unwrap());
    }
}

fn pictures(request: &ModelRequest) -> Vec<String> {
    let pieces = request.turns.iter().flat_map(|turn| match turn {
        ModelTurn::Heard(pieces) => pieces.as_slice(),
        ModelTurn::Said(_) | ModelTurn::Called { .. } | ModelTurn::Results(_) => &[],
    });
    let bytes = pieces.filter_map(|piece| match piece {
        Piece::Image { bytes, .. } => Some(bytes),
        Piece::Text(_) => None,
    });
    bytes.map(|bytes| String::from_utf8(bytes.clone()).unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn the_newest_pictures_are_shown_and_something_stands_for_the_others() {
    let theatre = Theatre::line().await;
    for (id, stored) in [("p1", true), ("p2", true), ("p3", true), ("p4", false)] {
        show(&theatre, id, stored).await;
    }
    let settings = Settings { prompt_images: 3, ..Settings::default() };
    let theatre = with_desk(&theatre, |desk| Desk { settings, ..desk });
    let model = replying();
    theatre.turn(&theatre.with_tools(Arc::<ScriptedModel>::clone(&model))).await;
    let request = model.asked().remove(0);
    assert_eq!(pictures(&request), ["p2", "p3"]);
    assert_eq!(heard(&request).matches("[User sent an image]").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn h10_what_cannot_be_read_asks_no_model_and_says_nothing() {
    for call in ["page", "get"] {
        let theatre = Theatre::line().await;
        show(&theatre, "p1", true).await;
        theatre.store.fail(call, Fault::Unavailable);
        let model = replying();
        let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
        assert_eq!(theatre.turn(&cast).await, Ended::Failed { code: "storage_read" });
        assert_eq!(theatre.decision().await, failed("storage_read"));
        assert!(model.asked().is_empty() && theatre.messenger.asked().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn h10_storage_that_takes_too_long_is_as_good_as_none() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let history = Arc::new(Interposed { store: Arc::clone(&theatre.port), trick: Trick::NoPages });
    let theatre = with_desk(&theatre, |desk| Desk { history, ..desk });
    let model = replying();
    let before = Instant::now();
    let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
    assert_eq!(theatre.turn(&cast).await, Ended::Failed { code: "storage_timeout" });
    assert_eq!(before.elapsed(), Duration::from_millis(1_500));
    assert!(model.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn h5_the_last_look_is_after_the_intent() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let store = Arc::clone(&theatre.port);
    let history = Arc::new(Interposed { store, trick: Trick::UnsendBeforeTheLook });
    let theatre = with_desk(&theatre, |desk| Desk { history, ..desk });
    assert_eq!(theatre.turn(&theatre.with_tools(replying())).await, Ended::Cancelled);
    assert!(theatre.messenger.asked().is_empty());
    let answer = theatre.answers().await.remove(0);
    assert_eq!((answer.sending, answer.gone), (Sending::Failed, true));
    theatre.talk().assert_unsaid("hello").await;
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_is_told_to_the_model_and_nothing_leaves() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    theatre.store.fail("overview", Fault::Unavailable);
    let model = replying();
    let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
    assert_eq!(theatre.turn(&cast).await.name(), "answered");
    let asked = model.asked();
    let Some(ModelTurn::Results(results)) = asked[1].turns.last() else { panic!("no results") };
    assert_eq!(results[0].content["error"], "failed to load conversation");
    assert_eq!((theatre.messenger.asked().len(), theatre.arrived().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn h11_an_outcome_that_cannot_be_written_is_written_later_and_not_the_models_business() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    // Begin and Intend come through, and then nothing for more than half a minute.
    for nth in 3..=40 {
        theatre.store.fail_nth("commit", nth, Fault::Unavailable);
    }
    let model = replying();
    let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
    let before = Instant::now();
    assert!(matches!(theatre.turn(&cast).await, Ended::Answered { known: true, .. }));
    assert!(before.elapsed() > Duration::from_secs(30));
    assert_eq!((model.asked().len(), theatre.arrived().len()), (1, 1));
    assert_eq!(theatre.answers().await[0].sending, Sending::Sent);
    assert_eq!(theatre.turn(&cast).await.name(), "not_begun");
}

#[tokio::test(start_paused = true)]
async fn an_intent_that_cannot_be_written_is_not_sent() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    for nth in 2..=7 {
        theatre.store.fail_nth("commit", nth, Fault::Full);
    }
    let model = replying();
    let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
    assert_eq!(theatre.turn(&cast).await, Ended::Failed { code: "storage_write" });
    assert!(theatre.messenger.asked().is_empty() && theatre.answers().await.is_empty());
    assert_eq!(model.asked().len(), 1);
}
