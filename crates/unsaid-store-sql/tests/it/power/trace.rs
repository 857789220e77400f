//! What `strace` wrote down, as what happened to the files.

use std::{collections::HashMap, fs, path::Path};

/// The files a store consists of after a crash; the `-shm` beside them is made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Db,
    Wal,
    /// Of the moment before the file is in WAL mode.
    Journal,
}

impl Name {
    pub(crate) const ALL: [Self; 3] = [Self::Db, Self::Wal, Self::Journal];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Db => "unsaid.db",
            Self::Wal => "unsaid.db-wal",
            Self::Journal => "unsaid.db-journal",
        }
    }
}

/// Something that happened, in the order in which it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Write {
        file: Name,
        at: usize,
        bytes: Vec<u8>,
    },
    /// Cut off, or lengthened.
    Resize {
        file: Name,
        len: usize,
    },
    Remove {
        file: Name,
    },
    /// The disk has what happened to this file before the event of this number.
    Sync {
        file: Name,
        before: usize,
    },
    /// The disk has the names of the files, as they were before the event of this number.
    SyncNames {
        before: usize,
    },
    /// The child said a line.
    Said(String),
}

/// The arguments that make `strace` write down what is needed here, and nothing else.
pub(crate) fn arguments(scene: &crate::scene::Scene) -> Vec<String> {
    let calls = "trace=openat,pwrite64,write,pwritev,writev,ftruncate,fallocate,fsync,fdatasync,\
        sync_file_range,?unlink,unlinkat,?rename,renameat,renameat2,mmap,msync";
    let mut arguments: Vec<String> =
        ["-y", "-xx", "-s", "100000", "-e", calls].map(str::to_owned).into();
    let files = Name::ALL.map(|name| scene.data().join(name.as_str()));
    for path in files.iter().chain([&scene.data(), &scene.said()]) {
        arguments.extend(["-P".to_owned(), path.display().to_string()]);
    }
    arguments
}

pub(crate) fn read(path: &Path) -> Vec<Event> {
    let mut events = Vec::new();
    // Calls that have begun and not ended, by thread: the line so far, and the events before it.
    let mut begun: HashMap<&str, (String, usize)> = HashMap::new();
    let text = fs::read_to_string(path).expect("strace writes text");
    for line in text.lines() {
        let (thread, rest) = line.split_once(' ').expect("a line names its thread");
        let rest = rest.trim_start();
        if let Some(first) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, (first.to_owned(), events.len()));
        } else if let Some(resumed) = rest.strip_prefix("<... ") {
            let (_, last) = resumed.split_once(" resumed>").expect("strace says what resumes");
            let (first, before) = begun.remove(thread).expect("what resumes has begun");
            events.extend(event(&format!("{first}{last}"), before));
        } else {
            let before = events.len();
            events.extend(event(rest, before));
        }
    }
    events
}

/// What a whole line means, if it means anything to a file.
fn event(line: &str, before: usize) -> Option<Event> {
    let whole =
        line.split_once('(').and_then(|(call, rest)| Some((call, rest.rsplit_once(" = ")?)));
    let Some((call, (arguments, result))) = whole else { panic!("not a call: {line:.2000}") };
    let arguments = arguments.trim_end().strip_suffix(')').expect("arguments end");
    if result.starts_with('-') {
        assert!(matches!(call, "openat" | "unlink" | "unlinkat"), "it failed: {call} {result}");
        return None;
    }
    let fields: Vec<&str> = arguments.split(", ").collect();
    match call {
        "openat" => {
            assert!(!arguments.contains("O_TRUNC"), "a file is emptied when it is opened");
            None
        }
        "pwrite64" => Some(Event::Write {
            file: name(&path_of(fields[0])?)?,
            at: number(fields[3]),
            bytes: written(fields[1], fields[2], result),
        }),
        "write" => {
            let path = path_of(fields[0])?;
            assert!(path.ends_with("/said"), "{path} is written without a place");
            let bytes = written(fields[1], fields[2], result);
            Some(Event::Said(String::from_utf8(bytes).expect("a child says text")))
        }
        "ftruncate" => {
            Some(Event::Resize { file: name(&path_of(fields[0])?)?, len: number(fields[1]) })
        }
        "fsync" | "fdatasync" => {
            let path = path_of(fields[0])?;
            Some(
                name(&path)
                    .map_or(Event::SyncNames { before }, |file| Event::Sync { file, before }),
            )
        }
        "unlink" => Some(Event::Remove { file: name(&text(fields[0]))? }),
        "unlinkat" => Some(Event::Remove { file: name(&text(fields[1]))? }),
        _ => panic!("{call} on a file of the store is not understood: {line:.200}"),
    }
}

fn name(path: &str) -> Option<Name> {
    Name::ALL.into_iter().find(|name| path.rsplit('/').next() == Some(name.as_str()))
}

/// The path in `3<path>`.
fn path_of(descriptor: &str) -> Option<String> {
    let (_, path) = descriptor.split_once('<')?;
    String::from_utf8(unhex(path.strip_suffix('>')?)).ok()
}

fn text(quoted: &str) -> String {
    String::from_utf8(unhex(quoted.trim_matches('"'))).expect("a path is text")
}

fn written(quoted: &str, asked: &str, result: &str) -> Vec<u8> {
    let mut bytes = unhex(quoted.trim_matches('"'));
    assert_eq!(bytes.len(), number(asked), "strace cut it off");
    bytes.truncate(number(result));
    bytes
}

fn number(text: &str) -> usize {
    let digits = text.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or_else(|_| panic!("not a number: {text}"))
}

/// The bytes of `\x41\x42`.
fn unhex(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes().chunks_exact(4);
    assert!(bytes.remainder().is_empty(), "not in hex: {text:.80}");
    bytes.map(|escaped| nibble(escaped[2]) << 4 | nibble(escaped[3])).collect()
}

fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => panic!("not in hex: {digit}"),
    }
}

#[test]
fn a_call_that_was_interrupted_counts_where_it_ended() {
    let hex = |text: &str| {
        let bytes: Vec<String> = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        bytes.concat()
    };
    let (wal, said) = (hex("/d/unsaid.db-wal"), hex("/d/said"));
    let lines = [
        format!("7 pwrite64(3<{wal}>, \"{}\", 2, 32) = 2", hex("ab")),
        format!("7 fsync(3<{wal}> <unfinished ...>"),
        format!("8 write(4<{said}>, \"{}\", 4 <unfinished ...>", hex("ack\n")),
        "8 <... write resumed>) = 4".to_owned(),
        "7 <... fsync resumed>) = 0".to_owned(),
        format!("7 ftruncate(3<{wal}>, 0) = 0"),
    ];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trace");
    fs::write(&path, lines.join("\n")).unwrap();
    let expected = [
        Event::Write { file: Name::Wal, at: 32, bytes: b"ab".to_vec() },
        Event::Said("ack\n".to_owned()),
        Event::Sync { file: Name::Wal, before: 1 },
        Event::Resize { file: Name::Wal, len: 0 },
    ];
    assert_eq!(read(&path), expected);
}
