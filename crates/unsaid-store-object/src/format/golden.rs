//! Every format ever written is read as it always was, and written back as it is.
//!
//! `golden/found-*.jsonl` come from the product before ours, `golden/v*` from this one. Beside each
//! stands what is understood of it. Set `UNSAID_GOLDEN=write` to write that down for a new file; an
//! old one never changes.

use std::{fmt::Write as _, fs, path::PathBuf};

use bytes::Bytes;
use unsaid_core::domain::{conversation::key::ConversationKey, id::SourceId};
use unsaid_testkit::describe::describe;

use super::{
    head::Head,
    held::Held,
    sheet::{Foreign, Sheet, Why, split},
};

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn key() -> ConversationKey {
    ConversationKey::Line(SourceId::new("Cgolden").unwrap())
}

fn files(prefix: &str) -> Vec<(String, Bytes)> {
    let mut files = Vec::new();
    for file in fs::read_dir(directory()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with(prefix) && path.extension().is_some_and(|kind| kind == "jsonl") {
            files.push((name, fs::read(path).unwrap().into()));
        }
    }
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Compares with what was understood when the file was new.
fn compare(name: &str, understood: &str) {
    let path = directory().join(name).with_extension("txt");
    if std::env::var("UNSAID_GOLDEN").is_ok_and(|mode| mode == "write") && !path.exists() {
        fs::write(&path, understood).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), understood, "{name}");
}

fn others(foreign: &[Foreign]) -> String {
    let mut text = String::new();
    for Foreign { after, why, bytes } in foreign {
        let why = match why {
            Why::Opaque { by } => format!("a role that is not known, by {by:?}"),
            Why::Bad { line } => format!("line {line} cannot be read"),
            Why::Twin { of } => format!("the same as {of}"),
        };
        let _infallible = write!(text, "\nafter {after}: {why}, {} bytes", bytes.len());
    }
    text
}

fn held(held: &Held) -> String {
    let mut text = describe(&held.conversation);
    text.push_str(&others(&held.foreign));
    for (key, file) in &held.media {
        let (number, mime, object) = (file.number, &file.mime, &file.object);
        let _infallible = write!(text, "\nfile {key} of {number} ({mime}): {object}");
    }
    for segment in &held.segments {
        let _infallible = write!(text, "\nsegment {segment:?}");
    }
    let Held { owner, doomed, cleanings, nonces, .. } = held;
    let _infallible = write!(text, "\nowner {owner:?}, doomed {doomed:?}");
    let _infallible = write!(text, "\ncleanings {cleanings}, nonces {nonces:?}\n");
    text
}

#[test]
fn what_was_found_is_understood_and_written_back_line_by_line() {
    for (name, bytes) in files("found-") {
        let found = Held::read(&name, &bytes, &key()).unwrap();
        compare(&name, &held(&found));
        let written = found.write(&key()).unwrap();
        let (_, body) = Head::read(&name, &written).unwrap().unwrap();
        let (before, after): (Vec<Bytes>, Vec<Bytes>) =
            (split(&bytes).collect(), split(&body).collect());
        assert_eq!(before, after, "{name}: every line byte for byte");
        let again = Held::read(&name, &written, &key()).unwrap();
        assert_eq!(held(&again), held(&found), "{name}: and understood as before");
        assert_eq!(again.write(&key()).unwrap(), written, "{name}");
    }
}

#[test]
fn what_we_wrote_is_understood_and_written_back_byte_for_byte() {
    for (name, bytes) in files("v1-live") {
        let ours = Held::read(&name, &bytes, &key()).unwrap();
        compare(&name, &held(&ours));
        assert_eq!(ours.write(&key()).unwrap(), bytes, "{name}");
    }
    for (name, bytes) in files("v1-sealed") {
        let sheet = Sheet::read(&name, &bytes, &key()).unwrap();
        let part = Held {
            conversation: unsaid_core::domain::conversation::Conversation {
                log: sheet.entries.iter().cloned().collect(),
                turns: sheet.turns.clone(),
                tombstones: sheet.tombstones.clone(),
                deliveries: sheet.deliveries.clone(),
                ..Default::default()
            },
            foreign: sheet.foreign.clone(),
            media: sheet.media.clone(),
            ..Held::default()
        };
        compare(&name, &held(&part));
        assert_eq!(sheet.write(&key()).unwrap().0, bytes, "{name}");
    }
}
