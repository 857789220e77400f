//! H13: what was taken back is in no byte of any file.

mod heavy;
mod late;
mod people;
pub(crate) mod search;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use unsaid_core::{
    domain::{
        conversation::change::{Change, Decision, Ripple, SendOutcome},
        message::{Message, Part},
    },
    port::{Store, media::MediaPlace},
};
use unsaid_testkit::{
    builder::{
        answer, at, chat_key, cut, edit, media_key, message, message_id, person_id, picture,
        revise, say, unsend, words,
    },
    talk::Talk,
};

use self::search::{marked, marked_text, marks_in};
use crate::{scene::Scene, wait::until};

/// SPEC section 2, H13.
const GONE_WITHIN: Duration = Duration::from_mins(1);
/// A moment at which every undo window and every memory of a test has ended.
const MUCH_LATER: i64 = 1_000_000_000_000;

/// A store whose files are searched.
pub(crate) struct House {
    pub(crate) scene: Scene,
    pub(crate) store: Arc<dyn Store>,
}

impl House {
    pub(crate) fn new() -> Self {
        let scene = Scene::new();
        let store = scene.open();
        Self { scene, store }
    }

    pub(crate) fn talk(&self) -> Talk {
        Talk::chat(&self.store)
    }

    /// The search works: it finds what is there.
    pub(crate) fn assert_there(&self, mark: u32) {
        assert!(marks_in(&self.scene.data()).contains(&mark), "the search does not find {mark}");
    }

    pub(crate) fn assert_gone(&self, mark: u32) {
        let data = self.scene.data();
        until("the words go", GONE_WITHIN, || !marks_in(&data).contains(&mark));
    }

    /// What the server's worker does from time to time.
    pub(crate) async fn sweep(&self, now: i64) {
        loop {
            let swept = self.store.sweep(at(now), 100).await.unwrap();
            if swept.expired + swept.purged == 0 {
                return;
            }
        }
    }

    /// The files hold these marks and no others.
    pub(crate) fn assert_left(&self, marks: &BTreeSet<u32>) {
        let data = self.scene.data();
        assert!(marks_in(&data).is_superset(marks), "the search does not find all that is there");
        until("only what is left stays", GONE_WITHIN, || marks_in(&data) == *marks);
    }
}

/// An answer with a mark.
fn marked_answer(id: &str, mark: u32) -> Message {
    Message { parts: marked(id, mark, 500).parts, ..answer(id) }
}

#[tokio::test]
async fn h13_an_unsent_message_is_in_no_file() {
    let house = House::new();
    for (mark, bytes) in [(1, 20), (2, 1_000), (3, 20_000)] {
        let id = format!("m{mark}");
        house.talk().make(say(marked(&id, mark, bytes))).await;
        house.assert_there(mark);
        house.talk().make(unsend(&id)).await;
        house.assert_gone(mark);
    }
}

#[tokio::test]
async fn h13_a_dropped_conversation_is_in_no_file() {
    let house = House::new();
    house.talk().make(say(marked("m1", 1, 3_000))).await;
    house.assert_there(1);
    house.store.drop_conversation(&chat_key("c1")).await.unwrap();
    house.sweep(0).await;
    house.assert_gone(1);
}

#[tokio::test]
async fn h13_an_edited_message_is_in_no_file_when_its_undo_window_has_ended() {
    let house = House::new();
    let mut talk = house.talk();
    talk.make(say(marked("m1", 1, 300))).await;
    talk.make(edit("m1", marked("m2", 2, 300), "e1", at(5_000))).await;
    house.assert_there(1);
    talk.now = at(5_000);
    talk.make(Change::Expire).await;
    house.sweep(0).await;
    house.assert_gone(1);
    talk.make(edit("m2", marked("m3", 3, 300), "e2", at(9_000))).await;
    house.assert_there(2);
    house.sweep(9_000).await;
    house.assert_gone(2);
    talk.make(cut("m3")).await;
    house.assert_left(&BTreeSet::new());
}

#[tokio::test]
async fn h13_a_rippled_answer_and_a_reason_for_silence_are_in_no_file() {
    let house = House::new();
    let talk = house.talk();
    talk.ask("m1").await;
    let messages = vec![marked_answer("r1", 1)];
    let fence = talk.begin().await.fence;
    talk.make(Change::Answer { fence, messages, last: true }).await;
    talk.ask("m2").await;
    let fence = talk.begin().await.fence;
    let reason = Some(words(&marked_text(2, 100)));
    talk.make(Change::Decide { fence, decision: Decision::Silent { reason } }).await;
    house.assert_there(1);
    house.assert_there(2);
    talk.make(unsend("m1")).await;
    house.assert_gone(1);
    talk.make(unsend("m2")).await;
    house.assert_gone(2);
}

#[tokio::test]
async fn h13_an_answer_that_did_not_leave_is_in_no_file() {
    let house = House::new();
    let talk = house.talk();
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    talk.make(Change::Intend { fence, message: marked_answer("r1", 1) }).await;
    house.assert_there(1);
    talk.make(Change::Settle { id: message_id("r1"), outcome: SendOutcome::Failed }).await;
    house.assert_gone(1);
}

#[tokio::test]
async fn h13_revised_words_and_waiting_revisions_are_in_no_file() {
    let house = House::new();
    let talk = house.talk();
    talk.make(say(marked("m1", 1, 800))).await;
    house.assert_there(1);
    talk.make(revise("m1", &marked_text(2, 8_000), at(10))).await;
    house.assert_gone(1);
    talk.make(revise("m1", "short", at(20))).await;
    house.assert_gone(2);
    talk.make(revise("late", &marked_text(3, 80), at(10))).await;
    house.assert_there(3);
    talk.make(revise("late", &marked_text(4, 80), at(20))).await;
    house.assert_gone(3);
    house.assert_there(4);
    talk.make(unsend("late")).await;
    house.assert_gone(4);
    talk.make(revise("never", &marked_text(5, 80), at(20))).await;
    house.assert_there(5);
    house.sweep(MUCH_LATER).await;
    house.assert_gone(5);
}

#[tokio::test]
async fn h13_a_placeholder_that_was_filled_is_in_no_file() {
    let house = House::new();
    let talk = house.talk();
    talk.make(say(marked("m1", 1, 100))).await;
    house.assert_there(1);
    let parts = vec![Part::text(words("here it is"))];
    talk.make(Change::Fill { id: message_id("m1"), parts }).await;
    house.assert_gone(1);
}

#[tokio::test]
async fn h13_files_of_a_message_are_in_no_file() {
    let house = House::new();
    let talk = house.talk();
    for (mark, bytes, change) in [(1, 900, unsend("m1")), (2, 700_000, cut("m2"))] {
        let id = format!("m{mark}");
        talk.make(say(message(&id))).await;
        let place = MediaPlace { conversation: chat_key("c1"), message: message_id(&id) };
        let file = picture(marked_text(mark, bytes).as_bytes());
        assert!(house.store.put(&media_key(&id), &place, file).await.unwrap());
        house.assert_there(mark);
        talk.make(change).await;
        house.sweep(0).await;
        house.assert_gone(mark);
    }
}

#[tokio::test]
async fn h13_what_one_person_or_everybody_said_is_in_no_file() {
    let house = House::new();
    let talk = house.talk();
    talk.make(say(marked("m1", 1, 300))).await;
    talk.make(say(Message { author: answer("r").author, ..marked("r1", 2, 300) })).await;
    let person = person_id("ana");
    talk.make(Change::EraseAuthor { person, ripple: Ripple::Keep }).await;
    house.assert_gone(1);
    house.assert_there(2);
    talk.make(Change::EraseAll).await;
    house.sweep(0).await;
    house.assert_gone(2);
}
