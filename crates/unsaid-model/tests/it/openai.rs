//! What servers do that speak like `OpenAI`, more or less.

use unsaid_model::Provider;

use crate::script::{end_event, script, text_event};
use crate::server::{Server, Step, events, ok, status};
use crate::talk::{ask, ask_server, model, options, question, show};

/// Chunks with these deltas, and an end.
async fn deltas(deltas: &[&str], reason: &str) -> String {
    let chunk =
        |delta: &&str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    let body: String = deltas.iter().map(chunk).collect();
    show(
        &ask_server(Provider::OpenAi, events(&(body + &end_event(Provider::OpenAi, reason)))).await,
    )
}

const TWO: &str = "call call00001 reply {\"a\":1}\ncall call00002 skip {}\nend Calls ? ?";

#[tokio::test]
async fn a_whole_answer() {
    let answered = ask_server(Provider::OpenAi, events(&script(Provider::OpenAi).body)).await;
    insta::assert_snapshot!(show(&answered), @r#"
    text "Héllo "
    text "日本👋"
    call call00001 reply {"message":"é"}
    call call00002 skip {}
    end Calls 11 7
    "#);
}

#[tokio::test]
async fn ids_and_names_in_every_chunk() {
    let shown = deltas(
        &[
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"reply","arguments":"{\"a"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"reply","arguments":"\":1}"}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"x","function":{"name":"skip","arguments":"{"}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"x","function":{"name":"skip","arguments":"}"}}]}"#,
        ],
        "tool_calls",
    );
    assert_eq!(shown.await, TWO);
}

#[tokio::test]
async fn every_call_at_index_zero() {
    let shown = deltas(
        &[
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"reply","arguments":"{\"a\":1}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"y","function":{"name":"skip","arguments":"{}"}}]}"#,
        ],
        "stop",
    );
    assert_eq!(shown.await, TWO);
}

#[tokio::test]
async fn two_calls_in_one_chunk_without_index_and_arguments_as_objects() {
    let delta = concat!(
        r#"{"tool_calls":[{"id":"x","function":{"name":"reply","arguments":{"a":1}}},"#,
        r#"{"id":"y","function":{"name":"skip"}}]}"#
    );
    assert_eq!(deltas(&[delta], "tool_calls").await, TWO);
}

#[tokio::test]
async fn a_new_id_in_every_chunk_and_the_name_in_pieces() {
    let shown = deltas(
        &[
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"rep"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"y","function":{"name":"ly","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"z","function":{"arguments":"{\"a\":"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":"1}"}}]}"#,
            r#"{"tool_calls":[{"index":4000000000,"id":"w","function":{"name":"skip"}}]}"#,
        ],
        "tool_calls",
    );
    assert_eq!(shown.await, TWO);
}

#[tokio::test]
async fn pieces_without_index_and_id_go_on_with_the_last_call() {
    let shown = deltas(
        &[
            r#"{"tool_calls":[{"function":{"name":"reply","arguments":"{\"a\""}}]}"#,
            r#"{"tool_calls":[{"function":{"arguments":":1}"}}]}"#,
            r#"{"tool_calls":[{"function":{"name":"skip","arguments":"{}"}}]}"#,
        ],
        "tool_calls",
    );
    assert_eq!(shown.await, TWO);
}

#[tokio::test]
async fn arguments_that_are_no_json_are_given_as_they_are() {
    let shown = deltas(
        &[
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"reply","arguments":"hi there"}}]}"#,
        ],
        "tool_calls",
    );
    assert_eq!(shown.await, "call call00001 reply hi there\nend Calls ? ?");
}

#[tokio::test]
async fn a_call_written_as_text_is_text() {
    let shown = deltas(&[r#"{"content":"{\"name\":\"reply\",\"arguments\":{}}"}"#], "stop").await;
    assert_eq!(shown, "text \"{\\\"name\\\":\\\"reply\\\",\\\"arguments\\\":{}}\"\nend Done ? ?");
}

#[tokio::test]
async fn thoughts_are_not_words_and_go_back_with_calls() {
    let shown = deltas(
        &[
            r#"{"reasoning_content":"let me "}"#,
            r#"{"reasoning_content":"see"}"#,
            r#"{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"hi"}]}"#,
            r#"{"tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"name":"skip"}}]}"#,
        ],
        "tool_calls",
    );
    insta::assert_snapshot!(shown.await, @r#"
    text "hi"
    call call00001 skip {}
    end Calls ? ? echo {"extras":[{"extra_content":{"google":{"thought_signature":"c2ln"}}}],"reasoning":"let me see"}
    "#);
}

#[tokio::test]
async fn a_refusal_in_its_own_field_is_a_refusal() {
    let shown = deltas(&[r#"{"refusal":"I can't "}"#, r#"{"refusal":"do that."}"#], "stop").await;
    assert_eq!(shown, "end Refused ? ?");
}

#[tokio::test]
async fn the_finish_reason_is_enough_and_so_is_the_end_marker() {
    let text = text_event(Provider::OpenAi, "hi");
    let finish = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    for end in [finish, "data: [DONE]\n\n"] {
        let answered = ask_server(Provider::OpenAi, events(&format!("{text}{end}"))).await;
        assert_eq!(show(&answered), "text \"hi\"\nend Done ? ?");
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream() {
    let body = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":[
        {"id":"x","type":"function","function":{"name":"reply","arguments":"{\"a\":1}"}},
        {"id":"x","type":"function","function":{"name":"skip","arguments":"{}"}}]},
        "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
    let answered = ask_server(Provider::OpenAi, ok("application/json", body)).await;
    insta::assert_snapshot!(show(&answered), @r#"
    text "hi"
    call call00001 reply {"a":1}
    call call00002 skip {}
    end Calls 3 2
    "#);
}

#[tokio::test]
async fn without_a_name_the_first_model_that_can_talk_is_asked_for() {
    let list = ok("application/json", r#"{"data":[{"id":"nomic-embed-text"},{"id":"llama3.2"}]}"#);
    let answer = text_event(Provider::OpenAi, "hi") + &end_event(Provider::OpenAi, "stop");
    let answer = events(&answer);
    let server = Server::new(move |nth| {
        vec![Step::Send(if nth == 0 { list.clone() } else { answer.clone() }.into_bytes())]
    });
    let mut options = options(Provider::OpenAi, &server.base);
    options.name = None;
    let model = model(&options);
    for _ in 0..2 {
        assert_eq!(show(&ask(&*model, question()).await), "text \"hi\"\nend Done ? ?");
    }
    let asked = server.requests();
    let heads: Vec<&str> = asked.iter().map(|r| r.head.lines().next().unwrap()).collect();
    let call = "POST /v1/chat/completions HTTP/1.1";
    assert_eq!(heads, ["GET /v1/models HTTP/1.1", call, call]);
    assert!(asked[2].body.contains(r#""model":"llama3.2""#));
}

#[tokio::test]
async fn a_model_that_cannot_see_is_asked_again_without_the_picture() {
    let refusal = status("400 Bad Request", &[], "not a multimodal model");
    let answer = text_event(Provider::OpenAi, "hi") + &end_event(Provider::OpenAi, "stop");
    let answer = events(&answer);
    let server = Server::new(move |nth| {
        vec![Step::Send(if nth == 0 { refusal.clone() } else { answer.clone() }.into_bytes())]
    });
    let model = model(&options(Provider::OpenAi, &server.base));
    assert!(model.takes_images());
    let answered = ask(&*model, crate::requests::with_picture()).await;
    assert_eq!(show(&answered), "text \"hi\"\nend Done ? ?");
    let asked = server.requests();
    assert!(asked[0].body.contains("image_url") && !asked[1].body.contains("image_url"));
    assert!(asked[1].body.contains("[User sent an image]"));
    assert!(!model.takes_images());
}
