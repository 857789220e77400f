//! How a turn ends.

use unsaid_core::{
    domain::{id::MessageId, time::Timestamp},
    port::model::ModelError,
};

use super::{hold::Over, pen::Written, speech::SpeechEnd};

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It did not begin.
    NotBegun(NotBegun),
    /// With an answer.
    Answered {
        /// The answer.
        id: MessageId,
        /// Whether it is known to have arrived.
        known: bool,
    },
    /// With an answer that was not kept: consent was withdrawn meanwhile.
    NotKept,
    /// In silence.
    Silent,
    /// In failure; its questions wait no more.
    Failed {
        /// A short stable name.
        code: &'static str,
    },
    /// It was taken away: cancelled, stopped or lost. Nothing of it is sent or kept.
    Cancelled,
    /// It was handed back; its questions wait again.
    Released,
    /// It ended without a word said, but the log could not be told; it begins again.
    NotRecorded,
}

/// Why a turn did not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotBegun {
    /// Nobody waits.
    Nothing,
    /// Somebody else runs one, here or elsewhere.
    Elsewhere,
    /// Not before this moment.
    Later {
        /// The moment.
        at: Timestamp,
    },
    /// Something was said that nobody had looked at; somebody looks again.
    Unseen,
}

impl Ended {
    /// A short stable name for logs and metrics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotBegun(_) => "not_begun",
            Self::Answered { .. } | Self::NotKept => "answered",
            Self::Silent => "silent",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
            Self::Released => "released",
            Self::NotRecorded => "not_recorded",
        }
    }

    /// What broke, if something did.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Failed { code } => code,
            Self::NotRecorded => Failure::STORAGE_WRITE.0,
            Self::NotBegun(_)
            | Self::Answered { .. }
            | Self::NotKept
            | Self::Silent
            | Self::Cancelled
            | Self::Released => "",
        }
    }

    pub(super) fn of_speech(&self) -> SpeechEnd {
        match self {
            Self::Answered { .. } => SpeechEnd::Kept,
            Self::NotKept => SpeechEnd::NotKept,
            Self::Failed { code } => SpeechEnd::Failed(code),
            Self::Silent => SpeechEnd::Silent,
            Self::Cancelled | Self::NotBegun(_) => SpeechEnd::Cancelled,
            Self::Released => SpeechEnd::HandedBack,
            Self::NotRecorded => SpeechEnd::Failed(Failure::STORAGE_WRITE.0),
        }
    }

    /// This end, if the log has it; what the log refuses was over before.
    pub(super) fn if_written(self, written: Written) -> Self {
        match written {
            Written::Yes => self,
            Written::Refused => Self::Cancelled,
            Written::No => Self::NotRecorded,
        }
    }
}

/// Why a turn came to no end of its own.
pub(super) enum Stopped {
    /// It was taken away.
    Lost,
    /// The process is ending.
    Shutdown,
    /// Something broke.
    Failed(Failure),
}

/// The name of what broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure(pub(super) &'static str);

impl Failure {
    pub(super) const STORAGE_READ: Self = Self("storage_read");
    pub(super) const STORAGE_WRITE: Self = Self("storage_write");
    pub(super) const STORAGE_TIMEOUT: Self = Self("storage_timeout");
    pub(super) const MODEL_UNKNOWN: Self = Self("model_unknown");
    pub(super) const NO_CONSENT: Self = Self("no_consent");
    pub(super) const TURN_TIMEOUT: Self = Self("turn_timeout");
    pub(super) const TOOL_STEPS: Self = Self("tool_steps");
    pub(super) const MODEL_PLAIN_TEXT: Self = Self("model_plain_text");
    pub(super) const MODEL_LENGTH: Self = Self("model_length");
    pub(super) const MODEL_REFUSED: Self = Self("model_refused");
    pub(super) const MODEL_ENDLESS: Self = Self("model_endless");
    pub(super) const MODEL_GARBLED: Self = Self("model_garbled");
    pub(super) const MODEL_EMPTY: Self = Self("model_empty");

    pub(super) fn model(error: &ModelError) -> Self {
        Self(error.name())
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Over> for Stopped {
    fn from(over: Over) -> Self {
        match over {
            Over::Lost => Self::Lost,
            Over::Shutdown => Self::Shutdown,
            Over::TimedOut => Self::Failed(Failure::TURN_TIMEOUT),
        }
    }
}
