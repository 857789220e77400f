//! `unsaid serve`: starts the server.
//!
//! Whatever may refuse comes in an order that changes nothing: the configuration, the port, the
//! bucket, a look at the database's version, the data directory's lock, and only then the database
//! itself.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;
use unsaid_app::event::Watchers;
use unsaid_app::logs::Log;
use unsaid_app::worker::Worker;
use unsaid_core::port::allowances::Allowances;
use unsaid_core::port::clock::Clock;
use unsaid_http::state::ModelSeat;
use unsaid_store_memory::MemoryAllowances;

use crate::config::{Config, Database};
use crate::data_dir::Claim;
use crate::door::{self, line::LineDoor};
use crate::housekeeping::failed_edits::FailedEditsJob;
use crate::housekeeping::vacuum;
use crate::lifecycle::Lifecycle;
use crate::refusal::Refusal;
use crate::rehearsal::Rehearsal;
use crate::sessions::Terms;
use crate::store::{Base, Kept};
use crate::system::SystemClock;
use crate::{
    accounts, housekeeping, listen, measure, model, process, sessions, store, terminal, turns,
    wire, worlds,
};

/// How long the end may take once everything has stopped: a disk that hangs holds up nobody.
const LAST_WORK_MAX: Duration = Duration::from_secs(5);

/// Serves until a signal comes.
///
/// # Errors
/// If it cannot start; then nothing was changed.
pub fn run(config: Config) -> Result<ExitCode, Refusal> {
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
    let model = model::chosen(&config).await?;
    door::line::refuse_unnamed_demo(&config, &model)?;
    let Kept { store, base } = store::open_for_serving(&config).await?;
    let metrics = measure::start()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let desk = Arc::new(turns::desk("server", &config, &store, turns::settings(&config))?);
    let allowances: Arc<dyn Allowances> = match &base {
        Base::Sqlite { .. } => Arc::new(MemoryAllowances::default()),
        Base::Postgres(database) => Arc::new(database.clone()),
    };
    match base {
        Base::Sqlite { database, claim } => {
            claimed.get_or_init(|| claim);
            housekeeping::end_turns_of_predecessor(&*database, &*clock).await?;
        }
        // Turns of other servers go on; those of dead ones run out.
        Base::Postgres(database) => {
            let watchers = Arc::clone(&desk.watchers);
            life.spawn(turns::heed(database.hints(), watchers, life.ending()));
            life.spawn(vacuum::run(database, life.ending()));
        }
    }
    housekeeping::before_serving(&*store, &*clock, &life.ending()).await?;
    let erasures = Arc::new(Notify::new());
    housekeeping::start(&store, &clock, life, config.erase_interval, Arc::clone(&erasures));
    life.spawn(measure::keep_up(metrics.clone(), life.ending()));
    let line_door = door::line::open(&config, &store, &desk, &model, life)?;
    let room = sessions::Room::furnish(&config, &desk, &model)?;
    let on_line = line_door.as_ref().map(LineDoor::stage);
    let minds = Arc::new(worlds::Installed::new(model.clone()));
    let agents = worlds::Agents::new(&store, &desk, minds, worlds::Terms::of(&config));
    let (in_sessions, in_worlds) = (room.stage(&desk), agents.stage(Log::Kept, &desk));
    let doors = turns::Doors { line: on_line, sessions: in_sessions, worlds: in_worlds };
    let worker = Worker::new(Arc::clone(&desk), Arc::new(doors), turns::TURNS_AT_ONCE_MAX);
    let rehearsal = Arc::new(Rehearsal::new(&config, &model, &room, life));
    let in_memory = room.worker(&agents, Arc::<Rehearsal>::clone(&rehearsal));
    rehearsal.wakes(in_memory.wake());
    let others = line_door.map(|door| door.routes(&desk, worker.wake())).unwrap_or_default();
    let sessions = room.sessions(Terms::of(&config), &desk, worker.wake(), in_memory.wake());
    housekeeping::follow_in_memory(&sessions, &store, &clock, life);
    work(life, [worker, in_memory], Arc::clone(&desk.watchers));
    let address = address_of(&listener)?;
    let accounts = accounts::open(&config, &*store, allowances, address).await?;
    let link = accounts::setup_link(&accounts, &*store, &*clock, address).await?;
    let idempotency = Arc::new(accounts::idempotency(&*store).await?);
    life.spawn(housekeeping::keys::run(idempotency.volatile(), Arc::clone(&clock), life.ending()));
    let (watchers, accounts) = (Arc::clone(&desk.watchers), Arc::new(accounts));
    let (sessions, worlds) = (Arc::new(sessions), Arc::new(agents.door()));
    let failed = FailedEditsJob { edits: Arc::clone(&worlds.failed_edits), worlds: store.clone() };
    life.spawn(failed.clone().run(life.ending()));
    let talks = wire::Talks { sessions, worlds, rehearsals: rehearsal };
    let calls = TaskTracker::new();
    let shared = wire::Shared {
        store,
        clock,
        watchers,
        erasures,
        idempotency,
        accounts,
        talks,
        calls: calls.clone(),
    };
    let door = wire::door(&config, shared, metrics, &model, others);
    announce(&config, address, link, &model.seat())?;
    listen::accept(listener, door, &calls, &life.ending()).await;
    failed.keep_rest().await;
    Ok(())
}

/// Lets the workers work. When they have handed back their turns at the end, nobody here has anything
/// more to tell: whoever listens comes again, and hears the rest.
fn work(life: &Lifecycle, [kept, in_memory]: [Worker; 2], watchers: Arc<Watchers>) {
    let (tasks, ending) = (life.tasks(), life.ending());
    life.spawn(async move {
        tokio::join!(kept.run(&tasks, ending.clone()), in_memory.run(&tasks, ending));
        watchers.end_all();
    });
}

fn address_of(listener: &TcpListener) -> Result<SocketAddr, Refusal> {
    let address = listener.local_addr();
    address.map_err(|error| Refusal::new(format!("the socket has no address: {error}")))
}

/// Says where it is and, as everywhere, who reads what is said.
fn announce(
    config: &Config,
    address: SocketAddr,
    link: Option<String>,
    model: &ModelSeat,
) -> Result<(), Refusal> {
    let (provider, host) = (&*model.provider, model.host.as_deref());
    match &config.database {
        Database::Sqlite => {
            let data_dir = config.data_dir.display();
            tracing::info!(%address, %data_dir, provider, host, "listening");
        }
        Database::Postgres(_) => {
            tracing::info!(%address, database = "postgres", provider, host, "listening");
        }
    }
    terminal::say(&format!("unsaid listens on http://{address}"))?;
    if let Some(url) = &config.public_url {
        terminal::say(&format!("people reach it at {url}"))?;
    }
    if let Some(link) = link {
        terminal::say(&format!("sign in as its owner (once, within 10 minutes): {link}"))?;
    }
    match host {
        Some(host) => terminal::say(&format!("answers come from {provider} at {host}")),
        None => terminal::say(&format!("answers come from {provider}, built in")),
    }
}
