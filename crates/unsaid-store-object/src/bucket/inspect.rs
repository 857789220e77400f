//! Whether a bucket can be trusted with words: it keeps conditions, and it forgets.
//!
//! Looked at when the server starts and by `unsaid doctor`. A bucket with findings is refused,
//! unless all of them can be accepted and `history_accept_delay` is set.

mod gcs;
mod probe;
mod s3;

use std::fmt;

use object_store::client::{HttpClient, HttpError, HttpRequest};
use unsaid_core::port::clock::Chance;

use super::{BucketError, place::Opened};

pub(super) use gcs::GcsSettings;
pub(super) use s3::S3Settings;

/// Whom to ask how a bucket is set up.
pub(super) enum Settings {
    Gcs(GcsSettings),
    S3(S3Settings),
    /// A directory or memory has none.
    None,
}

/// Something that speaks against a bucket; printed, it is one sentence for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// It cannot be read and written.
    Unusable(BucketError),
    /// It writes although the condition does not hold.
    IgnoresConditions,
    /// It keeps what is overwritten or deleted, for ever or as long as its rules say.
    KeepsVersions,
    /// It kept versions once, and those are still there.
    KeptVersions,
    /// It keeps what is deleted for a time.
    SoftDelete {
        /// How long.
        seconds: u64,
    },
    /// It does not let go of an object before its time.
    Retention {
        /// How long.
        seconds: u64,
    },
    /// It does not let go of an object before somebody releases it.
    DefaultHold,
    /// It can lock versions against deletion.
    ObjectLock,
    /// How it is set up could not be found out.
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// Which permission is needed.
        permission: &'static str,
        /// What was answered.
        why: String,
    },
}

impl Finding {
    /// Whether an operator may live with it: things go on working, and words stay longer.
    #[must_use]
    pub fn can_be_accepted(&self) -> bool {
        match self {
            Self::KeepsVersions
            | Self::KeptVersions
            | Self::SoftDelete { .. }
            | Self::Retention { .. }
            | Self::DefaultHold
            | Self::ObjectLock
            | Self::Unknown { .. } => true,
            Self::Unusable(_) | Self::IgnoresConditions => false,
        }
    }
}

impl Finding {
    /// Whether an object that is written once cannot be deleted soon.
    fn holds_fast(&self) -> bool {
        matches!(self, Self::Retention { .. } | Self::DefaultHold)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable(error) => write!(
                f,
                "the history cannot be read and written there: {error}; check its name, the \
                 credentials and their permissions"
            ),
            Self::IgnoresConditions => f.write_str(
                "the bucket writes although the condition does not hold, so messages would be \
                 lost: use one with conditional writes",
            ),
            Self::KeepsVersions => f.write_str(
                "the bucket keeps old versions, so words that were taken back stay there until a \
                 lifecycle rule deletes them, or for ever: turn versioning off and delete old \
                 versions, or set history_accept_delay = true",
            ),
            Self::KeptVersions => f.write_str(
                "the bucket kept old versions before versioning was suspended, and they stay for \
                 ever: use a bucket that never had versioning, or delete those versions and set \
                 history_accept_delay = true",
            ),
            Self::SoftDelete { seconds } => write!(
                f,
                "the bucket keeps deleted words for {} (soft delete): set its soft delete \
                 retention to 0, or set history_accept_delay = true",
                Span(*seconds)
            ),
            Self::Retention { seconds } => write!(
                f,
                "the bucket keeps every object unchanged for {} (retention policy), so no message \
                 can be added or taken back before: remove the policy, or set history_accept_delay = true",
                Span(*seconds)
            ),
            Self::DefaultHold => f.write_str(
                "the bucket holds every new object until somebody releases it, so no message can \
                 be added or taken back before: turn the default event-based hold off, or set history_accept_delay = true",
            ),
            Self::ObjectLock => f.write_str(
                "the bucket has object lock, so words that were taken back stay as long as its \
                 rules say: use a bucket without it, or set history_accept_delay = true",
            ),
            Self::Unknown { what, permission, why } => write!(
                f,
                "whether the bucket has {what} could not be found out ({why}), so nobody knows how \
                 long words stay there: grant {permission}, or set history_accept_delay = true"
            ),
        }
    }
}

/// A time as people say it.
struct Span(u64);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
        let fits = |(size, _): &&(u64, &str)| self.0.is_multiple_of(*size);
        let (size, unit) = units.iter().find(fits).unwrap_or(&(1, "second"));
        let count = self.0 / size;
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{count} {unit}{plural}")
    }
}

impl Opened {
    /// Looks at everything that speaks against it; leaves nothing behind.
    pub async fn inspect(&self, chance: &dyn Chance) -> Vec<Finding> {
        let mut findings = match &self.settings {
            Settings::Gcs(settings) => settings.inspect().await,
            Settings::S3(settings) => settings.inspect().await,
            Settings::None => Vec::new(),
        };
        // what a bucket does not let go of, we do not give it
        if !findings.iter().any(Finding::holds_fast) {
            findings.extend(probe::probe(&*self.bucket, chance).await);
        }
        findings
    }
}

/// An answer about settings: its status and its body.
async fn ask(client: &HttpClient, request: HttpRequest) -> Result<(u16, Vec<u8>), HttpError> {
    let response = client.execute(request).await?;
    let status = response.status().as_u16();
    Ok((status, response.into_body().bytes().await?.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_the_largest_unit_that_fits() {
        let said = |seconds| Span(seconds).to_string();
        assert_eq!(said(604_800), "7 days");
        assert_eq!(said(86_400), "1 day");
        assert_eq!(said(5_400), "90 minutes");
        assert_eq!(said(61), "61 seconds");
    }
}
