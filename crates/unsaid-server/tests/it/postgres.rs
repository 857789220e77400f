//! Servers on `PostgreSQL`: several on one database, and a database that goes away.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::tempdir;
use tokio_postgres::NoTls;

use crate::running::{Running, contents, get, run};
use crate::wait::until;

const VARIABLE: &str = "UNSAID_TEST_POSTGRES";

/// A database of the cluster that `cargo xtask test` starts; it goes with the test.
pub(crate) struct Database {
    name: String,
    pub(crate) address: String,
}

impl Database {
    pub(crate) fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("unsaid_server_{}_{number}", std::process::id());
        execute(&format!("CREATE DATABASE {name}"));
        let superuser = superuser();
        let (server, _) = superuser.rsplit_once('/').unwrap();
        Self { address: format!("{server}/{name}"), name }
    }

    /// The same database through somebody in between.
    pub(crate) fn through(&self, between: SocketAddr) -> String {
        let (before, after) = self.address.split_once('@').unwrap();
        let (_, database) = after.split_once('/').unwrap();
        format!("{before}@{between}/{database}")
    }

    pub(crate) fn server(&self) -> String {
        let (_, after) = self.address.split_once('@').unwrap();
        after.split_once('/').unwrap().0.to_owned()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        execute(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

fn superuser() -> String {
    std::env::var(VARIABLE).unwrap_or_else(|_| {
        panic!("{VARIABLE} is not set: run `cargo xtask test`, or `cargo xtask services -- cargo test …`")
    })
}

/// On a thread of its own: a test may be inside a runtime already.
fn execute(sql: &str) {
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&superuser(), NoTls).await.unwrap();
            tokio::select! {
                done = client.batch_execute(sql) => done.unwrap(),
                _ = connection => panic!("the connection was lost"),
            }
        });
    };
    thread::scope(|scope| scope.spawn(work).join()).unwrap();
}

/// Passes bytes on until it is told to cut.
pub(crate) struct Between {
    pub(crate) address: SocketAddr,
    is_cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Between {
    pub(crate) fn new(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (is_cut, open) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (cut, opened) = (Arc::clone(&is_cut), Arc::clone(&open));
        thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                if cut.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(&server) else { continue };
                let all = [client.try_clone(), server.try_clone()].map(Result::unwrap);
                opened.lock().unwrap().extend(all);
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || pass_on(from, to));
                thread::spawn(move || pass_on(server, client));
            }
        });
        Self { address, is_cut, open }
    }

    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            stream.shutdown(std::net::Shutdown::Both).unwrap_or_default();
        }
    }

    pub(crate) fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 8_192];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    to.shutdown(std::net::Shutdown::Both).unwrap_or_default();
}

fn serve(dir: &std::path::Path, database: &str) -> (Running, SocketAddr) {
    let mut server = Running::start(dir, &["serve", "--listen", ":0", "--database", database]);
    let address = server.address();
    (server, address)
}

#[test]
fn several_servers_share_one_database_and_need_no_directory() {
    let (dir, database) = (tempdir().unwrap(), Database::new());
    // all at once on an empty database: one brings the tables, the others wait for it
    let arguments = ["serve", "--listen", ":0", "--database", &database.address];
    let mut servers: Vec<Running> =
        (0..3).map(|_| Running::start(dir.path(), &arguments)).collect();
    for server in &mut servers {
        let ready = get(server.address(), "/readyz");
        assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    }
    assert!(contents(dir.path()).is_empty(), "nothing is kept on this machine");
    let migrated = run(dir.path(), &["migrate", "--database", &database.address]);
    assert!(migrated.stdout.starts_with("database is at version "), "{migrated:?}");
}

#[test]
fn readiness_follows_the_database() {
    let (dir, database) = (tempdir().unwrap(), Database::new());
    let between = Between::new(database.server());
    let (_server, address) = serve(dir.path(), &database.through(between.address));
    let ready = || get(address, "/readyz");
    assert!(ready().starts_with("HTTP/1.1 200"), "{}", ready());
    between.cut();
    let took = timed(|| until(ready, |seen| seen.starts_with("HTTP/1.1 503")));
    assert!(took < Duration::from_secs(2), "{took:?}");
    between.mend();
    let took = timed(|| until(ready, |seen| seen.starts_with("HTTP/1.1 200")));
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[expect(clippy::disallowed_methods, reason = "the promise is about time")]
fn timed(work: impl FnOnce() -> String) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

#[test]
fn a_database_that_is_away_is_refused_without_its_password() {
    let dir = tempdir().unwrap();
    let address = "postgres://me:s3cret@127.0.0.1:1/unsaid";
    for command in [&["serve", "--listen", ":0"][..], &["migrate"]] {
        let ended = run(dir.path(), &[command, &["--database", address]].concat());
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        assert!(
            ended.stderr.starts_with("unsaid: cannot open the PostgreSQL database"),
            "{ended:?}"
        );
        assert!(!ended.stderr.contains("s3cret"), "{ended:?}");
    }
    assert!(contents(dir.path()).is_empty());
}

#[test]
fn the_doctor_looks_at_the_database() {
    let (dir, database) = (tempdir().unwrap(), Database::new());
    let doctor = ["doctor", "--listen", ":0", "--database", &database.address];
    let line =
        |said: String| said.lines().find(|line| line.contains("database:")).unwrap().to_owned();
    let before = run(dir.path(), &doctor);
    assert!(line(before.stdout).starts_with("ok       database: not made yet"));
    assert_eq!(run(dir.path(), &["migrate", "--database", &database.address]).code, Some(0));
    let after = run(dir.path(), &doctor);
    // the cluster of the tests does not wait for its disk, and the doctor says so
    let said = line(after.stdout);
    assert!(said.starts_with("problem  database: fsync is off"), "{said}");
    let nowhere =
        run(dir.path(), &["doctor", "--listen", ":0", "--database", "postgres://127.0.0.1:1/x"]);
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
}
