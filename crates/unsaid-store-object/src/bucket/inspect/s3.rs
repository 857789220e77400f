//! How a bucket of S3 is set up.

use std::time::Duration;

use http::Request;
use object_store::aws::{AwsAuthorizer, AwsCredentialProvider};
use object_store::client::{HttpClient, HttpRequest};

use super::{Finding, ask};

/// See the module.
pub(in crate::bucket) struct S3Settings {
    /// Of the bucket.
    pub(in crate::bucket) address: String,
    pub(in crate::bucket) region: String,
    pub(in crate::bucket) credentials: AwsCredentialProvider,
    pub(in crate::bucket) client: HttpClient,
    pub(in crate::bucket) call_time_max: Duration,
}

/// Something that can be asked.
struct Question {
    query: &'static str,
    what: &'static str,
    permission: &'static str,
    read: fn(u16, &str) -> Result<Option<Finding>, ()>,
}

const QUESTIONS: &[Question] = &[
    Question {
        query: "versioning",
        what: "versioning",
        permission: "s3:GetBucketVersioning",
        read: versioning,
    },
    Question {
        query: "object-lock",
        what: "object lock",
        permission: "s3:GetBucketObjectLockConfiguration",
        read: object_lock,
    },
];

impl S3Settings {
    pub(super) async fn inspect(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for question in QUESTIONS {
            let answer = tokio::time::timeout(self.call_time_max, self.ask(question)).await;
            let answer = answer.unwrap_or_else(|_| Err("no answer in time".to_owned()));
            match answer {
                Ok(finding) => findings.extend(finding),
                Err(why) => {
                    let Question { what, permission, .. } = *question;
                    findings.push(Finding::Unknown { what, permission, why });
                }
            }
        }
        findings
    }

    async fn ask(&self, question: &Question) -> Result<Option<Finding>, String> {
        let credential = self.credentials.get_credential().await;
        let credential = credential.map_err(|_| "no credentials".to_owned())?;
        let mut request: HttpRequest = Request::get(format!("{}?{}", self.address, question.query))
            .body(bytes::Bytes::new().into())
            .map_err(|_| "no request possible".to_owned())?;
        AwsAuthorizer::new(&credential, "s3", &self.region)
            .try_authorize(&mut request, None)
            .map_err(|_| "no signature possible".to_owned())?;
        let (status, body) =
            ask(&self.client, request).await.map_err(|_| "cannot connect".to_owned())?;
        let text = String::from_utf8_lossy(&body);
        (question.read)(status, &text).map_err(|()| format!("refused: {status}"))
    }
}

fn versioning(status: u16, body: &str) -> Result<Option<Finding>, ()> {
    match status {
        200 if body.contains("<Status>Enabled</Status>") => Ok(Some(Finding::KeepsVersions)),
        200 if body.contains("<Status>Suspended</Status>") => Ok(Some(Finding::KeptVersions)),
        // compatible servers call it otherwise, but they all call it something
        200 if body.contains("Versioning") => Ok(None),
        _ => Err(()),
    }
}

/// No configuration is a failure in this API; a server that does not know the question has no lock.
fn object_lock(status: u16, body: &str) -> Result<Option<Finding>, ()> {
    match status {
        200 if body.contains("<ObjectLockEnabled>Enabled<") => Ok(Some(Finding::ObjectLock)),
        200 if body.contains("ObjectLockConfiguration") => Ok(None),
        404 if body.contains("ObjectLockConfigurationNotFoundError") => Ok(None),
        501 => Ok(None),
        _ => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versioning_is_read() {
        let body =
            |inner: &str| format!("<VersioningConfiguration>{inner}</VersioningConfiguration>");
        assert_eq!(versioning(200, &body("")), Ok(None));
        let on = body("<Status>Enabled</Status>");
        assert_eq!(versioning(200, &on), Ok(Some(Finding::KeepsVersions)));
        let suspended = body("<Status>Suspended</Status>");
        assert_eq!(versioning(200, &suspended), Ok(Some(Finding::KeptVersions)));
        assert_eq!(versioning(403, ""), Err(()));
        assert_eq!(versioning(200, "<html>"), Err(()));
    }

    #[test]
    fn object_lock_is_read() {
        let on = "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>";
        assert_eq!(object_lock(200, on), Ok(Some(Finding::ObjectLock)));
        let none = "<Error><Code>ObjectLockConfigurationNotFoundError</Code></Error>";
        assert_eq!(object_lock(404, none), Ok(None));
        assert_eq!(object_lock(404, "<Error><Code>NoSuchBucket</Code></Error>"), Err(()));
        assert_eq!(object_lock(501, ""), Ok(None));
        assert_eq!(object_lock(403, ""), Err(()));
    }
}
