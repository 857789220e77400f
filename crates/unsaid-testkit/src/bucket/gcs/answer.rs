//! What a request is answered.

use std::fmt::Write as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, to_bytes};
use bytes::Bytes;
use futures_core::Stream;
use http::header::{
    CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_NONE_MATCH, LAST_MODIFIED, RANGE, RETRY_AFTER,
};
use http::{HeaderMap, Method, Request, Response, StatusCode, response};
use serde_json::json;

use super::{
    Answer, BUCKET, Cloud, Inner, Traffic,
    fault::{self, Fault, On},
    objects::Object,
};

const GENERATION: &str = "x-goog-generation";
const GENERATION_MATCH: &str = "x-goog-if-generation-match";
const BODY_BYTES_MAX: usize = 64 << 20;
/// Nobody looks at it, but everybody wants one.
const LAST_MODIFIED_AT: &str = "Tue, 01 Sep 2026 12:00:00 GMT";

/// Answers, or closes the connection.
pub(super) async fn answer(cloud: &Cloud, request: Request<hyper::body::Incoming>) -> Answer {
    let (parts, body) = request.into_parts();
    let body = to_bytes(Body::new(body), BODY_BYTES_MAX).await.ok()?;
    let (bucket, on, name) = addressed(parts.uri.path(), &parts.method);
    if bucket != BUCKET {
        return Some(refusal(StatusCode::NOT_FOUND, "NoSuchBucket"));
    }
    let question = Question { on, name, method: parts.method, headers: parts.headers, body };
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let fault = fault::take(&mut cloud.lock().orders, on, &question.name);
    let carry_out = || question.carry_out(&mut cloud.lock(), &query);
    match fault {
        None => Some(carry_out()),
        Some(Fault::ApplyThenStatus(status)) => {
            carry_out();
            Some(of_status(status))
        }
        Some(Fault::ApplyThenDrop) => {
            carry_out();
            None
        }
        Some(Fault::Status(status)) => Some(of_status(status)),
        Some(Fault::Code(status, code)) => {
            Some(refusal(StatusCode::from_u16(status).expect("a test knows statuses"), code))
        }
        Some(Fault::Drop) => None,
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::ApplyThenHang) => {
            carry_out();
            std::future::pending().await
        }
        Some(Fault::Slow(time)) => {
            // waits: being slow is what was ordered
            tokio::time::sleep(time).await;
            Some(carry_out())
        }
        Some(Fault::CutBody) => Some(cut(carry_out()).await),
    }
}

/// Which bucket, what kind of request, and which object, if it is about one.
fn addressed(path: &str, method: &Method) -> (String, On, String) {
    if let Some(bucket) = path.strip_prefix("/storage/v1/b/") {
        return (decoded(bucket), On::Settings, String::new());
    }
    let path = path.trim_start_matches('/');
    let (bucket, name) = path.split_once('/').unwrap_or((path, ""));
    let on = if name.is_empty() { On::List } else { On::of(method) };
    (decoded(bucket), on, decoded(name))
}

/// A request, taken apart.
struct Question {
    on: On,
    name: String,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
}

impl Question {
    fn carry_out(&self, inner: &mut Inner, query: &str) -> Response<Body> {
        match self.on {
            On::Put => {
                let traffic = self.traffic(inner);
                traffic.puts += 1;
                traffic.bytes_in += self.body.len() as u64;
                self.put(inner)
            }
            On::Delete => {
                self.traffic(inner).deletes += 1;
                self.delete(inner)
            }
            On::Get | On::Any => {
                self.traffic(inner).gets += 1;
                self.get(inner)
            }
            On::List => {
                inner.lists += 1;
                list(inner, query)
            }
            On::Settings => settings(inner),
        }
    }

    fn put(&self, inner: &mut Inner) -> Response<Body> {
        let found = inner.objects.find(&self.name);
        let generation = found.map_or(0, |object| object.generation);
        let expected = self.header(GENERATION_MATCH);
        let fits = expected.is_none_or(|expected| expected == generation.to_string());
        if !fits && !inner.settings.ignores_conditions {
            return refusal(StatusCode::PRECONDITION_FAILED, "PreconditionFailed");
        }
        if found.is_some() && is_fixed(inner) {
            return refusal(StatusCode::FORBIDDEN, "RetentionPolicyNotMet");
        }
        if inner.settings.one_write_a_second && inner.objects.is_hot(&self.name) {
            return refusal(StatusCode::TOO_MANY_REQUESTS, "SlowDown");
        }
        let object = inner.objects.put(&self.name, self.body.clone(), &inner.settings);
        with_state(Response::builder(), object).body(Body::empty()).expect("it is a response")
    }

    fn get(&self, inner: &mut Inner) -> Response<Body> {
        let Some(object) = inner.objects.find(&self.name) else {
            return refusal(StatusCode::NOT_FOUND, "NoSuchKey");
        };
        if self.header(IF_NONE_MATCH.as_str()).is_some_and(|tag| tag == object.tag()) {
            let builder = Response::builder().status(StatusCode::NOT_MODIFIED);
            let tells = inner.settings.unchanged_tells_generation;
            let builder = if tells { with_state(builder, object) } else { builder };
            return builder.body(Body::empty()).expect("it is a response");
        }
        let whole = object.bytes.len();
        let builder =
            with_state(Response::builder(), object).header(LAST_MODIFIED, LAST_MODIFIED_AT);
        let (builder, bytes) = match self.header(RANGE.as_str()).and_then(last_byte) {
            Some(_) if whole == 0 => {
                return refusal(StatusCode::RANGE_NOT_SATISFIABLE, "InvalidRange");
            }
            Some(last) => {
                let end = (last + 1).min(whole);
                let range = format!("bytes 0-{}/{whole}", end - 1);
                let builder = builder.status(StatusCode::PARTIAL_CONTENT);
                (builder.header(CONTENT_RANGE, range), object.bytes.slice(..end))
            }
            None => (builder, object.bytes.clone()),
        };
        let builder = builder.header(CONTENT_LENGTH, bytes.len());
        if self.method == Method::HEAD {
            return builder.body(Body::empty()).expect("it is a response");
        }
        self.traffic(inner).bytes_out += bytes.len() as u64;
        builder.body(Body::from(bytes)).expect("it is a response")
    }

    fn delete(&self, inner: &mut Inner) -> Response<Body> {
        if inner.objects.find(&self.name).is_some() && is_fixed(inner) {
            return refusal(StatusCode::FORBIDDEN, "RetentionPolicyNotMet");
        }
        if inner.objects.delete(&self.name, &inner.settings) {
            of_status(204)
        } else {
            refusal(StatusCode::NOT_FOUND, "NoSuchKey")
        }
    }

    fn traffic<'a>(&self, inner: &'a mut Inner) -> &'a mut Traffic {
        inner.traffic.entry(self.name.clone()).or_default()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

fn is_fixed(inner: &Inner) -> bool {
    inner.settings.default_hold || inner.settings.retention_seconds.is_some()
}

fn list(inner: &Inner, query: &str) -> Response<Body> {
    let parameter = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| decoded(&value.replace('+', " ")))
    };
    let prefix = parameter("prefix").unwrap_or_default();
    let after = parameter("continuation-token");
    let count = inner.settings.page_objects;
    let (page, has_more) = inner.objects.page(&prefix, after.as_deref(), count);
    let mut xml = format!(
        "<?xml version='1.0' encoding='UTF-8'?><ListBucketResult><Name>{BUCKET}</Name>\
         <IsTruncated>{has_more}</IsTruncated>"
    );
    for (name, object) in &page {
        let (key, tag, size) = (escaped(name), escaped(&object.tag()), object.bytes.len());
        write!(
            xml,
            "<Contents><Key>{key}</Key><LastModified>2026-09-01T12:00:00.000Z</LastModified>\
             <ETag>{tag}</ETag><Size>{size}</Size></Contents>"
        )
        .expect("a string takes everything");
    }
    if let (true, Some((last, _))) = (has_more, page.last()) {
        let last = escaped(last);
        write!(xml, "<NextContinuationToken>{last}</NextContinuationToken>")
            .expect("a string takes everything");
    }
    xml.push_str("</ListBucketResult>");
    Response::new(Body::from(xml))
}

/// As the JSON API tells it: large numbers are text.
fn settings(inner: &Inner) -> Response<Body> {
    let settings = &inner.settings;
    let mut metadata = json!({
        "softDeletePolicy": {"retentionDurationSeconds": settings.soft_delete_seconds.to_string()},
    });
    if settings.versioning {
        metadata["versioning"] = json!({"enabled": true});
    }
    if let Some(seconds) = settings.retention_seconds {
        metadata["retentionPolicy"] = json!({"retentionPeriod": seconds.to_string()});
    }
    if settings.default_hold {
        metadata["defaultEventBasedHold"] = json!(true);
    }
    Response::new(Body::from(metadata.to_string()))
}

fn with_state(builder: response::Builder, object: &Object) -> response::Builder {
    builder.header(ETAG, object.tag()).header(GENERATION, object.generation)
}

fn of_status(status: u16) -> Response<Body> {
    let response = Response::builder().status(status);
    response.body(Body::empty()).expect("a test knows statuses")
}

fn refusal(status: StatusCode, code: &str) -> Response<Body> {
    let xml = format!("<?xml version='1.0'?><Error><Code>{code}</Code></Error>");
    let response = Response::builder().status(status).header(RETRY_AFTER, 1);
    response.body(Body::from(xml)).expect("it is a response")
}

/// `bytes=0-99`; nobody asks for another beginning.
fn last_byte(range: &str) -> Option<usize> {
    range.strip_prefix("bytes=0-")?.parse().ok()
}

/// Announces all of a body, sends half of it, and breaks off.
async fn cut(response: Response<Body>) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    let bytes = to_bytes(body, BODY_BYTES_MAX).await.expect("it is in memory");
    parts.headers.insert(CONTENT_LENGTH, (bytes.len().max(2)).into());
    let half = bytes.slice(..bytes.len() / 2);
    Response::from_parts(parts, Body::from_stream(BrokenOff { half: Some(half), is_sent: false }))
}

struct BrokenOff {
    half: Option<Bytes>,
    is_sent: bool,
}

impl Stream for BrokenOff {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(half) = self.half.take() {
            return Poll::Ready(Some(Ok(half)));
        }
        if !self.is_sent {
            // what we have is sent while there is nothing more
            self.is_sent = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Err(io::Error::other("broken off as ordered"))))
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits: Vec<u8> = rest.by_ref().take(2).collect();
            let digits = std::str::from_utf8(&digits).expect("a client encodes well");
            bytes.push(u8::from_str_radix(digits, 16).expect("a client encodes well"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("a client encodes well")
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}
