//! What Google's servers do.

use unsaid_model::Provider;

use crate::script::script;
use crate::server::{events, ok};
use crate::talk::{ask_server, show};

#[tokio::test]
async fn a_whole_answer() {
    let answered = ask_server(Provider::Gemini, events(&script(Provider::Gemini).body)).await;
    insta::assert_snapshot!(show(&answered), @r#"
    text "Héllo "
    text "日本👋"
    call call00001 reply {"message":"é"}
    call call00002 skip {}
    end Calls 11 7 echo [{"text":"Héllo "},{"text":"日本👋"},{"functionCall":{"args":{"message":"é"},"name":"reply"},"thoughtSignature":"c2ln"},{"functionCall":{"args":{},"name":"skip"}}]
    "#);
}

async fn chunks(chunks: &[&str]) -> String {
    let chunks: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect();
    show(&ask_server(Provider::Gemini, events(&chunks.concat())).await)
}

#[tokio::test]
async fn thoughts_are_not_words_and_signatures_stay_where_they_were() {
    let shown = chunks(&[
        r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"reply","id":"f1"}}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]}"#,
    ]);
    insta::assert_snapshot!(shown.await, @r#"
    call call00001 reply {}
    end Calls ? ? echo [{"text":"hm","thought":true},{"functionCall":{"id":"f1","name":"reply"}},{"text":"","thoughtSignature":"c2ln"}]
    "#);
}

#[tokio::test]
async fn a_blocked_question_is_a_refusal() {
    let shown = chunks(&[
        r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":4}}"#,
    ]);
    assert_eq!(shown.await, "end Refused 4 ?");
}

#[tokio::test]
async fn a_call_that_google_could_not_read_is_garbled() {
    let shown = chunks(&[
        r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"canary"}]}"#,
    ]);
    assert_eq!(shown.await, "error Garbled");
}

#[tokio::test]
async fn a_list_instead_of_a_stream_and_a_single_document() {
    let chunk = r#"{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}"#;
    for body in [chunk.to_owned(), format!("[{chunk}]"), format!("[{chunk}\n,\n{chunk}]")] {
        let answered = ask_server(Provider::Gemini, ok("application/json", &body)).await;
        let shown = show(&answered).replace("text \"hi\"\ntext", "text");
        assert_eq!(shown, "text \"hi\"\nend Done ? ?");
    }
}
