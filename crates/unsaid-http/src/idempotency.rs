//! `Idempotency-Key`: the same call takes effect once (H3).
//!
//! What is remembered is a keyed digest of the body, the status and ids: never words. For people who
//! want nothing kept it is remembered in memory only. A change of a conversation remembers its key in
//! its own commit ([`Keyed::key_use`]); other calls look before they act and remember afterwards, so
//! that a crash in between leads to a second try and not to none. Calls with the same key that come at
//! the same moment are made one after the other (`under_way`).

mod under_way;

use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use unsaid_core::domain::id::IdempotencyKey;
use unsaid_core::domain::person::Person;
use unsaid_core::domain::secret::SecretKey;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::keys::{KeyUse, Keys};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::body::RawBody;
use crate::error::{ApiError, Code};
use crate::input::invalid;
use crate::input::json::{NoFields, parsed, parsed_or_none, refuse_other_types};
use crate::state::AppState;

use self::under_way::UnderWay;

/// Under this name the secret of the digests is kept.
pub const SECRET: &str = "idempotency";

const HEADER: &str = "idempotency-key";
/// Says in a query how a call is made, and not what it is about.
const INTERRUPT: &str = "interrupt";

/// What is needed to know calls again.
pub struct Idempotency {
    secret: SecretKey,
    volatile: Arc<dyn Keys>,
    under_way: UnderWay,
}

impl Idempotency {
    /// With the secret of the digests, and a place for the keys of people who want nothing kept.
    #[must_use]
    pub fn new(secret: SecretKey, volatile: Arc<dyn Keys>) -> Self {
        Self { secret, volatile, under_way: UnderWay::default() }
    }

    /// The keys of people who want nothing kept.
    #[must_use]
    pub fn volatile(&self) -> Arc<dyn Keys> {
        Arc::clone(&self.volatile)
    }
}

/// A call with the key it may have. For a body in JSON, exactly as `T` has it.
#[derive(Debug)]
pub struct KeyedBody<T>(pub Keyed, pub T);

/// The same with a body that may be left out, or be null.
#[derive(Debug)]
pub struct KeyedBodyOrNone<T>(pub Keyed, pub Option<T>);

/// A call without a body, with the key it may have. `null` and `{}` are no body either.
#[derive(Debug)]
pub struct KeyedCall(pub Keyed);

/// The key that came with a call, if one did, and what it was used for.
#[derive(Debug)]
pub struct Keyed {
    key: Option<IdempotencyKey>,
    scope: String,
    body_digest: [u8; 32],
    /// Held from the first look until the call is answered.
    turn: OnceLock<under_way::Turn>,
}

impl Keyed {
    /// What is to be remembered in the commit of a conversation; none without a key.
    #[must_use]
    pub fn key_use(
        &self,
        person: &Person,
        now: Timestamp,
        status: u16,
        ids: Vec<String>,
    ) -> Option<KeyUse> {
        Some(KeyUse {
            person: person.id.clone(),
            scope: self.scope.clone(),
            key: self.key.clone()?,
            body_digest: self.body_digest,
            status,
            ids,
            at: now,
        })
    }

    /// What this call did when it was made before, if it was. If it is being made right now, that is
    /// waited for.
    ///
    /// # Errors
    /// If its key stands for another call, or nobody can tell.
    pub(crate) async fn before(
        &self,
        state: &AppState,
        person: &Person,
    ) -> Result<Option<KeyUse>, ApiError> {
        let Some(asked) = self.key_use(person, state.clock.now(), 0, Vec::new()) else {
            return Ok(None);
        };
        if self.turn.get().is_none() {
            let turn = state.idempotency.under_way.turn_of(&asked).await;
            self.turn.get_or_init(|| turn);
        }
        let used = match state.idempotency.volatile.used(&asked).await? {
            Some(used) => Some(used),
            None => state.store.used(&asked).await?,
        };
        match used {
            Some(used) if used.body_digest != self.body_digest => {
                Err(Code::IDEMPOTENCY_KEY_REUSED.into())
            }
            used => Ok(used),
        }
    }

    /// Remembers that this call was made and answered with 200; in memory only, unless somebody wants
    /// things kept.
    ///
    /// # Errors
    /// If it cannot be remembered; the call may then be made again.
    pub(crate) async fn done(
        &self,
        state: &AppState,
        person: &Person,
        is_kept: bool,
        ids: Vec<String>,
    ) -> Result<(), ApiError> {
        let Some(used) = self.key_use(person, state.clock.now(), 200, ids) else {
            return Ok(());
        };
        if is_kept {
            state.store.remember(used).await?;
        } else {
            state.idempotency.volatile.remember(used).await?;
        }
        Ok(())
    }
}

impl<T: DeserializeOwned> FromRequest<AppState> for KeyedBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, state: &AppState) -> Result<Self, ApiError> {
        refuse_other_types(request.headers())?;
        let (keyed, bytes) = read(request, state).await?;
        Ok(Self(keyed, parsed(&bytes)?))
    }
}

impl<T: DeserializeOwned> FromRequest<AppState> for KeyedBodyOrNone<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, state: &AppState) -> Result<Self, ApiError> {
        let is_json = refuse_other_types(request.headers());
        let (keyed, bytes) = read(request, state).await?;
        Ok(Self(keyed, parsed_or_none(is_json, &bytes)?))
    }
}

impl FromRequest<AppState> for KeyedCall {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, state: &AppState) -> Result<Self, ApiError> {
        let body = KeyedBodyOrNone::<NoFields>::from_request(request, state).await;
        body.map(|KeyedBodyOrNone(keyed, _)| Self(keyed))
    }
}

impl IntoParams for KeyedCall {
    /// The key is described once, for calls with a body too.
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[!-~]{1,255}$"));
        let parameter = ParameterBuilder::new()
            .name("Idempotency-Key")
            .parameter_in(ParameterIn::Header)
            .description(Some("With the same key, the same call takes effect once."))
            .schema(Some(text));
        vec![parameter.build()]
    }
}

async fn read(
    request: Request<Body>,
    state: &AppState,
) -> Result<(Keyed, axum::body::Bytes), ApiError> {
    let key = key(request.headers())?;
    let scope = format!("{} {}", request.method(), request.uri().path());
    let query = request.uri().query().map(about).unwrap_or_default();
    let RawBody(bytes) = RawBody::from_request(request, state).await?;
    // What a call is about may stand in its query, too. U+0000 is in none.
    let inner = Sha256::new().chain_update(query).chain_update([0]).chain_update(&bytes).finalize();
    // Of the digest again, so that nobody can go on from it.
    let keyed = Sha256::new().chain_update(state.idempotency.secret.expose()).chain_update(inner);
    let body_digest = keyed.finalize().into();
    Ok((Keyed { key, scope, body_digest, turn: OnceLock::new() }, bytes))
}

/// What a query says that a call is about. Whoever repeats a call that found a round running may
/// interrupt it now, and means the same.
fn about(query: &str) -> String {
    let is_about = |pair: &&str| {
        let mut named = form_urlencoded::parse(pair.as_bytes()).map(|(name, _)| name);
        named.all(|name| name != INTERRUPT)
    };
    query.split('&').filter(is_about).collect::<Vec<_>>().join("&")
}

fn key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiError> {
    let mut given = headers.get_all(HEADER).iter();
    let malformed = || invalid("Idempotency-Key", "not 1 to 255 visible ASCII characters, once");
    match (given.next(), given.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            let text = value.to_str().map_err(|_| malformed())?;
            IdempotencyKey::new(text).map(Some).map_err(|_| malformed())
        }
        (Some(_), Some(_)) => Err(malformed()),
    }
}
