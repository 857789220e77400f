//! The other process of these tests: this very test binary, started again to be killed, starved of
//! its disk, or watched by `strace`.

mod append;
mod fault;
mod log;

use std::{
    env,
    fs::{File, OpenOptions},
    io::{ErrorKind, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use crate::{
    postgres::{cluster, stopped},
    scene::Scene,
    wait::until,
};

pub(crate) use self::{
    append::{CHATS, WRITERS},
    fault::file_bytes,
};

const ROLE: &str = "UNSAID_TEST_ROLE";
const ROOT: &str = "UNSAID_TEST_ROOT";
const RUN: &str = "UNSAID_TEST_RUN";

/// What a child is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// [`WRITERS`] tasks append until the child is killed.
    AppendForever,
    /// Some tasks append, and take some of it back.
    TakeBack,
    /// The same, with commits that do not wait for the disk.
    TakeBackCarelessly,
    /// Appends until a fault has come and gone.
    MeetFault,
    /// Keeps a turn until one wait for the disk has failed, and goes on beside somebody who reads.
    MeetFaultInTurn,
    /// Keeps files until a fault has come and gone.
    KeepFiles,
    /// Takes one message back and waits until it is in no file.
    Forget,
    /// Opens the store and says what came of it.
    Open,
    /// Takes a turn on PostgreSQL, and answers when it is told to.
    HoldTurn,
    /// Some tasks append on PostgreSQL until the child is killed.
    AppendToPostgres,
}

impl Role {
    const ALL: [Self; 10] = [
        Self::AppendForever,
        Self::TakeBack,
        Self::TakeBackCarelessly,
        Self::MeetFault,
        Self::MeetFaultInTurn,
        Self::KeepFiles,
        Self::Forget,
        Self::Open,
        Self::HoldTurn,
        Self::AppendToPostgres,
    ];

    fn name(self) -> String {
        format!("{self:?}")
    }
}

/// Not a test of its own: here a child begins. Without a role there is nothing for it to do.
#[test]
fn child_begins() {
    let Ok(name) = env::var(ROLE) else { return };
    end_with_the_parent();
    log::to_stderr();
    let scene = Scene::at(env::var(ROOT).unwrap());
    let said = Speaker::new(&scene, env::var(RUN).unwrap());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let role = Role::ALL.into_iter().find(|role| role.name() == name).expect("a role has a name");
    runtime.block_on(async move {
        match role {
            Role::AppendForever => append::forever(&scene, said).await,
            Role::TakeBack => append::and_take_back(&scene, said, true).await,
            Role::TakeBackCarelessly => append::and_take_back(&scene, said, false).await,
            Role::MeetFault => fault::meet(&scene, &said).await,
            Role::MeetFaultInTurn => fault::meet_in_turn(&scene, &said).await,
            Role::KeepFiles => fault::keep_files(&scene, &said).await,
            Role::Forget => fault::forget(&scene, &said).await,
            Role::Open => fault::open(&scene, &said),
            Role::HoldTurn => stopped::hold_turn(&scene, &said).await,
            Role::AppendToPostgres => {
                stopped::append_forever(&scene, said, &env::var(RUN).unwrap()).await;
            }
        }
    });
}

/// Starts a child. The number makes its message ids its own.
pub(crate) fn start(scene: &Scene, role: Role, run: u32) -> Running {
    Running::start(Command::new(env::current_exe().unwrap()), scene, role, run)
}

/// Starts a child under `strace` with these arguments.
pub(crate) fn start_traced(scene: &Scene, role: Role, arguments: &[String]) -> Running {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "signal=none", "-o"]).arg(scene.trace());
    command.args(arguments).arg(env::current_exe().unwrap());
    Running::start(command, scene, role, 0)
}

/// A child that ends with the test, whatever becomes of it.
pub(crate) struct Running {
    child: Child,
    log: String,
}

impl Running {
    fn start(mut command: Command, scene: &Scene, role: Role, run: u32) -> Self {
        let printed = File::create(scene.log()).unwrap();
        command
            .args(["--exact", "child::child_begins", "--nocapture", "--test-threads=1"])
            .env(ROLE, role.name())
            .env(ROOT, scene.root())
            .env(RUN, run.to_string())
            .stdin(Stdio::piped())
            .stdout(printed.try_clone().unwrap())
            .stderr(printed);
        let program = Path::new(command.get_program()).display().to_string();
        let child = match command.spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                panic!("{program} is not installed; `cargo xtask test` installs it")
            }
            Err(error) => panic!("{program} could not be started: {error}"),
        };
        Self { child, log: scene.log().to_string_lossy().into_owned() }
    }

    /// `kill -9`, and waits for the end. Fails if the child ended by itself before.
    pub(crate) fn kill(mut self) {
        if let Some(status) = self.child.try_wait().unwrap() {
            panic!("the child ended by itself ({status}):\n{}", self.printed());
        }
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Lets it stand still, or go on.
    pub(crate) fn signal(&self, name: &str) {
        cluster::signal(self.child.id(), name);
    }

    /// Waits until the child has done its work.
    pub(crate) fn finish(mut self, limit: Duration) {
        let mut ended = None;
        until("the child ends", limit, || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        assert!(ended.is_some_and(|status| status.success()), "{}", self.printed());
    }

    fn printed(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A child under `strace` outlives it, but not the pipe that closes here: see
        // `end_with_the_parent`. Both calls fail only where the child is gone already.
        drop(self.child.stdin.take());
        self.child.kill().unwrap_or_default();
        self.child.wait().map(|_| ()).unwrap_or_default();
    }
}

/// What a child says to its test, one line in one write.
pub(crate) struct Speaker {
    file: File,
    /// Makes ids of this child its own.
    pub(crate) run: String,
}

impl Speaker {
    fn new(scene: &Scene, run: String) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(scene.said()).unwrap();
        Self { file, run }
    }

    pub(crate) fn say(&self, line: impl std::fmt::Display) {
        (&self.file).write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// The pipe closes when the test ends, however it ends.
fn end_with_the_parent() {
    thread::spawn(|| {
        let mut nothing = Vec::new();
        std::io::stdin().read_to_end(&mut nothing).map(|_| ()).unwrap_or_default();
        std::process::exit(1);
    });
}
