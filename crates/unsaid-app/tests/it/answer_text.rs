//! A turn that answers in plain text.

use std::sync::Arc;

use unsaid_app::answer::{
    Ended,
    speech::{Heard, Speech, SpeechEnd},
};
use unsaid_core::{
    domain::conversation::{change::Decision, log::Sending},
    port::{
        model::{EndReason, ModelError, ToolChoice},
        people::People as _,
    },
};
use unsaid_testkit::{
    builder::{consent_move, message_id, person_id, words},
    failing::Fault,
    model::{DrivenModel, Said, ScriptedModel, call, end, fails, text},
};

use crate::theatre::{Theatre, end_of, failed};

/// Asks `m1`, and lets one turn run with a model that says this.
async fn turn(pieces: Vec<Said>) -> (Theatre, Arc<Speech>, Ended) {
    let theatre = Theatre::session().await;
    theatre.ask("m1").await;
    let speech = Arc::new(Speech::default());
    let cast = theatre.in_text(ScriptedModel::saying(pieces), Arc::<Speech>::clone(&speech));
    let ended = theatre.turn(&cast).await;
    (theatre, speech, ended)
}

#[tokio::test(start_paused = true)]
async fn words_are_heard_as_they_come_and_kept_once_whole() {
    let theatre = Theatre::session().await;
    theatre.ask("m1").await;
    let (model, mut asks) = DrivenModel::new();
    let speech = Arc::new(Speech::default());
    let mut ear = speech.listen();
    let turn = theatre.start(theatre.in_text(model, Arc::<Speech>::clone(&speech)));
    let asked = asks.next().await;
    assert_eq!((asked.request.choice, asked.request.tools.len()), (ToolChoice::Free, 0));
    assert_eq!(asked.request.system.as_str().matches("reply").count(), 0);
    let Some(Heard::Begins(id)) = ear.next().await else { panic!("it begins") };
    asked.say(text("hel"));
    assert_eq!(ear.next().await, Some(Heard::More(words("hel"))));
    assert!(theatre.answers().await.is_empty(), "nothing is kept before it is whole");
    asked.answer([text("lo")]);
    assert_eq!(ear.next().await, Some(Heard::More(words("lo"))));
    assert_eq!(ear.next().await, Some(Heard::Ends(SpeechEnd::Kept)));
    assert_eq!(end_of(turn).await, Ended::Answered { id: id.clone(), known: true });
    let answer = theatre.answers().await.remove(0);
    assert_eq!((answer.message.id, answer.sending), (id.clone(), Sending::Here));
    assert_eq!(answer.message.parts, [unsaid_core::domain::message::Part::text(words("hello"))]);
    assert_eq!(answer.message.reply_to, Some(message_id("m1")));
    assert_eq!(theatre.decision().await, Decision::Answered);
    let mut late = speech.listen();
    assert_eq!(late.next().await, Some(Heard::Begins(id)));
    assert_eq!(late.next().await, Some(Heard::More(words("hello"))), "at once, who comes late");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_whole_is_not_kept_and_the_listener_is_told() {
    for (pieces, code) in [
        (vec![text("half"), end(EndReason::Length)], "model_length"),
        (vec![text("half"), end(EndReason::Refused)], "model_refused"),
        (vec![text("half"), fails(ModelError::Cut)], "model_cut"),
        (vec![text("half"), fails(ModelError::TimedOut)], "model_timeout"),
        (vec![text("half")], "model_cut"),
        (vec![text("half"), call("c1", "reply", "{}"), end(EndReason::Calls)], "model_garbled"),
        (vec![text(" \n"), end(EndReason::Done)], "model_empty"),
        (vec![fails(ModelError::Rejected { status: 401 })], "model_rejected"),
    ] {
        let (theatre, speech, ended) = turn(pieces).await;
        assert_eq!(ended, Ended::Failed { code });
        assert_eq!(theatre.decision().await, failed(code));
        assert!(theatre.answers().await.is_empty());
        theatre.talk().assert_unsaid("half").await;
        let mut ear = speech.listen();
        loop {
            match ear.next().await.expect("the speech ends") {
                Heard::Ends(end) => break assert_eq!(end, SpeechEnd::Failed(code)),
                Heard::Begins(_) | Heard::More(_) => {}
            }
        }
    }
}

async fn withdraw(theatre: &Theatre) {
    let to = consent_move(false, theatre.now().as_millis());
    theatre.store.move_consent(&person_id("ana"), to).await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn h8_without_consent_no_model_is_asked() {
    let theatre = Theatre::session().await;
    theatre.ask("m1").await;
    withdraw(&theatre).await;
    let model = ScriptedModel::saying(vec![text("hello"), end(EndReason::Done)]);
    let cast = theatre.in_text(Arc::<ScriptedModel>::clone(&model), Arc::new(Speech::default()));
    assert_eq!(theatre.turn(&cast).await, Ended::Failed { code: "no_consent" });
    assert!(model.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn h7_consent_counts_when_the_answer_is_kept() {
    let theatre = Theatre::session().await;
    theatre.ask("m1").await;
    let (model, mut asks) = DrivenModel::new();
    let speech = Arc::new(Speech::default());
    let turn = theatre.start(theatre.in_text(model, Arc::<Speech>::clone(&speech)));
    let asked = asks.next().await;
    withdraw(&theatre).await;
    asked.answer([text("hello")]);
    assert_eq!(end_of(turn).await, Ended::NotKept);
    assert!(theatre.answers().await.is_empty());
    assert_eq!(theatre.decision().await, Decision::Answered);
    theatre.talk().assert_unsaid("hello").await;
}

#[tokio::test(start_paused = true)]
async fn a_write_that_fails_is_tried_again_for_as_long_as_storage_may_take() {
    for (fault, fails, code) in [
        (Fault::Unavailable, 3, "answered"),
        (Fault::LostRequest, 3, "answered"),
        (Fault::LostAnswer, 1, "answered"),
        (Fault::Full, 20, "failed"),
    ] {
        let theatre = Theatre::session().await;
        theatre.ask("m1").await;
        let (model, mut asks) = DrivenModel::new();
        let turn = theatre.start(theatre.in_text(model, Arc::new(Speech::default())));
        let asked = asks.next().await;
        for nth in 1..=fails {
            theatre.store.fail_nth("commit", nth, fault);
        }
        asked.answer([text("hello")]);
        let ended = end_of(turn).await;
        let kept = theatre.answers().await.len();
        match code {
            "answered" => assert_eq!((ended.name(), kept), ("answered", 1), "{fault:?}"),
            _ => assert_eq!((ended, kept), (Ended::NotRecorded, 0)),
        }
    }
}
