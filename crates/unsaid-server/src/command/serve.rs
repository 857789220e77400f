//! `unsaid serve`: starts the server.
//!
//! Whatever may refuse comes in an order that changes nothing: the configuration, the port, a look
//! at the database's version, the data directory's lock, and only then the database itself.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::net::TcpListener;
use unsaid_core::port::Store;
use unsaid_core::port::clock::Clock;

use crate::config::Config;
use crate::data_dir::{self, Claim};
use crate::lifecycle::Lifecycle;
use crate::refusal::Refusal;
use crate::system::SystemClock;
use crate::{housekeeping, listen, measure, process, store, terminal, wire};

/// How long the end may take once everything has stopped: a disk that hangs holds up nobody.
const LAST_WORK_MAX: Duration = Duration::from_secs(5);

/// Serves until a signal comes.
///
/// # Errors
/// If it cannot start; then nothing was changed.
pub fn run(config: Config) -> Result<ExitCode, Refusal> {
    wire::refuse_what_is_missing(&config)?;
    process::allow_many_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Refusal::new(format!("cannot start threads: {error}")))?;
    let life = Lifecycle::default();
    let claim = OnceLock::new();
    let ended = runtime.block_on(life.run(serve(config, &life, &claim)));
    // What still runs has had its time and is dropped, and its hold of the database with it. The
    // last hold finishes the work on the file: wait for that, and keep other servers out meanwhile.
    let hurried = matches!(ended, Ok(code) if code != ExitCode::SUCCESS);
    runtime.shutdown_timeout(if hurried { Duration::ZERO } else { LAST_WORK_MAX });
    drop(claim);
    ended
}

async fn serve(config: Config, life: &Lifecycle, claimed: &OnceLock<Claim>) -> Result<(), Refusal> {
    let listener = listen::bind(config.listen).await?;
    let (config, claim, database) = open(config).await?;
    claimed.get_or_init(|| claim);
    let metrics = measure::start()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    housekeeping::before_serving(&*database, &*clock, &life.ending()).await?;
    housekeeping::start(&database, &clock, life, config.erase_interval);
    life.spawn(measure::keep_up(metrics.clone(), life.ending()));
    let door = wire::door(&config, database, metrics);
    announce(&config, &listener)?;
    listen::accept(listener, door, life).await;
    Ok(())
}

/// Apart from the other threads: bringing a large database to this version takes its time, and
/// signals must be heard meanwhile.
async fn open(config: Config) -> Result<(Config, Claim, Arc<dyn Store>), Refusal> {
    let opening = tokio::task::spawn_blocking(move || {
        let file = store::file(&config.data_dir);
        if config.data_dir.is_dir() {
            store::refuse_newer(&file)?;
        }
        let claim = data_dir::claim(&config.data_dir)?;
        warn_if_open_to_others(&config.data_dir);
        let database = store::open(&file)?;
        Ok((config, claim, database))
    });
    opening.await.unwrap_or_else(|_| Err(Refusal::new("opening the database failed")))
}

/// It was made by somebody else, perhaps for a reason: it is not ours to close.
fn warn_if_open_to_others(data_dir: &Path) {
    if let Some(mode) = data_dir::open_to_others(data_dir) {
        let shown = data_dir.display();
        tracing::warn!("data directory {shown} is open to others ({mode:04o}): chmod 700 {shown}");
    }
}

fn announce(config: &Config, listener: &TcpListener) -> Result<(), Refusal> {
    let address = listener
        .local_addr()
        .map_err(|error| Refusal::new(format!("the socket has no address: {error}")))?;
    tracing::info!(%address, data_dir = %config.data_dir.display(), "listening");
    terminal::say(&format!("unsaid listens on http://{address}"))?;
    match &config.public_url {
        Some(url) => terminal::say(&format!("people reach it at {url}")),
        None => Ok(()),
    }
}
