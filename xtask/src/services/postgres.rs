//! A PostgreSQL cluster of our own, on a free port of the loopback address.

use std::io::Write as _;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use super::scratch::{Scratch, random_word, with_log};
use super::{LOOK_INTERVAL, PORT_TRIES, free_port, until_ready};
use crate::process;

/// Where Debian keeps one directory a version; not on the path, because they can stand side by side.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The oldest that Unsaid supports.
const OLDEST: u32 = 15;
/// The server refuses to run as root. The package brings this user, who owns nothing else of ours.
const USER: &str = "postgres";
const ROLE: &str = "postgres";
/// Many tests connect at once.
const SETTINGS: &[&str] =
    &["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
/// Nothing in it has to survive anything. In the file, so that a benchmark can ask for the opposite.
const CARELESS: &str = "fsync = off\nfull_page_writes = off\n";
const END_LOOKS: u32 = 200;

/// A running server; it ends when this is dropped.
pub(super) struct Postgres {
    server: Child,
    address: String,
}

impl Postgres {
    /// Makes the cluster, starts the server, waits until it takes connections.
    pub(super) fn start(scratch: &Scratch) -> Result<Self, String> {
        let programs = programs().ok_or_else(|| {
            format!("PostgreSQL {OLDEST} or newer is not installed below {VERSIONS}")
        })?;
        let data = scratch.room("postgres")?;
        let account = Account::of_server()?;
        account.give(&data)?;
        let password = random_word()?;
        make_cluster(scratch, &programs, &account, &data, &password)?;
        let mut sentence = String::new();
        for _ in 0..PORT_TRIES {
            let port = free_port()?;
            match serve(scratch, &programs, &account, &data, port) {
                Ok(server) => {
                    let address = format!("postgres://{ROLE}:{password}@127.0.0.1:{port}/postgres");
                    return Ok(Self { server, address });
                }
                Err(why) => sentence = why,
            }
        }
        Err(sentence)
    }

    /// Where it is, with the password of its superuser.
    pub(super) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        end(&mut self.server);
    }
}

/// Whether `missing_tools` has nothing to install.
pub(crate) fn is_installed() -> bool {
    programs().is_some()
}

/// The directory with the programs of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(VERSIONS).ok()?.flatten();
    let numbers = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let directory = |number: u32| Path::new(VERSIONS).join(number.to_string()).join("bin");
    let has_server = |number: &u32| {
        ["initdb", "postgres"].iter().all(|name| directory(*number).join(name).is_file())
    };
    numbers.filter(|number| *number >= OLDEST).filter(has_server).max().map(directory)
}

/// As whom the server runs.
struct Account {
    /// Set if we are root.
    other: Option<(u32, u32)>,
}

impl Account {
    fn of_server() -> Result<Self, String> {
        let is_root = number(Command::new("id").arg("-u"))? == 0;
        let id = |what: &str| number(Command::new("id").args([what, USER]));
        Ok(Self { other: if is_root { Some((id("-u")?, id("-g")?)) } else { None } })
    }

    fn give(&self, path: &Path) -> Result<(), String> {
        let Some((user, group)) = self.other else { return Ok(()) };
        chown(path, Some(user), Some(group))
            .map_err(|error| format!("{} cannot be given to {USER}: {error}", path.display()))
    }

    /// A program as this user, which dies with us even if we are killed.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("setpriv");
        if let Some((user, group)) = self.other {
            command.args([format!("--reuid={user}"), format!("--regid={group}")]);
            command.arg("--clear-groups");
        }
        command.arg("--pdeathsig=QUIT").arg(program);
        // our own directory may be closed to that user
        command.current_dir("/").stdin(Stdio::null());
        command
    }
}

fn number(command: &mut Command) -> Result<u32, String> {
    let printed = process::output("id", command)?;
    let text = String::from_utf8_lossy(&printed);
    text.trim().parse().map_err(|error| format!("id printed no number: {error}"))
}

fn make_cluster(
    scratch: &Scratch,
    programs: &Path,
    account: &Account,
    data: &Path,
    password: &str,
) -> Result<(), String> {
    // the password is asked for even on the loopback address, where every user of the machine is
    let secret = scratch.room("secret")?;
    account.give(&secret)?;
    let file = secret.join("password");
    std::fs::write(&file, password).map_err(|error| format!("no password file: {error}"))?;
    account.give(&file)?;
    let (log, path) = scratch.log("initdb")?;
    let errors = log.try_clone().map_err(|error| format!("no log: {error}"))?;
    let made = account
        .command(&programs.join("initdb"))
        .args(["--encoding=UTF8", "--locale=C", "--no-sync", "--auth=password"])
        .args(["--username", ROLE, "--pwfile"])
        .arg(&file)
        .arg("--pgdata")
        .arg(data)
        .stdout(log)
        .stderr(errors)
        .status()
        .map_err(|error| process::not_started("initdb", &error))?;
    process::judge("initdb", made).map_err(|sentence| with_log(&sentence, &path))?;
    let settings = std::fs::OpenOptions::new().append(true).open(data.join("postgresql.conf"));
    settings
        .and_then(|mut file| file.write_all(CARELESS.as_bytes()))
        .map_err(|error| format!("the settings of PostgreSQL cannot be written: {error}"))
}

fn serve(
    scratch: &Scratch,
    programs: &Path,
    account: &Account,
    data: &Path,
    port: u16,
) -> Result<Child, String> {
    let (log, path) = scratch.log("postgres")?;
    let errors = log.try_clone().map_err(|error| format!("no log: {error}"))?;
    let mut command = account.command(&programs.join("postgres"));
    command.arg("-D").arg(data).arg("-p").arg(port.to_string());
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    let mut server = command
        .stdout(log)
        .stderr(errors)
        .spawn()
        .map_err(|error| process::not_started("PostgreSQL", &error))?;
    let ready = until_ready("PostgreSQL", &mut server, || is_ready(programs, port));
    ready.map(|()| server).map_err(|sentence| with_log(&sentence, &path))
}

/// `pg_isready` asks as a client does, but does not log in.
fn is_ready(programs: &Path, port: u16) -> bool {
    Command::new(programs.join("pg_isready"))
        .args(["--quiet", "--host=127.0.0.1", "--port", &port.to_string()])
        .status()
        .is_ok_and(|status| status.success())
}

/// At once: nobody needs what is in it. The server ends its own processes before itself.
fn end(server: &mut Child) {
    let id = server.id().to_string();
    // the shell's own, because not every system has the program
    let mut quit = Command::new("sh");
    quit.args(["-c", "kill -QUIT \"$1\"", "sh", &id]);
    quit.status().map(|_| ()).unwrap_or_default();
    for _ in 0..END_LOOKS {
        if !matches!(server.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(LOOK_INTERVAL);
    }
    server.kill().unwrap_or_default();
    server.wait().map(|_| ()).unwrap_or_default();
}
