//! The LINE door: opened if its credentials are set.
//!
//! `POST /line/webhook` hands the raw bytes to `unsaid-line` and gives its refusals their statuses;
//! what is behind it is wired in [`open`].

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use unsaid_app::answer::Desk;
use unsaid_app::worker::{Stage, Wake};
use unsaid_core::domain::conversation::change::Ripple;
use unsaid_core::domain::id::AgentId;
use unsaid_core::domain::text::Words;
use unsaid_core::port::Store;
use unsaid_core::port::directory::Directory;
use unsaid_http::body::{RawBody, limited};
use unsaid_http::error::{ApiError, Code};
use unsaid_line::client::{AccessToken, ClientOptions, LineClient};
use unsaid_line::errand_runner::{ErrandRunner, Places};
use unsaid_line::inbound::{Groups, Inbound, Rejected, Settings};
use unsaid_line::messenger::{Outbox, OutboxOptions};
use unsaid_line::names::Names;
use unsaid_line::picture::{PictureTimes, Pictures};
use unsaid_line::signature::ChannelSecret;
use unsaid_line::stage::{LineStage, Role};
use unsaid_model::calls_in_text;

use crate::config::{self, Config, LineCredentials, LineGroups};
use crate::lifecycle::Lifecycle;
use crate::model::Chosen;
use crate::refusal::Refusal;

/// Where LINE delivers to.
pub const WEBHOOK: &str = "/line/webhook";
/// The header in which LINE signs.
pub const SIGNATURE: &str = "x-line-signature";
/// How long LINE may be told to wait before it delivers again.
const RETRY_SECONDS: u32 = 2;

/// The door, before anybody can come in.
pub struct LineDoor {
    stage: Arc<LineStage>,
    errands: Arc<ErrandRunner>,
    secret: ChannelSecret,
    settings: Settings,
    body_bytes_max: usize,
}

impl LineDoor {
    /// Who answers.
    #[must_use]
    pub fn stage(&self) -> Arc<dyn Stage> {
        Arc::<LineStage>::clone(&self.stage)
    }

    /// Lets people in over HTTP: what they say wakes the worker.
    pub fn routes(self, desk: &Desk, wake: Wake) -> Router {
        let body_bytes_max = self.body_bytes_max;
        routes(self.inbound(desk, wake), body_bytes_max)
    }

    /// Lets people in: what they say wakes the worker.
    #[must_use]
    pub fn inbound(self, desk: &Desk, wake: Wake) -> Inbound {
        Inbound {
            history: Arc::clone(&desk.history),
            watchers: Arc::clone(&desk.watchers),
            wake,
            errands: self.errands,
            clock: Arc::clone(&desk.clock),
            secret: self.secret,
            settings: self.settings,
        }
    }
}

/// Who is on the other side of the door.
pub struct Line {
    /// How it is called.
    pub client: ClientOptions,
    /// What it signs with.
    pub secret: ChannelSecret,
    /// Where it is kept what it calls people and places.
    pub directory: Arc<dyn Directory>,
}

/// Opens the door, if its credentials are set.
///
/// # Errors
/// If it cannot be used as it is configured.
pub fn open(
    config: &Config,
    store: &Arc<dyn Store>,
    desk: &Desk,
    chosen: &Chosen,
    life: &Lifecycle,
) -> Result<Option<LineDoor>, Refusal> {
    let Some(credentials) = &config.line.credentials else { return Ok(None) };
    let other_side = Line {
        client: client_options(config, credentials),
        secret: ChannelSecret::new(credentials.channel_secret.expose()),
        directory: Arc::<dyn Store>::clone(store),
    };
    furnish(config, other_side, desk, chosen, life).map(Some)
}

/// The same door, whoever is on the other side.
///
/// # Errors
/// If it cannot be used as it is configured.
pub fn furnish(
    config: &Config,
    other_side: Line,
    desk: &Desk,
    chosen: &Chosen,
    life: &Lifecycle,
) -> Result<LineDoor, Refusal> {
    let Line { client, secret, directory } = other_side;
    let clock = Arc::clone(&desk.clock);
    let client = LineClient::new(&client, Arc::clone(&clock));
    let client = client.map_err(|error| Refusal::new(error.to_string()))?;
    let (history, media) = (Arc::clone(&desk.history), Arc::clone(&desk.media));
    let times = PictureTimes::default();
    let pictures = Pictures::new(client.clone(), history, media, Arc::clone(&clock), times);
    let pictures = Arc::new(pictures);
    let names = Names::new(client.clone(), Arc::clone(&directory), Arc::clone(&clock));
    let places = Places::new(client.clone(), directory, names.clone());
    let errands = ErrandRunner::start(places.clone(), &pictures, &life.tasks(), &life.ending());
    let (persona, role) = role(config)?;
    let stage = LineStage {
        history: Arc::clone(&desk.history),
        places,
        names,
        pictures,
        outbox: Outbox::new(client, Arc::clone(&clock), outbox_options(config)),
        clock,
        model: chosen.connect(persona.model.as_deref())?,
        read_calls: calls_in_text,
        role,
    };
    Ok(LineDoor {
        stage: Arc::new(stage),
        errands,
        secret,
        settings: settings(config),
        body_bytes_max: config.limits.line_body_bytes,
    })
}

/// A bot that is no language model must be wanted: people on LINE cannot see what it is.
///
/// # Errors
/// If nobody wanted it.
pub fn refuse_unnamed_demo(config: &Config, chosen: &Chosen) -> Result<(), Refusal> {
    let closed = config.line.credentials.is_none();
    if closed || config.model.provider.is_some() || !chosen.is_demo() {
        return Ok(());
    }
    Err(Refusal::new(
        "the LINE door is open and no model is configured: set `model.provider` \
         (`demo` if that is really meant to answer people)",
    ))
}

/// How LINE is called.
#[must_use]
pub fn client_options(config: &Config, credentials: &LineCredentials) -> ClientOptions {
    ClientOptions {
        api_base: config.line.api_base.expose(),
        data_api_base: config.line.data_api_base.expose(),
        content_bytes_max: config.limits.media_bytes,
        ..ClientOptions::new(AccessToken::new(credentials.channel_access_token.expose()))
    }
}

fn outbox_options(config: &Config) -> OutboxOptions {
    OutboxOptions {
        push: config.line.push,
        loading_delay: config.line.loading_delay,
        loading_seconds: config.line.loading_seconds,
        ..OutboxOptions::default()
    }
}

fn role(config: &Config) -> Result<(&config::Persona, Role), Refusal> {
    let id = &config.line.persona;
    let found = config.personas.get(id).zip(AgentId::from_name(&id.to_string()).ok());
    let Some((persona, me)) = found else {
        return Err(Refusal::new(format!("`line.persona`: there is no persona {id}")));
    };
    let role = Role {
        me,
        persona: Words::lossy(persona.prompt.as_str()),
        zone: config.timezone.time_zone().clone(),
        answer_within: config.line.answer_within,
        turn_timeout: config.line.turn_timeout,
    };
    Ok((persona, role))
}

fn settings(config: &Config) -> Settings {
    Settings {
        debounce: config.line.debounce,
        answer_within: config.line.answer_within,
        groups: match config.line.groups {
            LineGroups::Decide => Groups::Decide,
            LineGroups::Mention => Groups::Mention,
            LineGroups::Off => Groups::Off,
        },
        ripple: if config.unsend_ripple { Ripple::Withdraw } else { Ripple::Keep },
    }
}

fn routes(inbound: Inbound, body_bytes_max: usize) -> Router {
    let routes = Router::new()
        .route(WEBHOOK, post(webhook))
        .method_not_allowed_fallback(async || ApiError::new(Code::METHOD_NOT_ALLOWED))
        .with_state(Arc::new(inbound));
    limited(routes, body_bytes_max)
}

async fn webhook(
    State(inbound): State<Arc<Inbound>>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Json<Value>, ApiError> {
    let signatures = headers.get_all(SIGNATURE).iter().map(HeaderValue::as_bytes);
    let signatures: Vec<&[u8]> = signatures.collect();
    inbound.receive(&signatures, &body).await.map_err(refused)?;
    Ok(Json(json!({})))
}

/// What is answered to a call that was not taken.
#[must_use]
pub fn refused(rejected: Rejected) -> ApiError {
    match rejected {
        Rejected::Signature => ApiError::new(Code::INVALID_SIGNATURE),
        Rejected::NotAWebhook => ApiError::new(Code::VALIDATION_ERROR),
        Rejected::TooSlow => ApiError::new(Code::STORAGE_UNAVAILABLE).with_retry(RETRY_SECONDS),
        // Whatever failed, LINE is told to come again.
        Rejected::Storage(error) => {
            ApiError::new(Code::STORAGE_UNAVAILABLE).with_retry(RETRY_SECONDS).with_cause(error)
        }
    }
}
