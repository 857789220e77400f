//! LINE at its busiest: five hundred events a second for a minute, from people and groups, to the
//! server itself on SQLite, with a model that needs no time.
//!
//! What the history adds to an acknowledgement is told by a control: every sixth webhook is of a kind
//! that concerns nobody. It comes on the same connections at the same time, is as long, is checked and
//! read like the others, and stores nothing. The disk is asked all the while on the same file system.

mod deliver;
mod kept;
mod model;
mod town;

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use unsaid_line::stand_in::What;

use self::{
    deliver::{CONTROLS_PER_SECOND, Delivered, EVENTS_PER_SECOND, deliver},
    kept::Kept,
    town::Town,
};
use crate::{
    disk::Page,
    measure::{Promise, Times, print_table},
    server::Server,
};

const SECONDS: usize = 60;
/// How often the disk is asked.
const SYNC_EACH: Duration = Duration::from_millis(20);
/// How long the disk is asked alone, before anybody talks.
const ALONE: Duration = Duration::from_secs(5);
/// How long the last answers may take.
const SETTLED_WITHIN: Duration = Duration::from_mins(1);

/// What one run showed.
struct Seen {
    delivered: Delivered,
    /// The disk before the run, and during it.
    alone: Times,
    beside: Times,
    kept: Kept,
    /// Answers that LINE took.
    taken: usize,
    /// From the last acknowledgement until nobody waited any more.
    settled: Duration,
    complaints: Vec<String>,
    loads: [String; 2],
}

pub(crate) fn run() -> Vec<Promise> {
    let mut seen = see();
    print(&mut seen);
    promised(&mut seen)
}

fn see() -> Seen {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (dir, town) = (tempfile::tempdir().expect("a directory"), runtime.block_on(Town::found()));
    let server = open(&dir, &town);
    let page = dir.path().join("page");
    let ((), alone) = while_asking_disk(&page, || thread::sleep(ALONE));
    let before = load();
    let deliver = || deliver(&town, &server.address, SECONDS);
    let (delivered, beside) = while_asking_disk(&page, deliver);
    let loads = [before, load()];
    let database = dir.path().join("unsaid.db");
    let settled = settle(&database);
    let complaints = server.end();
    let kept = kept::look(&database, &delivered.acknowledged);
    let is_said = |what: &What| match what {
        What::Reply { .. } | What::Push { .. } => true,
        What::Loading { .. } => false,
    };
    let taken = town.line.sent().iter().filter(|sent| is_said(&sent.what)).count();
    Seen { delivered, alone, beside, kept, taken, settled, complaints, loads }
}

fn open(dir: &TempDir, town: &Town) -> Server {
    let (base, model) = (town.line.base(), model::start());
    let settings = [
        ("line.api_base", base.as_str()),
        ("line.data_api_base", base.as_str()),
        ("line.channel_secret", town::SECRET),
        ("line.channel_access_token", town::TOKEN),
        ("model.provider", "openai"),
        ("model.name", "instant"),
        ("model.base_url", model.as_str()),
    ];
    Server::start(dir.path(), &settings)
}

/// Asks the disk at fixed times while something else goes on. Like those of events, times count from
/// when the disk was to be asked: a disk that stalls is felt by all that fall into the stall.
fn while_asking_disk<T>(path: &Path, work: impl FnOnce() -> T) -> (T, Times) {
    let (mut page, stop) = (Page::create(path), AtomicBool::new(false));
    thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (mut due, mut times) = (Instant::now(), Times::new());
            while !stop.load(Ordering::Relaxed) {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                page.write();
                times.add(due.elapsed());
                due += SYNC_EACH;
            }
            times
        });
        let done = work();
        stop.store(true, Ordering::Relaxed);
        (done, asking.join().expect("the disk answers"))
    })
}

/// Waits until nobody waits for an answer any more, or for too long.
fn settle(database: &Path) -> Duration {
    let begun = Instant::now();
    while !kept::is_settled(database) && begun.elapsed() < SETTLED_WITHIN {
        thread::sleep(Duration::from_millis(100));
    }
    begun.elapsed()
}

/// How many want to run on this machine, in the last minute.
fn load() -> String {
    let loads = std::fs::read_to_string("/proc/loadavg").expect("the load");
    loads.split(' ').next().expect("a number").to_owned()
}

fn print(seen: &mut Seen) {
    let row = |what: &str, times: &mut Times| {
        let shares = [0.5, 0.99, 1.0].map(|share| format!("{:.2} ms", millis(times.share(share))));
        [vec![what.to_owned(), times.count().to_string()], shares.to_vec()].concat()
    };
    let rows = vec![
        row("an event, until it is acknowledged", &mut seen.delivered.events),
        row("a webhook that stores nothing", &mut seen.delivered.controls),
        row("how late they were sent", &mut seen.delivered.lateness),
        row("fdatasync before the run", &mut seen.alone),
        row("fdatasync during the run", &mut seen.beside),
    ];
    print_table(&["what", "times", "p50", "p99", "longest"], rows);
    let Kept { answered, silent, given_up, failed, answers, .. } = seen.kept;
    let [before, after] = &seen.loads;
    println!(
        "\n{EVENTS_PER_SECOND} events/s and {CONTROLS_PER_SECOND} webhooks/s that store nothing, \
         for {SECONDS} s; {} sources.\n\
         turns: {answered} answered, {silent} silent, {given_up} given up for another, \
         {failed} failed.\n\
         answers: {answers} kept as sent, {} taken by LINE.\n\
         all settled {:.1} s after the last webhook; load average {before} before, {after} after.",
        town::SOURCES,
        seen.taken,
        seen.settled.as_secs_f64(),
    );
    let refused = seen.delivered.refused.first().map(|why| format!("; the first: {why}"));
    println!("not acknowledged: {}{}", seen.delivered.refused.len(), refused.unwrap_or_default());
    let complaint = seen.complaints.first().map(|line| format!("; the first: {line}"));
    println!("warnings in the log: {}{}", seen.complaints.len(), complaint.unwrap_or_default());
}

fn promised(seen: &mut Seen) -> Vec<Promise> {
    #[expect(clippy::cast_precision_loss, reason = "counts of a short run")]
    let none = |what: &str, count: usize| Promise::at_most(what, count as f64, 0.0);
    let acknowledged = millis(seen.delivered.events.p99());
    let added = acknowledged - millis(seen.delivered.controls.p99());
    let sync = millis(seen.beside.p99());
    let kept = &seen.kept;
    vec![
        none("webhooks that were not acknowledged", seen.delivered.refused.len()),
        none("acknowledged events that are not kept", kept.lost),
        none("events that are kept twice", kept.doubled),
        none("events that nobody was asked about", kept.unasked),
        none("turns that failed, or did not end", kept.failed),
        none(
            "answers that are kept as sent, or taken by LINE, alone",
            kept.answers.abs_diff(seen.taken),
        ),
        Promise::at_most("p99 of an acknowledgement in ms", acknowledged, 300.0),
        Promise::at_most(
            "what the history adds to it at p99, in fdatasyncs at p99",
            added / sync,
            3.0,
        ),
        Promise::at_most("the same in ms", added, 100.0),
    ]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
