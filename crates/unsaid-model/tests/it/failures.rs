//! Everything that is not an answer has a name, the same for every provider.

use std::time::Duration;

use unsaid_core::port::model::{EndReason, ModelError, ModelEvent};
use unsaid_model::Provider;

use crate::script::{end_event, text_event};
use crate::server::{Server, events, ok, status};
use crate::talk::{Answered, PROVIDERS, ask, ask_server, error, model, options, question, show};

#[tokio::test]
async fn statuses_have_names() {
    for provider in PROVIDERS {
        for (line, expected) in [
            ("400 Bad Request", ModelError::Rejected { status: 400 }),
            ("401 Unauthorized", ModelError::Rejected { status: 401 }),
            ("404 Not Found", ModelError::Rejected { status: 404 }),
            ("500 Internal Server Error", ModelError::Failing { status: 500 }),
            ("503 Service Unavailable", ModelError::Failing { status: 503 }),
            ("529 Overloaded", ModelError::Failing { status: 529 }),
            ("429 Too Many Requests", ModelError::Limited { retry_after: None }),
        ] {
            let answered = ask_server(provider, status(line, &[], "<html>canary</html>")).await;
            assert_eq!(error(&answered), expected, "{provider:?} {line}");
        }
    }
}

#[tokio::test]
async fn retry_after_is_read_from_header_and_body() {
    let after = |seconds| ModelError::Limited { retry_after: Some(Duration::from_secs(seconds)) };
    let limited = |headers: &[(&str, &str)], body: &str| status("429 Slow Down", headers, body);
    let delay = r#"{"error":{"code":429,"details":[{"@type":"x"},{"retryDelay":"34s"}]}}"#;
    for (answer, seconds) in [
        (limited(&[("Retry-After", "7")], ""), 7),
        (limited(&[("retry-after", "Sat, 17 Jan 2026 10:30:20 GMT")], ""), 20),
        (limited(&[], delay), 34),
        (limited(&[], &format!("[{delay}]")), 34),
    ] {
        assert_eq!(error(&ask_server(Provider::Gemini, answer).await), after(seconds));
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::saying(events(""));
    for provider in PROVIDERS {
        let moved = status("307 Temporary Redirect", &[("location", &elsewhere.base)], "");
        let answered = ask_server(provider, moved).await;
        assert_eq!(error(&answered), ModelError::Rejected { status: 307 });
    }
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for provider in PROVIDERS {
        let model = model(&options(provider, &format!("http://{free}")));
        assert_eq!(error(&ask(&*model, question()).await), ModelError::Unreachable);
    }
}

#[tokio::test]
async fn nonsense_with_a_200_is_garbled() {
    for provider in PROVIDERS {
        for answer in [
            ok("text/html; charset=utf-8", "<!doctype html><p>canary</p>"),
            ok("application/json", "<html>canary</html>"),
            ok("text/event-stream", "\n <html>canary</html>\n"),
            ok("text/plain", "upstream connect error or disconnect\n"),
            ok("text/event-stream", "data: canary\n\n"),
            ok("text/event-stream", "data: {\"hello\":\"canary\"}\n\n"),
            ok("application/json", "{\"hello\":\"canary\"}"),
            ok("application/json", "{\"hello\":]"),
            ok("application/json", "[1, 2]"),
            ok("application/json", "[]"),
        ] {
            let answered = ask_server(provider, answer.clone()).await;
            assert_eq!(error(&answered), ModelError::Garbled, "{provider:?} {answer}");
        }
        let mut bytes = events("data: \"").into_bytes();
        bytes.extend_from_slice(b"\xff\"\n\n");
        assert_eq!(error(&ask_server(provider, bytes).await), ModelError::Garbled);
    }
}

#[tokio::test]
async fn what_never_ends_is_garbled() {
    let comment = format!(": {}\n", "x".repeat(1 << 20));
    let answered = ask_server(Provider::OpenAi, events(&comment.repeat(17))).await;
    assert_eq!(error(&answered), ModelError::Garbled);
}

#[tokio::test]
async fn neither_words_nor_calls_is_empty() {
    for (provider, reason) in
        [(Provider::OpenAi, "stop"), (Provider::Gemini, "STOP"), (Provider::Anthropic, "end_turn")]
    {
        let nothing = events(&end_event(provider, reason));
        assert_eq!(show(&ask_server(provider, nothing).await), "error Empty");
        let blank = events(&(text_event(provider, " \\n") + &end_event(provider, reason)));
        assert_eq!(error(&ask_server(provider, blank).await), ModelError::Empty);
    }
}

fn reason(answered: &Answered) -> EndReason {
    match answered.last() {
        Some(Ok(ModelEvent::End { reason, .. })) => *reason,
        other => panic!("no end: {other:?}"),
    }
}

#[tokio::test]
async fn reasons_to_end_are_told_apart() {
    use EndReason::{Done, Length, Refused};
    for (provider, name, expected) in [
        (Provider::OpenAi, "stop", Done),
        (Provider::OpenAi, "STOP", Done),
        (Provider::OpenAi, "length", Length),
        (Provider::OpenAi, "content_filter", Refused),
        (Provider::OpenAi, "something_new", Refused),
        (Provider::Gemini, "STOP", Done),
        (Provider::Gemini, "MAX_TOKENS", Length),
        (Provider::Gemini, "SAFETY", Refused),
        (Provider::Gemini, "RECITATION", Refused),
        (Provider::Anthropic, "end_turn", Done),
        (Provider::Anthropic, "stop_sequence", Done),
        (Provider::Anthropic, "max_tokens", Length),
        (Provider::Anthropic, "refusal", Refused),
    ] {
        let body = text_event(provider, "hi") + &end_event(provider, name);
        let answered = ask_server(provider, events(&body)).await;
        assert_eq!(reason(&answered), expected, "{provider:?} {name}");
        // without a word, too: why there is none is worth more than that there is none
        if expected != Done {
            let answered = ask_server(provider, events(&end_event(provider, name))).await;
            assert_eq!(reason(&answered), expected, "{provider:?} {name}");
        }
    }
}

#[tokio::test]
async fn an_error_inside_of_a_stream_ends_it() {
    for (provider, data, expected) in [
        (
            Provider::OpenAi,
            r#"{"error":{"message":"canary","type":"server_error","code":null}}"#,
            ModelError::Failing { status: 500 },
        ),
        (
            Provider::OpenAi,
            r#"{"error":{"message":"canary","code":502},"choices":[{"finish_reason":"error"}]}"#,
            ModelError::Failing { status: 502 },
        ),
        (
            Provider::OpenAi,
            r#"{"error":{"code":"rate_limit_exceeded"}}"#,
            ModelError::Limited { retry_after: None },
        ),
        (
            Provider::Gemini,
            r#"{"error":{"code":503,"message":"canary","status":"UNAVAILABLE"}}"#,
            ModelError::Failing { status: 503 },
        ),
        (
            Provider::Anthropic,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"canary"}}"#,
            ModelError::Failing { status: 529 },
        ),
    ] {
        let body = format!("{}data: {data}\n\n", text_event(provider, "hi"));
        let late = end_event(provider, "stop") + &text_event(provider, "late");
        let answered = ask_server(provider, events(&(body + &late))).await;
        assert_eq!(show(&answered), format!("text \"hi\"\nerror {expected:?}"), "{data}");
        // as a document, from a server that does not stream
        let answered = ask_server(provider, ok("application/json", data)).await;
        assert_eq!(error(&answered), expected, "{data}");
    }
}

#[tokio::test]
async fn calls_that_were_cut_by_the_length_are_left_out() {
    let call = |id: u8, arguments: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":{id},\"id\":\"c{id}\",\
             \"function\":{{\"name\":\"reply\",\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n"
        )
    };
    let body =
        call(0, "{}") + &call(1, "{\\\"message\\\":") + &end_event(Provider::OpenAi, "length");
    let answered = ask_server(Provider::OpenAi, events(&body)).await;
    assert_eq!(show(&answered), "call call00001 reply {}\nend Length ? ?");
}

#[tokio::test]
async fn no_error_prints_words_or_keys() {
    for provider in PROVIDERS {
        let answered = ask_server(provider, status("400 Bad", &[], "canary")).await;
        let error = error(&answered);
        assert!(!format!("{error} {error:?}").contains("canary"));
    }
}
