//! Who is calling. A handler's signature says whom it lets in: [`SignedIn`] or [`Admin`]. One that notes
//! what failed takes [`Caller`].
//!
//! A bearer token comes in the `Authorization` header and wins; the page has the same token in a
//! cookie, which scripts cannot read and other sites cannot send. A token with little left is renewed
//! with the answer, in the way it came.

mod cookie;
mod renewal;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use unsaid_app::reception::Occasion;
use unsaid_core::domain::id::PersonId;
use unsaid_core::domain::person::Person;

pub(crate) use self::cookie::{NAME as COOKIE, set, unset};
use self::renewal::Renewed;
pub(crate) use self::renewal::{Renewal, renewing};
use crate::error::{ApiError, Code};
use crate::state::AppState;
use crate::stored::CallersWish;
use crate::token::Token;

/// Somebody who has proven who they are.
#[derive(Debug)]
pub struct SignedIn {
    /// Who, as the account is now.
    pub person: Person,
    /// What their token says.
    pub token: Token,
    /// How it came.
    pub via: Via,
    renewal: Renewal,
}

/// An admin who has proven who they are; everybody else is refused with 403.
#[derive(Debug)]
pub struct Admin(pub SignedIn);

/// Somebody who has proven who they are, or who will have once storage answers again: until then only
/// their token says so, and nothing is done for them. Everybody else is refused.
#[derive(Debug)]
pub struct Caller {
    /// Who, as their token says.
    pub id: PersonId,
    /// The account; if it could not be looked up, what broke.
    pub signed_in: Result<SignedIn, ApiError>,
}

/// How a token came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// In the `Authorization` header.
    Bearer,
    /// In the page's cookie.
    Cookie,
}

impl Via {
    /// The door, as the consent ledger has it.
    #[must_use]
    pub fn door(self) -> &'static str {
        match self {
            Self::Bearer => "api",
            Self::Cookie => "page",
        }
    }
}

impl SignedIn {
    /// This sign-in is over: the answer brings no new token, and takes the cookie away.
    pub(crate) fn leaves(&self, state: &AppState) {
        match self.via {
            Via::Bearer => self.renewal.put(None),
            Via::Cookie => {
                let taken_away = unset(state.accounts.public.is_secure());
                self.renewal.put(Some(Renewed::Cookie(taken_away)));
            }
        }
    }
}

impl FromRequestParts<AppState> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        Shown::of(parts, state)?.looked_up(parts, state).await
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let shown = Shown::of(parts, state)?;
        let id = shown.token.person.clone();
        match shown.looked_up(parts, state).await {
            Err(refused) if !refused.code().status().is_server_error() => Err(refused),
            signed_in => Ok(Self { id, signed_in }),
        }
    }
}

impl FromRequestParts<AppState> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let somebody = SignedIn::from_request_parts(parts, state).await?;
        if somebody.person.admin { Ok(Self(somebody)) } else { Err(Code::FORBIDDEN.into()) }
    }
}

/// A token of ours that still counts, as far as can be told without looking anything up.
struct Shown {
    token: Token,
    via: Via,
}

impl Shown {
    fn of(parts: &Parts, state: &AppState) -> Result<Self, ApiError> {
        let (text, via) = credential(&parts.headers).ok_or_else(nobody)?;
        let token = state.accounts.tokens.read(&text, state.clock.now()).ok_or_else(nobody)?;
        let changes = changes_something(&parts.method);
        if via == Via::Cookie && changes && !state.accounts.public.is_origin_of(&parts.headers) {
            return Err(ApiError::new(Code::WRONG_ORIGIN));
        }
        Ok(Self { token, via })
    }

    /// Whether the account is there, the sign-in goes on, and the call does not come too often. Whoever is
    /// due for erasure is erased by coming.
    async fn looked_up(self, parts: &Parts, state: &AppState) -> Result<SignedIn, ApiError> {
        let Self { token, via } = self;
        let mut person = account(&token, state).await?;
        if state.store.is_sign_in_ended(&token.sign_in).await? {
            return Err(nobody());
        }
        let changes = changes_something(&parts.method);
        let occasion =
            if changes { Occasion::WriteOf(&person.id) } else { Occasion::ReadOf(&person.id) };
        state.reception().count(occasion).await?;
        // However late the job is, nothing is done for somebody with what should be gone (H8).
        if person.consent.is_due(state.clock.now()) {
            state.claim_if_due(&person.id).await?;
            person = account(&token, state).await?;
        }
        let renewal = parts.extensions.get::<Renewal>().cloned().unwrap_or_default();
        renewal.put(renewed(state, &token, via));
        if let Some(wish) = parts.extensions.get::<CallersWish>() {
            wish.put(person.consent.is_on());
        }
        Ok(SignedIn { person, token, via, renewal })
    }
}

/// Whose token it is, as the account is now, if their tokens of then still count.
async fn account(token: &Token, state: &AppState) -> Result<Person, ApiError> {
    let person = state.store.person(&token.person).await?;
    person.filter(|person| person.tokens_since == token.since).ok_or_else(nobody)
}

fn nobody() -> ApiError {
    ApiError::new(Code::UNAUTHENTICATED)
}

/// The token, and how it came. A bearer header wins, whatever is in it.
fn credential(headers: &HeaderMap) -> Option<(String, Via)> {
    let mut bearers = headers.get_all(header::AUTHORIZATION).iter().filter_map(|value| {
        let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    });
    match (bearers.next(), bearers.next()) {
        (Some(token), None) => Some((token, Via::Bearer)),
        (Some(_), Some(_)) => None,
        (None, _) => cookie::token(headers).map(|token| (token, Via::Cookie)),
    }
}

fn changes_something(method: &Method) -> bool {
    ![Method::GET, Method::HEAD, Method::OPTIONS].contains(method)
}

fn renewed(state: &AppState, token: &Token, via: Via) -> Option<Renewed> {
    let issued = state.accounts.tokens.renewed(token, state.clock.now(), &*state.chance)?;
    Some(match via {
        Via::Bearer => Renewed::Bearer(issued),
        Via::Cookie => Renewed::Cookie(set(&issued, state.accounts.public.is_secure())),
    })
}
