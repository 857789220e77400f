//! What `/metrics` says about models.

use futures_util::StreamExt as _;
use metrics_exporter_prometheus::PrometheusBuilder;
use unsaid_model::Provider;
use unsaid_model::measured::describe_metrics;

use crate::script::{script, text_event};
use crate::server::{events, status};
use crate::talk::{ask_server, model, options, question};

#[tokio::test]
async fn requests_errors_latency_and_tokens_are_counted() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _guard = metrics::set_default_local_recorder(&recorder);
    describe_metrics();

    ask_server(Provider::OpenAi, events(&script(Provider::OpenAi).body)).await;
    ask_server(Provider::OpenAi, events(&script(Provider::OpenAi).body)).await;
    ask_server(Provider::OpenAi, events(&text_event(Provider::OpenAi, "hi"))).await;
    ask_server(Provider::Gemini, status("503 Away", &[], "")).await;
    // somebody took the question back
    let server = crate::server::Server::saying(events(&script(Provider::Anthropic).body));
    let model = model(&options(Provider::Anthropic, &server.base));
    let mut stream = model.ask(question()).await.unwrap();
    assert!(stream.next().await.unwrap().is_ok());
    drop(stream);

    let printed = handle.render();
    let mut counts: Vec<&str> = printed
        .lines()
        .filter(|line| line.contains("_total{") || line.contains("_seconds_count{"))
        .collect();
    counts.sort_unstable();
    insta::assert_snapshot!(counts.join("\n"), @r#"
    unsaid_model_first_event_seconds_count{provider="anthropic"} 1
    unsaid_model_first_event_seconds_count{provider="openai"} 3
    unsaid_model_request_seconds_count{provider="anthropic"} 1
    unsaid_model_request_seconds_count{provider="gemini"} 1
    unsaid_model_request_seconds_count{provider="openai"} 3
    unsaid_model_requests_total{provider="anthropic",outcome="dropped"} 1
    unsaid_model_requests_total{provider="gemini",outcome="model_failing"} 1
    unsaid_model_requests_total{provider="openai",outcome="calls"} 2
    unsaid_model_requests_total{provider="openai",outcome="model_cut"} 1
    unsaid_model_tokens_total{provider="openai",direction="in"} 22
    unsaid_model_tokens_total{provider="openai",direction="out"} 14
    "#);
}
