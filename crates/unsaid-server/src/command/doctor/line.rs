//! Whether LINE takes the credentials, and delivers to this server.

use std::sync::Arc;

use async_trait::async_trait;
use unsaid_line::client::{LineClient, LineError, WebhookEndpoint};

use super::{Check, Finding, problem};
use crate::config::Config;
use crate::door::line::{WEBHOOK, client_options};
use crate::system::SystemClock;

/// LINE does not tell whether it is on.
const REDELIVERY: &str = "see in the LINE Developers console that Webhook redelivery is on, or what LINE could not \
     deliver is lost";
const TOKEN: &str = "issue a channel access token in the LINE Developers console and set \
     `line.channel_access_token`";

pub(super) struct Line;

#[async_trait]
impl Check for Line {
    fn name(&self) -> &'static str {
        "line"
    }

    async fn look(&self, config: &Config) -> Finding {
        let Some(credentials) = &config.line.credentials else {
            return Finding::Well("the door is closed: `line.channel_secret` is unset".to_owned());
        };
        let options = client_options(config, credentials);
        let client = match LineClient::new(&options, Arc::new(SystemClock)) {
            Ok(client) => client,
            Err(error) => return problem(error.to_string(), TOKEN),
        };
        let bot = match client.bot_info().await {
            Ok(bot) => bot,
            Err(error @ LineError::Refused { status: 401 | 403, .. }) => {
                return problem(format!("{error}: it does not take the access token"), TOKEN);
            }
            Err(error) => return problem(error.to_string(), "see that LINE can be reached"),
        };
        let who = format!("{} ({})", bot.display_name, bot.basic_id);
        webhook(config, &who, client.webhook_endpoint().await)
    }
}

fn webhook(config: &Config, who: &str, found: Result<WebhookEndpoint, LineError>) -> Finding {
    let own = config.public_url.as_ref().map(|url| {
        let base = url.expose();
        format!("{}{WEBHOOK}", base.trim_end_matches('/'))
    });
    let wanted = own.clone().unwrap_or_else(|| format!("https://YOUR-HOST{WEBHOOK}"));
    let enter = format!("enter {wanted} as Webhook URL in the LINE Developers console");
    match found {
        Err(LineError::Refused { status: 404, .. }) => {
            problem(format!("{who} has no webhook address at LINE"), enter)
        }
        Err(error) => problem(format!("{who}, webhook not known: {error}"), enter),
        Ok(WebhookEndpoint { endpoint, .. })
            if own.as_ref().is_some_and(|own| *own != endpoint) =>
        {
            problem(format!("LINE delivers for {who} to {endpoint}"), enter)
        }
        Ok(WebhookEndpoint { active: false, .. }) => {
            let mend = "turn on Use webhook in the LINE Developers console";
            problem(format!("LINE does not use the webhook of {who}"), mend)
        }
        Ok(WebhookEndpoint { endpoint, .. }) => {
            Finding::Well(format!("{who}, LINE delivers to {endpoint}; {REDELIVERY}"))
        }
    }
}
