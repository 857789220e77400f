use serde_json::{Value, json};
use unsaid_core::port::model::ModelError;
use unsaid_core::port::worlds::{AgentPatch, WorldKey, WorldPatch};
use unsaid_testkit::model::{fails, heard, skip, text};

use super::company::Company;
use crate::accounts::house::House;

fn key(company: &Company<'_>) -> WorldKey {
    WorldKey { owner: company.owner.clone(), id: "w".to_owned().try_into().unwrap() }
}

#[tokio::test]
async fn agents_answer_one_after_the_other_and_the_stream_tells_it() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("hello").await;
    assert_eq!(frames.headers["cache-control"], "no-store");
    assert_eq!(frames.headers["x-accel-buffering"], "no");
    assert_eq!(frames.headers["content-type"], "text/event-stream");
    let (name, asked) = ana.asked().await;
    assert_eq!(name, "o1");
    asked.say(text("Good "));
    let begun = frames.until("o1> Good ").await;
    assert_eq!(begun, ["human: hello", "response-start o1", "o1 start", "o1> Good "]);
    asked.answer([text("day")]);
    let told = frames.until("response-start a1").await;
    assert_eq!(told, ["o1> day", "o1 end", "o1: Good day", "response-end", "response-start a1"]);
    ana.answers("a1", "Hi").await;
    let told = frames.rest().await;
    assert_eq!(told, ["a1 start", "a1> Hi", "a1 end", "a1: Hi", "response-end", "idle"]);
    assert_eq!(ana.log().await, ["human: hello", "o1: Good day", "a1: Hi"]);
}

#[tokio::test]
async fn a_message_says_who_heard_it_and_what_it_answers() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("@a1 hello").await;
    let said = frames.next().await;
    assert_eq!(said["type"], "message");
    let id = said["data"]["messageId"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 10);
    assert_eq!(
        said["data"],
        json!({
            "messageId": id, "chatId": ana.chat, "role": "user", "sender": "human",
            "content": "@a1 hello", "createdAt": "2026-01-17T10:30:00.000Z",
            "seenByAgents": ["o1", "a1"],
        })
    );
    ana.answers("a1", "@o1 what do you think?").await;
    ana.answers("o1", "Nothing.").await;
    let mut answer = frames.next().await;
    while answer["type"] != "message" {
        answer = frames.next().await;
    }
    assert_eq!(answer["data"]["replyToMessageId"], id);
    assert_eq!(answer["data"]["agentId"], "a1");
    assert_eq!(answer["data"]["role"], "assistant");
    assert_eq!(answer["data"]["seenByAgents"], json!(["o1", "a1"]));
    let rest = frames.rest().await;
    assert_eq!(rest.last().map(String::as_str), Some("idle"));
    assert_eq!(ana.log().await, ["human: @a1 hello", "a1: @o1 what do you think?", "o1: Nothing."]);
}

#[tokio::test]
async fn whoever_wants_it_whole_waits_for_the_round() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let body = json!({ "message": "hello", "stream": false });
    let (answer, ()) = tokio::join!(ana.calls("POST", "messages", body), ana.answers("o1", "Hi"));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body["messages"][0]["content"], "Hi");
    assert_eq!(answer.body["messages"].as_array().unwrap().len(), 1);
    assert_eq!(answer.body["stored"], true);
    assert_eq!(answer.body["messageId"].as_str().unwrap().len(), 10);
}

#[tokio::test]
async fn nobody_to_answer_is_said_at_once() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let quiet = AgentPatch { auto_reply: Some(false), ..AgentPatch::default() };
    let id = "o1".to_owned().try_into().unwrap();
    house.store.change_agent(&key(&ana), &id, quiet).await.unwrap().unwrap();
    let frames = ana.says("hello").await.rest().await;
    assert_eq!(frames, ["human: hello", "no-responder", "idle"]);
    let body = json!({ "message": "anybody?", "stream": false });
    let answer = ana.calls("POST", "messages", body).await;
    assert_eq!((answer.status, &answer.body["messages"]), (200, &json!([])));
    assert_eq!(ana.log().await, ["human: hello", "human: anybody?"]);
}

#[tokio::test]
async fn agents_talk_to_each_other_until_their_turns_are_used_up() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let patch = WorldPatch { turn_limit: Some(2), ..WorldPatch::default() };
    house.store.change_world(&key(&ana), patch).await.unwrap().unwrap();
    let mut frames = ana.says("@o1 begin").await;
    for (agent, other) in [("o1", "a1"), ("a1", "o1"), ("o1", "a1"), ("a1", "o1")] {
        ana.answers(agent, &format!("@{other} go on")).await;
    }
    let told = frames.rest().await;
    assert_eq!(told[told.len() - 2..], ["turn-limit o1", "idle"]);
    assert_eq!(ana.log().await.len(), 5);
    assert!(house.asks.lock().await.is_empty());
}

#[tokio::test]
async fn an_agent_may_stay_silent() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    assert_eq!(asked.request.tools.len(), 1);
    assert_eq!(asked.request.tools[0].name, "skip");
    asked.answer([skip("nothing to add")]);
    let (_, asked) = ana.asked().await;
    // A small model writes the call as text; nothing of it is shown.
    asked.answer([text("{\"name\": \"skip\", "), text("\"arguments\": {\"reason\": \"no\"}}")]);
    assert_eq!(
        frames.rest().await,
        [
            "human: hello",
            "response-start o1",
            "response-end",
            "response-start a1",
            "response-end",
            "idle",
        ]
    );
    assert_eq!(ana.log().await, ["human: hello"]);
}

#[tokio::test]
async fn one_agent_that_fails_does_not_keep_the_others_from_answering() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    asked.say(text("half an ans"));
    frames.until("o1> half an ans").await;
    asked.say(fails(ModelError::Cut));
    let told = frames.until("response-start a1").await;
    assert_eq!(told, ["o1 error", "response-end", "response-start a1"]);
    ana.answers("a1", "whole").await;
    let told = frames.rest().await;
    assert_eq!(told, ["a1 start", "a1> whole", "a1 end", "a1: whole", "response-end", "idle"]);
    assert_eq!(ana.log().await, ["human: hello", "a1: whole"]);
}

#[tokio::test]
async fn what_is_said_while_a_round_runs_is_answered_by_the_next() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut first = ana.says("first").await;
    let (_, asked) = ana.asked().await;
    let mut second = ana.says("second").await;
    asked.answer([text("to the first")]);
    let (_, asked) = ana.asked().await;
    let shown = heard(&asked.request);
    assert!(shown.contains("first") && shown.contains("second"));
    asked.answer([text("to the second")]);
    assert!(first.rest().await.contains(&"o1: to the first".to_owned()));
    let told = second.rest().await;
    assert!(told.contains(&"o1: to the second".to_owned()), "{told:?}");
    assert_eq!(
        ana.log().await,
        ["human: first", "human: second", "o1: to the first", "o1: to the second"]
    );
}

#[tokio::test]
async fn a_status_tells_who_is_at_it() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let idle = json!({ "isProcessing": false, "activeAgents": [], "stored": true });
    assert_eq!(ana.gets("status").await.body, idle);
    let mut frames = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    let busy = json!({ "isProcessing": true, "activeAgents": ["o1"], "stored": true });
    assert_eq!(ana.gets(&format!("status?chatId={}", ana.chat)).await.body, busy);
    asked.answer([text("Hi")]);
    ana.answers("a1", "Hi").await;
    frames.rest().await;
    assert_eq!(ana.gets("status").await.body, idle);
}

#[tokio::test]
async fn a_round_that_breaks_says_so_and_what_was_said_stays() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut frames = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    asked.say(fails(ModelError::Cut));
    let told = frames.rest().await;
    let expected =
        ["human: hello", "response-start o1", "o1 error", "response-end", "error", "idle"];
    assert_eq!(told, expected);
    assert_eq!(ana.log().await, ["human: hello"]);
}

#[tokio::test]
async fn whoever_wants_it_whole_is_told_what_broke() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let body = json!({ "message": "hello", "stream": false });
        let broken = async {
            let (_, asked) = ana.asked().await;
            asked.say(fails(ModelError::Cut));
        };
        let (answer, ()) = tokio::join!(ana.calls("POST", "messages", body), broken);
        assert_eq!((answer.status, &answer.body["messages"]), (200, &json!([])));
        assert_eq!(answer.body["error"]["code"], "MODEL_UNAVAILABLE", "{answer:?}");
        let body = json!({ "message": "hello", "stream": false });
        let (answer, ()) =
            tokio::join!(ana.calls("POST", "messages", body), ana.answers("o1", "Hi"));
        assert_eq!(answer.body["error"], Value::Null);
    }
}

#[tokio::test]
async fn the_stream_of_a_message_tells_nothing_of_a_round_that_begins_when_it_closes() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let mut first = ana.says("one").await;
        let (_, asked) = ana.asked().await;
        let mut second = ana.says("two").await;
        asked.answer([text("first")]);
        // Who is asked again was announced before that, and nobody has read anything yet.
        let (_, next) = ana.asked().await;
        let told = first.rest().await;
        let end = ["o1> first", "o1 end", "o1: first", "response-end", "idle"];
        let all = [&["human: one", "response-start o1", "human: two", "o1 start"][..], &end];
        assert_eq!(told, all.concat());
        next.answer([text("second")]);
        let told = second.rest().await;
        let own = ["response-start o1", "o1 start", "o1> second", "o1 end", "o1: second"];
        let own = [&own[..], &["response-end", "idle"]].concat();
        assert_eq!(told[told.len() - own.len()..], own);
    }
}

/// The end of the round before is heard when that is long over, and so is what came after it.
#[tokio::test]
async fn the_stream_of_a_message_tells_its_own_round_also_if_it_is_read_late() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut watching = ana.watches(None).await;
    let _first = ana.says("one").await;
    let (_, asked) = ana.asked().await;
    let mut second = ana.says("two").await;
    asked.answer([text("first")]);
    ana.answers("o1", "second").await;
    watching.until("idle").await;
    let told = second.rest().await;
    let own = ["response-start o1", "o1: second", "response-end", "idle"];
    let heard: Vec<&String> = told
        .iter()
        .skip_while(|frame| *frame != "response-end")
        .skip(1)
        .filter(|frame| own.contains(&frame.as_str()))
        .collect();
    assert_eq!(heard, own, "{told:?}");
}

/// Others are still being answered then.
#[tokio::test]
async fn the_stream_of_a_message_that_is_taken_back_ends_what_it_said_begins() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut first = ana.says("one").await;
    let (_, asked) = ana.asked().await;
    let mut second = ana.says("two").await;
    let said = second.of_type("message").await["data"]["messageId"].clone();
    let path = format!("messages/{}/unsend", said.as_str().unwrap());
    let unsent = ana.calls("POST", &path, json!({ "chatId": ana.chat })).await;
    assert_eq!(unsent.status, 200, "{unsent:?}");
    assert_eq!(second.rest().await, ["unsent", "response-end", "idle"]);
    asked.answer([text("first")]);
    let told = first.rest().await;
    assert!(told.contains(&"o1: first".to_owned()), "{told:?}");
}

/// None of them is left out of what the agent is shown, however long they are.
#[tokio::test]
async fn all_that_waits_is_answered_together() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut first = ana.says("first").await;
    let (_, speaking) = ana.asked().await;
    let mut waiting = Vec::new();
    for word in ["alpha", "beta", "gamma"] {
        waiting.push(ana.says(&format!("{word} {}", "long ".repeat(3_000))).await);
    }
    speaking.answer([text("one")]);
    first.rest().await;
    let (_, asked) = ana.asked().await;
    let shown = heard(&asked.request);
    for word in ["alpha", "beta", "gamma"] {
        assert!(shown.contains(word), "{word}");
    }
    asked.answer([text("two")]);
    for mut frames in waiting {
        assert_eq!(frames.rest().await.last().map(String::as_str), Some("idle"));
    }
}
