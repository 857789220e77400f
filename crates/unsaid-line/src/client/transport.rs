//! One call over the wire.

use std::{fmt, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::{
    Client, RequestBuilder, Response, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect,
};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use unsaid_core::{domain::time::Timestamp, port::clock::Clock};

use super::{
    error::{ClientError, LineError},
    options::ClientOptions,
};

/// How long the body of a refusal is waited for.
const REFUSAL_MAX: Duration = Duration::from_secs(2);
/// How long the body of a yes is: with it read, its connection can be used again.
const REST_MAX: Duration = Duration::from_millis(500);
/// How much of either is read.
const ASIDE_BYTES_MAX: usize = 16 << 10;
/// A connection that rested longer may have been closed by the other side, and what is sent through
/// it would be lost.
const IDLE_MAX: Duration = Duration::from_secs(20);
/// Whoever says more than this has not meant it for a running turn.
const RETRY_AFTER_SECONDS_MAX: u64 = 86_400;

/// Which of LINE's two hosts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Host {
    Api,
    Data,
}

/// What is posted.
pub(super) struct Body {
    json: String,
    header: Option<(&'static str, String)>,
}

impl Body {
    pub(super) fn new(json: &Value) -> Self {
        Self { json: json.to_string(), header: None }
    }

    /// With a header.
    pub(super) fn with(self, name: &'static str, value: String) -> Self {
        Self { header: Some((name, value)), ..self }
    }
}

/// See the module.
pub(super) struct Transport {
    api: Door,
    data: Door,
    authorization: HeaderValue,
    clock: Arc<dyn Clock>,
}

/// A host, and the client that goes there.
struct Door {
    client: Client,
    base: Url,
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transport({})", self.api.base.host_str().unwrap_or_default())
    }
}

impl Transport {
    pub(super) fn new(options: &ClientOptions, clock: Arc<dyn Clock>) -> Result<Self, ClientError> {
        let token = format!("Bearer {}", options.token.expose());
        let mut authorization =
            HeaderValue::try_from(token).map_err(|_error| ClientError::Token)?;
        authorization.set_sensitive(true);
        let (api, data) = (base(&options.api_base)?, base(&options.data_api_base)?);
        let connect = options.times.connect;
        let client = client(&api, connect)?;
        let data_client = if Surroundings::of(&api) == Surroundings::of(&data) {
            client.clone()
        } else {
            self::client(&data, connect)?
        };
        Ok(Self {
            api: Door { client, base: api },
            data: Door { client: data_client, base: data },
            authorization,
            clock,
        })
    }

    /// Posts something of which only the status matters.
    pub(super) async fn hand_over(
        &self,
        path: &[&str],
        body: Body,
        within: Duration,
    ) -> Result<(), LineError> {
        let ends = Instant::now() + within;
        let response = self.send(self.posting(path, body)?, ends).await?;
        // LINE has said yes. Nothing that happens from here on makes it a no.
        read(response, Instant::now() + REST_MAX, ASIDE_BYTES_MAX).await.ok();
        Ok(())
    }

    /// Posts something, and reads the answer.
    pub(super) async fn post(
        &self,
        path: &[&str],
        body: Body,
        within: Duration,
        bytes_max: usize,
    ) -> Result<Bytes, LineError> {
        let ends = Instant::now() + within;
        let response = self.send(self.posting(path, body)?, ends).await?;
        read(response, ends, bytes_max).await
    }

    /// Asks for something, and reads the answer.
    pub(super) async fn get(
        &self,
        host: Host,
        path: &[&str],
        within: Duration,
        bytes_max: usize,
    ) -> Result<Bytes, LineError> {
        let ends = Instant::now() + within;
        let door = self.door(host);
        let response = self.send(door.client.get(door.address(path)?), ends).await?;
        // It comes with a few words about what is still to be done, and they are not the answer.
        if response.status().as_u16() == 202 {
            return Err(LineError::NotReady);
        }
        read(response, ends, bytes_max).await
    }

    fn posting(&self, path: &[&str], body: Body) -> Result<RequestBuilder, LineError> {
        let door = self.door(Host::Api);
        let request = door.client.post(door.address(path)?);
        let request = request.header(CONTENT_TYPE, "application/json").body(body.json);
        Ok(match body.header {
            Some((name, value)) => request.header(name, value),
            None => request,
        })
    }

    async fn send(&self, request: RequestBuilder, ends: Instant) -> Result<Response, LineError> {
        let request = request.header(AUTHORIZATION, self.authorization.clone());
        let sent = timeout_at(ends, request.send()).await.map_err(|_late| LineError::TimedOut)?;
        let response = sent.map_err(|error| {
            // Once connected, a missing answer is a lost one.
            if error.is_connect() { LineError::Unreachable } else { LineError::Cut }
        })?;
        match response.status().as_u16() {
            200..=299 => Ok(response),
            400..=499 => Err(self.refusal(response, ends).await),
            // A redirect is not followed, and does not say that nothing was done.
            status => Err(LineError::Failing { status }),
        }
    }

    /// What a 4xx says: whether it is about the reply token, and when to come again.
    async fn refusal(&self, response: Response, ends: Instant) -> LineError {
        #[derive(Deserialize)]
        struct Said {
            message: String,
        }
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers(), self.clock.now());
        let ends = ends.min(Instant::now() + REFUSAL_MAX);
        let body = read(response, ends, ASIDE_BYTES_MAX).await.unwrap_or_default();
        let said: Option<Said> = serde_json::from_slice(&body).ok();
        let token =
            said.is_some_and(|said| said.message.eq_ignore_ascii_case("invalid reply token"));
        LineError::Refused { status, token, retry_after }
    }

    fn door(&self, host: Host) -> &Door {
        match host {
            Host::Api => &self.api,
            Host::Data => &self.data,
        }
    }
}

impl Door {
    /// An address below `/v2/bot`, each part of which is escaped.
    fn address(&self, path: &[&str]) -> Result<Url, LineError> {
        // What would climb to another call names nothing that LINE has.
        if path.iter().any(|part| part.is_empty() || [".", ".."].contains(part)) {
            return Err(LineError::Refused { status: 404, token: false, retry_after: None });
        }
        let mut address = self.base.clone();
        // An address with a host has a path, so this is never refused.
        if let Ok(mut parts) = address.path_segments_mut() {
            parts.pop_if_empty().extend(["v2", "bot"]).extend(path);
        }
        Ok(address)
    }
}

async fn read(mut response: Response, ends: Instant, bytes_max: usize) -> Result<Bytes, LineError> {
    let announced = response.content_length().unwrap_or(0);
    if usize::try_from(announced).unwrap_or(usize::MAX) > bytes_max {
        return Err(LineError::TooLarge);
    }
    let mut body = BytesMut::new();
    loop {
        let chunk =
            timeout_at(ends, response.chunk()).await.map_err(|_late| LineError::TimedOut)?;
        match chunk.map_err(|_broken| LineError::Cut)? {
            None => return Ok(body.freeze()),
            Some(chunk) if body.len() + chunk.len() > bytes_max => return Err(LineError::TooLarge),
            Some(chunk) => body.extend_from_slice(&chunk),
        }
    }
}

/// When to come again: in seconds, or as a date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_no_number) => {
            let at = DateTimeParser::new().parse_timestamp(text).ok()?;
            let millis = at.as_millisecond().saturating_sub(now.as_millis());
            // A date that has passed means now.
            Duration::from_millis(u64::try_from(millis).unwrap_or(0))
        }
    };
    Some(wait.min(Duration::from_secs(RETRY_AFTER_SECONDS_MAX)))
}

fn base(text: &str) -> Result<Url, ClientError> {
    let mut base = Url::parse(text.trim_end_matches('/')).map_err(|_error| ClientError::Address)?;
    if !["http", "https"].contains(&base.scheme()) || base.host_str().is_none_or(str::is_empty) {
        return Err(ClientError::Address);
    }
    base.set_query(None);
    base.set_fragment(None);
    Ok(base)
}

/// What is on the way to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surroundings {
    /// Nothing, not even TLS.
    ThisMachinePlain,
    /// TLS, on this machine.
    ThisMachine,
    /// The world, perhaps through a proxy.
    Outside,
}

impl Surroundings {
    fn of(address: &Url) -> Self {
        let host = address.host_str().unwrap_or_default();
        let ip = host.trim_start_matches('[').trim_end_matches(']').parse();
        let is_here = host == "localhost" || ip.is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        match (is_here, address.scheme()) {
            (true, "http") => Self::ThisMachinePlain,
            (true, _) => Self::ThisMachine,
            (false, _) => Self::Outside,
        }
    }
}

fn client(base: &Url, connect: Duration) -> Result<Client, ClientError> {
    let builder = Client::builder()
        .connect_timeout(connect)
        .redirect(redirect::Policy::none())
        .referer(false)
        .http1_only()
        .tcp_nodelay(true)
        .pool_idle_timeout(IDLE_MAX)
        .user_agent(concat!("unsaid/", env!("CARGO_PKG_VERSION")));
    let builder = match Surroundings::of(base) {
        // The proxy of the environment is for the world outside. Nor are certificates needed, which
        // a small container may not have.
        Surroundings::ThisMachinePlain => builder.no_proxy().tls_certs_only([]),
        Surroundings::ThisMachine => builder.no_proxy(),
        Surroundings::Outside => builder,
    };
    builder.build().map_err(|_error| ClientError::Client)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(base_text: &str, path: &[&str]) -> Result<String, LineError> {
        let base = base(base_text).unwrap();
        let client = client(&base, Duration::from_secs(1)).unwrap();
        Door { client, base }.address(path).map(|url| url.to_string())
    }

    #[test]
    fn parts_of_an_address_are_escaped() {
        assert_eq!(
            address("http://127.0.0.1:1/", &["profile", "U/../1?a=b#c%2f"]).unwrap(),
            "http://127.0.0.1:1/v2/bot/profile/U%2F..%2F1%3Fa=b%23c%252f"
        );
        assert_eq!(
            address("http://127.0.0.1:1/line", &["info"]).unwrap(),
            "http://127.0.0.1:1/line/v2/bot/info"
        );
        for climbing in ["", ".", ".."] {
            let refused = address("http://127.0.0.1:1", &["message", climbing, "content"]);
            assert_eq!(refused.unwrap_err().status(), Some(404), "{climbing:?}");
        }
    }

    #[test]
    fn a_base_is_an_http_address() {
        for text in ["", "api.line.me", "ftp://api.line.me", "unix:/socket"] {
            assert_eq!(base(text), Err(ClientError::Address), "{text}");
        }
        assert_eq!(base("https://api.line.me/?a#b").unwrap().as_str(), "https://api.line.me/");
    }

    #[test]
    fn only_this_machine_goes_without_the_proxy() {
        let of = |text: &str| Surroundings::of(&Url::parse(text).unwrap());
        for here in ["http://127.0.0.1:1/", "http://[::1]/", "http://localhost/x"] {
            assert_eq!(of(here), Surroundings::ThisMachinePlain);
        }
        assert_eq!(of("https://localhost/"), Surroundings::ThisMachine);
        assert_eq!(of("http://10.0.0.1/"), Surroundings::Outside);
        assert_eq!(of("https://api.line.me/"), Surroundings::Outside);
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        // 2026-01-17T10:30:00Z
        let now = Timestamp::from_millis(1_768_645_800_000);
        let read = |text: &'static str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]);
            retry_after(&headers, now).map(|wait| wait.as_millis())
        };
        assert_eq!(read("7"), Some(7_000));
        assert_eq!(read("Sat, 17 Jan 2026 10:30:20 GMT"), Some(20_000));
        assert_eq!(read("Sat, 17 Jan 2026 10:29:00 GMT"), Some(0));
        assert_eq!(read("99999999999"), Some(86_400_000));
        for nonsense in ["soon", "", "-1"] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }
}
