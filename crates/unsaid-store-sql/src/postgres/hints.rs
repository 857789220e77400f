//! Hints for other servers: which conversations have changed. Ids only, never words.
//!
//! The tables are the truth, and sweeps look at them; a hint that is lost costs time and nothing
//! else. So hints do not go with the commits: `NOTIFY` makes the commits of all servers wait for each
//! other, disk and all. They follow right behind, many at once, on the connection that listens.

use std::{
    collections::BTreeSet,
    future::poll_fn,
    str::FromStr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicI32, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{broadcast, mpsc},
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_postgres::{AsyncMessage, Client, Error};
use unsaid_core::domain::conversation::key::ConversationKey;

use super::connect::{Address, Line};

const CHANNEL: &str = "unsaid_hint";
/// Hints that wait to be sent, and that a listener has not heard yet; more are forgotten.
const HINTS_WAITING_MAX: usize = 4_096;
/// Hints in one statement.
const HINTS_AT_ONCE_MAX: usize = 256;
/// PostgreSQL takes 8,000 bytes; keys are much shorter.
const HINT_BYTES_MAX: usize = 7_000;
const PAUSE_BEFORE_RECONNECT: Duration = Duration::from_millis(500);
/// A statement that takes longer is given up, and the connection with it.
const SENT_WITHIN: Duration = Duration::from_secs(5);

/// The way out and the way in.
pub(super) struct Hints {
    out: mpsc::Sender<String>,
    heard: broadcast::Sender<ConversationKey>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Hints {
    /// Starts to listen, and to tell, until this is dropped.
    #[expect(clippy::disallowed_methods, reason = "ends when the store is dropped")]
    pub(super) fn start(address: Address) -> Self {
        let (out, waiting) = mpsc::channel(HINTS_WAITING_MAX);
        let (heard, _) = broadcast::channel(HINTS_WAITING_MAX);
        let exchange = Exchange { address, waiting, heard: heard.clone() };
        let task = Mutex::new(Some(tokio::spawn(exchange.run())));
        Self { out, heard, task }
    }

    /// Tells the other servers soon. Here whoever makes a change tells of it, in its order among all else.
    pub(super) fn tell(&self, conversations: Vec<String>) {
        for key in conversations {
            if self.out.try_send(key).is_err() {
                tracing::debug!("a hint is forgotten: too many are waiting");
            }
        }
    }

    pub(super) fn listen(&self) -> broadcast::Receiver<ConversationKey> {
        self.heard.subscribe()
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            task.abort();
        }
    }
}

struct Exchange {
    address: Address,
    waiting: mpsc::Receiver<String>,
    heard: broadcast::Sender<ConversationKey>,
}

impl Exchange {
    async fn run(mut self) {
        loop {
            if self.on_one_connection().await.is_err() {
                tracing::debug!("the connection for hints is lost");
            }
            sleep(PAUSE_BEFORE_RECONNECT).await;
        }
    }

    /// Returns when the connection is lost.
    async fn on_one_connection(&mut self) -> Result<(), Error> {
        let (client, line) = self.address.line().await?;
        let (heard, own) = (self.heard.clone(), AtomicI32::new(0));
        tokio::select! {
            () = hear(line, heard, &own) => Ok(()),
            told = self.tell(client, &own) => told,
        }
    }

    async fn tell(&mut self, client: Client, own: &AtomicI32) -> Result<(), Error> {
        let process = client.query_one("SELECT pg_backend_pid()", &[]).await?;
        own.store(process.try_get(0)?, Ordering::Relaxed);
        client.batch_execute(&format!("LISTEN {CHANNEL}")).await?;
        let sql = format!("SELECT pg_notify('{CHANNEL}', key) FROM unnest($1::text[]) AS key");
        let statement = client.prepare(&sql).await?;
        let mut waiting = Vec::new();
        while self.waiting.recv_many(&mut waiting, HINTS_AT_ONCE_MAX).await > 0 {
            let short = waiting.drain(..).filter(|key| key.len() <= HINT_BYTES_MAX);
            let keys: Vec<String> = short.collect::<BTreeSet<_>>().into_iter().collect();
            let Ok(sent) = timeout(SENT_WITHIN, client.execute(&statement, &[&keys])).await else {
                return Ok(());
            };
            sent?;
        }
        Ok(())
    }
}

/// Drives a connection, and passes on what others tell; what this server told is known here.
async fn hear(mut line: Line, heard: broadcast::Sender<ConversationKey>, own: &AtomicI32) {
    while let Some(Ok(message)) = poll_fn(|context| line.poll_message(context)).await {
        if let AsyncMessage::Notification(told) = message
            && told.process_id() != own.load(Ordering::Relaxed)
        {
            pass_on(&heard, told.payload());
        }
    }
}

fn pass_on(heard: &broadcast::Sender<ConversationKey>, key: &str) {
    if let Ok(key) = ConversationKey::from_str(key)
        && heard.send(key).is_err()
    {
        // Nobody listens in this process.
    }
}
