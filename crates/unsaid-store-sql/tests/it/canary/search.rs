//! Marks in words, and the search for them in the bytes of files.

use std::{collections::BTreeSet, fs, path::Path};

use unsaid_core::domain::message::{Message, Part};
use unsaid_testkit::builder::{message, words};

const BIRD: &str = "canary-";
const DIGITS: usize = 8;

/// A text that is nowhere else.
pub(crate) fn mark(number: u32) -> String {
    format!("{BIRD}{number:0DIGITS$x}")
}

/// So many bytes (or one mark) full of a mark: whatever piece of them stays, it can be found.
pub(crate) fn marked_text(number: u32, bytes: usize) -> String {
    let mark = mark(number) + " ";
    mark.repeat(1.max(bytes / mark.len()))
}

/// Somebody says a marked text.
pub(crate) fn marked(id: &str, number: u32, bytes: usize) -> Message {
    Message { parts: vec![Part::text(words(&marked_text(number, bytes)))], ..message(id) }
}

/// All marks in the files of a directory.
pub(crate) fn marks_in(dir: &Path) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut paths: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The log first: words move from there into the file, and never back.
    paths.sort_by_key(|path| !path.to_string_lossy().ends_with("-wal"));
    for path in paths {
        // A log that was removed in between holds nothing.
        if let Ok(bytes) = fs::read(path) {
            find(&bytes, &mut found);
        }
    }
    found
}

/// All marks in a text.
pub(crate) fn marks_of(text: &str) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    find(text.as_bytes(), &mut found);
    found
}

/// Marks as UTF-8 and as UTF-16 (little end first).
fn find(bytes: &[u8], found: &mut BTreeSet<u32>) {
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == BIRD.as_bytes()[0]) {
        let rest = &bytes[at..];
        found.extend(read(rest.iter().copied()));
        if rest.get(1) == Some(&0) && rest.chunks_exact(2).take(DIGITS).all(|pair| pair[1] == 0) {
            found.extend(read(rest.iter().copied().step_by(2)));
        }
    }
}

fn read(mut bytes: impl Iterator<Item = u8>) -> Option<u32> {
    if !BIRD.bytes().all(|letter| bytes.next() == Some(letter)) {
        return None;
    }
    let digits: Vec<u8> = bytes.take(DIGITS).collect();
    if digits.len() < DIGITS {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
}

#[test]
fn marks_are_found_in_both_encodings_and_between_other_bytes() {
    let mut bytes = vec![0, b'c', 255];
    bytes.extend(marked_text(7, 0).bytes());
    bytes.extend([b'c', 0, b'a', 0, b'x', 0]);
    bytes.extend(mark(0xdead_beef).encode_utf16().flat_map(u16::to_le_bytes));
    bytes.extend(b"canary-0000");
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), bytes).unwrap();
    assert_eq!(marks_in(dir.path()), [7, 0xdead_beef].into());
    assert_eq!(marks_of("no canary here"), BTreeSet::new());
}
