//! One life of a conversation, seen from the test: a child, what it says, and how it ends.

use std::env;
use std::fmt::Debug;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// What a child says to its test begins with this, wherever in a line.
pub(crate) const MARK: &str = "@@ ";
/// A life is short; whatever takes so long has failed.
const DEADLINE: Duration = Duration::from_mins(1);
const SIGKILL: i32 = 9;

/// What a child is to live.
pub(crate) trait Part: Debug {
    /// The test with which it begins.
    const CHILD: &'static str;

    /// All of it, as the child will read it.
    fn to_env(&self) -> Vec<(&'static str, String)>;
}

/// What a life has told.
#[derive(Debug, Default, Clone)]
pub(crate) struct Told {
    /// The points it passed, in order.
    pub(crate) reached: Vec<String>,
    /// The messages it acknowledged.
    pub(crate) said: Vec<String>,
    /// The answers that were there when it began, each with what was known of its sending.
    pub(crate) found: Vec<(String, String)>,
}

/// See the module. The child ends with it.
struct Life {
    child: Child,
    /// As long as this is open, the child knows that somebody is there.
    _stdin: ChildStdin,
    lines: Receiver<String>,
    told: Told,
}

/// Lives until the point at which it is to be killed, and is killed there: `kill -9`.
pub(crate) fn until_killed<P: Part>(play: &P) -> Told {
    let mut life = Life::begin(play);
    life.listen_until("stopped", play);
    life.child.kill().unwrap();
    let status = life.child.wait().unwrap();
    assert_eq!(status.signal(), Some(SIGKILL), "{status} in {play:?}");
    std::mem::take(&mut life.told)
}

/// Lives until nothing is left to do.
pub(crate) fn until_done<P: Part>(play: &P) -> Told {
    let mut life = Life::begin(play);
    life.listen_until("done", play);
    let status = life.child.wait().unwrap();
    assert!(status.success(), "{status} in {play:?}");
    std::mem::take(&mut life.told)
}

impl Life {
    fn begin<P: Part>(play: &P) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", P::CHILD])
            .args(["--nocapture", "--test-threads=1"])
            .envs(play.to_env())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (say, lines) = channel();
        thread::spawn(move || hand_on(stdout, &say));
        Self { child, _stdin: stdin, lines, told: Told::default() }
    }

    fn listen_until(&mut self, last: &str, play: &impl Part) {
        loop {
            let Ok(line) = self.lines.recv_timeout(DEADLINE) else {
                panic!("{:?} after {:?} of {play:?}", self.child.try_wait(), self.told);
            };
            let (kind, text) = line.split_once(' ').unwrap();
            match kind {
                "reached" => self.told.reached.push(text.to_owned()),
                "said" => self.told.said.push(text.to_owned()),
                "found" => {
                    let (id, sending) = text.split_once(' ').unwrap();
                    self.told.found.push((id.to_owned(), sending.to_owned()));
                }
                _ => {
                    assert_eq!(kind, last, "after {:?} of {play:?}", self.told);
                    return;
                }
            }
        }
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        // Both fail only where the child is gone already.
        self.child.kill().unwrap_or_default();
        self.child.wait().map(|_| ()).unwrap_or_default();
    }
}

/// What is meant for the test, without what the test binary says by itself.
fn hand_on(stdout: ChildStdout, to: &Sender<String>) {
    for line in BufReader::new(stdout).lines() {
        if let Some((_, told)) = line.unwrap().split_once(MARK) {
            // Nobody listens any more once the test has failed.
            to.send(told.to_owned()).unwrap_or_default();
        }
    }
}
