//! Who may write which names, and what they write apart before it is moved to its place.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use tokio::sync::{Mutex, OwnedMutexGuard};

use super::tree;
use crate::bucket::BucketError;

/// Ours alone: no object's file begins with a dot.
const DIRECTORY: &str = ".unsaid";
/// A lock a name would leave a file behind for every name that ever was.
const COUNT: u64 = 64;
const LOOK_INTERVAL: Duration = Duration::from_millis(1);
/// Steps of time, because some file systems round: one of these they can tell apart.
const STEPS_NANOS: [i128; 5] = [1, 1_000, 1_000_000, 1_000_000_000, 2_000_000_000];
const NANOS: i128 = 1_000_000_000;

/// All locks of a directory.
pub(super) struct Shards {
    directory: PathBuf,
    /// Writers of one process wait here, in order; only one of them at a time looks at the file.
    turns: Vec<Arc<Mutex<()>>>,
    wait_max: Duration,
}

/// The lock of some names; released when dropped, and by the system when its holder is killed.
pub(super) struct Locked {
    lock: File,
    draft: PathBuf,
}

/// A file that is complete and durable, but not at its place.
pub(super) struct Draft {
    path: PathBuf,
    metadata: Metadata,
}

impl Shards {
    pub(super) fn open(root: &Path, wait_max: Duration) -> io::Result<Self> {
        let directory = root.join(DIRECTORY);
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        let turns = (0..COUNT).map(|_| Arc::default()).collect();
        Ok(Self { directory, turns, wait_max })
    }

    /// Where the locks are: in the bucket, and there as long as it is.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Waits for the others of this process.
    pub(super) async fn turn(&self, name: &str) -> OwnedMutexGuard<()> {
        let number = usize::try_from(number_of(name)).unwrap_or(0);
        Arc::clone(&self.turns[number]).lock_owned().await
    }

    /// Waits for other processes, but not for ever: one may be stopped while it holds the lock.
    pub(super) fn lock(&self, name: &str) -> Result<Locked, BucketError> {
        let number = number_of(name);
        let looks = self.wait_max.as_millis() / LOOK_INTERVAL.as_millis();
        for _ in 0..looks.max(1) {
            match self.try_lock(number) {
                Ok(Some(locked)) => return Ok(locked),
                Ok(None) => thread::sleep(LOOK_INTERVAL),
                Err(error) => return Err(super::unwritten(&error)),
            }
        }
        Err(BucketError::Busy)
    }

    /// Takes away what killed writers left. A draft whose lock is held is being written.
    pub(super) fn clean(&self) {
        for number in 0..COUNT {
            if !self.draft(number).exists() {
                continue;
            }
            if let Ok(Some(locked)) = self.try_lock(number) {
                // the next put under this lock overwrites it anyway
                std::fs::remove_file(&locked.draft).unwrap_or_default();
            }
        }
    }

    fn try_lock(&self, number: u64) -> io::Result<Option<Locked>> {
        let lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(self.directory.join(format!("lock-{number:02}")))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Locked { lock, draft: self.draft(number) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn draft(&self, number: u64) -> PathBuf {
        self.directory.join(format!("draft-{number:02}"))
    }
}

impl Locked {
    /// Writes the bytes apart, with a time that no file under this lock has had.
    pub(super) fn draft(&self, bytes: &[u8], before: Option<&Metadata>) -> io::Result<Draft> {
        let written = self.write(bytes, before);
        if written.is_err() {
            // a full disk needs every byte
            std::fs::remove_file(&self.draft).unwrap_or_default();
        }
        written
    }

    fn write(&self, bytes: &[u8], before: Option<&Metadata>) -> io::Result<Draft> {
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&self.draft)?;
        file.write_all(bytes)?;
        let last = before.map_or(0, time_of).max(self.last_time());
        let metadata = set_time_after(&file, last)?;
        self.remember(time_of(&metadata))?;
        file.sync_all()?;
        Ok(Draft { path: self.draft.clone(), metadata })
    }

    /// The last time given under this lock; what cannot be read was never written.
    fn last_time(&self) -> i128 {
        let mut bytes = [0; 16];
        match self.lock.read_exact_at(&mut bytes, 0) {
            Ok(()) => i128::from_le_bytes(bytes),
            Err(_) => 0,
        }
    }

    /// Not synced: after a power cut nobody is left who knows an older state.
    fn remember(&self, time: i128) -> io::Result<()> {
        self.lock.write_all_at(&time.to_le_bytes(), 0)
    }
}

impl Draft {
    pub(super) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Moves it to its place.
    pub(super) fn publish(self, root: &Path, path: &Path) -> Result<(), BucketError> {
        let placed = tree::place(root, &self.path, path);
        if placed.is_err() {
            // there is none left if it was moved
            std::fs::remove_file(&self.path).unwrap_or_default();
        }
        placed
    }
}

/// When a file says it was changed, in nanoseconds.
pub(super) fn time_of(metadata: &Metadata) -> i128 {
    i128::from(metadata.mtime()) * NANOS + i128::from(metadata.mtime_nsec())
}

/// The file system has just said what time it is; if that is not later, we say something later.
fn set_time_after(file: &File, last: i128) -> io::Result<Metadata> {
    let metadata = file.metadata()?;
    if time_of(&metadata) > last {
        return Ok(metadata);
    }
    for step in STEPS_NANOS {
        let (seconds, nanos) = ((last + step) / NANOS, (last + step) % NANOS);
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) else {
            break;
        };
        file.set_modified(UNIX_EPOCH + Duration::new(seconds, nanos))?;
        let metadata = file.metadata()?;
        if time_of(&metadata) > last {
            return Ok(metadata);
        }
    }
    Err(io::Error::new(ErrorKind::Unsupported, "the file system does not keep times"))
}

/// The same in every process and every version of this program (FNV-1a).
fn number_of(name: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, mix) % COUNT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_rise_although_clocks_stand_still() {
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(directory.path().join("f")).unwrap();
        let mut last = time_of(&file.metadata().unwrap()) + 3_600 * NANOS;
        for _ in 0..5 {
            let next = time_of(&set_time_after(&file, last).unwrap());
            assert!(next > last && next <= last + 2 * NANOS, "{last} {next}");
            last = next;
        }
    }

    #[test]
    fn names_belong_to_the_same_lock_for_ever() {
        assert_eq!([number_of("history/U1"), number_of("a"), number_of("")], [42, 12, 37]);
    }

    #[test]
    fn a_lock_that_is_held_is_waited_for_and_then_given_up() {
        let directory = tempfile::tempdir().unwrap();
        let open = || Shards::open(directory.path(), Duration::from_millis(20)).unwrap();
        let (ours, theirs) = (open(), open());
        let held = ours.lock("a").unwrap();
        assert_eq!(theirs.lock("a").map(|_| ()), Err(BucketError::Busy));
        drop(held);
        assert!(theirs.lock("a").is_ok());
    }

    #[test]
    fn drafts_of_the_dead_are_removed_and_those_of_the_living_stay() {
        let directory = tempfile::tempdir().unwrap();
        let shards = Shards::open(directory.path(), Duration::from_millis(20)).unwrap();
        let dead = shards.lock("a").unwrap().draft(b"words", None).unwrap().path;
        let living = shards.lock("b").unwrap();
        let draft = living.draft(b"words", None).unwrap().path;
        shards.clean();
        assert!(!dead.exists() && draft.exists());
    }
}
