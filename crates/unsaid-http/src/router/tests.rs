use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, header};
use axum::routing::post;
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use unsaid_app::answer::voices::Voices;
use unsaid_app::logs::{Logs, Side};
use unsaid_app::session::{Experts, Speeches};
use unsaid_app::worker::Wake;
use unsaid_app::world::template::Templates;
use unsaid_core::domain::conversation::change::Ripple;
use unsaid_core::domain::id::{ExpertId, MessageId, PersonId};
use unsaid_core::domain::secret::SecretKey;
use unsaid_core::domain::session::SessionTerms;
use unsaid_core::limits::Limits;
use unsaid_core::port::clock::Chance;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::health::Health;

use unsaid_store_memory::{MemoryAllowances, MemoryStore, RecentKeys};
use unsaid_testkit::clock::MovedClock;

use super::*;
use crate::body::RawBody;
use crate::chat::Sessions;
use crate::chat::open_streams::OpenStreams;
use crate::idempotency::Idempotency;
use crate::password::Argon2id;
use crate::public_address::PublicAddress;
use crate::rehearsal::{Heard, Rehearsals, Scene, Speech, Spot};
use crate::setup::SetupLink;
use crate::state::{Accounts, ModelSeat};
use crate::token::{Terms, Tokens};
use crate::world::Worlds;
use crate::world::bookmarks::Bookmarks;

#[tokio::test]
async fn healthz_says_that_it_lives() {
    insta::assert_snapshot!(get_text("/healthz").await, @r#"
    200 OK
    content-length: 15
    content-type: application/json
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"status":"ok"}
    "#);
}

#[tokio::test]
async fn readyz_names_database_and_model() {
    insta::assert_snapshot!(get_text("/readyz").await, @r#"
    200 OK
    content-length: 89
    content-type: application/json
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"status":"ready","database":"ok","model":{"provider":"openai","host":"api.example.org"}}
    "#);
}

#[tokio::test]
async fn readyz_fails_with_the_store() {
    let away = Database::failing(StoreError::Unavailable("disk I/O error at /secret".into()));
    insta::assert_snapshot!(text(router(state(away), Router::new()), get_request("/readyz")).await, @r#"
    503 Service Unavailable
    content-length: 146
    content-type: application/json
    retry-after: 2
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"error":"Storage does not answer","code":"STORAGE_UNAVAILABLE","message":"Try again in a moment","request_id":"000102030405060708090a0b0c0d0e0f"}
    "#);

    let full = Database::failing(StoreError::Full);
    insta::assert_snapshot!(text(router(state(full), Router::new()), get_request("/readyz")).await, @r#"
    507 Insufficient Storage
    content-length: 145
    content-type: application/json
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"error":"Storage is full","code":"STORAGE_FULL","message":"Ask the operator to free some space","request_id":"000102030405060708090a0b0c0d0e0f"}
    "#);
}

#[tokio::test(start_paused = true)]
async fn readyz_does_not_wait_for_a_store_that_hangs() {
    let begun = tokio::time::Instant::now();
    let answer =
        text(router(state(Database::Hanging), Router::new()), get_request("/readyz")).await;
    assert_eq!(begun.elapsed(), Duration::from_millis(1500));
    insta::assert_snapshot!(answer, @r#"
    503 Service Unavailable
    content-length: 146
    content-type: application/json
    retry-after: 2
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"error":"Storage does not answer","code":"STORAGE_UNAVAILABLE","message":"Try again in a moment","request_id":"000102030405060708090a0b0c0d0e0f"}
    "#);
}

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    insta::assert_snapshot!(get_text("/api/nothing?key=secret").await, @r#"
    404 Not Found
    content-length: 91
    content-type: application/json
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"error":"No such path","code":"NOT_FOUND","request_id":"000102030405060708090a0b0c0d0e0f"}
    "#);
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let request = Request::post("/healthz").body(Body::empty()).unwrap();
    insta::assert_snapshot!(text(app(), request).await, @r#"
    405 Method Not Allowed
    allow: GET,HEAD
    content-length: 162
    content-type: application/json
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"error":"Method not allowed here","code":"METHOD_NOT_ALLOWED","message":"Use a method named in the Allow header","request_id":"000102030405060708090a0b0c0d0e0f"}
    "#);
}

#[tokio::test]
async fn a_body_that_declares_too_much_is_refused() {
    let request = Request::post("/echo")
        .header(header::CONTENT_LENGTH, 17)
        .body(Body::from("x".repeat(17)))
        .unwrap();
    insta::assert_snapshot!(text(app(), request).await, @r#"
    413 Payload Too Large
    content-length: 135
    content-type: application/json
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"error":"The body is too large","code":"BODY_TOO_LARGE","message":"Send less at once","request_id":"000102030405060708090a0b0c0d0e0f"}
    "#);
}

#[tokio::test]
async fn a_body_that_declares_nothing_is_refused_when_it_grows_too_large() {
    let request = Request::post("/echo").body(Body::from("x".repeat(17))).unwrap();
    insta::assert_snapshot!(text(app(), request).await, @r#"
    413 Payload Too Large
    content-length: 135
    content-type: application/json
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"error":"The body is too large","code":"BODY_TOO_LARGE","message":"Send less at once","request_id":"000102030405060708090a0b0c0d0e0f"}
    "#);
}

#[tokio::test]
async fn a_body_as_large_as_the_limit_is_taken() {
    let request = Request::post("/echo").body(Body::from("x".repeat(16))).unwrap();
    insta::assert_snapshot!(text(app(), request).await, @"
    200 OK
    content-length: 16
    content-type: application/octet-stream
    x-request-id: 000102030405060708090a0b0c0d0e0f

    xxxxxxxxxxxxxxxx
    ");
}

#[tokio::test]
async fn a_panic_tells_nothing() {
    let request = Request::post("/panic").body(Body::empty()).unwrap();
    insta::assert_snapshot!(text(app(), request).await, @r#"
    500 Internal Server Error
    content-length: 145
    content-type: application/json
    x-request-id: 000102030405060708090a0b0c0d0e0f

    {"error":"Something went wrong here","code":"INTERNAL","message":"Report it with the request id","request_id":"000102030405060708090a0b0c0d0e0f"}
    "#);
}

#[tokio::test]
async fn request_ids_of_callers_are_kept_if_harmless() {
    let long = "a".repeat(64);
    for given in ["a", "Az09_-", &long] {
        assert_eq!(echoed_id(given).await, given);
    }
}

#[tokio::test]
async fn request_ids_of_callers_are_replaced_if_not() {
    let too_long = "a".repeat(65);
    for given in ["", "a b", "a;b", "<script>", "ä", &too_long] {
        assert_eq!(echoed_id(given).await, "000102030405060708090a0b0c0d0e0f", "{given}");
    }
}

#[tokio::test]
async fn requests_are_counted_by_route() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _guard = metrics::set_default_local_recorder(&recorder);
    for (method, path) in [
        ("GET", "/healthz?key=secret"),
        ("GET", "/secret"),
        ("BREW", "/healthz"),
        ("GET", "/readyz"),
    ] {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        app().oneshot(request).await.unwrap();
    }
    let printed = recorder.handle().render();
    let mut counters: Vec<_> =
        printed.lines().filter(|line| line.starts_with(crate::watch::REQUESTS_TOTAL)).collect();
    counters.sort_unstable();
    insta::assert_snapshot!(counters.join("\n"), @r#"
    unsaid_http_requests_total{method="GET",path="/healthz",status="200"} 1
    unsaid_http_requests_total{method="GET",path="/readyz",status="200"} 1
    unsaid_http_requests_total{method="GET",path="unmatched",status="404"} 1
    unsaid_http_requests_total{method="OTHER",path="/healthz",status="405"} 1
    "#);
    assert!(printed.contains("unsaid_http_request_seconds"));
    assert!(!printed.contains("secret"));
}

#[tokio::test]
async fn metrics_are_printed_as_prometheus_reads_them() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _guard = metrics::set_default_local_recorder(&recorder);
    metrics::counter!("unsaid_things_total").increment(3);
    let state = AppState { metrics: recorder.handle(), ..state(Database::Well) };
    insta::assert_snapshot!(text(router(state, Router::new()), get_request("/metrics")).await, @"
    200 OK
    content-length: 58
    content-type: text/plain; version=0.0.4; charset=utf-8
    x-request-id: 000102030405060708090a0b0c0d0e0f

    # TYPE unsaid_things_total counter
    unsaid_things_total 3
    ");
}

/// The door with two more routes: one reads a body, one panics.
pub(crate) fn app() -> Router {
    let routes = routes()
        .route("/echo", post(async |RawBody(bytes): RawBody| bytes))
        .route("/panic", post(async || -> () { panic!("the words of a person") }));
    let limits = Limits { body_bytes: 16, ..Limits::default() };
    layered(routes, AppState { limits, ..state(Database::Well) }, Router::new())
}

fn state(database: Database) -> AppState {
    AppState {
        database: Arc::new(database),
        store: Arc::new(MemoryStore::unbounded()),
        clock: Arc::new(MovedClock::default()),
        chance: Arc::new(Counting),
        watchers: Arc::default(),
        erasures: Arc::default(),
        idempotency: Arc::new(Idempotency::new(
            SecretKey::new([8; 32]),
            Arc::new(RecentKeys::default()),
        )),
        accounts: Arc::new(accounts()),
        sessions: Arc::new(sessions()),
        worlds: Arc::new(Worlds {
            voices: Voices::new(Arc::default()),
            undo_ms: 0,
            bookmarks: Bookmarks::default(),
            failed_edits: Arc::default(),
            templates: Templates::played_by(&[]),
        }),
        keeps_line: true,
        rehearsals: Arc::new(NoRehearsals),
        metrics: PrometheusBuilder::new().build_recorder().handle(),
        model: ModelSeat { provider: "openai".into(), host: Some("api.example.org".into()) },
        limits: Limits::default(),
        calls: TaskTracker::new(),
    }
}

/// Nobody plays LINE here.
struct NoRehearsals;

#[async_trait]
impl Rehearsals for NoRehearsals {
    async fn show(&self, _: &PersonId, _: Spot) -> Result<Scene, ApiError> {
        Ok(Scene::default())
    }

    async fn say(&self, _: &PersonId, _: Spot, _: Speech) -> Result<Heard, ApiError> {
        Err(ApiError::new(Code::INTERNAL))
    }

    async fn unsend(&self, _: &PersonId, _: Spot, _: &MessageId) -> Result<bool, ApiError> {
        Ok(false)
    }

    async fn forget(&self, _: &PersonId, _: Spot) -> Result<(), ApiError> {
        Ok(())
    }
}

/// Nobody to talk to.
fn sessions() -> Sessions {
    let volatile = Arc::new(MemoryStore::unbounded());
    let side = |history: &Arc<MemoryStore>| Side {
        history: Arc::clone(history) as _,
        wake: Wake::unheard(),
    };
    Sessions {
        logs: Logs {
            kept: side(&volatile),
            volatile: side(&volatile),
            watchers: Arc::default(),
            crossing: Arc::default(),
        },
        volatile,
        speeches: Speeches::default(),
        experts: Arc::new(Experts::new([], ExpertId::new("nobody").unwrap())),
        terms: SessionTerms { free: 0, free_minutes: 5, paid_minutes: 45 },
        ripple: Ripple::Withdraw,
        streams: OpenStreams::new(1),
        turn_max: Duration::from_mins(1),
    }
}

fn accounts() -> Accounts {
    let hour = Duration::from_hours(1);
    let terms = Terms { token_ttl: hour, refresh_below: hour / 2, session_cap: 24 * hour };
    Accounts {
        tokens: Tokens::new(&SecretKey::new([7; 32]), terms),
        passwords: Arc::new(Argon2id::new(Arc::new(Counting), 1, 1)),
        allowances: Arc::new(MemoryAllowances::default()),
        setup: SetupLink::default(),
        public: PublicAddress::new(&"http://127.0.0.1:8080".parse().unwrap()),
        trusted_proxies: Vec::new(),
        registration_open: true,
        consent_grace_ms: 1_000,
        notice_version: "1".to_owned(),
        notice: None,
    }
}

fn get_request(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

async fn get_text(path: &str) -> String {
    text(app(), get_request(path)).await
}

/// The answer as it goes over the wire, headers sorted.
async fn text(app: Router, request: Request<Body>) -> String {
    let response: Response<Body> = app.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let mut headers: Vec<_> = parts
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort_unstable();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    format!("{}\n{}\n\n{}", parts.status, headers.join("\n"), String::from_utf8_lossy(&body))
}

async fn echoed_id(given: &str) -> String {
    let request = Request::get("/healthz").header("x-request-id", given).body(Body::empty());
    let response = app().oneshot(request.unwrap()).await.unwrap();
    response.headers()["x-request-id"].to_str().unwrap().to_owned()
}

enum Database {
    Well,
    Hanging,
    Failing(Mutex<Option<StoreError>>),
}

impl Database {
    fn failing(error: StoreError) -> Self {
        Self::Failing(Mutex::new(Some(error)))
    }
}

#[async_trait::async_trait]
impl Health for Database {
    async fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::Well => Ok(()),
            Self::Hanging => std::future::pending().await,
            Self::Failing(error) => Err(error.lock().unwrap().take().unwrap()),
        }
    }
}

/// Bytes that count up from zero.
struct Counting;

impl Chance for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::try_from(at % 256).unwrap();
        }
    }
}
