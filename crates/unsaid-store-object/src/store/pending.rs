//! Something asked that waits for its write.
//!
//! It can be withdrawn, by a deadline or because nobody listens any more, until a write that holds
//! it is on its way. From then on nobody knows before the answer comes.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU8, Ordering},
};

use tokio::{sync::oneshot, time::Instant};
use unsaid_core::port::error::StoreError;

use super::ask::{Answer, Ask};

/// What comes back.
pub(crate) type Reply = Result<Answer, StoreError>;

const WAITING: u8 = 0;
const ON_ITS_WAY: u8 = 1;
const WITHDRAWN: u8 = 2;

/// See the module.
pub(crate) struct Pending {
    pub(crate) ask: Ask,
    pub(crate) due: Instant,
    state: AtomicU8,
    reply: Mutex<Option<oneshot::Sender<Reply>>>,
}

impl Pending {
    pub(crate) fn new(ask: Ask, due: Instant) -> (Self, oneshot::Receiver<Reply>) {
        let (reply, replied) = oneshot::channel();
        let state = AtomicU8::new(WAITING);
        (Self { ask, due, state, reply: Mutex::new(Some(reply)) }, replied)
    }

    /// Takes it back. `false` if a write that holds it may be on its way.
    pub(crate) fn withdraw(&self) -> bool {
        self.turn(WAITING, WITHDRAWN) || self.is_withdrawn()
    }

    pub(crate) fn is_withdrawn(&self) -> bool {
        self.state.load(Ordering::SeqCst) == WITHDRAWN
    }

    /// A write that holds it is about to leave. `false` if it was withdrawn.
    pub(crate) fn send_off(&self) -> bool {
        self.turn(WAITING, ON_ITS_WAY) || !self.is_withdrawn()
    }

    /// That write certainly did not take place.
    pub(crate) fn call_back(&self) {
        self.turn(ON_ITS_WAY, WAITING);
    }

    pub(crate) fn answer(&self, reply: Reply) {
        let sender = self.reply.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            // Whoever asked may be gone; then nobody misses it.
            drop(sender.send(reply));
        }
    }

    fn turn(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}
