//! The way to a provider: one client, its address, its key, its limits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, Url, redirect};
use serde_json::Value;
use unsaid_core::port::clock::Clock;
use unsaid_core::port::model::ModelError;

use super::pace::Pace;
use super::status::{error_of_status, retry_after, retry_delay};
use crate::connect::ConnectError;
use crate::options::{ModelOptions, Provider, Secret};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A list of models, or the body of a refusal.
const DOCUMENT_BYTES_MAX: usize = 4 << 20;
const ANTHROPIC_VERSION: HeaderName = HeaderName::from_static("anthropic-version");

/// Where below the base something is.
#[derive(Debug)]
pub(crate) struct Place {
    segments: Vec<String>,
    query: Option<&'static str>,
}

impl Place {
    /// A path, each part of which is escaped.
    pub(crate) fn path(segments: &[&str]) -> Self {
        let segments = segments.iter().map(|segment| (*segment).to_owned()).collect();
        Self { segments, query: None }
    }

    /// With a query.
    pub(crate) fn with(mut self, query: &'static str) -> Self {
        self.query = Some(query);
        self
    }
}

/// The way to a provider.
pub(crate) struct Door {
    client: Client,
    base: Url,
    headers: HeaderMap,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Door({})", self.host())
    }
}

impl Door {
    pub(crate) fn new(options: &ModelOptions, clock: Arc<dyn Clock>) -> Result<Self, ConnectError> {
        let own = options.provider.own_base();
        let base = options.base_url.as_ref().map(Secret::expose).or(own);
        let base = base_address(options.provider, base.unwrap_or_default())?;
        let headers = headers(options.provider, options.api_key.as_ref())?;
        Ok(Self { client: client(&base)?, base, headers, clock })
    }

    /// The host, without port and password.
    pub(crate) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// The host, with the port if one is named.
    pub(crate) fn host_and_port(&self) -> String {
        let port = self.base.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{port}", self.host())
    }

    /// Asks, and hands out an answer that begins with a 200.
    pub(crate) async fn post(
        &self,
        to: &Place,
        body: &Value,
        pace: &Pace,
    ) -> Result<Response, ModelError> {
        let request = self.client.post(self.address(to));
        let request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        self.send(request, pace).await
    }

    /// Reads a document.
    pub(crate) async fn get(&self, from: &Place, pace: &Pace) -> Result<Value, ModelError> {
        let response = self.send(self.client.get(self.address(from)), pace).await?;
        let bytes = whole_body(response, pace).await?;
        serde_json::from_slice(&bytes).map_err(|_not_json| ModelError::Garbled)
    }

    async fn send(&self, request: RequestBuilder, pace: &Pace) -> Result<Response, ModelError> {
        let sent = pace.wait(request.headers(self.headers.clone()).send()).await?;
        let response = sent.map_err(|error| {
            // Once connected, a missing answer is a lost one: it may have been thought about.
            if error.is_connect() { ModelError::Unreachable } else { ModelError::Cut }
        })?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let mut error = error_of_status(status.as_u16());
        if let ModelError::Limited { retry_after } = &mut error {
            *retry_after = self.wait_of(response, pace).await;
        }
        Err(error)
    }

    /// How long a provider that wants fewer requests wants to be left alone.
    async fn wait_of(&self, response: Response, pace: &Pace) -> Option<Duration> {
        let from_headers = retry_after(response.headers(), self.clock.now());
        if from_headers.is_some() {
            return from_headers;
        }
        let mut pace = pace.clone();
        pace.hurry();
        let bytes = whole_body(response, &pace).await.ok()?;
        retry_delay(&serde_json::from_slice(&bytes).ok()?)
    }

    fn address(&self, place: &Place) -> Url {
        let mut address = self.base.clone();
        // An address with a host has a path, so this is never refused.
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty().extend(&place.segments);
        }
        address.set_query(place.query);
        address
    }
}

async fn whole_body(mut response: Response, pace: &Pace) -> Result<Vec<u8>, ModelError> {
    let mut body = Vec::new();
    while let Some(bytes) = pace.wait(response.chunk()).await?.map_err(|_broken| ModelError::Cut)? {
        body.extend_from_slice(&bytes);
        if body.len() > DOCUMENT_BYTES_MAX {
            return Err(ModelError::Garbled);
        }
    }
    Ok(body)
}

/// The address below which everything is. People often give the host alone, or the whole address
/// of the call.
fn base_address(provider: Provider, text: &str) -> Result<Url, ConnectError> {
    let text = text.trim_end_matches('/');
    let text = text.strip_suffix("/chat/completions").unwrap_or(text);
    let text = text.strip_suffix("/messages").unwrap_or(text);
    let mut base = Url::parse(text).map_err(|_error| ConnectError::Address)?;
    if !["http", "https"].contains(&base.scheme()) || base.host_str().is_none_or(str::is_empty) {
        return Err(ConnectError::Address);
    }
    if base.path() == "/" {
        base.set_path(match provider {
            Provider::Gemini => "v1beta",
            Provider::OpenAi | Provider::Anthropic | Provider::Demo => "v1",
        });
    }
    base.set_query(None);
    base.set_fragment(None);
    Ok(base)
}

fn headers(provider: Provider, key: Option<&Secret>) -> Result<HeaderMap, ConnectError> {
    let mut headers = HeaderMap::new();
    if provider == Provider::Anthropic {
        headers.insert(ANTHROPIC_VERSION, HeaderValue::from_static("2023-06-01"));
    }
    let Some(key) = key.map(Secret::expose) else { return Ok(headers) };
    let (name, text) = match provider {
        Provider::OpenAi | Provider::Demo => (AUTHORIZATION, format!("Bearer {key}")),
        // In a header and not in the address, where proxies would write it down.
        Provider::Gemini => (HeaderName::from_static("x-goog-api-key"), key.to_owned()),
        Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
    };
    let mut value = HeaderValue::try_from(text).map_err(|_error| ConnectError::Key)?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

fn client(base: &Url) -> Result<Client, ConnectError> {
    let mut builder = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(redirect::Policy::none())
        .referer(false)
        // Whoever drops an answer closes its connection, and a local server stops thinking.
        .http1_only()
        .tcp_nodelay(true)
        .user_agent(concat!("unsaid/", env!("CARGO_PKG_VERSION")));
    if is_this_machine(base) {
        // The proxy of the environment is for the world outside.
        builder = builder.no_proxy();
        if base.scheme() == "http" {
            // Nor are certificates needed, which a small container may not have.
            builder = builder.tls_certs_only([]);
        }
    }
    builder.build().map_err(|_error| ConnectError::Client)
}

fn is_this_machine(address: &Url) -> bool {
    let host = address.host_str().unwrap_or_default();
    let ip = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || ip.is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_taken_as_people_write_it() {
        let base = |provider, text| base_address(provider, text).map(|url| url.to_string());
        for text in
            ["http://localhost:11434", "http://localhost:11434/", "http://localhost:11434/v1/"]
        {
            assert_eq!(base(Provider::OpenAi, text).unwrap(), "http://localhost:11434/v1");
        }
        assert_eq!(
            base(Provider::OpenAi, "https://llm.example/team/v1/chat/completions").unwrap(),
            "https://llm.example/team/v1"
        );
        assert_eq!(base(Provider::Gemini, "http://[::1]:1").unwrap(), "http://[::1]:1/v1beta");
        for text in ["", "llm.example", "ftp://llm.example", "unix:/socket"] {
            assert_eq!(base(Provider::OpenAi, text), Err(ConnectError::Address), "{text}");
        }
    }

    #[test]
    fn only_this_machine_goes_without_the_proxy() {
        let here = |text: &str| is_this_machine(&Url::parse(text).unwrap());
        assert!(
            here("http://127.0.0.1:1/v1") && here("http://[::1]/") && here("http://localhost/")
        );
        assert!(!here("https://api.openai.com/v1") && !here("http://10.0.0.1/"));
    }

    #[test]
    fn a_key_with_a_line_break_is_no_key() {
        let key = Secret::new("a\nb");
        assert_eq!(headers(Provider::OpenAi, Some(&key)).unwrap_err(), ConnectError::Key);
    }
}
