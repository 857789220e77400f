//! What `unsaid doctor` and `auto` find out.

use unsaid_model::{ModelOptions, Provider, ollama_answers, probe};

use crate::server::{Server, Step, ok, status};
use crate::talk::{clock, options};

async fn finds(provider: Provider, answer: String, change: fn(&mut ModelOptions)) -> String {
    let server = Server::saying(answer);
    let mut options = options(provider, &server.base);
    change(&mut options);
    let probed = probe(&options, clock()).await;
    let head = server.requests()[0].head.clone();
    let asked = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1");
    let mark = if probed.is_good() { "+" } else { "-" };
    let here = server.base.trim_start_matches("http://");
    format!("{mark} {asked}: {probed}").replace(here, "HERE")
}

#[tokio::test]
async fn a_probe_says_in_one_sentence_what_is_wrong() {
    let json = |body: &str| ok("application/json", body);
    let list = json(r#"{"object":"list","data":[{"id":"some-model:latest"},{"id":"b"}]}"#);
    let nothing = |_: &mut ModelOptions| {};
    let mut found = Vec::new();
    found.push(finds(Provider::OpenAi, list.clone(), nothing).await);
    found.push(finds(Provider::OpenAi, list.clone(), |o| o.name = Some("c".into())).await);
    found.push(finds(Provider::OpenAi, list, |o| o.name = None).await);
    found.push(finds(Provider::OpenAi, json(r#"{"data":[]}"#), |o| o.name = None).await);
    found.push(finds(Provider::OpenAi, json("{}"), nothing).await);
    found.push(finds(Provider::OpenAi, ok("text/html", "<p>hi</p>"), nothing).await);
    for provider in [Provider::OpenAi, Provider::Gemini, Provider::Anthropic] {
        found.push(finds(provider, status("401 No", &[], ""), nothing).await);
        found.push(finds(provider, status("403 No", &[], ""), |o| o.api_key = None).await);
        found.push(finds(provider, status("404 No", &[], ""), nothing).await);
        found.push(finds(provider, status("503 No", &[], ""), nothing).await);
    }
    found.push(finds(Provider::Gemini, status("400 No", &[], ""), nothing).await);
    found.push(finds(Provider::Gemini, json("{}"), nothing).await);
    found.push(finds(Provider::Anthropic, json("{}"), nothing).await);
    insta::assert_snapshot!(found.join("\n"));
}

#[tokio::test]
async fn nobody_there_and_nobody_needed() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let away = probe(&options(Provider::OpenAi, &format!("http://{free}")), clock()).await;
    let wrong = probe(&options(Provider::OpenAi, "nowhere"), clock()).await;
    let demo = probe(&ModelOptions::of(Provider::Demo), clock()).await;
    insta::assert_snapshot!(format!("{away}\n{wrong}\n{demo}").replace(&free.to_string(), "HERE"), @"
    openai at HERE cannot be reached: is it running, and is `model.base_url` right?
    the model's address is not an http or https address
    demo answers without a language model
    ");
    assert!(!ollama_answers(&format!("http://{free}")).await);
}

#[tokio::test]
async fn an_ollama_is_found_if_it_has_a_model_and_is_quick() {
    let list = |body: &str| Server::saying(ok("application/json", body));
    assert!(ollama_answers(&list(r#"{"data":[{"id":"llama3.2"}]}"#).base).await);
    assert!(!ollama_answers(&list(r#"{"data":[]}"#).base).await);
    assert!(!ollama_answers(&list("<html>").base).await);
    assert!(!ollama_answers(&Server::new(|_| vec![Step::Hold]).base).await);
}
