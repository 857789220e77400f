//! A cluster of its own, that can be killed: `fsync` is on, as in life.

use std::{
    fs,
    net::TcpListener,
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::wait::until;

const LIMIT: Duration = Duration::from_mins(1);
const SETTINGS: &str = "fsync = on\nsynchronous_commit = on\nmax_connections = 60\n\
    shared_buffers = 32MB\nlog_min_messages = fatal\n";

pub(crate) struct Cluster {
    dir: TempDir,
    port: u16,
    server: Option<Child>,
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        if let Some((user, group)) = other_user() {
            chown(dir.path(), Some(user), Some(group)).unwrap();
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut cluster = Self { dir, port, server: None };
        let made = cluster
            .program("initdb")
            .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-D"])
            .arg(cluster.data())
            .stdout(Stdio::null())
            .status();
        assert!(made.expect("initdb starts").success(), "initdb fails");
        fs::write(cluster.data().join("postgresql.auto.conf"), SETTINGS).unwrap();
        cluster.run();
        until_served(&cluster.address()).await;
        cluster
    }

    pub(crate) fn address(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// `kill -9` for the server and all its processes.
    pub(crate) fn kill(&mut self) {
        let mut server = self.server.take().expect("it runs");
        let all = processes_of(server.id());
        for process in &all {
            signal(*process, "KILL");
        }
        server.wait().unwrap();
        let gone = |process: &u32| !Path::new(&format!("/proc/{process}/stat")).exists();
        until("all processes of the server end", LIMIT, || all.iter().all(gone));
    }

    /// Starts it again after a kill.
    pub(crate) fn run(&mut self) {
        let server = self
            .program("postgres")
            .arg("-D")
            .arg(self.data())
            .args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-k"])
            .arg(self.dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.server = Some(server.expect("postgres starts"));
    }

    /// Lets all its processes stand still, or go on.
    pub(crate) fn signal(&self, name: &str) {
        for process in processes_of(self.server.as_ref().expect("it runs").id()) {
            signal(process, name);
        }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(programs().join(name));
        command.current_dir(self.dir.path()).env("LC_ALL", "C");
        if let Some((user, group)) = other_user() {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.server.is_some() {
            self.kill();
        }
    }
}

/// Waits until a plain connection is served.
pub(crate) async fn until_served(address: &str) {
    let end = crate::wait::now() + LIMIT;
    while tokio_postgres::connect(address, NoTls).await.is_err() {
        assert!(crate::wait::now() < end, "the server does not serve");
        // waits: a server that starts sends nothing
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    sent.expect("kill starts");
}

/// The newest version that is installed.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let newest = versions.filter_map(|version| version.ok()?.file_name().into_string().ok());
    let newest = newest.max_by_key(|version| version.parse::<u32>().unwrap_or(0));
    let newest = newest.expect("PostgreSQL is not installed; `cargo xtask test` installs it");
    Path::new("/usr/lib/postgresql").join(newest).join("bin")
}

/// PostgreSQL refuses to run as root: then it runs as its own user.
fn other_user() -> Option<(u32, u32)> {
    let this = fs::metadata("/proc/self").expect("a process").uid_of();
    if this != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find_map(|line| line.strip_prefix("postgres:"));
    let mut fields = line.expect("there is a user postgres").split(':').skip(1);
    let mut number = || fields.next().and_then(|field| field.parse().ok()).expect("a number");
    Some((number(), number()))
}

trait UidOf {
    fn uid_of(&self) -> u32;
}

impl UidOf for fs::Metadata {
    fn uid_of(&self) -> u32 {
        std::os::unix::fs::MetadataExt::uid(self)
    }
}

fn processes_of(server: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{server}/task/{server}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    std::iter::once(server).chain(children).collect()
}
