//! What can go wrong with LINE. Statuses and names, never words.

use std::time::Duration;

/// Why a client could not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// Neither http nor https, or no host.
    #[error("the address of LINE's API is not one of http or https")]
    Address,
    /// No header can hold it.
    #[error("the access token has characters that no token has")]
    Token,
    /// TLS could not be set up.
    #[error("the HTTP client could not be made")]
    Client,
}

/// Why a call did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// No connection: LINE has heard nothing.
    #[error("no connection to LINE")]
    Unreachable,
    /// A 4xx: LINE has heard it and did nothing.
    #[error("LINE refused: status {status}")]
    Refused {
        /// Its status.
        status: u16,
        /// Whether LINE said "Invalid reply token": unknown, too old, or used.
        token: bool,
        /// When LINE wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// A 5xx, or anything else that is neither yes nor no: it may have happened.
    #[error("LINE failed: status {status}")]
    Failing {
        /// Its status.
        status: u16,
    },
    /// No answer in time: it may have happened.
    #[error("LINE did not answer in time")]
    TimedOut,
    /// The connection ended before the answer did: it may have happened.
    #[error("the connection to LINE broke off")]
    Cut,
    /// An answer larger than allowed.
    #[error("LINE's answer is too large")]
    TooLarge,
    /// An answer that is not what LINE's documents promise.
    #[error("LINE's answer cannot be read")]
    Garbled,
    /// LINE is still preparing it.
    #[error("LINE is not ready yet")]
    NotReady,
}

impl LineError {
    /// A short stable name for logs and metrics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unreachable => "line_unreachable",
            Self::Refused { token: true, .. } => "line_invalid_reply_token",
            Self::Refused { status: 429, .. } => "line_limited",
            Self::Refused { .. } => "line_refused",
            Self::Failing { .. } => "line_failing",
            Self::TimedOut => "line_timeout",
            Self::Cut => "line_cut",
            Self::TooLarge => "line_too_large",
            Self::Garbled => "line_garbled",
            Self::NotReady => "line_not_ready",
        }
    }

    /// The status of LINE's answer, if it was one of failure.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } | Self::Failing { status } => Some(*status),
            Self::Unreachable
            | Self::TimedOut
            | Self::Cut
            | Self::TooLarge
            | Self::Garbled
            | Self::NotReady => None,
        }
    }

    /// Whether it certainly did not happen. Otherwise the answer was lost, and it may have.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        match self {
            Self::Unreachable | Self::Refused { .. } => true,
            Self::Failing { .. }
            | Self::TimedOut
            | Self::Cut
            | Self::TooLarge
            | Self::Garbled
            | Self::NotReady => false,
        }
    }

    /// Whether the same question may be answered a little later.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Refused { status, .. } => *status == 429,
            Self::Unreachable
            | Self::Failing { .. }
            | Self::TimedOut
            | Self::Cut
            | Self::NotReady => true,
            Self::TooLarge | Self::Garbled => false,
        }
    }

    /// When LINE wants to be asked again, if it said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => *retry_after,
            Self::Unreachable
            | Self::Failing { .. }
            | Self::TimedOut
            | Self::Cut
            | Self::TooLarge
            | Self::Garbled
            | Self::NotReady => None,
        }
    }
}
