//! A database read into memory, so that nothing is written beside it: opened where it is, SQLite would
//! make files there, and a private copy would be words that lie around.
//!
//! What stands only in the write-ahead log is applied here. The log's format is described in
//! <https://sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::super::file;
use super::super::hint::with_hint;
use crate::refusal::{Refusal, said};

const MAGIC: &[u8] = b"SQLite format 3\0";
/// With which a journal begins that must be played back; one that is done with has zeros there.
const JOURNAL_MAGIC: &[u8] = &[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// Where the header says which journal is used: 2 is the write-ahead log, 1 the other.
const JOURNAL_AT: std::ops::Range<usize> = 18..20;
/// Where the header counts the changes.
const CHANGES_AT: std::ops::Range<usize> = 24..28;
const HEADER: u64 = 100;
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// How often a database that is being written to is read again.
const TRIES_MAX: usize = 5;

pub(super) fn open(path: &Path) -> Result<Connection, Refusal> {
    // What belongs to a database lies beside the file itself, not beside a link to it.
    let file = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let image = image(&file, || {})?;
    let opened = Connection::open_in_memory().and_then(|mut connection| {
        connection.deserialize_read_exact("main", image.as_slice(), image.len(), true)?;
        Ok(connection)
    });
    opened.map_err(|_| Refusal::new(format!("{} cannot be opened as a database", path.display())))
}

/// The pages as a reader would see them. `meanwhile` is what others may do at the worst moment.
fn image(path: &Path, mut meanwhile: impl FnMut()) -> Result<Vec<u8>, Refusal> {
    let unreadable = |error: io::Error| {
        Refusal::new(format!("{} cannot be read: {}", path.display(), said(&error)))
    };
    for _ in 0..TRIES_MAX {
        if beside(path, "-journal").map_err(unreadable)?.starts_with(JOURNAL_MAGIC) {
            return Err(Refusal::new(format!(
                "a change of {} is not finished (there is a -journal beside it): start agent-world \
                 and end it again, then import",
                path.display()
            )));
        }
        let log = beside(path, "-wal").map_err(unreadable)?;
        let mut pages = file::read(path).map_err(unreadable)?;
        meanwhile();
        if is_changed(path, &log, &pages).map_err(unreadable)? {
            continue;
        }
        if !pages.starts_with(MAGIC) {
            let sentence = format!("{} is neither a database nor a directory", path.display());
            return Err(Refusal::new(with_hint(sentence, path)));
        }
        apply(&log, &mut pages);
        if let Some(journal) = pages.get_mut(JOURNAL_AT) {
            journal.fill(1);
        }
        return Ok(pages);
    }
    let path = path.display();
    Err(Refusal::new(format!("{path} is being written to: end agent-world, then import")))
}

/// Whether somebody wrote while it was read. With a log, nothing comes into the file while that stays the
/// same; without, a change that began has a journal, and one that is done was counted.
fn is_changed(path: &Path, log: &[u8], pages: &[u8]) -> io::Result<bool> {
    if beside(path, "-wal")? != log || beside(path, "-journal")?.starts_with(JOURNAL_MAGIC) {
        return Ok(true);
    }
    // After the journal: it goes only when the change is counted.
    let mut header = Vec::new();
    fs::File::open(path)?.take(HEADER).read_to_end(&mut header)?;
    Ok(header.get(CHANGES_AT) != pages.get(CHANGES_AT))
}

/// The bytes of a file that belongs to it; none if there is no such file.
fn beside(path: &Path, suffix: &str) -> io::Result<Vec<u8>> {
    let mut name = OsString::from(path);
    name.push(suffix);
    match file::read(&PathBuf::from(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// Writes into the pages what was committed to the log.
fn apply(log: &[u8], pages: &mut Vec<u8>) {
    let Some(log) = Log::of(log) else { return };
    let mut waiting: Vec<(usize, &[u8])> = Vec::new();
    for frame in log.frames() {
        waiting.push((frame.page, frame.content));
        let Some(size) = frame.size_after_commit else { continue };
        pages.resize(size * log.page_size, 0);
        for (page, content) in waiting.drain(..) {
            let start = page.saturating_sub(1) * log.page_size;
            if let Some(old) = pages.get_mut(start..start + log.page_size) {
                old.copy_from_slice(content);
            }
        }
    }
}

/// A write-ahead log whose header is whole.
struct Log<'a> {
    frames: &'a [u8],
    page_size: usize,
    salt: &'a [u8],
    sum: Sum,
}

struct Frame<'a> {
    page: usize,
    /// In pages; none within a transaction.
    size_after_commit: Option<usize>,
    content: &'a [u8],
}

impl<'a> Log<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let (header, frames) = bytes.split_at_checked(LOG_HEADER)?;
        let mut sum = Sum { big_endian: number(header, 0)? & 1 == 1, sums: (0, 0) };
        sum.add(header.get(..24)?);
        let page_size = usize::try_from(number(header, 8)?).ok()?;
        let is_whole = number(header, 0)? & !1 == 0x377f_0682
            && page_size.is_power_of_two()
            && page_size >= 512
            && sum.is(number(header, 24)?, number(header, 28)?);
        is_whole.then_some(Self { frames, page_size, salt: header.get(16..24)?, sum })
    }

    /// Up to the first that is not whole, or is left over from before.
    fn frames(&self) -> impl Iterator<Item = Frame<'a>> {
        let (salt, mut sum) = (self.salt, self.sum);
        self.frames.chunks_exact(FRAME_HEADER + self.page_size).map_while(move |frame| {
            let (header, content) = frame.split_at_checked(FRAME_HEADER)?;
            sum.add(header.get(..8)?);
            sum.add(content);
            let is_whole =
                header.get(8..16)? == salt && sum.is(number(header, 16)?, number(header, 20)?);
            let size = usize::try_from(number(header, 4)?).ok()?;
            let page = usize::try_from(number(header, 0)?).ok()?;
            let size_after_commit = (size > 0).then_some(size);
            is_whole.then_some(Frame { page, size_after_commit, content })
        })
    }
}

/// The checksum that runs through the log.
#[derive(Clone, Copy)]
struct Sum {
    big_endian: bool,
    sums: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let word = |bytes: &[u8]| {
            let bytes = bytes.try_into().unwrap_or_default();
            if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        let (mut first, mut second) = self.sums;
        for pair in bytes.chunks_exact(8) {
            let (left, right) = pair.split_at(4);
            first = first.wrapping_add(word(left)).wrapping_add(second);
            second = second.wrapping_add(word(right)).wrapping_add(first);
        }
        self.sums = (first, second);
    }

    fn is(self, first: u32, second: u32) -> bool {
        self.sums == (first, second)
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;
