//! A turn that answers through tools.

use std::sync::Arc;

use serde_json::json;
use unsaid_app::{
    answer::{Ended, Manner},
    tool::{MANNER, ONCE_MORE},
};
use unsaid_core::{
    domain::conversation::{change::Decision, log::Sending},
    port::model::{EndReason, ModelError, ModelTurn, ToolCall, ToolChoice},
};
use unsaid_testkit::{
    builder::{message_id, words, words_of},
    messenger::Post,
    model::{Said, ScriptedModel, call, end, fails, heard, reply, skip, text},
};

use crate::theatre::{Theatre, failed};

fn done(mut pieces: Vec<Said>) -> Vec<Said> {
    pieces.push(end(EndReason::Calls));
    pieces
}

/// Asks `m1`, and lets one turn run with a model that says this, one answer after the other.
async fn turn(answers: Vec<Vec<Said>>) -> (Theatre, Arc<ScriptedModel>, Ended) {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let model = ScriptedModel::in_order(answers);
    let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
    let ended = theatre.turn(&cast).await;
    (theatre, model, ended)
}

/// What the model was told about its calls of the step before its newest question.
fn results(model: &ScriptedModel) -> Vec<serde_json::Value> {
    let request = model.asked().pop().expect("it was asked");
    match request.turns.last() {
        Some(ModelTurn::Results(results)) => {
            results.iter().map(|result| result.content.clone()).collect()
        }
        other => panic!("no results: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_is_written_sent_and_settled() {
    let (theatre, model, ended) = turn(vec![done(vec![reply("hello")])]).await;
    let answer = theatre.answers().await.remove(0);
    assert_eq!(ended, Ended::Answered { id: answer.message.id.clone(), known: true });
    assert_eq!(answer.sending, Sending::Sent);
    assert_eq!(answer.message.reply_to, Some(message_id("m1")));
    assert_eq!(theatre.decision().await, Decision::Answered);
    let letter = theatre.messenger.outbox().remove(0);
    assert_eq!((letter.id, &letter.conversation), (answer.message.id, theatre.key()));
    assert_eq!((letter.text, letter.question), (words("hello"), Some(message_id("m1"))));
    let request = model.asked().remove(0);
    assert_eq!((request.choice, request.tools.len()), (ToolChoice::Forced, 2));
    assert!(request.system.as_str().starts_with("You are Kai."));
    assert!(request.system.as_str().contains(MANNER.trim()));
    assert!(heard(&request).contains("words of m1"));
}

#[tokio::test(start_paused = true)]
async fn a_skip_is_a_decision_and_not_a_message() {
    let (theatre, _, ended) = turn(vec![done(vec![skip("they talk among themselves")])]).await;
    assert_eq!(ended, Ended::Silent);
    let reason = Some(words("they talk among themselves"));
    assert_eq!(theatre.decision().await, Decision::Silent { reason });
    assert!(theatre.messenger.asked().is_empty() && theatre.answers().await.is_empty());
    assert_eq!(theatre.whole().await.wanted_at, None);
}

#[tokio::test(start_paused = true)]
async fn the_first_valid_call_ends_the_turn_whatever_else_is_called() {
    let bad = || call("c0", "reply", "{}");
    for (calls, arrived, decision) in [
        (vec![reply("one"), reply("two"), skip("no")], vec!["one"], "answered"),
        (vec![bad(), reply("one"), reply("two")], vec!["one"], "answered"),
        (vec![skip("no"), reply("one")], vec![], "silent"),
        (vec![text("thinking"), bad(), skip("no"), reply("one")], vec![], "silent"),
    ] {
        let (theatre, model, ended) = turn(vec![done(calls)]).await;
        assert_eq!(
            (theatre.arrived(), ended.name()),
            (arrived.iter().map(ToString::to_string).collect(), decision)
        );
        assert_eq!(model.asked().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_calls_get_their_error_and_the_model_goes_on() {
    let wrong = done(vec![
        call("c1", "weather", "{}"),
        call("c2", "reply", "no json"),
        call("c3", "skip", "{}"),
    ]);
    let (theatre, model, _) = turn(vec![wrong, done(vec![reply("hello")])]).await;
    assert_eq!(
        results(&model),
        [
            json!({ "error": "unknown tool: weather" }),
            json!({ "error": "invalid parameters: not JSON" }),
            json!({ "error": "invalid parameters: required: reason" }),
        ]
    );
    assert_eq!(theatre.arrived(), ["hello"]);
}

#[tokio::test(start_paused = true)]
async fn plain_text_is_asked_for_once_more_and_then_dropped() {
    let plain = || done(vec![text("just so")]);
    let (theatre, model, ended) = turn(vec![plain(), done(vec![reply("hello")])]).await;
    assert_eq!((theatre.arrived(), ended.name()), (vec!["hello".to_owned()], "answered"));
    let request = model.asked().remove(1);
    assert!(heard(&request).ends_with(ONCE_MORE));
    assert_eq!(request.turns[1], ModelTurn::Said(words("just so")));

    let (theatre, model, ended) = turn(vec![plain(), plain()]).await;
    assert_eq!((ended, model.asked().len()), (Ended::Failed { code: "model_plain_text" }, 2));
    assert_eq!(theatre.decision().await, failed("model_plain_text"));
    assert!(theatre.messenger.asked().is_empty());
    theatre.talk().assert_unsaid("just so").await;
}

#[tokio::test(start_paused = true)]
async fn a_call_written_as_text_is_a_call() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let model = ScriptedModel::saying(done(vec![text("CALL reply")]));
    let mut cast = theatre.with_tools(model);
    let Manner::Tools { read_calls, .. } = &mut cast.manner else { panic!("it has tools") };
    *read_calls = |text, tools| {
        let tool = tools.iter().find(|tool| text == format!("CALL {}", tool.name))?;
        let (id, arguments) = ("t1".to_owned(), r#"{"message":"found"}"#.to_owned());
        Some(vec![ToolCall { id, name: tool.name.clone(), arguments }])
    };
    assert_eq!(theatre.turn(&cast).await.name(), "answered");
    assert_eq!(theatre.arrived(), ["found"]);
}

#[tokio::test(start_paused = true)]
async fn the_steps_are_counted() {
    let (theatre, model, ended) = turn(vec![done(vec![call("c1", "reply", "{}")])]).await;
    assert_eq!((ended, model.asked().len()), (Ended::Failed { code: "tool_steps" }, 5));
    assert_eq!(theatre.decision().await, failed("tool_steps"));
    let plain = done(vec![text("hm")]);
    let wrong = done(vec![call("c1", "reply", "{}")]);
    let (_, model, _) = turn(vec![plain, wrong]).await;
    assert_eq!(model.asked().len(), 5, "asking once more is a step");
}

#[tokio::test(start_paused = true)]
async fn half_an_answer_is_never_sent() {
    for (ending, code) in [
        (Some(end(EndReason::Length)), "model_length"),
        (Some(end(EndReason::Refused)), "model_refused"),
        (Some(fails(ModelError::Cut)), "model_cut"),
        (Some(fails(ModelError::Garbled)), "model_garbled"),
        (Some(fails(ModelError::Failing { status: 500 })), "model_failing"),
        (None, "model_cut"),
    ] {
        let mut pieces = vec![text("well"), reply("half an answ")];
        pieces.extend(ending);
        let (theatre, _, ended) = turn(vec![pieces]).await;
        assert_eq!(ended, Ended::Failed { code });
        assert_eq!(theatre.decision().await, failed(code));
        assert!(theatre.messenger.asked().is_empty() && theatre.answers().await.is_empty());
        theatre.talk().assert_unsaid("half").await;
        let whole = theatre.whole().await;
        assert!(whole.log.waiting().is_empty() && whole.wanted_at.is_none(), "it waits no more");
    }
}

#[tokio::test(start_paused = true)]
async fn an_endless_answer_is_a_fault_of_the_model() {
    let much = vec![text(&"x".repeat(200 << 10)), text(&"x".repeat(100 << 10))];
    let (_, _, ended) = turn(vec![much]).await;
    assert_eq!(ended, Ended::Failed { code: "model_endless" });
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_did_not_leave_may_be_tried_again() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    theatre.messenger.plan([Post::Fails]);
    let first = done(vec![reply("first try"), reply("two"), skip("three")]);
    let model = ScriptedModel::in_order(vec![first, done(vec![reply("again")])]);
    let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
    assert_eq!(theatre.turn(&cast).await.name(), "answered");
    let again = json!({ "error": "already replied" });
    assert_eq!(results(&model), [json!({ "error": "failed to send reply" }), again.clone(), again]);
    assert_eq!(theatre.arrived(), ["again"]);
    let answers = theatre.answers().await;
    let sending: Vec<Sending> = answers.iter().map(|answer| answer.sending).collect();
    assert_eq!(sending, [Sending::Failed, Sending::Sent]);
    theatre.talk().assert_unsaid("first try").await;
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_never_leaves_uses_up_the_steps() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    theatre.messenger.plan([Post::Fails; 9]);
    let cast = theatre.with_tools(ScriptedModel::saying(done(vec![reply("one")])));
    assert_eq!(theatre.turn(&cast).await, Ended::Failed { code: "tool_steps" });
    assert_eq!(theatre.messenger.asked().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn h11_what_may_have_left_is_not_sent_again() {
    for post in [Post::LosesAnswer, Post::LosesLetter, Post::Hangs] {
        let theatre = Theatre::line().await;
        theatre.ask("m1").await;
        theatre.messenger.plan([post]);
        let model = ScriptedModel::saying(done(vec![reply("one")]));
        let cast = theatre.with_tools(Arc::<ScriptedModel>::clone(&model));
        let ended = theatre.turn(&cast).await;
        assert!(matches!(ended, Ended::Answered { known: false, .. }), "{ended:?}");
        assert_eq!(theatre.answers().await[0].sending, Sending::Unknown);
        assert_eq!((model.asked().len(), theatre.messenger.asked().len()), (1, 1));
        assert_eq!(theatre.turn(&cast).await.name(), "not_begun");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_failed_turn_its_messages_are_seen_by_the_next() {
    let (theatre, _, _) = turn(vec![vec![fails(ModelError::Unreachable)]]).await;
    assert_eq!(theatre.decision().await, failed("model_unreachable"));
    theatre.ask("m2").await;
    let model = ScriptedModel::saying(done(vec![reply("both")]));
    theatre.turn(&theatre.with_tools(Arc::<ScriptedModel>::clone(&model))).await;
    let heard = heard(&model.asked()[0]).replace("&lt;", "<");
    assert!(heard.contains(&words_of("m1")) && heard.contains(&words_of("m2")));
}
