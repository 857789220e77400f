//! Children that meet a fault of the disk, which `strace` makes: for some calls of the writer's
//! thread, and then no more.

use std::{fs, sync::Arc, time::Duration};

use tokio::task::JoinSet;
use unsaid_core::{
    domain::conversation::change::{Change, Outcome},
    port::{Store, error::StoreError, media::MediaPlace},
};
use unsaid_store_sql::sqlite::{Options, SqliteStore};
use unsaid_testkit::builder::{at, chat_key, media_key, message, message_id, picture, say, unsend};

use super::{
    Speaker,
    append::{TURN, commit, long_message, take_turn},
};
use crate::{
    canary::search::{marked, marks_in},
    scene::Scene,
    wait::{until, until_well},
};

/// A fault that lasts longer than so many rounds is none of ours.
const ROUNDS_MAX: usize = 400;
/// Rounds that go well after the fault.
const ROUNDS_AFTER: usize = 5;
const AT_ONCE: usize = 4;
const CHAT: &str = "c0";

/// Says `ack chat id` and `fail name chat id` of every message, `health name` after a round that
/// failed and at the end, `read` when the log could be read after a failure.
pub(super) async fn meet(scene: &Scene, said: &Speaker) {
    let store = scene.open();
    let mut well = None;
    for round in 0..ROUNDS_MAX {
        let failed = append_at_once(&store, said, round).await;
        well = after(failed, well);
        if failed {
            let health = store.check().await;
            said.say(format_args!(
                "health {}",
                health.as_ref().map_or_else(StoreError::name, |()| "ok")
            ));
            store.page(&chat_key(CHAT), None, 10).await.expect("reading goes on");
            said.say("read on");
        }
        if well == Some(ROUNDS_AFTER) {
            until_well(&*store).await;
            said.say("health ok");
            return;
        }
    }
    panic!("the fault did not come and go");
}

/// Rounds that went well since the fault: none before it came.
fn after(failed: bool, well: Option<usize>) -> Option<usize> {
    if failed { Some(0) } else { well.map(|rounds| rounds + 1) }
}

/// Whether any of them failed.
async fn append_at_once(store: &Arc<dyn Store>, said: &Speaker, round: usize) -> bool {
    let mut writers = JoinSet::new();
    for writer in 0..AT_ONCE {
        let store = Arc::clone(store);
        let id = format!("m{round}-{writer}");
        writers.spawn(async move {
            let outcome = commit(&*store, CHAT, say(long_message(&id, round * 31 % 2_000))).await;
            (id, outcome)
        });
    }
    let mut failed = false;
    for (id, outcome) in writers.join_all().await {
        failed |= outcome.is_err();
        tell(said, &id, outcome.map(|outcome| matches!(outcome, Outcome::Said(_))));
    }
    failed
}

fn tell(said: &Speaker, id: &str, outcome: Result<bool, StoreError>) {
    match outcome {
        Ok(true) => said.say(format_args!("ack {CHAT} {id}")),
        Ok(false) => panic!("{id} was not taken"),
        Err(error) => {
            tracing::warn!(%error, ?error, id, "not kept");
            said.say(format_args!("fail {} {CHAT} {id}", error.name()));
        }
    }
}

/// Says `fail name` of the message that met the fault, `held name` of what was tried while somebody
/// read on in the old log, and `then name` of what was tried afterwards.
pub(super) async fn meet_in_turn(scene: &Scene, said: &Speaker) {
    let store = scene.open();
    // The writer empties its log once after the start; from then on only commits wait for the disk.
    let log = || fs::metadata(scene.wal()).unwrap().len();
    until("the log is emptied", Duration::from_mins(1), || log() == 0);
    let fence = take_turn(&*store).await;
    let keep = Change::Renew { fence, until: at(3_000) };
    let speak = |id: &str| say(message(id));
    commit(&*store, CHAT, speak("first")).await.expect("no fault yet");
    let reader = scene.plain();
    reader.execute_batch("BEGIN").unwrap();
    reader.query_row("SELECT count(*) FROM message", [], |_| Ok(())).unwrap();
    let mut failed = None;
    for round in 0..ROUNDS_MAX {
        commit(&*store, TURN, keep.clone()).await.expect("this does not wait for the disk");
        failed = commit(&*store, CHAT, speak(&format!("m{round}"))).await.err();
        if failed.is_some() {
            break;
        }
    }
    said.say(format_args!("fail {}", failed.expect("the fault comes").name()));
    let name =
        |tried: Result<Outcome, StoreError>| tried.map_or_else(|error| error.name(), |_| "ok");
    for (chat, change) in [(CHAT, speak("held")), (TURN, keep), (CHAT, speak("held-on"))] {
        said.say(format_args!("held {}", name(commit(&*store, chat, change).await)));
    }
    reader.execute_batch("COMMIT").unwrap();
    said.say(format_args!("then {}", name(commit(&*store, CHAT, speak("last")).await)));
}

/// Files that are larger, together, than what SQLite keeps in memory: it writes before the commit.
const FILES_AT_ONCE: usize = 48;
const FILE_BYTES: usize = 250_000;

/// Says `ack` and `fail` of every file, under the name of its message.
pub(super) async fn keep_files(scene: &Scene, said: &Speaker) {
    let store = scene.open();
    commit(&*store, CHAT, say(message("m"))).await.expect("no fault yet");
    let mut well = None;
    for round in 0..ROUNDS_MAX {
        let mut writers = JoinSet::new();
        for writer in 0..FILES_AT_ONCE {
            let store = Arc::clone(&store);
            writers.spawn(async move { put(&*store, format!("f{round}-{writer}")).await });
        }
        let mut failed = false;
        for (key, kept) in writers.join_all().await {
            failed |= kept.is_err();
            tell(said, &key, kept);
        }
        well = after(failed, well);
        if well == Some(1) {
            return;
        }
    }
    panic!("the fault did not come and go");
}

async fn put(store: &dyn Store, key: String) -> (String, Result<bool, StoreError>) {
    let place = MediaPlace { conversation: chat_key(CHAT), message: message_id("m") };
    let kept = store.put(&media_key(&key), &place, picture(&file_bytes(&key))).await;
    (key, kept)
}

/// The bytes of a file, its own.
pub(crate) fn file_bytes(key: &str) -> Vec<u8> {
    key.bytes().cycle().take(FILE_BYTES).collect()
}

/// Takes a message back while the file cannot be written, and waits for its last copy to go. Says
/// `busy` while it is there, and `clean` when it is not.
pub(super) async fn forget(scene: &Scene, said: &Speaker) {
    let store = scene.open();
    commit(&*store, CHAT, say(marked("m", 1, 5_000))).await.expect("the log is well");
    commit(&*store, CHAT, unsend("m")).await.expect("the log is well");
    let data = scene.data();
    said.say(if marks_in(&data).is_empty() { "clean early" } else { "busy now" });
    until("erased words go", Duration::from_mins(1), || marks_in(&data).is_empty());
    said.say("clean now");
}

/// Says `opened` or `refused` with the reason.
pub(super) fn open(scene: &Scene, said: &Speaker) {
    match SqliteStore::open(&scene.db(), &Options::default()) {
        Ok(_) => said.say("opened now"),
        Err(error) => said.say(format_args!("refused {error}")),
    }
}
