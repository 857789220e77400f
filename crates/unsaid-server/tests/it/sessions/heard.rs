//! Answers as they are streamed.

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, Response};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use unsaid_testkit::model::{Asked, text};

use crate::accounts::house::House;

/// A stream that is being read.
pub(crate) struct Stream {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: BodyDataStream,
    buffer: String,
}

impl Stream {
    pub(crate) fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let (status, body) = (parts.status.as_u16(), body.into_data_stream());
        Self { status, headers: parts.headers, body, buffer: String::new() }
    }

    /// The next frame; `[DONE]` is a text, and the end is null.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            if let Some(end) = self.buffer.find("\n\n") {
                let frame: String = self.buffer.drain(..end + 2).collect();
                match frame.trim_end().strip_prefix("data: ") {
                    Some("[DONE]") => return json!("[DONE]"),
                    Some(data) => return serde_json::from_str(data).unwrap(),
                    // A comment.
                    None => continue,
                }
            }
            match self.body.next().await {
                Some(bytes) => self.buffer.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap()),
                None => return Value::Null,
            }
        }
    }

    /// Everything until the end.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            if frame.is_null() {
                return frames;
            }
            frames.push(frame);
        }
    }

    /// The words of everything until the end, and what is said about storing them.
    pub(crate) async fn words(&mut self) -> (String, Value) {
        let frames = self.rest().await;
        let words = frames.iter().filter_map(|frame| frame["delta"].as_str()).collect();
        let stored = frames.iter().find(|frame| frame["type"] == "data-stored");
        (words, stored.map_or(Value::Null, |frame| frame["data"].clone()))
    }
}

/// Somebody in a session of theirs.
pub(crate) struct Guest<'a> {
    pub(crate) house: &'a House,
    pub(crate) token: String,
    pub(crate) session: String,
}

impl<'a> Guest<'a> {
    /// Signs up, signs in and opens a session.
    pub(crate) async fn new(house: &'a House, name: &str, consent: bool) -> Self {
        let token = house.somebody(name, consent).await;
        Self::with(house, token).await
    }

    /// Opens a session.
    pub(crate) async fn with(house: &'a House, token: String) -> Self {
        let opened = house.call("POST", "/api/sessions").bearer(&token).json(json!({})).await;
        assert_eq!(opened.status, 201, "{opened:?}");
        let session = opened.body["session"]["id"].as_str().unwrap().to_owned();
        Self { house, token, session }
    }

    /// Says something, and gives the stream of the answer.
    pub(crate) async fn asks(&self, words: &str) -> Stream {
        let body = json!({ "session_id": self.session, "message": words });
        self.posts("/api/chat", body).await
    }

    pub(crate) async fn posts(&self, path: &str, body: Value) -> Stream {
        let call = self.house.call("POST", path).bearer(&self.token);
        Stream::of(call.stream(body).await)
    }

    /// What the model was asked next.
    pub(crate) async fn asked(&self) -> Asked {
        self.house.asks.lock().await.next().await
    }

    /// A whole exchange; gives what is said about storing it.
    pub(crate) async fn exchange(&self, question: &str, answer: &str) -> Value {
        let mut stream = self.asks(question).await;
        assert_eq!(stream.status, 200);
        self.asked().await.answer([text(answer)]);
        let (words, stored) = stream.words().await;
        assert_eq!(words, answer);
        stored
    }

    pub(crate) async fn messages(&self) -> Vec<(String, String)> {
        let path = format!("/api/sessions/{}/messages", self.session);
        let answer = self.house.get(&path, &self.token).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let messages = answer.body["messages"].as_array().unwrap().iter();
        let text = |message: &Value, field: &str| message[field].as_str().unwrap().to_owned();
        messages.map(|message| (text(message, "role"), text(message, "content"))).collect()
    }

    /// Moves the switch.
    pub(crate) async fn switches(&self, on: bool) {
        let call = self.house.call("PATCH", "/api/users/me/preferences").bearer(&self.token);
        let answer = call.json(json!({ "store_history": on })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// Pairs of role and words, as [`Guest::messages`] gives them.
pub(crate) fn said(messages: &[(&str, &str)]) -> Vec<(String, String)> {
    messages.iter().map(|(role, words)| ((*role).to_owned(), (*words).to_owned())).collect()
}
