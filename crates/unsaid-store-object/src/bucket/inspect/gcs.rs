//! How a bucket of Google's is set up, from its JSON API.

use std::time::Duration;

use http::Request;
use http::header::AUTHORIZATION;
use object_store::client::{HttpClient, HttpRequest};
use object_store::gcp::GcpCredentialProvider;
use serde::Deserialize;

use super::{Finding, ask};

const WHAT: &str = "versioning, soft delete or retention";
const PERMISSION: &str = "storage.buckets.get";
const FIELDS: &str = "versioning,softDeletePolicy,retentionPolicy,defaultEventBasedHold";

/// See the module.
pub(in crate::bucket) struct GcsSettings {
    /// Of the bucket in the JSON API.
    pub(in crate::bucket) address: String,
    pub(in crate::bucket) credentials: GcpCredentialProvider,
    pub(in crate::bucket) client: HttpClient,
    pub(in crate::bucket) call_time_max: Duration,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    versioning: Versioning,
    soft_delete_policy: SoftDeletePolicy,
    retention_policy: Option<RetentionPolicy>,
    default_event_based_hold: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Versioning {
    enabled: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SoftDeletePolicy {
    retention_duration_seconds: Seconds,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct RetentionPolicy {
    retention_period: Seconds,
}

/// The API writes large numbers as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(u64),
    Text(String),
}

impl Default for Seconds {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl Seconds {
    /// What is no number is taken for a long time.
    fn get(&self) -> u64 {
        match self {
            Self::Number(seconds) => *seconds,
            Self::Text(text) => text.parse().unwrap_or(u64::MAX),
        }
    }
}

impl GcsSettings {
    pub(super) async fn inspect(&self) -> Vec<Finding> {
        let unknown =
            |why: String| vec![Finding::Unknown { what: WHAT, permission: PERMISSION, why }];
        match tokio::time::timeout(self.call_time_max, self.metadata()).await {
            Ok(Ok(metadata)) => findings(&metadata),
            Ok(Err(why)) => unknown(why),
            Err(_) => unknown("no answer in time".to_owned()),
        }
    }

    async fn metadata(&self) -> Result<Metadata, String> {
        let credential = self.credentials.get_credential().await;
        let credential = credential.map_err(|_| "no credentials".to_owned())?;
        let request: HttpRequest = Request::get(format!("{}?fields={FIELDS}", self.address))
            .header(AUTHORIZATION, format!("Bearer {}", credential.bearer))
            .body(bytes::Bytes::new().into())
            .map_err(|_| "no request possible".to_owned())?;
        match ask(&self.client, request).await {
            Ok((200, body)) => {
                serde_json::from_slice(&body).map_err(|_| "answer not understood".to_owned())
            }
            Ok((status, _)) => Err(format!("refused: {status}")),
            Err(_) => Err("cannot connect".to_owned()),
        }
    }
}

fn findings(metadata: &Metadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    if metadata.versioning.enabled {
        findings.push(Finding::KeepsVersions);
    }
    let seconds = metadata.soft_delete_policy.retention_duration_seconds.get();
    if seconds > 0 {
        findings.push(Finding::SoftDelete { seconds });
    }
    if let Some(policy) = &metadata.retention_policy {
        findings.push(Finding::Retention { seconds: policy.retention_period.get() });
    }
    if metadata.default_event_based_hold {
        findings.push(Finding::DefaultHold);
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Vec<Finding> {
        findings(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_bucket_that_forgets_has_no_findings() {
        let off = r#"{"versioning": {"enabled": false},
                      "softDeletePolicy": {"retentionDurationSeconds": "0"}}"#;
        for json in ["{}", off, r#"{"softDeletePolicy": {}}"#] {
            assert_eq!(found(json), [], "{json}");
        }
    }

    #[test]
    fn everything_that_keeps_words_is_found() {
        let json = r#"{"versioning": {"enabled": true}, "defaultEventBasedHold": true,
            "softDeletePolicy": {"retentionDurationSeconds": "604800", "effectiveTime": "x"},
            "retentionPolicy": {"retentionPeriod": "3600", "isLocked": true}}"#;
        let soft_delete = Finding::SoftDelete { seconds: 604_800 };
        let retention = Finding::Retention { seconds: 3_600 };
        let expected = [Finding::KeepsVersions, soft_delete, retention, Finding::DefaultHold];
        assert_eq!(found(json), expected);
    }
}
