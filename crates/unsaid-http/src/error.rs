//! The one table of everything that can be refused or go wrong at this door.
//!
//! A use case names its refusals, a store its failures; only this file turns them into statuses.
//! The sentence and the advice are for people and are sent; the cause is for the log and is not.

mod world;

use std::fmt;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use unsaid_app::account::AccountError;
use unsaid_app::consent::ConsentError;
use unsaid_app::erase::EraseError;
use unsaid_app::export::ExportError;
use unsaid_app::reception::NotNow;
use unsaid_app::register::RegisterError;
use unsaid_app::session::SessionError;
use unsaid_app::session::talk::TalkError;
use unsaid_app::sign_in::SignInError;
use unsaid_app::stop::StopError;
use unsaid_app::unsend::UnsendError;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::passwords::PasswordsError;
use utoipa::ToSchema;

use crate::openapi::word;

/// A line of the error table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    name: &'static str,
    status: u16,
    retry_seconds: Option<u32>,
    sentence: &'static str,
    advice: Option<&'static str>,
}

/// Every line of the error table, in its order.
#[must_use]
pub fn table() -> &'static [Code] {
    TABLE
}

/// Stamps a constant for each line, and the list of all of them.
///
/// `CODE: status [retry seconds], "what happened" [, "what to do"];`, one code a line: the
/// reference page is written from the text of this file.
macro_rules! make_error_codes {
    ($($name:ident: $status:literal $(retry $retry:literal)?, $sentence:literal $(, $advice:literal)?;)*) => {
        impl Code {
            $(
                #[doc = concat!($status, ": ", $sentence)]
                pub const $name: Self = Self {
                    name: stringify!($name),
                    status: $status,
                    retry_seconds: make_error_codes!(@optional $($retry)?),
                    sentence: $sentence,
                    advice: make_error_codes!(@optional $($advice)?),
                };
            )*
        }

        const TABLE: &[Code] = &[$(Code::$name),*];
    };
    (@optional) => { None };
    (@optional $value:literal) => { Some($value) };
}

make_error_codes! {
    // every door
    VALIDATION_ERROR: 400, "The request is not valid", "Correct the field named in details";
    UNAUTHENTICATED: 401, "Authentication required", "Sign in, or send a valid bearer token";
    FORBIDDEN: 403, "Not allowed", "Ask an admin of this installation";
    NOT_FOUND: 404, "No such path";
    METHOD_NOT_ALLOWED: 405, "Method not allowed here", "Use a method named in the Allow header";
    BODY_TOO_SLOW: 408, "The body did not arrive in time", "Send it again, without pauses";
    VERSION_CONFLICT: 409, "Changed by somebody else meanwhile", "Load it again and repeat";
    LIMIT_REACHED: 409, "The limit of this installation is reached", "Delete something first, or ask an admin to raise the limit";
    BODY_TOO_LARGE: 413, "The body is too large", "Send less at once";
    UNSUPPORTED_MEDIA_TYPE: 415, "Content type not supported", "Send application/json";
    IDEMPOTENCY_KEY_REUSED: 422, "This Idempotency-Key was used with another body", "Use a new key for a new request";
    RATE_LIMITED: 429 retry 60, "Too many requests", "Wait as long as Retry-After says";
    INTERNAL: 500, "Something went wrong here", "Report it with the request id";
    MODEL_UNAVAILABLE: 503 retry 5, "The model does not answer", "Try again in a moment";
    STORAGE_UNAVAILABLE: 503 retry 2, "Storage does not answer", "Try again in a moment";
    STORAGE_DAMAGED: 503 retry 60, "Stored data cannot be read", "Ask the operator to run unsaid doctor";
    STORAGE_FULL: 507, "Storage is full", "Ask the operator to free some space";
    // the LINE door
    INVALID_SIGNATURE: 401, "Signature missing or wrong", "Sign the raw body with the channel secret";
    // worlds
    INVALID_MESSAGE_TYPE: 400, "This can only be done with a person's message", "Choose a message that a person wrote";
    WORLD_NOT_FOUND: 404, "World not found";
    AGENT_NOT_FOUND: 404, "Agent not found";
    CHAT_NOT_FOUND: 404, "Chat not found";
    MESSAGE_NOT_FOUND: 404, "Message not found";
    EDIT_NOT_FOUND: 404, "Edit not found";
    WORLD_EXISTS: 409, "A world of this name exists", "Choose another name";
    AGENT_EXISTS: 409, "An agent of this name exists", "Choose another name";
    SESSION_OFF: 409, "Cannot resubmit: session mode is OFF", "Choose a chat to turn session mode on";
    UNDO_BLOCKED: 409, "Cannot undo: the chat went on since";
    UNDO_EXPIRED: 410, "Cannot undo: the time for it has passed";
    WORLD_LOCKED: 423 retry 2, "Cannot edit messages while agents are responding", "Please wait for agents to finish responding";
    // accounts and sessions
    UNKNOWN_EXPERT: 400, "Unknown expert", "Choose one of /api/experts";
    INVALID_CREDENTIALS: 401, "Invalid email or password";
    NO_CREDITS: 402, "No session credits left";
    WRONG_PASSWORD: 403, "Wrong password";
    WRONG_ORIGIN: 403, "Request from another origin", "Use the page at its public address";
    REGISTRATION_CLOSED: 403, "Registration is closed", "Ask an admin for an account";
    SETUP_LINK_INVALID: 403, "This link was used, is too old or is wrong", "Restart the server for a new one";
    SESSION_NOT_FOUND: 404, "Session not found or history storage disabled";
    EMAIL_TAKEN: 409, "Email already registered", "Sign in instead";
    SESSION_NOT_ACTIVE: 409, "The session is over", "Start a new one";
    SESSION_BUSY: 423 retry 2, "The session is still answering", "Wait for the answer, or stop it";
}

impl Code {
    /// The constant that clients look at.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// What happened.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        self.sentence
    }

    /// What to do about it.
    #[must_use]
    pub fn advice(self) -> Option<&'static str> {
        self.advice
    }

    /// After how many seconds it may go better.
    #[must_use]
    pub fn retry_seconds(self) -> Option<u32> {
        self.retry_seconds
    }
}

/// What a handler answers when it cannot do what it was asked.
#[derive(Debug, Clone)]
pub struct ApiError {
    code: Code,
    details: Option<Box<Value>>,
    retry_seconds: Option<u32>,
    cause: Option<String>,
}

impl ApiError {
    /// The plain line of the table.
    #[must_use]
    pub fn new(code: Code) -> Self {
        Self { code, details: None, retry_seconds: code.retry_seconds, cause: None }
    }

    /// Adds what a program may want to know; sent, so never words of people.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Says when to come back, where the caller knows it better than the table.
    #[must_use]
    pub fn with_retry(mut self, seconds: u32) -> Self {
        self.retry_seconds = Some(seconds);
        self
    }

    /// Keeps the inner reason for the log; never sent.
    #[must_use]
    pub fn with_cause(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// The line of the table.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// The inner reason, for the log.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// The body people see.
    pub(crate) fn body(&self, request_id: &str) -> String {
        let body = Body {
            error: self.code.sentence,
            code: self.code.name,
            message: self.code.advice,
            details: self.details.as_deref(),
            request_id,
        };
        serde_json::to_string(&body).unwrap_or_default()
    }
}

impl From<Code> for ApiError {
    fn from(code: Code) -> Self {
        Self::new(code)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Conflict => Code::VERSION_CONFLICT,
            StoreError::Unavailable(_) | StoreError::Uncertain(_) => Code::STORAGE_UNAVAILABLE,
            StoreError::Corrupt { .. } => Code::STORAGE_DAMAGED,
            StoreError::Full => Code::STORAGE_FULL,
        };
        Self::new(code).with_cause(error)
    }
}

impl From<NotNow> for ApiError {
    fn from(not_now: NotNow) -> Self {
        match not_now {
            NotNow::TooOften { wait_ms } => {
                let seconds = u32::try_from(wait_ms.max(1).saturating_add(999) / 1_000);
                Self::new(Code::RATE_LIMITED).with_retry(seconds.unwrap_or(u32::MAX))
            }
            // The others are done soon.
            NotNow::Hasher(PasswordsError::Busy) => Self::new(Code::RATE_LIMITED).with_retry(2),
            NotNow::Hasher(broken @ PasswordsError::Broken(_)) => {
                Self::new(Code::INTERNAL).with_cause(broken)
            }
            NotNow::Broken(error) => error.into(),
        }
    }
}

impl From<RegisterError> for ApiError {
    fn from(error: RegisterError) -> Self {
        match error {
            RegisterError::EmailTaken => Code::EMAIL_TAKEN.into(),
            RegisterError::NotNow(not_now) => not_now.into(),
        }
    }
}

impl From<SignInError> for ApiError {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Wrong => Code::INVALID_CREDENTIALS.into(),
            SignInError::NotNow(not_now) => not_now.into(),
        }
    }
}

impl From<AccountError> for ApiError {
    fn from(error: AccountError) -> Self {
        match error {
            // It was there when the caller was let in, and ended meanwhile.
            AccountError::NotFound => Code::UNAUTHENTICATED.into(),
            AccountError::WrongPassword => Code::WRONG_PASSWORD.into(),
            AccountError::NotNow(not_now) => not_now.into(),
        }
    }
}

impl From<ConsentError> for ApiError {
    fn from(error: ConsentError) -> Self {
        match error {
            ConsentError::NotFound => Code::UNAUTHENTICATED.into(),
            ConsentError::Broken(error) => error.into(),
        }
    }
}

impl From<EraseError> for ApiError {
    fn from(error: EraseError) -> Self {
        match error {
            EraseError::NotFound => Code::UNAUTHENTICATED.into(),
            EraseError::Broken(error) => error.into(),
        }
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::NotFound => Code::SESSION_NOT_FOUND.into(),
            SessionError::UnknownExpert => Code::UNKNOWN_EXPERT.into(),
            SessionError::NoCredits => Code::NO_CREDITS.into(),
            SessionError::NotActive => Code::SESSION_NOT_ACTIVE.into(),
            SessionError::Broken(error) => error.into(),
        }
    }
}

impl From<UnsendError> for ApiError {
    fn from(error: UnsendError) -> Self {
        match error {
            UnsendError::NotFound => Code::MESSAGE_NOT_FOUND.into(),
            UnsendError::NotAPersons => Code::INVALID_MESSAGE_TYPE.into(),
            UnsendError::KeyReused => Code::IDEMPOTENCY_KEY_REUSED.into(),
            UnsendError::Broken(error) => error.into(),
        }
    }
}

impl From<TalkError> for ApiError {
    fn from(error: TalkError) -> Self {
        match error {
            TalkError::Busy => Code::SESSION_BUSY.into(),
            TalkError::NotFound => Code::MESSAGE_NOT_FOUND.into(),
            TalkError::NoSession => Code::SESSION_NOT_FOUND.into(),
            TalkError::NotAPersons => Code::INVALID_MESSAGE_TYPE.into(),
            TalkError::VersionConflict => Code::VERSION_CONFLICT.into(),
            TalkError::KeyReused => Code::IDEMPOTENCY_KEY_REUSED.into(),
            TalkError::Broken(error) => error.into(),
        }
    }
}

impl From<StopError> for ApiError {
    fn from(error: StopError) -> Self {
        match error {
            StopError::KeyReused => Code::IDEMPOTENCY_KEY_REUSED.into(),
            StopError::Broken(error) => error.into(),
        }
    }
}

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::NotFound => Code::UNAUTHENTICATED.into(),
            ExportError::Broken(error) => error.into(),
        }
    }
}

impl IntoResponse for ApiError {
    /// The status and headers. The body is written in [`crate::watch`], which knows the request id
    /// and logs the cause.
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        if let Some(seconds) = self.retry_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.code == Code::UNAUTHENTICATED {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// What every refusal and every failure looks like.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct Body<'a> {
    /// What happened, for people.
    error: &'a str,
    /// What happened, for programs.
    #[schema(schema_with = word::code)]
    code: &'a str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<&'a str>,
    /// Which field is wrong, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    details: Option<&'a Value>,
    /// The same as in the header, and in the log of the server.
    request_id: &'a str,
}

#[cfg(test)]
mod tests;
