//! A store that fails, or loses the answer, at a named call.
//!
//! Calls have the names of the port's methods (`"commit"`, `"move_consent"`, …), which are unique
//! over all ports. A plan strikes once; everything else reaches the store behind.

mod ports;

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Arc, Mutex, MutexGuard},
};

use unsaid_core::{
    domain::conversation::key::ConversationKey,
    port::{
        Store,
        error::StoreError,
        history::{Commit, Committed},
    },
};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The store cannot be reached; nothing is written.
    Unavailable,
    /// There is no room; nothing is written.
    Full,
    /// The call never arrives, but nobody can tell.
    LostRequest,
    /// The call takes effect, but nobody can tell.
    LostAnswer,
    /// The same, and a commit takes effect only before the next one, which waits for it as for a lock;
    /// whoever reads does not.
    Late,
    /// Nothing; but whoever else is ready comes first.
    Pause,
}

/// See the module.
pub struct Failing {
    inner: Arc<dyn Store>,
    plans: Mutex<Plans>,
}

#[derive(Default)]
struct Plans {
    calls: BTreeMap<&'static str, u64>,
    /// By name and by how many calls of that name came before.
    faults: BTreeMap<(&'static str, u64), Fault>,
    /// How many calls of any name come before the one that goes wrong.
    of_all: Option<(u64, Fault)>,
    /// What that one was.
    struck: Option<&'static str>,
    /// A commit that is still on its way.
    late: Option<(ConversationKey, Commit)>,
}

impl Failing {
    /// Passes everything on to this store until told otherwise.
    #[must_use]
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, plans: Mutex::default() }
    }

    /// The next call of this name goes wrong.
    pub fn fail(&self, call: &str, fault: Fault) {
        self.fail_nth(call, 1, fault);
    }

    /// Of the calls of this name that come from now on, the `nth` goes wrong; the first is 1.
    pub fn fail_nth(&self, call: &str, nth: u64, fault: Fault) {
        let known = ports::CALLS.iter().flat_map(|calls| calls.iter());
        let call = known.copied().find(|known| *known == call);
        let call = call.expect("the call is a method of a port");
        let mut plans = self.plans();
        let before = plans.calls.get(call).copied().unwrap_or(0);
        let nth = nth.checked_sub(1).expect("the first call is 1");
        plans.faults.insert((call, before + nth), fault);
    }

    /// Of all calls that come from now on, whatever their name, the `nth` goes wrong; the first is 1.
    pub fn fail_nth_of_all(&self, nth: u64, fault: Fault) {
        let before = nth.checked_sub(1).expect("the first call is 1");
        let mut plans = self.plans();
        (plans.of_all, plans.struck) = (Some((before, fault)), None);
    }

    /// Ends what [`Self::fail_nth_of_all`] planned, and tells which call it struck, if it did.
    pub fn struck(&self) -> Option<&'static str> {
        let mut plans = self.plans();
        plans.of_all = None;
        plans.struck.take()
    }

    /// How many calls of this name have come so far, those that went wrong included.
    #[must_use]
    pub fn calls(&self, call: &str) -> u64 {
        let plans = self.plans();
        plans.calls.get(call).copied().unwrap_or(0)
    }

    /// Whether every fault that was planned for a name has struck.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.plans().faults.is_empty()
    }

    async fn through<T: Send>(
        &self,
        call: &'static str,
        work: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        let fault = self.strike(call);
        Self::struck_by(fault, call, work).await
    }

    async fn commit_in_order(
        &self,
        key: &ConversationKey,
        commit: Commit,
    ) -> Result<Committed, StoreError> {
        let late = self.plans().late.take();
        if let Some((key, commit)) = late {
            self.inner.commit(&key, commit).await?;
        }
        let fault = self.strike("commit");
        if fault == Some(Fault::Late) {
            self.plans().late = Some((key.clone(), commit.clone()));
        }
        Self::struck_by(fault, "commit", self.inner.commit(key, commit)).await
    }

    async fn struck_by<T: Send>(
        fault: Option<Fault>,
        call: &'static str,
        work: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        let uncertain = || StoreError::Uncertain(format!("the answer to {call} was lost"));
        match fault {
            None => work.await,
            Some(Fault::Pause) => {
                tokio::task::yield_now().await;
                work.await
            }
            Some(Fault::Unavailable) => {
                Err(StoreError::Unavailable(format!("{call} was made to fail")))
            }
            Some(Fault::Full) => Err(StoreError::Full),
            Some(Fault::LostRequest | Fault::Late) => Err(uncertain()),
            Some(Fault::LostAnswer) => work.await.and_then(|_| Err(uncertain())),
        }
    }

    fn plans(&self) -> MutexGuard<'_, Plans> {
        self.plans.lock().expect("nothing panics while it holds this lock")
    }

    fn strike(&self, call: &'static str) -> Option<Fault> {
        let mut plans = self.plans();
        let count = plans.calls.entry(call).or_default();
        let place = (call, *count);
        *count += 1;
        match plans.of_all {
            Some((0, fault)) => {
                (plans.of_all, plans.struck) = (None, Some(call));
                return Some(fault);
            }
            Some((before, fault)) => plans.of_all = Some((before - 1, fault)),
            None => {}
        }
        plans.faults.remove(&place)
    }
}
