//! Servers that take their time. The limits here are short and the waiting is real: sockets do not
//! know the clock of a test.

use std::time::Duration;

use futures_util::StreamExt as _;
use unsaid_core::port::model::ModelError;
use unsaid_model::{ModelOptions, Provider};

use crate::script::{script, text_event};
use crate::server::{Server, Step, events};
use crate::talk::{PROVIDERS, ask, error, is_whole, model, options, question, show};

const SHORT: Duration = Duration::from_millis(30);

#[tokio::test]
async fn whoever_drops_an_answer_hangs_up() {
    let (told, hears) = std::sync::mpsc::channel();
    let server = Server::new(move |nth| {
        // The second connection is only served after the first was given up.
        if nth == 1 {
            told.send(()).unwrap();
        }
        let hi = events(&text_event(Provider::OpenAi, "hi"));
        vec![Step::Send(hi.into_bytes()), Step::Hold]
    });
    let model = model(&options(Provider::OpenAi, &server.base));
    let mut stream = model.ask(question()).await.unwrap();
    assert!(stream.next().await.unwrap().is_ok());
    drop(stream);
    let mut stream = model.ask(question()).await.unwrap();
    assert!(stream.next().await.unwrap().is_ok());
    assert!(hears.try_recv().is_ok());
}

fn silent_after(bytes: String) -> Server {
    Server::new(move |_| vec![Step::Send(bytes.clone().into_bytes()), Step::Hold])
}

fn impatient(provider: Provider, base: &str) -> ModelOptions {
    ModelOptions { idle_timeout: SHORT, ..options(provider, base) }
}

#[tokio::test]
async fn silence_is_too_long_before_and_within_an_answer() {
    for provider in PROVIDERS {
        for said in [String::new(), events(""), events(&text_event(provider, "hi"))] {
            let server = silent_after(said);
            let model = model(&impatient(provider, &server.base));
            assert_eq!(error(&ask(&*model, question()).await), ModelError::TimedOut);
        }
    }
}

#[tokio::test]
async fn a_call_that_is_alive_all_the_time_ends_all_the_same() {
    for provider in PROVIDERS {
        // It never pauses for long, and never comes to an end.
        let server = Server::new(move |_| {
            let pieces = std::iter::repeat_n(text_event(provider, "hi").into_bytes(), 3);
            let pieces = pieces.map(Step::Send).chain([Step::Hold]);
            [Step::Send(events("").into_bytes())].into_iter().chain(pieces).collect()
        });
        let options = ModelOptions { call_timeout: SHORT, ..options(provider, &server.base) };
        let answered = ask(&*model(&options), question()).await;
        assert_eq!(error(&answered), ModelError::TimedOut);
        assert_eq!(answered.len(), 4, "{}", show(&answered));
    }
}

#[tokio::test]
async fn after_the_finish_reason_nobody_waits_for_long() {
    // Without its end marker, and the connection stays open.
    let script = script(Provider::OpenAi);
    let body = script.body.split("data: {\"id\":\"c1\",\"choices\":[],").next().unwrap().to_owned();
    let server = silent_after(events(&body));
    let answered = ask(&*model(&impatient(Provider::OpenAi, &server.base)), question()).await;
    assert!(is_whole(&answered), "{}", show(&answered));
}
