//! The place of a test: a data directory, and beside it what the test and its child write.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;
use unsaid_core::port::Store;
use unsaid_store_sql::sqlite::{Options, SqliteStore};

/// A message of a conversation: the chat's id and its own.
pub(crate) type Place = (String, String);

/// See the module.
pub(crate) struct Scene {
    root: Root,
}

enum Root {
    /// Made for the test and removed with it.
    Own(TempDir),
    /// Handed to a child.
    Given(PathBuf),
}

impl Scene {
    pub(crate) fn new() -> Self {
        let scene = Self { root: Root::Own(tempfile::tempdir().unwrap()) };
        fs::create_dir(scene.data()).unwrap();
        scene
    }

    pub(crate) fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: Root::Given(root.into()) }
    }

    pub(crate) fn root(&self) -> &Path {
        match &self.root {
            Root::Own(dir) => dir.path(),
            Root::Given(path) => path,
        }
    }

    /// The data directory: nothing but the files of the store.
    pub(crate) fn data(&self) -> PathBuf {
        self.root().join("data")
    }

    pub(crate) fn db(&self) -> PathBuf {
        self.data().join("unsaid.db")
    }

    pub(crate) fn wal(&self) -> PathBuf {
        self.data().join("unsaid.db-wal")
    }

    /// What the child says, line by line: see [`Said`].
    pub(crate) fn said(&self) -> PathBuf {
        self.root().join("said")
    }

    /// What a child prints and logs.
    pub(crate) fn log(&self) -> PathBuf {
        self.root().join("log")
    }

    /// The child's system calls.
    pub(crate) fn trace(&self) -> PathBuf {
        self.root().join("trace")
    }

    pub(crate) fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(&self.db(), &Options::default()).unwrap())
    }

    /// Another connection to the file, of SQLite alone.
    pub(crate) fn plain(&self) -> Connection {
        Connection::open_with_flags(self.db(), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap()
    }

    /// Fails unless SQLite finds the file whole.
    pub(crate) fn assert_whole(&self) {
        let found: String =
            self.plain().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(found, "ok", "the file is damaged");
    }

    /// Every file of the data directory with its bytes.
    pub(crate) fn bytes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = fs::read_dir(self.data()).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    /// Waits until a store that was dropped has closed its file, which removes the log beside it.
    pub(crate) fn until_closed(&self) {
        let limit = std::time::Duration::from_secs(30);
        crate::wait::until("the store closes", limit, || !self.wal().exists());
    }
}

/// What a child has said so far. A line counts when it is whole.
pub(crate) struct Said(String);

impl Said {
    pub(crate) fn read(scene: &Scene) -> Self {
        let text = fs::read_to_string(scene.said()).unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |last| last + 1);
        Self(text[..whole].to_owned())
    }

    /// The lines that begin with a word, without it.
    pub(crate) fn after<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        let lines = self.0.lines().filter_map(move |line| line.strip_prefix(word));
        lines.filter_map(|rest| rest.strip_prefix(' '))
    }

    /// The messages that the lines with this word name at their end.
    pub(crate) fn places(&self, word: &str) -> BTreeSet<Place> {
        self.after(word).map(place).collect()
    }
}

/// The message that a line names with its last two words.
pub(crate) fn place(line: &str) -> Place {
    let mut words = line.rsplit(' ');
    let (id, chat) = (words.next(), words.next());
    (chat.expect("a line names a chat").to_owned(), id.expect("and a message").to_owned())
}
