//! Many messages of many sizes, said and taken back in any order, so that trees of pages grow, split
//! and merge.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use rusqlite::{Connection, params};
use tokio::task::JoinSet;
use unsaid_core::{
    domain::{
        conversation::change::{Change, Outcome, Ripple},
        message::Message,
    },
    port::history::Committed,
};
use unsaid_testkit::{
    builder::{
        answer, ask, chat_key, cut, edit, holder_id, person_id, restore, revise, say, unsend,
    },
    describe::describe,
    random::dice::Dice,
    talk::Talk,
};

use super::{
    House, MUCH_LATER,
    search::{marked, marked_text, marks_in, marks_of},
};

const CONVERSATIONS: u64 = 30;
const STEPS: usize = 150;

#[tokio::test(flavor = "multi_thread")]
async fn h13_thousands_of_messages_in_any_order_leave_only_what_is_left() {
    let house = House::new();
    let marks = Arc::new(AtomicU32::new(1));
    let mut talks = JoinSet::new();
    for number in 0..CONVERSATIONS {
        let talk = Talk::new(&house.store, chat_key(&format!("c{number}")));
        let mut life =
            Life { talk, dice: Dice::new(number), marks: Arc::clone(&marks), ids: 0, edits: 0 };
        talks.spawn(async move {
            for _ in 0..STEPS {
                life.step().await;
            }
        });
    }
    talks.join_all().await;
    house.sweep(MUCH_LATER).await;
    let mut left = BTreeSet::new();
    for number in 0..CONVERSATIONS {
        let whole = house.store.whole(&chat_key(&format!("c{number}"))).await.unwrap();
        left.extend(whole.iter().flat_map(|whole| marks_of(&describe(whole))));
    }
    let said = marks.load(Ordering::Relaxed) as usize - 1;
    eprintln!("{said} texts, {} of them left", left.len());
    assert!(said > 3_000 && left.len() > 200 && said - left.len() > 1_500);
    house.assert_left(&left);
    house.scene.assert_whole();
}

/// A conversation that goes on at random.
struct Life {
    talk: Talk,
    dice: Dice,
    marks: Arc<AtomicU32>,
    ids: u64,
    edits: u64,
}

impl Life {
    async fn step(&mut self) {
        self.talk.wait(100);
        match self.dice.below(100) {
            0..50 => {
                let message = self.message();
                self.make(say(message)).await;
            }
            50..62 => {
                let change = unsend(&self.earlier());
                self.make(change).await;
            }
            62..72 => {
                let change = revise(&self.earlier(), &self.text(), self.talk.now);
                self.make(change).await;
            }
            72..80 => self.edit().await,
            80..83 => {
                let change = cut(&self.earlier());
                self.make(change).await;
            }
            83..95 => self.exchange().await,
            95..98 => {
                let change = restore(&format!("e{}", self.edits));
                self.make(change).await;
            }
            98 => {
                let person = person_id("ana");
                self.make(Change::EraseAuthor { person, ripple: Ripple::Withdraw }).await;
            }
            _ => {
                self.make(Change::EraseAll).await;
            }
        }
    }

    /// Refusals are part of life.
    async fn make(&self, change: Change) -> Option<Outcome> {
        match self.talk.commit(self.talk.change(change)).await {
            Committed::Applied(applied, _) => Some(applied.outcome),
            Committed::Refused(_) | Committed::Repeated(_) => None,
        }
    }

    async fn edit(&mut self) {
        self.edits += 1;
        let name = format!("e{}", self.edits);
        let (from, message) = (self.earlier(), self.message());
        let change = edit(&from, message, &name, self.talk.now.plus_millis(500));
        self.make(change).await;
    }

    async fn exchange(&mut self) {
        let question = self.message();
        self.make(ask(question, self.talk.now)).await;
        let until = self.talk.now.plus_millis(50);
        let begun = self.make(Change::Begin { holder: holder_id("h"), until }).await;
        if let Some(Outcome::Began(lease)) = begun {
            let message = self.message();
            let messages = vec![Message { author: answer("r").author, ..message }];
            self.make(Change::Answer { fence: lease.fence, messages, last: true }).await;
        }
    }

    fn message(&mut self) -> Message {
        self.ids += 1;
        let (id, bytes) = (format!("m{}", self.ids), size(&mut self.dice));
        marked(&id, self.mark(), bytes)
    }

    fn text(&mut self) -> String {
        let bytes = size(&mut self.dice);
        marked_text(self.mark(), bytes)
    }

    fn mark(&self) -> u32 {
        self.marks.fetch_add(1, Ordering::Relaxed)
    }

    /// An id that was used, or soon will be.
    fn earlier(&mut self) -> String {
        format!("m{}", 1 + self.dice.below(self.ids + 2))
    }
}

/// Mostly short, up to 20 KiB.
fn size(dice: &mut Dice) -> usize {
    let most = dice.pick(&[100, 100, 300, 300, 1_000, 4_000, 20_480]);
    20 + dice.index(most - 20 + 1)
}

/// Why words stand in slots: with `secure_delete` alone, in an ordinary column, words stay behind
/// where SQLite moved rows from page to page.
#[test]
fn in_an_ordinary_column_words_stay_behind() {
    let dir = tempfile::tempdir().unwrap();
    let connection = Connection::open(dir.path().join("plain.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
             CREATE TABLE message (conversation INTEGER, number INTEGER, text TEXT,
                 PRIMARY KEY (conversation, number)) WITHOUT ROWID;",
        )
        .unwrap();
    let mut dice = Dice::new(1);
    let mut left: Vec<u32> = (1..=2_000).collect();
    for mark in &left {
        let conversation = dice.below(CONVERSATIONS).cast_signed();
        let text = marked_text(*mark, 20 + dice.index(1_500));
        let sql = "INSERT INTO message VALUES (?1, ?2, ?3)";
        connection.execute(sql, params![conversation, mark, text]).unwrap();
    }
    while left.len() > 800 {
        let gone = left.swap_remove(dice.index(left.len()));
        connection.execute("DELETE FROM message WHERE number = ?1", [gone]).unwrap();
    }
    let left: BTreeSet<u32> = left.into_iter().collect();
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
    assert_eq!(busy, 0);
    let found = marks_in(dir.path());
    assert!(found.is_superset(&left), "the search does not find all that is there");
    let stale = found.difference(&left).count();
    eprintln!("{stale} deleted texts stay behind in an ordinary column");
    assert!(stale > 0, "slots are not needed any more");
}
