//! The server itself, as people start it.

use std::{
    fs::{File, Permissions, set_permissions},
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

const READY_WITHIN: Duration = Duration::from_secs(30);
/// The place of the time in user mode among the figures of a process after its name; the time in the
/// kernel comes next.
const USER_TIME: usize = 11;
/// In which Linux tells times of processes, everywhere we run.
const TICK_MS: u64 = 10;

/// A process of its own on a free port; killed when this goes out of scope.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: String,
    log: PathBuf,
}

impl Server {
    /// Starts it on a directory and waits until it is ready.
    pub(crate) fn start(dir: &Path, settings: &[(&str, &str)]) -> Self {
        let binary = std::env::current_exe().expect("a path").with_file_name("unsaid");
        let begun = Instant::now();
        let log = dir.join("log");
        set_permissions(dir, Permissions::from_mode(0o700)).expect("a directory of our own");
        let mut process = Command::new(&binary)
            // As on a machine of its own: nothing of the surroundings is taken for its settings.
            .env_clear()
            .args(["serve", "--listen", "127.0.0.1:0", "--data_dir"])
            .arg(dir)
            .args(settings.iter().flat_map(|(key, value)| [format!("--{key}"), (*value).into()]))
            .current_dir(dir)
            .stdout(Stdio::piped())
            .stderr(File::create(&log).expect("a file"))
            .spawn()
            .expect("`cargo xtask bench` has built the server");
        let address = address(&mut process);
        let server = Self { process, address, log };
        while !server.is_ready() {
            assert!(begun.elapsed() < READY_WITHIN, "the server does not get ready");
        }
        server
    }

    /// What it holds in memory.
    pub(crate) fn resident_kib(&self) -> u32 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).expect("its status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches("kB").trim().parse().expect("a number")
    }

    /// How long processors worked for it so far.
    pub(crate) fn processor_time(&self) -> Duration {
        let path = format!("/proc/{}/stat", self.process.id());
        let stat = std::fs::read_to_string(path).expect("its figures");
        // What stands before may hold spaces: it is the name of the program.
        let (_, fields) = stat.rsplit_once(") ").expect("its name");
        let ticks = fields.split(' ').skip(USER_TIME).take(2);
        let ticks = ticks.map(|field| field.parse::<u64>().expect("a number")).sum::<u64>();
        Duration::from_millis(ticks * TICK_MS)
    }

    /// Ends it as an operator does; what it complained of.
    pub(crate) fn end(mut self) -> Vec<String> {
        kill_process(Pid::from_child(&self.process), Signal::TERM).expect("a signal");
        let status = self.process.wait().expect("the server ends");
        let log = std::fs::read_to_string(&self.log).expect("its log");
        assert!(status.success(), "the server ended with {status}:\n{log}");
        let is_bad = |line: &&str| line.contains(" WARN ") || line.contains("ERROR ");
        log.lines().filter(is_bad).map(str::to_owned).collect()
    }

    fn is_ready(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(&self.address) else { return false };
        let request = "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let mut answer = String::new();
        stream.write_all(request.as_bytes()).is_ok()
            && stream.read_to_string(&mut answer).is_ok()
            && answer.starts_with("HTTP/1.1 200")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended before.
        drop(self.process.kill().and_then(|()| self.process.wait()));
    }
}

fn address(server: &mut Child) -> String {
    let stdout = server.stdout.take().expect("its output");
    let line =
        BufReader::new(stdout).lines().map_while(Result::ok).find(|it| it.contains("http://"));
    let line = line.expect("the server prints its address");
    let address = line.split("http://").nth(1).expect("an address");
    address.trim_end_matches('/').split_whitespace().next().expect("an address").to_owned()
}
