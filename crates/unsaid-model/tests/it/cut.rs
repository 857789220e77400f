//! An answer that breaks off is never a whole one, wherever it breaks off; and where the network
//! cuts it into pieces changes nothing.

use unsaid_core::port::model::ModelError;
use unsaid_model::Provider;

use crate::script::script;
use crate::server::{Server, Step, byte_by_byte, events};
use crate::talk::{PROVIDERS, ask, ask_server, error, is_whole, model, options, question, show};

/// The connection ends after every byte in turn; the answer is whole from `end` on, if at all.
async fn cut_everywhere(provider: Provider, bytes: Vec<u8>, end: usize) {
    let whole = show(&ask_server(provider, bytes.clone()).await);
    let count = bytes.len();
    let server = Server::new(move |nth| vec![Step::Send(bytes[..nth].to_vec())]);
    let model = model(&options(provider, &server.base));
    let mut first_whole = None;
    for sent in 0..count {
        let answered = ask(&*model, question()).await;
        if is_whole(&answered) {
            assert!(sent >= end, "{provider:?}: whole after {sent} of {count} bytes");
            first_whole.get_or_insert(sent);
            // only the count of tokens may still be missing
            assert_eq!(show(&answered).lines().count(), whole.lines().count(), "{sent}");
        } else {
            assert_eq!(error(&answered), ModelError::Cut, "{provider:?}: {sent} bytes");
            assert_eq!(first_whole, None, "{provider:?}: not whole any more after {sent} bytes");
        }
    }
    assert!(first_whole.is_some_and(|first| first < end + 200), "{provider:?}: {first_whole:?}");
}

/// Where the connection's end is the only end of the body.
async fn cut_plain(provider: Provider) {
    let script = script(provider);
    let bytes = events(&script.body);
    let end = bytes.find(script.end).unwrap() + script.end.len();
    cut_everywhere(provider, bytes.into_bytes(), end).await;
}

#[tokio::test]
async fn openai_cut_after_any_byte() {
    cut_plain(Provider::OpenAi).await;
}

#[tokio::test]
async fn gemini_cut_after_any_byte() {
    cut_plain(Provider::Gemini).await;
}

#[tokio::test]
async fn anthropic_cut_after_any_byte() {
    cut_plain(Provider::Anthropic).await;
}

#[tokio::test]
async fn a_document_cut_after_any_byte() {
    let body = r#"{"choices":[{"message":{"content":"日本"},"finish_reason":"stop"}]}"#;
    let bytes = crate::server::ok("application/json", body);
    let end = bytes.len();
    let server = Server::new({
        let bytes = bytes.clone().into_bytes();
        move |nth| vec![Step::Send(bytes[..nth].to_vec())]
    });
    let model = model(&options(Provider::OpenAi, &server.base));
    for sent in 0..end {
        assert_eq!(error(&ask(&*model, question()).await), ModelError::Cut, "{sent} bytes");
    }
    assert!(is_whole(&ask_server(Provider::OpenAi, bytes).await));
}

#[tokio::test]
async fn pieces_of_one_byte_give_the_same_events() {
    for provider in PROVIDERS {
        let body = script(provider).body;
        let at_once = ask_server(provider, events(&body)).await;
        let in_pieces = ask_server(provider, byte_by_byte(&body)).await;
        assert_eq!(at_once, in_pieces, "{provider:?}");
        assert!(is_whole(&at_once));
    }
}

#[tokio::test]
async fn a_broken_transfer_is_a_cut_too() {
    for provider in PROVIDERS {
        let script = script(provider);
        let body = &script.body[..script.body.find(script.end).unwrap()];
        let mut bytes = byte_by_byte(body);
        // without the last piece, which says that the body is whole
        bytes.truncate(bytes.len() - b"0\r\n\r\n".len());
        assert_eq!(error(&ask_server(provider, bytes).await), ModelError::Cut, "{provider:?}");
    }
}

#[tokio::test]
async fn a_byte_order_mark_and_blanks_before_the_first_event_do_no_harm() {
    for provider in PROVIDERS {
        let body = script(provider).body;
        let plain = ask_server(provider, events(&body)).await;
        let marked = ask_server(provider, byte_by_byte(&format!("\u{feff}\n\n{body}"))).await;
        assert_eq!(plain, marked, "{provider:?}");
    }
}
