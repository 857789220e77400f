//! What Anthropic's servers do.

use unsaid_model::Provider;

use crate::script::{end_event, script};
use crate::server::{events, ok};
use crate::talk::{ask_server, show};

#[tokio::test]
async fn a_whole_answer() {
    let answered = ask_server(Provider::Anthropic, events(&script(Provider::Anthropic).body)).await;
    insta::assert_snapshot!(show(&answered), @r#"
    text "Héllo "
    text "日本👋"
    call call00001 reply {"message":"é"}
    call call00002 skip {}
    end Calls 11 7
    "#);
}

#[tokio::test]
async fn thoughts_are_not_words_and_go_back_as_they_came() {
    let datas = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"let me "}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"eA=="}}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_9","name":"reply","input":{}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}"#,
        r#"{"type":"content_block_delta","index":9,"delta":{"type":"something_new"}}"#,
        r#"{"type":"something_new"}"#,
    ];
    let body: String = datas.map(|data| format!("event: x\ndata: {data}\n\n")).concat();
    let body = body + &end_event(Provider::Anthropic, "tool_use");
    insta::assert_snapshot!(show(&ask_server(Provider::Anthropic, events(&body)).await), @r#"
    call call00001 reply {"a":1}
    end Calls ? ? echo [{"signature":"c2ln","thinking":"let me see","type":"thinking"},{"data":"eA==","type":"redacted_thinking"},{"id":"toolu_9","input":{"a":1},"name":"reply","type":"tool_use"}]
    "#);
}

#[tokio::test]
async fn a_server_that_does_not_stream() {
    let body = r#"{"type":"message","content":[{"type":"text","text":"hi"},
        {"type":"tool_use","id":"toolu_1","name":"reply","input":{"a":1}}],
        "stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}"#;
    let answered = ask_server(Provider::Anthropic, ok("application/json", body)).await;
    insta::assert_snapshot!(show(&answered), @r#"
    text "hi"
    call call00001 reply {"a":1}
    end Calls 3 2
    "#);
}
