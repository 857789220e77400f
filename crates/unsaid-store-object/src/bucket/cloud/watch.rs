//! What really went over the wire.
//!
//! The library wraps all failures of the network into one kind of error and calls some of them "not
//! sent" that may have been carried out. Here we stand between it and the network, and note for each
//! call how the last request for the object ended.

use std::error::Error as _;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};

/// Error codes are short words; anything else is not shown.
const CODE_CHARS_MAX: usize = 64;
const GENERATION: &str = "x-goog-generation";

tokio::task_local! {
    static SEEN: Seen;
}

/// How the last request for the object ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Answer {
    /// None was sent: there were no credentials, or what was asked makes no sense.
    #[default]
    NotAsked,
    /// It never reached the server.
    NotConnected,
    /// It was sent, and no answer came, or not all of it.
    Lost,
    /// It was answered.
    Status {
        /// The status.
        status: StatusCode,
        /// The word for what is wrong, if it is one.
        code: Option<String>,
        /// The generation that the answer is about, if it says.
        generation: Option<String>,
    },
}

#[derive(Debug, Clone, Default)]
struct Seen(Arc<Mutex<Answer>>);

impl Seen {
    /// Requests for credentials go through here too. They carry no signature or bearer token.
    fn of(request: &HttpRequest) -> Option<Self> {
        let proof = request.headers().get(AUTHORIZATION)?.as_bytes();
        let is_signed = proof.starts_with(b"Bearer ") || proof.starts_with(b"AWS4-HMAC-SHA256 ");
        if is_signed { SEEN.try_with(Clone::clone).ok() } else { None }
    }

    fn note(&self, answer: Answer) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    }

    fn read(&self) -> Answer {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Makes a call. If it fails or does not end in time, tells how its last request ended.
pub(super) async fn watched<T, E>(
    time_max: std::time::Duration,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, Answer> {
    let seen = Seen::default();
    match tokio::time::timeout(time_max, SEEN.scope(seen.clone(), call)).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) | Err(_) => Err(seen.read()),
    }
}

/// Makes clients that note what they see.
#[derive(Debug, Default)]
pub(super) struct WatchingConnector;

impl HttpConnector for WatchingConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Watched { inner }))
    }
}

#[derive(Debug)]
struct Watched {
    inner: HttpClient,
}

#[async_trait]
impl HttpService for Watched {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let Some(seen) = Seen::of(&request) else { return self.inner.execute(request).await };
        // stands if we are dropped while we wait
        seen.note(Answer::Lost);
        match self.inner.execute(request).await {
            Ok(response) => {
                let (answer, response) = read(response).await;
                seen.note(answer);
                Ok(response)
            }
            Err(error) => {
                if never_connected(&error) {
                    seen.note(Answer::NotConnected);
                }
                Err(error)
            }
        }
    }
}

/// The kind that comes with the error says "timed out" for a connection that was never made.
fn never_connected(error: &HttpError) -> bool {
    let inner = error.source().and_then(|source| source.downcast_ref::<reqwest::Error>());
    inner.is_some_and(reqwest::Error::is_connect)
}

/// The body of a failure is read for its code and goes no further: it may repeat what was sent.
async fn read(response: HttpResponse) -> (Answer, HttpResponse) {
    let status = response.status();
    let generation = text_of(response.headers(), GENERATION);
    if status.is_success() || status == StatusCode::NOT_MODIFIED {
        return (Answer::Status { status, code: None, generation }, response);
    }
    let (parts, body) = response.into_parts();
    // a body that cannot be read holds no code; the status stands
    let code = body.bytes().await.ok().and_then(|body| code_in(&body));
    let answer = Answer::Status { status, code, generation };
    (answer, HttpResponse::from_parts(parts, Bytes::new().into()))
}

fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// `<Code>SlowDown</Code>`
pub(super) fn code_in(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_word = code.len() <= CODE_CHARS_MAX
        && !code.is_empty()
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then(|| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_word() {
        let body = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>x</Message></Error>";
        assert_eq!(code_in(body).as_deref(), Some("SlowDown"));
        for body in ["", "<Code>", "<Code></Code>", "<Code>it said: hello</Code>", "{\"error\":1}"]
        {
            assert_eq!(code_in(body.as_bytes()), None, "{body}");
        }
    }
}
