//! Servers that look for who is due all the time, and commands that do the same, over one database:
//! everybody is erased once, and audited once.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::runtime::Runtime;
use unsaid_core::domain::audit::EraseReason;

use super::base::Base;
use super::people::{Fate, Somebody, check_all};
use crate::people::call;
use crate::running::{Running, get, run};
use crate::talk::Guest;
use crate::wait::until;

const PEOPLE: usize = 30;
/// They come through the door, and talk with the model.
const GUESTS: [&str; 2] = ["gil", "hana"];
const CANARY: &str = "canary4wm8ztq1";
const COMMANDS: usize = 2;
const SWITCH: &str = "/api/users/me/preferences";

/// Lets commands end, also when the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Servers and where they listen.
struct Servers {
    running: Vec<Running>,
    addresses: Vec<SocketAddr>,
}

impl Servers {
    fn start(dir: &Path, base: &Base, count: usize) -> Self {
        let serve =
            ["serve", "--listen", ":0", "--erase.interval", "5ms", "--consent.grace", "1ms"];
        let serve = base.arguments(&serve);
        let serve: Vec<&str> = serve.iter().map(String::as_str).collect();
        let mut running: Vec<Running> = (0..count).map(|_| Running::start(dir, &serve)).collect();
        let addresses = running.iter_mut().map(Running::address).collect();
        Self { running, addresses }
    }

    /// How many people they have erased, and how often they failed.
    fn counted(&self, outcome: &str) -> u64 {
        self.addresses.iter().map(|address| metric(*address, outcome)).sum()
    }

    fn end(self) {
        for server in self.running {
            server.signal(Signal::TERM);
            let ended = server.end();
            assert_eq!(ended.code, Some(0), "{ended:?}");
            assert!(!ended.stderr.contains("ERROR"), "{ended:?}");
        }
    }
}

fn together(base: &Base, servers: usize) {
    let (dir, runtime) = (tempdir().unwrap(), Runtime::new().unwrap());
    let store = runtime.block_on(base.open());
    let names = (0..PEOPLE).map(|number| format!("p{number}"));
    let mut people: Vec<Somebody> = names.map(|name| Somebody::new(name, Fate::Due)).collect();
    people.push(Somebody::new("stays", Fate::Consents));
    for somebody in &people {
        runtime.block_on(somebody.talks(&store));
    }
    let servers = Servers::start(dir.path(), base, servers);
    let lines = || runtime.block_on(store.audit(None, 1_000)).unwrap();
    let all = PEOPLE + GUESTS.len();
    let is_over = AtomicBool::new(false);
    let by_commands: u64 = thread::scope(|scope| {
        let commands =
            [(); COMMANDS].map(|()| scope.spawn(|| erase_until(&is_over, dir.path(), base)));
        let stop = Stop(&is_over);
        for somebody in &people {
            runtime.block_on(somebody.leaves(&store));
        }
        for (guest, address) in GUESTS.iter().zip(servers.addresses.iter().cycle()) {
            withdraws_after_a_talk(guest, *address);
        }
        until(|| lines().len().to_string(), |seen| seen == all.to_string());
        drop(stop);
        commands.into_iter().map(|command| command.join().unwrap()).sum()
    });
    // A server counts when its run is over.
    let counted = || (by_commands + servers.counted("erased")).to_string();
    until(counted, |seen| seen == all.to_string());
    assert_eq!(servers.counted("failed"), 0);
    let audit = lines();
    assert_eq!(audit.len(), all);
    assert!(audit.iter().all(|line| line.reason == EraseReason::Due), "{audit:?}");
    drop(store);
    servers.end();
    runtime.block_on(async {
        for somebody in &people {
            somebody.search(base, "all at once").await;
        }
        assert_eq!(base.places_of(CANARY).await, Vec::<String>::new());
        check_all(&people, base, "all at once").await;
    });
}

/// Runs the command again and again; how many people it erased.
fn erase_until(is_over: &AtomicBool, dir: &Path, base: &Base) -> u64 {
    let erase = base.arguments(&["erase", "--due"]);
    let erase: Vec<&str> = erase.iter().map(String::as_str).collect();
    let mut erased = 0;
    while !is_over.load(Ordering::SeqCst) {
        let ended = run(dir, &erase);
        let count = ended.stdout.strip_prefix("erased: ").map(str::trim_end);
        erased += count.unwrap_or_else(|| panic!("{ended:?}")).parse::<u64>().unwrap();
    }
    erased
}

/// Somebody talks with the model, and withdraws.
fn withdraws_after_a_talk(name: &str, address: SocketAddr) {
    let guest = Guest::new(address, name, true);
    guest.asks(&format!("my name is {CANARY}"));
    assert!(guest.asks("what is my name").contains(CANARY));
    let off = json!({ "store_history": false });
    assert_eq!(call(address, "PATCH", SWITCH, &guest.headers, &off).status, 200);
    let seen = || call(address, "GET", SWITCH, &guest.headers, &Value::Null).body.to_string();
    until(seen, |seen| seen.contains(r#""history_deletion_scheduled_at":null"#));
}

fn metric(address: SocketAddr, outcome: &str) -> u64 {
    let printed = get(address, "/metrics");
    let begin = format!("unsaid_erasures_total{{outcome=\"{outcome}\"}} ");
    let found = printed.lines().find_map(|line| line.strip_prefix(&begin));
    found.unwrap_or_else(|| panic!("{printed}")).parse().unwrap()
}

#[test]
fn two_servers_and_commands_on_postgres() {
    together(&Base::postgres(), 2);
}

#[test]
fn a_server_and_commands_on_sqlite() {
    together(&Base::sqlite(), 1);
}
