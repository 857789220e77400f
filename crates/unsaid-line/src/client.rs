//! LINE's Messaging API: the few calls that we make.
//!
//! Every call has its time, every answer its size, and nothing is redirected: a token must not
//! travel. What LINE says in words is neither kept nor logged; [`LineError`] says what is certain.
//!
//! - `options`: where LINE is, and who we are. `error`: what can go wrong.
//! - `answer`: what LINE tells. `transport`: one call over the wire.

mod answer;
mod error;
mod options;
mod transport;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::json;
use unsaid_core::{
    domain::{
        id::{MessageId, PersonId, SourceId},
        message::ReplyToken,
        source::SourceKind,
    },
    port::clock::Clock,
};
use uuid::Uuid;

use self::{
    answer::MembersCount,
    transport::{Body, Host, Transport},
};
pub use self::{
    answer::{BotInfo, GroupSummary, Profile, WebhookEndpoint, WebhookTest},
    error::{ClientError, LineError},
    options::{API_BASE, AccessToken, ClientOptions, ClientTimes, DATA_API_BASE},
};

/// Sent with a push, so that LINE takes it once however often it comes.
pub const RETRY_KEY: &str = "x-line-retry-key";

/// What is not a picture and larger than this is not an answer of LINE's.
const DOCUMENT_BYTES_MAX: usize = 256 << 10;
/// LINE itself calls our webhook before it answers.
const WEBHOOK_TEST_MAX: Duration = Duration::from_secs(15);

/// See the module. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LineClient {
    transport: Arc<Transport>,
    times: ClientTimes,
    content_bytes_max: usize,
}

impl LineClient {
    /// A client for one channel.
    ///
    /// # Errors
    /// If an address or the token cannot be used, or TLS cannot be set up.
    pub fn new(options: &ClientOptions, clock: Arc<dyn Clock>) -> Result<Self, ClientError> {
        Ok(Self {
            transport: Arc::new(Transport::new(options, clock)?),
            times: options.times,
            content_bytes_max: options.content_bytes_max,
        })
    }

    /// Answers with a reply token, `within` this time.
    ///
    /// # Errors
    /// [`LineError::is_certain`] tells whether it may have arrived.
    pub async fn reply(
        &self,
        token: &ReplyToken,
        texts: &[&str],
        within: Duration,
    ) -> Result<(), LineError> {
        let body = json!({ "replyToken": token.expose(), "messages": messages(texts) });
        // Never with a retry key: LINE refuses a reply that has one.
        self.transport.hand_over(&["message", "reply"], Body::new(&body), within).await
    }

    /// Says something unasked, `within` this time; once for one key, however often it is called.
    ///
    /// # Errors
    /// [`LineError::is_certain`] tells whether it may have arrived.
    pub async fn push(
        &self,
        to: &SourceId,
        texts: &[&str],
        key: Uuid,
        within: Duration,
    ) -> Result<(), LineError> {
        let body = json!({ "to": to.as_str(), "messages": messages(texts) });
        let body = Body::new(&body).with(RETRY_KEY, key.hyphenated().to_string());
        self.transport.hand_over(&["message", "push"], body, within).await
    }

    /// Shows a person that an answer is on its way.
    ///
    /// # Errors
    /// If LINE does not take it.
    pub async fn show_loading(
        &self,
        person: &SourceId,
        seconds: u8,
        within: Duration,
    ) -> Result<(), LineError> {
        let body = json!({ "chatId": person.as_str(), "loadingSeconds": seconds });
        self.transport.hand_over(&["chat", "loading", "start"], Body::new(&body), within).await
    }

    /// What a friend of the bot is called.
    ///
    /// # Errors
    /// If LINE does not tell.
    pub async fn profile(&self, person: &PersonId) -> Result<Profile, LineError> {
        self.ask(&["profile", person.as_str()]).await
    }

    /// What somebody in a group or room is called; in a one-to-one chat it is the profile.
    ///
    /// # Errors
    /// If LINE does not tell.
    pub async fn member(
        &self,
        source: &SourceId,
        kind: SourceKind,
        person: &PersonId,
    ) -> Result<Profile, LineError> {
        match kind {
            SourceKind::Person => self.profile(person).await,
            SourceKind::Group => {
                self.ask(&["group", source.as_str(), "member", person.as_str()]).await
            }
            SourceKind::Room => {
                self.ask(&["room", source.as_str(), "member", person.as_str()]).await
            }
        }
    }

    /// What a group is called.
    ///
    /// # Errors
    /// If LINE does not tell.
    pub async fn group_summary(&self, group: &SourceId) -> Result<GroupSummary, LineError> {
        self.ask(&["group", group.as_str(), "summary"]).await
    }

    /// How many people are in a group or room, the bot not counted; in a one-to-one chat it is one.
    ///
    /// # Errors
    /// If LINE does not tell.
    pub async fn members_count(
        &self,
        source: &SourceId,
        kind: SourceKind,
    ) -> Result<u32, LineError> {
        let place = match kind {
            SourceKind::Person => return Ok(1),
            SourceKind::Group => "group",
            SourceKind::Room => "room",
        };
        let MembersCount { count } =
            self.ask(&[place, source.as_str(), "members", "count"]).await?;
        Ok(count)
    }

    /// What was sent with a message. Its type is whatever its bytes are.
    ///
    /// # Errors
    /// [`LineError::NotReady`] if LINE is still at it, [`LineError::TooLarge`] if it is larger than
    /// allowed, and whatever else happens on the way.
    pub async fn content(&self, message: &MessageId) -> Result<Bytes, LineError> {
        let path = ["message", message.as_str(), "content"];
        let (within, bytes_max) = (self.times.content, self.content_bytes_max);
        self.transport.get(Host::Data, &path, within, bytes_max).await
    }

    /// Who the bot is.
    ///
    /// # Errors
    /// If LINE does not tell: a 401 means that the access token is wrong.
    pub async fn bot_info(&self) -> Result<BotInfo, LineError> {
        self.ask(&["info"]).await
    }

    /// Where LINE delivers events to; a 404 means that nothing is set.
    ///
    /// # Errors
    /// If LINE does not tell.
    pub async fn webhook_endpoint(&self) -> Result<WebhookEndpoint, LineError> {
        self.ask(&["channel", "webhook", "endpoint"]).await
    }

    /// Lets LINE call that address, and tells what it saw.
    ///
    /// # Errors
    /// If LINE does not try.
    pub async fn test_webhook(&self) -> Result<WebhookTest, LineError> {
        let path = ["channel", "webhook", "test"];
        let (within, bytes_max) = (WEBHOOK_TEST_MAX, DOCUMENT_BYTES_MAX);
        let bytes = self.transport.post(&path, Body::new(&json!({})), within, bytes_max).await?;
        document(&bytes)
    }

    async fn ask<T: DeserializeOwned>(&self, path: &[&str]) -> Result<T, LineError> {
        let (within, bytes_max) = (self.times.call, DOCUMENT_BYTES_MAX);
        document(&self.transport.get(Host::Api, path, within, bytes_max).await?)
    }
}

fn document<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, LineError> {
    serde_json::from_slice(bytes).map_err(|_not_as_documented| LineError::Garbled)
}

fn messages(texts: &[&str]) -> Vec<serde_json::Value> {
    texts.iter().map(|text| json!({ "type": "text", "text": text })).collect()
}
