//! Where webhooks go, and what the server counts.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Url, redirect};
use serde_json::Value;
use unsaid_line::signature::{ChannelSecret, sign};

use super::address;
use crate::as_line;
use crate::config::mask::masked_url;
use crate::door::line::{SIGNATURE, WEBHOOK};
use crate::refusal::Refusal;

const CONNECT_MAX: Duration = Duration::from_secs(3);
/// LINE itself waits about so long.
const CALL_MAX: Duration = Duration::from_secs(10);
const TURNS: &str = "unsaid_turns_total{";

/// A server with an open LINE door.
pub(super) struct Server {
    client: Client,
    webhook: Url,
    metrics: Url,
    secret: ChannelSecret,
}

/// The turns that have ended, as far as they tell about an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turns {
    pub(super) ended: u64,
    pub(super) silent: u64,
    pub(super) failed: u64,
}

impl Server {
    /// Looks whether it takes webhooks that are signed with this secret.
    pub(super) async fn reach(base: Url, secret: ChannelSecret) -> Result<Self, Refusal> {
        let builder = Client::builder()
            .connect_timeout(CONNECT_MAX)
            .timeout(CALL_MAX)
            .redirect(redirect::Policy::none());
        let builder = match address::this_machine(&base) {
            // The proxy of the environment is for the world outside.
            Some(_) => builder.no_proxy(),
            None => builder,
        };
        let unusable = |error: &dyn std::error::Error| {
            Refusal::new(format!("cannot call the server: {error}"))
        };
        let client = builder.build().map_err(|error| unusable(&error))?;
        let at = |path: &str| {
            let base = base.as_str().trim_end_matches('/');
            Url::parse(&format!("{base}{path}")).map_err(|error| unusable(&error))
        };
        let (webhook, metrics) = (at(WEBHOOK)?, at("/metrics")?);
        let server = Self { client, webhook, metrics, secret };
        let base = masked_url(base.as_str().trim_end_matches('/'));
        match server.deliver(&as_line::verify()).await {
            Some(200) => Ok(server),
            None => Err(Refusal::new(format!(
                "no server answers at {base}: start `unsaid serve`, or say with `--server URL` \
                 where it is"
            ))),
            Some(401) => Err(Refusal::new(format!(
                "the server at {base} has another `line.channel_secret` than the simulator"
            ))),
            Some(404) => Err(Refusal::new(format!(
                "the LINE door of the server at {base} is closed: set `line.channel_secret` and \
                 `line.channel_access_token` there, too"
            ))),
            Some(status) => {
                Err(Refusal::new(format!("the server at {base} answers {status} to a webhook")))
            }
        }
    }

    /// Where webhooks go, for people.
    pub(super) fn webhook(&self) -> String {
        masked_url(self.webhook.as_str())
    }

    /// Delivers a webhook, signed: the status, if somebody answers.
    pub(super) async fn deliver(&self, body: &Value) -> Option<u16> {
        let body = body.to_string();
        let call = self
            .client
            .post(self.webhook.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(SIGNATURE, sign(&self.secret, body.as_bytes()))
            .body(body);
        call.send().await.ok().map(|response| response.status().as_u16())
    }

    /// What has ended so far; nothing where `/metrics` is not for us.
    pub(super) async fn turns(&self) -> Option<Turns> {
        let response = self.client.get(self.metrics.clone()).send().await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        Some(count(&response.text().await.ok()?))
    }
}

fn count(metrics: &str) -> Turns {
    let mut turns = Turns { ended: 0, silent: 0, failed: 0 };
    for line in metrics.lines() {
        let Some((labels, value)) = line.strip_prefix(TURNS).and_then(|rest| rest.rsplit_once(' '))
        else {
            continue;
        };
        let Ok(value) = value.parse::<u64>() else { continue };
        let is = |decision: &str| labels.contains(&format!("decision=\"{decision}\""));
        turns.ended += value;
        turns.silent += if is("silent") { value } else { 0 };
        turns.failed += if is("failed") { value } else { 0 };
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted_by_how_they_ended() {
        let metrics = "# TYPE unsaid_turns_total counter\n\
             unsaid_turns_total{decision=\"answered\",code=\"\"} 5\n\
             unsaid_turns_total{code=\"\",decision=\"silent\"} 2\n\
             unsaid_turns_total{decision=\"failed\",code=\"MODEL_TIMEOUT\"} 1\n\
             unsaid_turns_total{decision=\"failed\",code=\"MODEL_REFUSED\"} 1\n\
             unsaid_line_events_total{kind=\"message\"} 9\n";
        assert_eq!(count(metrics), Turns { ended: 9, silent: 2, failed: 2 });
    }
}
