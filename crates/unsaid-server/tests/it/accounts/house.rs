//! A house with a door, and people in front of it.

mod minds;

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, Response};
use jiff::tz::TimeZone;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio::sync::Notify;
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use unsaid_app::answer::{Desk, Settings};
use unsaid_app::event::Watchers;
use unsaid_app::logs::Log;
use unsaid_app::session::{Expert, Experts};
use unsaid_app::tool::Tools;
use unsaid_app::worker::Worker;
use unsaid_core::domain::conversation::change::Ripple;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{AgentId, EventNumber, ExpertId, HolderId};
use unsaid_core::domain::secret::SecretKey;
use unsaid_core::domain::session::SessionTerms;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::limits::Limits;
use unsaid_core::port::Store;
use unsaid_http::chat::Sessions;
use unsaid_http::client::{Peer, TrustedNetwork};
use unsaid_http::idempotency::Idempotency;
use unsaid_http::password::Argon2id;
use unsaid_http::public_address::PublicAddress;
use unsaid_http::setup::SetupLink;
use unsaid_http::state::{Accounts, ModelSeat};
use unsaid_http::token::{self, Tokens};
use unsaid_http::{AppState, router};
use unsaid_server::config::{Config, Sources, load};
use unsaid_server::lifecycle::Lifecycle;
use unsaid_server::model::chosen;
use unsaid_server::rehearsal::Rehearsal;
use unsaid_server::sessions::{Room, Terms};
use unsaid_server::turns::{self, Doors};
use unsaid_server::worlds::Agents;
use unsaid_store_memory::{Bounds, MemoryAllowances, MemoryStore, RecentKeys};
use unsaid_store_sql::postgres::{self, PostgresStore};
use unsaid_store_sql::sqlite::{Options, SqliteStore};
use unsaid_testkit::clock::{MovedClock, SeededChance};
use unsaid_testkit::failing::Failing;
use unsaid_testkit::model::{Asks, DrivenModel};

use self::minds::agents;
use crate::postgres::Database;

/// 2026-01-17T10:30:00Z
pub(crate) const BEGIN: Timestamp = Timestamp::from_millis(1_768_645_800_000);
pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
pub(crate) const PASSWORD: &str = "correct horse";
pub(crate) const ORIGIN: &str = "https://chat.example.org";

/// Set where houses stand on PostgreSQL.
pub(crate) const POSTGRES: &str = "UNSAID_TEST_HOUSES_ON_POSTGRES";

/// The door and what is behind it.
pub(crate) struct House {
    pub(crate) store: Arc<dyn Store>,
    /// The same, to be failed.
    pub(crate) faults: Arc<Failing>,
    pub(crate) clock: Arc<MovedClock>,
    /// What ids are made of.
    pub(crate) chance: Arc<SeededChance>,
    pub(crate) erasures: Arc<Notify>,
    pub(crate) watchers: Arc<Watchers>,
    pub(crate) accounts: Arc<Accounts>,
    /// What is only in memory.
    pub(crate) volatile: Arc<MemoryStore>,
    /// The same as the door has it, to be failed.
    pub(crate) memory_faults: Arc<Failing>,
    /// What the experts are asked.
    pub(crate) asks: tokio::sync::Mutex<Asks>,
    pub(crate) dir: TempDir,
    door: Router,
    _ending: DropGuard,
    _database: Option<Database>,
}

/// What may be different.
pub(crate) struct Plan {
    pub(crate) limits: Limits,
    pub(crate) registration_open: bool,
    pub(crate) public_url: &'static str,
    pub(crate) trusted_proxies: Vec<TrustedNetwork>,
    pub(crate) terms: SessionTerms,
    pub(crate) zone: TimeZone,
    pub(crate) undo: Duration,
    /// What else is configured: keys and their values.
    pub(crate) settings: &'static [(&'static str, &'static str)],
}

impl Default for Plan {
    fn default() -> Self {
        // Tests come often.
        let limits = Limits { writes_per_min: 10_000, reads_per_min: 10_000, ..Limits::default() };
        Self {
            limits,
            registration_open: true,
            public_url: ORIGIN,
            trusted_proxies: Vec::new(),
            terms: SessionTerms { free: 0, free_minutes: 5, paid_minutes: 45 },
            zone: TimeZone::UTC,
            undo: Duration::from_mins(5),
            settings: &[],
        }
    }
}

impl Plan {
    fn config(&self) -> Config {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let flags = self.settings.iter().map(own).collect();
        load(&Sources { flags, ..Sources::default() }).unwrap().config
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Status, code and sentence of a refusal.
    pub(crate) fn refusal(&self) -> (u16, &str, &str) {
        let text = |field: &str| self.body[field].as_str().unwrap_or_default();
        (self.status, text("code"), text("error"))
    }
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::planned(Plan::default()).await
    }

    pub(crate) async fn planned(plan: Plan) -> Self {
        let dir = tempdir().unwrap();
        let (store, others) = open(dir.path()).await;
        let faults = Arc::new(Failing::new(store));
        let store: Arc<dyn Store> = Arc::<Failing>::clone(&faults);
        let clock = Arc::new(MovedClock::at(BEGIN));
        let chance = Arc::new(SeededChance::new(7));
        let erasures = Arc::new(Notify::new());
        let accounts = Arc::new(accounts(&*store, &plan).await);
        let (model, asks) = DrivenModel::new();
        let desk = Arc::new(desk(&store, &clock));
        let ending = CancellationToken::new();
        let database = others.map(|(hints, database)| {
            let watchers = Arc::clone(&desk.watchers);
            TaskTracker::new().spawn(turns::heed(hints, watchers, ending.clone()));
            database
        });
        let agents = agents(&store, &desk, &model, &plan);
        let (mut sessions, volatile, rehearsal) =
            talking(&desk, &model, &agents, &plan, &ending).await;
        let memory_faults = Arc::new(Failing::new(Arc::clone(&volatile) as _));
        sessions.logs.volatile.history = Arc::clone(&memory_faults) as _;
        let door = router(
            AppState {
                database: Arc::clone(&store) as _,
                store: Arc::clone(&store),
                clock: Arc::<MovedClock>::clone(&clock),
                chance: Arc::<SeededChance>::clone(&chance),
                watchers: Arc::clone(&desk.watchers),
                erasures: Arc::clone(&erasures),
                idempotency: Arc::new(Idempotency::new(
                    SecretKey::new([43; 32]),
                    Arc::new(RecentKeys::default()),
                )),
                accounts: Arc::clone(&accounts),
                sessions: Arc::new(sessions),
                worlds: Arc::new(agents.door()),
                keeps_line: true,
                rehearsals: rehearsal,
                metrics: PrometheusBuilder::new().build_recorder().handle(),
                model: ModelSeat { provider: "demo".into(), host: None },
                limits: plan.limits,
                calls: TaskTracker::new(),
            },
            Router::new(),
        );
        let asks = tokio::sync::Mutex::new(asks);
        let ending = ending.drop_guard();
        Self {
            store,
            faults,
            clock,
            chance,
            erasures,
            watchers: Arc::clone(&desk.watchers),
            accounts,
            volatile,
            memory_faults,
            asks,
            dir,
            door,
            _ending: ending,
            _database: database,
        }
    }

    pub(crate) fn door(&self) -> Router {
        self.door.clone()
    }

    /// The answer as it comes.
    pub(crate) async fn response(&self, request: Request<Body>) -> Response<Body> {
        self.door().oneshot(request).await.unwrap()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.response(request).await;
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let body =
            if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    pub(crate) fn call(&self, method: &str, path: &str) -> Call<'_> {
        let request = Request::builder().method(method).uri(path);
        Call { house: self, request, body: None, peer: None }
    }

    /// Signs somebody up, with or without consent; gives their id.
    pub(crate) async fn sign_up(&self, name: &str, consent: bool) -> String {
        let body = json!({
            "email": format!("{name}@example.org"), "password": PASSWORD, "name": name,
            "store_history_consent": consent,
        });
        let answer = self.call("POST", "/api/auth/register").json(body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.body["user_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn login(&self, name: &str, password: &str) -> Answer {
        let body = json!({ "email": format!("{name}@example.org"), "password": password });
        self.call("POST", "/api/auth/login").json(body).await
    }

    /// Signs somebody in; gives their token.
    pub(crate) async fn token(&self, name: &str) -> String {
        let answer = self.login(name, PASSWORD).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["token"].as_str().unwrap().to_owned()
    }

    /// Somebody who has just signed up and in.
    pub(crate) async fn somebody(&self, name: &str, consent: bool) -> String {
        self.sign_up(name, consent).await;
        self.token(name).await
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> Answer {
        self.call("GET", path).bearer(token).await_it().await
    }
}

/// A call that is being put together.
pub(crate) struct Call<'a> {
    house: &'a House,
    request: axum::http::request::Builder,
    body: Option<String>,
    peer: Option<IpAddr>,
}

impl<'a> Call<'a> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn cookie(self, cookie: &str) -> Self {
        self.header("cookie", cookie)
    }

    pub(crate) fn from(mut self, address: &str) -> Self {
        self.peer = Some(address.parse().unwrap());
        self
    }

    pub(crate) async fn json(mut self, body: Value) -> Answer {
        self.body = Some(body.to_string());
        self.header("content-type", "application/json").await_it().await
    }

    /// A body as it is, of this type.
    pub(crate) async fn raw(mut self, kind: &str, body: &str) -> Answer {
        self.body = Some(body.to_owned());
        self.header("content-type", kind).await_it().await
    }

    /// A body, for an answer that is streamed.
    pub(crate) async fn stream(mut self, body: Value) -> Response<Body> {
        self.body = Some(body.to_string());
        let call = self.header("content-type", "application/json");
        let (house, request) = call.request();
        house.response(request).await
    }

    pub(crate) async fn await_it(self) -> Answer {
        let (house, request) = self.request();
        house.send(request).await
    }

    fn request(self) -> (&'a House, Request<Body>) {
        let body = self.body.map_or_else(Body::empty, Body::from);
        let mut request = self.request.body(body).unwrap();
        if let Some(address) = self.peer {
            request.extensions_mut().insert(Peer(address));
        }
        (self.house, request)
    }
}

/// A database of the cluster, and what other servers on it tell.
type Shared = (Receiver<ConversationKey>, Database);

/// A file in this directory, or a database of the cluster if [`POSTGRES`] says so.
async fn open(dir: &Path) -> (Arc<dyn Store>, Option<Shared>) {
    if std::env::var_os(POSTGRES).is_some() {
        let database = Database::new();
        let options = postgres::Options::default();
        let store = PostgresStore::open(&database.address, &options).await.unwrap();
        let hints = store.hints();
        return (Arc::new(store), Some((hints, database)));
    }
    let options = Options { durable: false, ..Options::default() };
    (Arc::new(SqliteStore::open(&dir.join("unsaid.db"), &options).unwrap()), None)
}

async fn accounts(store: &dyn Store, plan: &Plan) -> Accounts {
    let key = store.secret("tokens", SecretKey::new([42; 32])).await.unwrap();
    let hour = Duration::from_hours(1);
    let terms =
        token::Terms { token_ttl: hour, refresh_below: hour / 2, session_cap: 30 * 24 * hour };
    let Limits { password_hashes_at_once, password_hashes_waiting, .. } = plan.limits;
    let chance = Arc::new(SeededChance::new(8));
    Accounts {
        tokens: Tokens::new(&key, terms),
        passwords: Arc::new(Argon2id::new(
            chance,
            password_hashes_at_once,
            password_hashes_waiting,
        )),
        allowances: Arc::new(MemoryAllowances::default()),
        setup: SetupLink::default(),
        public: PublicAddress::new(&plan.public_url.parse().unwrap()),
        trusted_proxies: plan.trusted_proxies.clone(),
        registration_open: plan.registration_open,
        consent_grace_ms: 30 * DAY_MS,
        notice_version: "1".to_owned(),
        notice: None,
    }
}

/// What turns work with.
fn desk(store: &Arc<dyn Store>, clock: &Arc<MovedClock>) -> Desk {
    Desk {
        history: Arc::clone(store) as _,
        media: Arc::clone(store) as _,
        people: Arc::clone(store) as _,
        clock: Arc::<MovedClock>::clone(clock),
        chance: Arc::new(SeededChance::new(9)),
        watchers: Arc::default(),
        tools: Arc::new(Tools::reply_and_skip()),
        holder: HolderId::new("house").unwrap(),
        settings: Settings::default(),
    }
}

/// Experts who think what the test thinks, and workers that let them answer.
async fn talking(
    desk: &Arc<Desk>,
    model: &Arc<DrivenModel>,
    agents: &Agents,
    plan: &Plan,
    ending: &CancellationToken,
) -> (Sessions, Arc<MemoryStore>, Arc<Rehearsal>) {
    let expert = |id: &str, name: &str| Expert {
        id: ExpertId::new(id).unwrap(),
        author: AgentId::from_name(id).unwrap(),
        name: name.to_owned(),
        description: format!("about {id}"),
        prompt: Words::lossy(format!("You are {name}.")),
        model: Arc::<DrivenModel>::clone(model),
    };
    let [clara, luis] = [expert("calma", "Clara Rodrigues"), expert("legal", "Luis Vega")];
    let experts = [clara, luis, expert("my_Expert", "Mia Soto"), expert("my-expert", "Mio Soto")];
    let experts = Experts::new(experts, ExpertId::new("calma").unwrap());
    let volatile = MemoryStore::new(Bounds::from(&plan.limits));
    let volatile = volatile.numbering_after(EventNumber::new(1 << 52));
    let room = Room::new(volatile, desk, experts, Duration::from_mins(2), plan.zone.clone());
    let doors =
        Doors { line: None, sessions: room.stage(desk), worlds: agents.stage(Log::Kept, desk) };
    let kept = Worker::new(Arc::clone(desk), Arc::new(doors), 16);
    let config = load(&Sources::default()).unwrap().config;
    let demo = chosen(&config).await.unwrap();
    let rehearsal = Arc::new(Rehearsal::new(&config, &demo, &room, &Lifecycle::default()));
    let in_memory = room.worker(agents, Arc::<Rehearsal>::clone(&rehearsal));
    rehearsal.wakes(in_memory.wake());
    let volatile = room.volatile();
    let terms = Terms {
        sessions: plan.terms,
        ripple: Ripple::Withdraw,
        streams_per_person: plan.limits.streams_per_person,
    };
    let sessions = room.sessions(terms, desk, kept.wake(), in_memory.wake());
    for worker in [kept, in_memory] {
        let (tasks, turns, ending) = (TaskTracker::new(), TaskTracker::new(), ending.clone());
        tasks.spawn(async move { worker.run(&turns, ending).await });
    }
    (sessions, volatile, rehearsal)
}
