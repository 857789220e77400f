//! What the handlers are given.

use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;
use unsaid_app::erase::claim_if_due;
use unsaid_app::event::Watchers;
use unsaid_app::follow::follow_erasure;
use unsaid_app::reception::Reception;
use unsaid_core::domain::id::PersonId;
use unsaid_core::limits::Limits;
use unsaid_core::port::Store;
use unsaid_core::port::allowances::Allowances;
use unsaid_core::port::clock::{Chance, Clock};
use unsaid_core::port::error::StoreError;
use unsaid_core::port::health::Health;
use unsaid_core::port::passwords::Passwords;
use utoipa::ToSchema;

use crate::chat::Sessions;
use crate::client::TrustedNetwork;
use crate::error::ApiError;
use crate::idempotency::Idempotency;
use crate::outlast::to_its_end;
use crate::public_address::PublicAddress;
use crate::rehearsal::{Rehearsals, Spot};
use crate::setup::SetupLink;
use crate::token::Tokens;
use crate::world::Worlds;

/// Everything the door needs from the house; cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The database, as `/readyz` asks it.
    pub database: Arc<dyn Health>,
    /// Everything that is kept.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Chance, for ids and keys.
    pub chance: Arc<dyn Chance>,
    /// Who watches conversations, and which turns run.
    pub watchers: Arc<Watchers>,
    /// Wakes the erasure job: somebody was claimed, and their bytes must go.
    pub erasures: Arc<Notify>,
    /// What is needed to know calls again.
    pub idempotency: Arc<Idempotency>,
    /// What accounts need.
    pub accounts: Arc<Accounts>,
    /// What sessions need.
    pub sessions: Arc<Sessions>,
    /// What worlds need.
    pub worlds: Arc<Worlds>,
    /// Whether what is said on LINE is kept; otherwise it is in memory only.
    pub keeps_line: bool,
    /// Where admins try the bot.
    pub rehearsals: Arc<dyn Rehearsals>,
    /// What `/metrics` prints.
    pub metrics: PrometheusHandle,
    /// Which model answers.
    pub model: ModelSeat,
    /// The limits of this installation.
    pub limits: Limits,
    /// The calls that change something, so that the end waits for them.
    pub calls: TaskTracker,
}

/// What accounts need.
pub struct Accounts {
    /// Makes and reads tokens.
    pub tokens: Tokens,
    /// Hashes passwords.
    pub passwords: Arc<dyn Passwords>,
    /// Counts who did what how often.
    pub allowances: Arc<dyn Allowances>,
    /// Lets the owner of a new installation in.
    pub setup: SetupLink,
    /// Where people reach us.
    pub public: PublicAddress,
    /// Who may say for whom they call.
    pub trusted_proxies: Vec<TrustedNetwork>,
    /// Whether strangers may sign up.
    pub registration_open: bool,
    /// From withdrawal of consent to erasure.
    pub consent_grace_ms: i64,
    /// Which notice people are shown.
    pub notice_version: String,
    /// Its text, if it is the operator's own.
    pub notice: Option<String>,
}

/// Who the model is and where it sits, as people are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModelSeat {
    /// The provider's name: `openai`, `gemini`, `anthropic` or `demo`.
    pub provider: String,
    /// The host that reads the words; none if they stay in this process.
    #[schema(required)]
    pub host: Option<String>,
}

impl AppState {
    /// What every call about an account needs.
    #[must_use]
    pub fn reception(&self) -> Reception<'_> {
        Reception {
            people: &*self.store,
            passwords: &*self.accounts.passwords,
            allowances: &*self.accounts.allowances,
            limits: &self.limits,
            clock: &*self.clock,
        }
    }

    /// Everything of somebody was claimed for erasure: what is only in memory goes at once, and the
    /// bytes of the rest follow.
    pub(crate) async fn forget_at_once(&self, person: &PersonId) -> Result<(), ApiError> {
        self.worlds.failed_edits.forget(person);
        self.sessions.volatile.forget_person(person).await?;
        for spot in [Spot::Person, Spot::Group] {
            self.rehearsals.forget(person, spot).await?;
        }
        self.look_again_for(person);
        Ok(())
    }

    /// The due moment of somebody has come: what the job will erase is gone already (H8).
    /// Also a call that only reads does this to its end, for it changes something.
    pub(crate) async fn claim_if_due(&self, person: &PersonId) -> Result<(), ApiError> {
        let (state, person) = (self.clone(), person.clone());
        let claimed = to_its_end(&self.calls, async move {
            claim_if_due(&*state.store, &*state.clock, &person).await?;
            state.forget_erased(&person).await;
            Ok::<_, StoreError>(())
        });
        Ok(claimed.await??)
    }

    /// What is kept of somebody was claimed for erasure: what they said in memory until then goes too. If
    /// that fails, it goes when memory is compared with what is kept the next time.
    pub(crate) async fn forget_erased(&self, person: &PersonId) {
        self.look_again_for(person);
        let (people, volatile) = (&*self.store, &*self.sessions.volatile);
        if let Err(error) = follow_erasure(people, volatile, &self.watchers, person).await {
            tracing::warn!(error = error.name(), "memory does not follow yet");
        }
    }

    /// Consent or history of somebody changed: their turns and streams look again, and the bytes of what
    /// was claimed follow.
    pub(crate) fn look_again_for(&self, person: &PersonId) {
        self.watchers.look_again_for(person);
        self.erasures.notify_one();
    }
}
