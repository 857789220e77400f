//! A bucket of the LINE bot `yuruppu`: `history/{sourceId}`, one JSON line a message.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use unsaid_core::domain::conversation::change::{Applied, Change, Outcome, Say};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::SourceId;
use unsaid_core::domain::message::Message;
use unsaid_core::port::Store;
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::history::{Commit, Committed};
use unsaid_core::port::media::{MediaFile, MediaPlace};
use unsaid_store_object::bucket::place::{Options, Place};
use unsaid_store_object::bucket::{Bucket, BucketError, Found};
use unsaid_store_object::legacy::{self, File, NotAMessage, Unread};

use super::together::together;
use crate::refusal::Refusal;
use crate::system::SystemClock;

const PREFIX: &str = "history/";
/// Messages in one commit.
const AT_ONCE_MAX: usize = 200;
const TRIES_MAX: usize = 10;
const PAUSE: Duration = Duration::from_millis(500);

/// What an import did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    sources: u64,
    messages: u64,
    known: u64,
    files: u64,
    /// What could not be taken in, each with its place.
    pub(super) unread: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sources, messages, known, files, unread } = self;
        write!(
            f,
            "{sources} sources: {messages} messages and {files} files taken in, {known} messages \
             known before, {} not taken in",
            unread.len()
        )
    }
}

pub(super) fn open(url: &str, endpoint: &str) -> Result<Arc<dyn Bucket>, Refusal> {
    let opened =
        Place::parse(url, endpoint).and_then(|place| place.open_to_read(&Options::default()));
    Ok(opened
        .map_err(|error| Refusal::new(error.to_string().replace("history", "the source")))?
        .bucket)
}

pub(super) async fn import(source: &dyn Bucket, target: &dyn Store) -> Result<Report, Refusal> {
    let mut report = Report::default();
    for object in source.list(PREFIX).await.map_err(|error| unreadable(&error))? {
        let id = object.name.strip_prefix(PREFIX).unwrap_or_default();
        let Ok(id) = SourceId::new(id) else {
            report.unread.push(format!("{}: not the name of a source", object.name));
            continue;
        };
        let found = source.get(&object.name, None).await.map_err(|error| unreadable(&error))?;
        let Found::Object { bytes, .. } = found else { continue };
        report.sources += 1;
        let key = ConversationKey::Line(id);
        let read = legacy::read(&bytes, &key);
        report.unread.extend(read.unread.iter().map(|line| told(&object.name, line)));
        say_all(target, &key, read.messages, &mut report).await?;
        for file in read.files {
            keep(source, target, (&key, file), &mut report).await?;
        }
    }
    Ok(report)
}

/// In their order, many at a time: a bucket writes about once a second, and a disk likes company.
async fn say_all(
    target: &dyn Store,
    key: &ConversationKey,
    messages: Vec<Message>,
    report: &mut Report,
) -> Result<(), Refusal> {
    for messages in messages.chunks(AT_ONCE_MAX) {
        for outcome in said(target, key, messages).await.map_err(|error| unwritable(&error))? {
            match outcome {
                Said::New => report.messages += 1,
                Said::Known => report.known += 1,
            }
        }
    }
    Ok(())
}

enum Said {
    New,
    /// It is here, or was taken back here.
    Known,
}

/// Says them, again if the store was busy: what was said before changes nothing.
async fn said(
    target: &dyn Store,
    key: &ConversationKey,
    messages: &[Message],
) -> Result<Vec<Said>, StoreError> {
    let mut tries_left = TRIES_MAX;
    loop {
        let saying = messages.iter().map(|message| Box::pin(say(target, key, message.clone())));
        let outcomes: Result<Vec<Said>, StoreError> =
            together(saying.collect()).await.into_iter().collect();
        match outcomes {
            Err(StoreError::Unavailable(_) | StoreError::Uncertain(_) | StoreError::Conflict)
                if tries_left > 0 =>
            {
                tries_left -= 1;
                tokio::time::sleep(PAUSE).await;
            }
            outcomes => return outcomes,
        }
    }
}

async fn say(
    target: &dyn Store,
    key: &ConversationKey,
    message: Message,
) -> Result<Said, StoreError> {
    let say = Change::Say(Say { message, delivery: None, wants_answer: None, way_back: None });
    match target.commit(key, Commit::new(say, SystemClock.now())).await? {
        Committed::Applied(Applied { outcome: Outcome::Said(_), .. }, _) => Ok(Said::New),
        Committed::Applied(..) | Committed::Repeated(_) => Ok(Said::Known),
        Committed::Refused(refusal) => Err(StoreError::Unavailable(refusal.to_string())),
    }
}

/// Copies a file; one that is here already, or whose message was taken back here, is left alone.
async fn keep(
    source: &dyn Bucket,
    target: &dyn Store,
    (key, file): (&ConversationKey, File),
    report: &mut Report,
) -> Result<(), Refusal> {
    let have = target.get(key, &file.key).await.map_err(|error| unwritable(&error))?;
    if have.is_some() {
        return Ok(());
    }
    let found = source.get(&file.object, None).await.map_err(|error| unreadable(&error))?;
    let Found::Object { bytes, .. } = found else {
        report.unread.push(format!("{}: a message names it, and it is not there", file.object));
        return Ok(());
    };
    let place = MediaPlace { conversation: key.clone(), message: file.message };
    let bytes = MediaFile { mime: file.mime, bytes: bytes.to_vec() };
    let kept = target.put(&file.key, &place, bytes).await.map_err(|error| unwritable(&error))?;
    report.files += u64::from(kept);
    Ok(())
}

fn told(object: &str, unread: &Unread) -> String {
    let what = match unread.what {
        NotAMessage::UnknownRole => "neither of a user nor of an assistant",
        NotAMessage::Damaged => "cannot be read",
        NotAMessage::Repeated => "says a message again that stands before it",
    };
    format!("{object} line {}: {what}", unread.line)
}

fn unreadable(error: &BucketError) -> Refusal {
    Refusal::new(format!("the source cannot be read: {error}"))
}

fn unwritable(error: &StoreError) -> Refusal {
    Refusal::new(format!("what was read cannot be kept: {error}"))
}
