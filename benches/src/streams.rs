//! Thousands who watch a chat each and mostly hear nothing: what a stream holds in memory, what all of
//! them take of the processor when nobody speaks, and how soon they hear it when somebody does.
//!
//! Some are open from the beginning, and the same is measured with these alone.

mod watch;

use std::{
    ops::Range,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use self::watch::{Heard, watch};
use crate::{
    caller::{Caller, WITHOUT_LIMITS, text},
    measure::{Promise, Times, print_table},
    server::Server,
    talk,
};

const STREAMS: usize = 5_000;
const PEOPLE: usize = 20;
const WATCHERS: usize = 5;
const CHATS: usize = STREAMS / WATCHERS;
/// Chats whose watchers are there first.
const CHATS_FIRST: usize = PEOPLE;
/// Files of a process that are no streams.
const OTHER_FILES: u64 = 200;
const WORLD: &str = "w";
/// Messages, alone and beside all others.
const SAID: usize = 400;
/// Each stream has sent two comments and has looked twice for news.
const IDLE: Duration = Duration::from_secs(30);
/// How often people show meanwhile that they are still there.
const SIGNS_OF_LIFE: u32 = 3;
/// How many chats are opened between two such signs.
const CHATS_BETWEEN_SIGNS: usize = 100;
/// Nothing on loopback takes so long.
const HEARD_WITHIN: Duration = Duration::from_secs(30);

/// Everybody, and what their chats are called.
struct House {
    people: Vec<Caller>,
    chats: Vec<String>,
    runtime: Runtime,
    heard: Receiver<Heard>,
    ears: Sender<Heard>,
}

struct Seen {
    /// How many chats were to be watched, and are.
    wanted: usize,
    chats: usize,
    opened_in: Duration,
    few: Times,
    many: Times,
    kib_before: u32,
    /// When all are open, when nothing was said for a while, and when much was.
    kib: [u32; 3],
    /// Of one processor, while nobody speaks: with few, and with all.
    busy: [f64; 2],
    missed: usize,
    ended: usize,
}

pub(crate) fn run() -> Vec<Promise> {
    let chats = chats_possible();
    let dir = tempfile::tempdir().expect("a directory");
    let server = Server::start(dir.path(), &WITHOUT_LIMITS);
    let mut house = House::found(&server, chats);
    server.end();
    // Anew: hashing passwords has taken much memory, which streams could hide in.
    let server = Server::start(dir.path(), &WITHOUT_LIMITS);
    house.people.iter_mut().for_each(|caller| caller.come_back(&server));
    let mut seen = see(&server, &mut house, chats);
    report(&mut seen)
}

/// As many as we may have files for: a stream is one here and one in the server.
fn chats_possible() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).expect("as many files as are permitted");
    let files = limit.maximum.unwrap_or(u64::MAX).saturating_sub(OTHER_FILES);
    usize::try_from(files).map_or(CHATS, |files| CHATS.min(files / WATCHERS))
}

fn see(server: &Server, house: &mut House, wanted: usize) -> Seen {
    house.open(server, 0..CHATS_FIRST);
    let (few, missed_by_few) = house.talk(CHATS_FIRST);
    let busy_few = house.busy(server);
    let kib_before = server.resident_kib();
    let begun = Instant::now();
    let chats = house.open(server, CHATS_FIRST..wanted);
    let opened_in = begun.elapsed();
    let open = server.resident_kib();
    let busy_many = house.busy(server);
    let idle = server.resident_kib();
    let (many, missed_by_many) = house.talk(chats);
    let kib = [open, idle, server.resident_kib()];
    let missed = missed_by_few + missed_by_many;
    let ended = house.heard.try_iter().filter(|heard| matches!(heard, Heard::End)).count();
    let busy = [busy_few, busy_many];
    Seen { wanted, chats, opened_in, few, many, kib_before, kib, busy, missed, ended }
}

impl House {
    /// Everybody has a world of their own with as many chats.
    fn found(server: &Server, chats: usize) -> Self {
        let (ears, heard) = channel();
        let runtime = Runtime::new().expect("a runtime");
        let mut house = Self { people: Vec::new(), chats: Vec::new(), runtime, heard, ears };
        for nth in 0..PEOPLE {
            let mut caller = Caller::sign_up(server, &format!("p{nth}"), true);
            house.chats.push(caller.make_world(WORLD));
            house.people.push(caller);
        }
        for chat in PEOPLE..chats {
            let path = format!("/worlds/{WORLD}/chats");
            let made = house.people[chat % PEOPLE].call("POST", &path, &Value::Null);
            house.chats.push(text(&made["id"]));
        }
        house
    }

    /// Opens the streams of these chats; up to which the server took them.
    fn open(&mut self, server: &Server, chats: Range<usize>) -> usize {
        for chat in chats.clone() {
            if chat % CHATS_BETWEEN_SIGNS == 0 {
                self.stay();
            }
            let path = format!("/worlds/{WORLD}/events?chatId={}", self.chats[chat]);
            let request = self.people[chat % PEOPLE].request("GET", &path, &Value::Null);
            for _ in 0..WATCHERS {
                let ears = self.ears.clone();
                if watch(&self.runtime, (&server.address, &request), chat, ears).is_err() {
                    return chat;
                }
            }
        }
        chats.end
    }

    /// Shows that everybody is still there: the server hangs up on who is silent between two calls.
    fn stay(&mut self) {
        for caller in &mut self.people {
            caller.call("GET", "/worlds/templates", &Value::Null);
        }
    }

    /// What share of a processor the server takes while nobody speaks.
    fn busy(&mut self, server: &Server) -> f64 {
        let before = server.processor_time();
        for _ in 0..SIGNS_OF_LIFE {
            thread::sleep(IDLE / SIGNS_OF_LIFE);
            self.stay();
        }
        server.processor_time().saturating_sub(before).as_secs_f64() / IDLE.as_secs_f64()
    }

    /// Says something in one chat after the other; when its watchers heard it, and how many did not.
    fn talk(&mut self, chats: usize) -> (Times, usize) {
        let (mut times, mut missed) = (Times::new(), 0);
        for nth in 0..SAID {
            // Spread over all of them.
            let chat = nth * chats / SAID.min(chats) % chats;
            let body = json!({"message": talk::TEXT, "chatId": self.chats[chat], "stream": false});
            let begun = Instant::now();
            self.people[chat % PEOPLE].call("POST", &format!("/worlds/{WORLD}/messages"), &body);
            for _ in 0..WATCHERS {
                match self.heard.recv_timeout(HEARD_WITHIN) {
                    Ok(Heard::Message { chat: of, at }) if of == chat => {
                        times.add(at.duration_since(begun));
                    }
                    Ok(Heard::Message { .. } | Heard::End) | Err(_) => missed += 1,
                }
            }
        }
        (times, missed)
    }
}

fn report(seen: &mut Seen) -> Vec<Promise> {
    let row = |what: String, times: &mut Times| {
        let shares = [0.5, 0.99, 1.0].map(|share| {
            let millis = times.share(share).as_secs_f64() * 1e3;
            format!("{millis:.2} ms")
        });
        [vec![what, times.count().to_string()], shares.to_vec()].concat()
    };
    let (first, all) = (CHATS_FIRST * WATCHERS, seen.chats * WATCHERS);
    let rows = vec![
        row(format!("said until heard, {first} streams"), &mut seen.few),
        row(format!("said until heard, {all} streams"), &mut seen.many),
    ];
    print_table(&["what", "times", "p50", "p99", "longest"], rows);
    let more = u32::try_from(all - first).expect("a few thousand");
    let mebibytes = |kib: u32| f64::from(kib) / 1_024.0;
    let [open, idle, talked] = seen.kib.map(mebibytes);
    let each = f64::from(seen.kib.into_iter().max().unwrap_or(0).saturating_sub(seen.kib_before))
        / f64::from(more);
    println!(
        "\n{all} streams of {PEOPLE} people in {} chats{}, the last {more} opened in {:.1} s.\n\
         memory: {:.1} MiB with {first} streams; with all {open:.1} MiB, {idle:.1} MiB after {} s of \
         silence, {talked:.1} MiB after {SAID} messages: at most {each:.1} KiB for each.\n\
         idle: {:.1} % of a processor with {first} streams, {:.1} % with all.",
        seen.chats,
        why_fewer(seen),
        seen.opened_in.as_secs_f64(),
        mebibytes(seen.kib_before),
        IDLE.as_secs(),
        seen.busy[0] * 1e2,
        seen.busy[1] * 1e2,
    );
    #[expect(clippy::cast_precision_loss, reason = "counts of a short run")]
    let float = |count: usize| count as f64;
    let none = |what: &str, count: usize| Promise::at_most(what, float(count), 0.0);
    let not_opened = (seen.wanted - seen.chats) * WATCHERS;
    // Figures of fewer say nothing about so many, whoever is to blame.
    let open = format!("streams open at once{}", why_fewer(seen));
    vec![
        Promise::at_least(open, float(all), float(STREAMS)),
        none("streams that the server did not take", not_opened),
        none("watchers who missed something", seen.missed),
        none("streams that ended by themselves", seen.ended),
        Promise::at_most("KiB of memory for an open stream", each, 64.0),
    ]
}

fn why_fewer(seen: &Seen) -> String {
    let wanted = seen.wanted * WATCHERS;
    if seen.chats < seen.wanted {
        return format!(" (not {wanted}: the server takes no more connections)");
    }
    if wanted < STREAMS {
        return format!(" (not {STREAMS}: no more files are permitted)");
    }
    String::new()
}
