//! The other process of these tests: this very test binary, started again to be killed.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use unsaid_store_object::bucket::{Bucket, Expect, Found, Put, directory::DirectoryBucket};

const ROLE: &str = "UNSAID_TEST_BUCKET_ROLE";
const WAIT_MAX: Duration = Duration::from_mins(1);
const ROOT: &str = "UNSAID_TEST_BUCKET_ROOT";
/// What a child counts up.
pub(super) const COUNTER: &str = "history/counter";
/// How often.
pub(super) const INCREMENTS: u32 = 40;
/// What a child writes until it is killed.
pub(super) const NAMES: [&str; 3] = ["history/U1", "history/U2", "deep/er/U3"];

/// What a child is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Counts [`COUNTER`] up [`INCREMENTS`] times.
    Count,
    /// Writes [`NAMES`] over and over, and says after each put what it was told.
    Write,
}

/// Not a test of its own: here a child begins. Without a role there is nothing for it to do.
#[test]
fn child_begins() {
    let Ok(role) = env::var(ROLE) else { return };
    end_with_the_parent();
    let root = env::var(ROOT).unwrap();
    let bucket = open(Path::new(&root));
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_time().build().unwrap().block_on(async move {
        if role == format!("{:?}", Role::Count) {
            count(&*bucket).await;
        } else {
            write(&*bucket, Path::new(&root)).await;
        }
    });
}

/// The directory that parent and children share.
pub(super) fn open(root: &Path) -> Arc<dyn Bucket> {
    Arc::new(DirectoryBucket::open(&root.join("words"), Duration::from_secs(20)).unwrap())
}

/// Where a child says what it has been told.
pub(super) fn said(root: &Path) -> std::path::PathBuf {
    root.join("said")
}

/// A child that ends with the test, whatever becomes of it.
pub(super) struct Running(Child);

impl Running {
    pub(super) fn start(root: &Path, role: Role) -> Self {
        let log = File::create(root.join(format!("log-{role:?}"))).unwrap();
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "bucket::child::child_begins", "--nocapture", "--test-threads=1"])
            .env(ROLE, format!("{role:?}"))
            .env(ROOT, root)
            .stdin(Stdio::piped())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Self(child)
    }

    /// `kill -9`, and waits for the end. Fails if the child ended by itself before.
    pub(super) fn kill(mut self) {
        assert_eq!(self.0.try_wait().unwrap(), None, "the child ended by itself");
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits until the child has done its work. To wait any other way would close its input.
    pub(super) fn finish(mut self) {
        let mut ended = None;
        until("the child ends", || {
            ended = self.0.try_wait().unwrap();
            ended.is_some()
        });
        assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // both fail only if it has ended already
        self.0.kill().unwrap_or_default();
        self.0.wait().map(|_| ()).unwrap_or_default();
    }
}

/// Content that shows whether it is whole: its number, a tail that follows from it, and an end.
/// Most of it is large, so that writing it takes long enough to be killed meanwhile.
pub(super) fn content(number: u64) -> Bytes {
    let letter = b'a' + u8::try_from(number % 26).unwrap();
    let length = 1_000 + usize::try_from(number % 4).unwrap() * 1_000_000;
    let mut bytes = format!("{number}\n").into_bytes();
    bytes.resize(bytes.len() + length, letter);
    bytes.extend_from_slice(b"\nend");
    bytes.into()
}

/// The number of a content that is whole.
pub(super) fn number_of(bytes: &Bytes) -> u64 {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap();
    let number = std::str::from_utf8(line).unwrap().parse().expect("it begins with a number");
    assert!(content(number) == bytes, "{} bytes of {number}", bytes.len());
    number
}

async fn count(bucket: &dyn Bucket) {
    let mut made = 0;
    while made < INCREMENTS {
        let (number, expect) = match bucket.get(COUNTER, None).await.unwrap() {
            Found::Object { bytes, version } => (number_of(&bytes), Expect::Version(version)),
            Found::Absent => (0, Expect::Absent),
            Found::Unchanged => panic!("nothing was known"),
        };
        match bucket.put(COUNTER, content(number + 1), &expect).await.unwrap() {
            Put::Done(_) => made += 1,
            Put::Stale => {}
        }
    }
}

async fn write(bucket: &dyn Bucket, root: &Path) {
    let mut log = OpenOptions::new().create(true).append(true).open(said(root)).unwrap();
    loop {
        for (place, name) in NAMES.iter().enumerate() {
            let (number, expect) = match bucket.get(name, None).await.unwrap() {
                Found::Object { bytes, version } => (number_of(&bytes), Expect::Version(version)),
                Found::Absent => (0, Expect::Absent),
                Found::Unchanged => panic!("nothing was known"),
            };
            let put = bucket.put(name, content(number + 1), &expect).await.unwrap();
            assert!(matches!(put, Put::Done(_)), "nobody else writes");
            log.write_all(format!("{place} {}\n", number + 1).as_bytes()).unwrap();
        }
    }
}

/// Looks again and again until it is so; fails when it takes too long.
#[expect(clippy::disallowed_methods, reason = "measures how long a test waits")]
pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + WAIT_MAX;
    while !is_so() {
        assert!(Instant::now() < end, "{what}: not within {WAIT_MAX:?}");
        // waits: another process and its files are looked at; they send nothing
        thread::sleep(Duration::from_millis(1));
    }
}

/// The pipe closes when the test ends, however it ends.
fn end_with_the_parent() {
    thread::spawn(|| {
        std::io::stdin().read_to_end(&mut Vec::new()).map(|_| ()).unwrap_or_default();
        std::process::exit(1);
    });
}
