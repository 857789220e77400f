//! Counts and logs what comes in: names and ids of things, never words, tokens or signatures.

use std::time::Duration;

use unsaid_core::domain::{conversation::key::ConversationKey, id::MessageId};

use super::{Receipt, Rejected};
use crate::wire::{Heard, Kind, Malformed, What};

/// Seconds until LINE got its answer, by what it was.
pub const ACK_SECONDS: &str = "unsaid_line_ack_seconds";
const EVENTS_TOTAL: &str = "unsaid_line_events_total";
const IGNORED_TOTAL: &str = "unsaid_line_events_ignored_total";
const MALFORMED_TOTAL: &str = "unsaid_line_events_malformed_total";
const DUPLICATES_TOTAL: &str = "unsaid_line_events_duplicate_total";
const REFUSED_TOTAL: &str = "unsaid_line_events_refused_total";
const STORAGE_FAILURES_TOTAL: &str = "unsaid_line_storage_failures_total";

/// Names the metrics of the LINE door's incoming half for whoever reads `/metrics`.
pub fn describe_metrics() {
    metrics::describe_counter!(EVENTS_TOTAL, "events that came from LINE, by kind");
    metrics::describe_counter!(IGNORED_TOTAL, "events that concern nobody here, by kind");
    metrics::describe_counter!(MALFORMED_TOTAL, "events that could not be read");
    metrics::describe_counter!(DUPLICATES_TOTAL, "events that had taken effect before");
    metrics::describe_counter!(REFUSED_TOTAL, "events that the history does not take, by kind");
    metrics::describe_counter!(STORAGE_FAILURES_TOTAL, "failures of storage, by what failed");
    metrics::describe_histogram!(
        ACK_SECONDS,
        metrics::Unit::Seconds,
        "time until a webhook had its answer, by what it was"
    );
}

pub(super) fn acknowledged(after: Duration, outcome: &Result<Receipt, Rejected>) {
    let outcome = match outcome {
        Ok(_) => "ok",
        Err(Rejected::Signature) => "signature",
        Err(Rejected::NotAWebhook) => "not_a_webhook",
        Err(Rejected::TooSlow) => "too_slow",
        Err(Rejected::Storage(_)) => "storage",
    };
    metrics::histogram!(ACK_SECONDS, "outcome" => outcome).record(after.as_secs_f64());
}

pub(super) fn event(kind: Kind) {
    metrics::counter!(EVENTS_TOTAL, "kind" => kind.name()).increment(1);
}

pub(super) fn ignored(kind: Kind) {
    metrics::counter!(IGNORED_TOTAL, "kind" => kind.name()).increment(1);
}

pub(super) fn malformed(malformed: &Malformed) {
    metrics::counter!(MALFORMED_TOTAL).increment(1);
    let delivery = malformed.delivery.as_ref().map_or("unknown", |id| id.as_str());
    tracing::warn!(delivery, why = malformed.why, "malformed event");
}

pub(super) fn duplicate() {
    metrics::counter!(DUPLICATES_TOTAL).increment(1);
}

pub(super) fn refused(heard: &Heard, why: &str) {
    let kind = heard.kind.name();
    metrics::counter!(REFUSED_TOTAL, "kind" => kind).increment(1);
    let (conversation, delivery) = (conversation(heard), delivery(heard));
    tracing::warn!(%conversation, delivery, kind, why, "event refused");
}

/// Redelivery can reorder, so this may be nothing; or the message was never taken in.
pub(super) fn unknown_unsend(heard: &Heard, unsent: &MessageId) {
    let conversation = conversation(heard);
    tracing::warn!(%conversation, %unsent, "unsend of an unknown message: it will stay out");
}

/// What failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    Read,
    Write,
    Timeout,
}

impl Storage {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "storage_read",
            Self::Write => "storage_write",
            Self::Timeout => "storage_timeout",
        }
    }

    /// Counts and logs a failure at an event (H10).
    pub(super) fn failed(self, heard: &Heard, error: &str) {
        let what = self.name();
        metrics::counter!(STORAGE_FAILURES_TOTAL, "what" => what).increment(1);
        let (conversation, delivery) = (conversation(heard), delivery(heard));
        tracing::warn!(%conversation, delivery, kind = heard.kind.name(), error, "{what}");
    }
}

fn conversation(heard: &Heard) -> ConversationKey {
    ConversationKey::Line(heard.source.id.clone())
}

/// The delivery's own name, or at least the message's.
fn delivery(heard: &Heard) -> &str {
    match (&heard.delivery, &heard.what) {
        (Some(delivery), _) => delivery.as_str(),
        (None, What::Said(said)) => said.answer_under.as_str(),
        (None, What::Unsent { id } | What::Edited { id, .. }) => id.as_str(),
        (None, What::Arrived | What::Left | What::MembersChanged) => "unknown",
    }
}
