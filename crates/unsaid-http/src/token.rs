//! Tokens: a JWT that says who signed in, when, and until when it counts.
//!
//! One algorithm, HS256, with a key that is kept in the database. A token is renewed while it is
//! used, within one sign-in, and no longer than a sign-in may last. Times are checked here, against
//! the clock that is handed in; the library would ask the system.

use std::time::Duration;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde::{Deserialize, Serialize};
use unsaid_core::domain::id::{PersonId, SignInId};
use unsaid_core::domain::person::Person;
use unsaid_core::domain::secret::SecretKey;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::clock::Chance;
use uuid::Builder;

/// Under this name the key is kept.
pub const SECRET: &str = "tokens";

/// So far the clocks of several servers may be apart: a token that was made later than this from now on
/// was not made by any of them.
const CLOCKS_APART_MS: i64 = 30_000;
/// What `exp` may lose, as it is made of whole seconds; `until` has the moment itself.
const ROUNDED_MS: i64 = 2_000;

const ISSUER: &str = "unsaid";
const AUDIENCE: &str = "unsaid";

/// How long tokens live; `auth.*` of the configuration. What is shortest ends first: a token does not
/// outlive its sign-in, and one that never has enough left is renewed by every answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// One token.
    pub token_ttl: Duration,
    /// With less left it is renewed.
    pub refresh_below: Duration,
    /// One sign-in.
    pub session_cap: Duration,
}

/// Makes tokens and reads them.
pub struct Tokens {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
    terms: Terms,
}

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Who.
    pub person: PersonId,
    /// The sign-in it belongs to.
    pub sign_in: SignInId,
    /// When that was.
    pub signed_in_at: Timestamp,
    /// Which tokens counted then; see `Person::tokens_since`.
    pub since: Timestamp,
    /// The first moment at which it counts for nothing.
    pub until: Timestamp,
}

/// A token to hand out. It does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Issued {
    /// The token.
    pub text: String,
    /// How long it counts.
    pub expires_in_seconds: i64,
}

/// The first six are those that everybody knows; the rest is ours.
#[derive(Serialize, Deserialize)]
struct Claims {
    sub: String,
    iat: i64,
    exp: i64,
    iss: String,
    aud: String,
    jti: String,
    /// The sign-in.
    sid: String,
    /// Milliseconds, as are the next two.
    signed_in_at: i64,
    since: i64,
    until: i64,
}

impl Tokens {
    /// Tokens signed with this key.
    #[must_use]
    pub fn new(key: &SecretKey, terms: Terms) -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["sub", "exp", "iss", "aud"]);
        // Looked at in `counts`; the library would ask the system, and give a minute more.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation.leeway = 0;
        Self {
            encoding: EncodingKey::from_secret(key.expose()),
            decoding: DecodingKey::from_secret(key.expose()),
            validation,
            terms,
        }
    }

    /// The first token of a new sign-in.
    #[must_use]
    pub fn sign_in(&self, person: &Person, now: Timestamp, chance: &dyn Chance) -> Option<Issued> {
        let token = Token {
            person: person.id.clone(),
            sign_in: SignInId::new(random_id(chance)).ok()?,
            signed_in_at: now,
            since: person.tokens_since,
            until: now.plus_millis(millis(self.terms.token_ttl.min(self.terms.session_cap))),
        };
        self.issue(&token, now, chance)
    }

    /// The next token of a sign-in, if this one has little left and the sign-in may go on.
    #[must_use]
    pub fn renewed(&self, token: &Token, now: Timestamp, chance: &dyn Chance) -> Option<Issued> {
        let left_ms = token.until.as_millis().saturating_sub(now.as_millis());
        if left_ms >= millis(self.terms.refresh_below) {
            return None;
        }
        let fresh = now.plus_millis(millis(self.terms.token_ttl));
        let until = fresh.min(self.end_of(token));
        if until <= token.until {
            return None;
        }
        self.issue(&Token { until, ..token.clone() }, now, chance)
    }

    /// When the sign-in of a token ends at the latest.
    #[must_use]
    pub fn end_of(&self, token: &Token) -> Timestamp {
        token.signed_in_at.plus_millis(millis(self.terms.session_cap))
    }

    /// What a token says, if it is ours and still counts.
    #[must_use]
    pub fn read(&self, text: &str, now: Timestamp) -> Option<Token> {
        let claims = decode::<Claims>(text, &self.decoding, &self.validation).ok()?.claims;
        let until = Timestamp::from_millis(claims.until);
        (now < until && counts(&claims, now.as_millis())).then_some(())?;
        Some(Token {
            person: PersonId::new(claims.sub).ok()?,
            sign_in: SignInId::new(claims.sid).ok()?,
            signed_in_at: Timestamp::from_millis(claims.signed_in_at),
            since: Timestamp::from_millis(claims.since),
            until,
        })
    }

    fn issue(&self, token: &Token, now: Timestamp, chance: &dyn Chance) -> Option<Issued> {
        let (now, until) = (now.as_millis(), token.until.as_millis());
        // Whole seconds, and the same everywhere, so it may be a little early; `until` is exact.
        let expires_in_seconds = until.saturating_sub(now).div_euclid(1_000);
        let iat = now.div_euclid(1_000);
        let claims = Claims {
            sub: token.person.to_string(),
            iat,
            exp: iat.saturating_add(expires_in_seconds),
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            jti: random_id(chance),
            sid: token.sign_in.to_string(),
            signed_in_at: token.signed_in_at.as_millis(),
            since: token.since.as_millis(),
            until,
        };
        let text = encode(&Header::new(Algorithm::HS256), &claims, &self.encoding).ok()?;
        Some(Issued { text, expires_in_seconds })
    }
}

/// Whether what everybody knows of a token holds at a moment.
fn counts(claims: &Claims, now: i64) -> bool {
    let [iat, exp] = [claims.iat, claims.exp].map(|seconds| seconds.saturating_mul(1_000));
    let is_made = iat <= now.saturating_add(CLOCKS_APART_MS);
    let is_over = exp.saturating_add(ROUNDED_MS) <= now;
    is_made && !is_over && iat <= exp && !claims.jti.is_empty()
}

/// A random UUID.
#[must_use]
pub fn random_id(chance: &dyn Chance) -> String {
    let mut bytes = [0; 16];
    chance.fill(&mut bytes);
    Builder::from_random_bytes(bytes).into_uuid().to_string()
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
