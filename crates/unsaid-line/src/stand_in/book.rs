//! What it knows, what it was told, and how it is to fail.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use unsaid_core::domain::{
    id::{MessageId, PersonId, SourceId},
    message::ReplyToken,
    source::SourceKind,
    text::Words,
};
use uuid::Uuid;

use super::{
    call::{Call, Seen},
    fault::Fault,
    recent::Recent,
};
use crate::client::WebhookTest;

/// Something that it has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Where it went: a person, a group or a room.
    pub to: String,
    /// What it was.
    pub what: What,
}

/// What it has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Texts, with a reply token.
    Reply {
        /// One for each message.
        texts: Vec<Words>,
    },
    /// Texts, unasked.
    Push {
        /// One for each message.
        texts: Vec<Words>,
        /// The key under which it is taken once.
        retry_key: Option<Uuid>,
    },
    /// The loading animation.
    Loading {
        /// For how long.
        seconds: u64,
    },
}

impl What {
    /// The texts, in order; an animation has none.
    #[must_use]
    pub fn texts(&self) -> &[Words] {
        match self {
            Self::Reply { texts } | Self::Push { texts, .. } => texts,
            Self::Loading { .. } => &[],
        }
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Book {
    /// Whether it keeps what it accepts, and which calls came.
    keeps: bool,
    sent: Vec<Sent>,
    handed_out: usize,
    seen: Vec<Seen>,
    plans: HashMap<Call, VecDeque<Plan>>,
    hanging: CancellationToken,
    tokens_issued: u64,
    tokens: Recent<String, String>,
    /// Retry keys, and the requests that were accepted with them.
    pub(super) keys: Recent<Uuid, String>,
    requests: u64,
    pub(super) names: Recent<String, Words>,
    pub(super) members: Recent<(String, String), Words>,
    pub(super) places: Recent<String, Place>,
    pub(super) contents: HashMap<String, (String, Bytes)>,
    pub(super) webhook: Option<Webhook>,
}

/// How one call is to fail.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) fault: Fault,
    /// Whether it does what it should before it fails.
    pub(super) after: bool,
}

/// A group or room.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) kind: SourceKind,
    pub(super) name: Words,
    pub(super) members: u32,
}

/// Where events would be delivered to.
#[derive(Debug)]
pub(super) struct Webhook {
    pub(super) endpoint: String,
    pub(super) active: bool,
    pub(super) test: WebhookTest,
}

impl Book {
    /// One for a test, which wants to know everything.
    pub(super) fn of_everything() -> Self {
        Self::new(true, usize::MAX)
    }

    /// One that is never full: nothing of what is accepted, and of the rest the newest so many.
    pub(super) fn of_the_newest(max: usize) -> Self {
        Self::new(false, max)
    }

    fn new(keeps: bool, known_max: usize) -> Self {
        Self {
            keeps,
            sent: Vec::new(),
            handed_out: 0,
            seen: Vec::new(),
            plans: HashMap::new(),
            hanging: CancellationToken::new(),
            tokens_issued: 0,
            tokens: Recent::new(known_max),
            keys: Recent::new(known_max),
            requests: 0,
            names: Recent::new(known_max),
            members: Recent::new(known_max),
            places: Recent::new(known_max),
            contents: HashMap::new(),
            webhook: None,
        }
    }

    pub(super) fn sent(&self) -> &[Sent] {
        &self.sent
    }

    pub(super) fn seen(&self) -> &[Seen] {
        &self.seen
    }

    pub(super) fn take_next_sent(&mut self) -> Option<Sent> {
        let next = self.sent.get(self.handed_out)?.clone();
        self.handed_out += 1;
        Some(next)
    }

    pub(super) fn accept(&mut self, to: String, what: What) {
        if self.keeps {
            self.sent.push(Sent { to, what });
        }
    }

    pub(super) fn see(&mut self, call: Call, status: Option<u16>) {
        if self.keeps {
            self.seen.push(Seen { call, status });
        }
    }

    pub(super) fn plan(&mut self, call: Call, fault: Fault, after: bool) {
        self.plans.entry(call).or_default().push_back(Plan { fault, after });
    }

    pub(super) fn next_plan(&mut self, call: Call) -> Option<Plan> {
        self.plans.get_mut(&call)?.pop_front()
    }

    /// Fires when what hangs now is let go.
    pub(super) fn hanging(&self) -> CancellationToken {
        self.hanging.clone()
    }

    pub(super) fn hang_up(&mut self) {
        std::mem::take(&mut self.hanging).cancel();
    }

    /// The id of the next request.
    pub(super) fn request_id(&mut self) -> String {
        self.requests += 1;
        named("request", self.requests).hyphenated().to_string()
    }

    pub(super) fn issue_reply_token(&mut self, source: &SourceId) -> ReplyToken {
        self.tokens_issued += 1;
        let token = named("reply token", self.tokens_issued).simple().to_string();
        self.tokens.insert(token.clone(), source.to_string());
        ReplyToken::new(token)
    }

    pub(super) fn expire_reply_token(&mut self, token: &ReplyToken) {
        self.tokens.remove(token.expose());
    }

    /// Uses a token: where it leads, if it is good.
    pub(super) fn use_reply_token(&mut self, token: &str) -> Option<String> {
        self.tokens.remove(token)
    }

    pub(super) fn know_person(&mut self, person: &PersonId, name: Words) {
        self.names.insert(person.to_string(), name);
    }

    pub(super) fn know_member(&mut self, source: &SourceId, person: &PersonId, name: Words) {
        self.members.insert((source.to_string(), person.to_string()), name);
    }

    pub(super) fn know_place(
        &mut self,
        source: &SourceId,
        kind: SourceKind,
        name: Words,
        members: u32,
    ) {
        self.places.insert(source.to_string(), Place { kind, name, members });
    }

    /// What somebody is called in a place.
    pub(super) fn name_of(&self, source: &SourceId, person: &PersonId) -> Option<&Words> {
        if source.as_str() == person.as_str() {
            return self.names.get(person.as_str());
        }
        self.members.get(&(source.to_string(), person.to_string()))
    }

    /// How many members of a place are known.
    pub(super) fn count_members(&self, source: &SourceId) -> usize {
        self.members.count(|(place, _)| place == source.as_str())
    }

    /// Nothing is known of a place any more; gives its members.
    pub(super) fn forget_place(&mut self, source: &SourceId) -> Vec<String> {
        self.tokens.remove_all(|_, leads_to| leads_to == source.as_str());
        self.names.remove(source.as_str());
        self.places.remove(source.as_str());
        let members = self.members.remove_all(|(place, _), _| place == source.as_str());
        members.into_iter().map(|(_, person)| person).collect()
    }

    pub(super) fn put_content(&mut self, message: &MessageId, kind: String, bytes: Bytes) {
        self.contents.insert(message.to_string(), (kind, bytes));
    }

    pub(super) fn set_webhook(&mut self, endpoint: String, active: bool, test: WebhookTest) {
        self.webhook = Some(Webhook { endpoint, active, test });
    }
}

/// Looks like chance, and is none.
fn named(what: &str, number: u64) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{what} {number}").as_bytes())
}
