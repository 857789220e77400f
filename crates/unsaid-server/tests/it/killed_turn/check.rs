//! What must hold after the restart, wherever the kill was.

use std::collections::BTreeSet;

use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::conversation::change::Decision;
use unsaid_core::domain::conversation::log::{Entry, Sending};
use unsaid_core::domain::id::Fence;
use unsaid_core::domain::message::Part;
use unsaid_testkit::builder::{message_id, words_of};

use super::life::Told;
use super::outbox::Post;
use super::play::{LastWords, Scene};

/// What is left when everything came to its end.
pub(super) struct After<'a> {
    pub(super) scene: Scene,
    pub(super) whole: Conversation,
    pub(super) outbox: Vec<Post>,
    /// How many of these there were before the last life began.
    pub(super) sent_before: usize,
    pub(super) last_words: LastWords,
    /// What was acknowledged in all lives.
    pub(super) said: &'a [String],
    /// The last life.
    pub(super) last: &'a Told,
}

impl After<'_> {
    /// H1, H5, H11. The message says in which play they were broken.
    pub(super) fn check(&self, play: &str) {
        let whole = &self.whole;
        assert_eq!((&whole.turn, whole.wanted_at), (&None, None), "{play}");
        assert!(whole.log.waiting().is_empty(), "somebody waits: {play}");
        assert!(whole.turns.values().all(|turn| turn.ended.is_some()), "a turn runs: {play}");
        for id in self.said {
            let entry = whole.log.by_id(&message_id(id));
            match self.last_words {
                LastWords::TakeBack => assert_eq!(entry, None, "{play}"),
                LastWords::None | LastWords::More => {
                    let entry = entry.expect("what was acknowledged is there");
                    assert_eq!(text(entry), words_of(id), "{play}");
                }
            }
        }
        if self.last_words == LastWords::TakeBack {
            self.is_forgotten(play);
        }
        for question in whole.log.iter().filter(|entry| entry.turn.is_none()) {
            self.is_answered_once(question, play);
        }
        self.outbox_and_history_agree(play);
        self.nothing_was_given_up(play);
    }

    /// The only question was taken back before the kill: nothing more is sent, and no answer to it
    /// has words.
    fn is_forgotten(&self, play: &str) {
        assert!(self.whole.tombstones.contains_key(&message_id("m1")), "{play}");
        assert_eq!(self.outbox.len(), self.sent_before, "sent all the same: {play}");
        for answer in self.answers() {
            assert!(answer.gone && answer.message.parts.is_empty(), "{answer:?} in {play}");
        }
    }

    /// Once, in all turns that were asked about it, and by one letter at most.
    fn is_answered_once(&self, question: &Entry, play: &str) {
        let of_its_turns = |turn: u64| question.asked_in.iter().any(|known| known.get() == turn);
        let answers: Vec<&Entry> =
            self.answers().filter(|answer| of_its_turns(turn(answer))).collect();
        let letters = self.outbox.iter().filter(|post| of_its_turns(post.turn)).count();
        assert!(letters <= 1, "{:?} was answered twice: {play}", question.message.id);
        let decisions: Vec<&Decision> = question
            .asked_in
            .iter()
            .map(|fence| &self.whole.turns[fence].ended.as_ref().expect("no turn runs").0)
            .filter(|decision| **decision != Decision::Released)
            .collect();
        match self.scene {
            Scene::Skip => {
                assert!(answers.is_empty(), "{play}");
                assert!(
                    matches!(decisions[..], [Decision::Silent { reason: Some(_) }]),
                    "{decisions:?} in {play}"
                );
            }
            Scene::Reply
            | Scene::Text
            | Scene::Renewed
            | Scene::HandedBack
            | Scene::SecondMessage => {
                assert_eq!(answers.len(), 1, "{answers:?} in {play}");
                assert!(decisions.len() <= 1, "{decisions:?} in {play}");
            }
        }
    }

    /// What was sent is here, what is here as sent was sent, and nothing was sent twice.
    fn outbox_and_history_agree(&self, play: &str) {
        let mut sent = BTreeSet::new();
        for post in &self.outbox {
            assert!(sent.insert(post.id.as_str()), "{post:?} twice: {play}");
            let entry = self.whole.log.by_id(&message_id(&post.id));
            let entry = entry.expect("what was sent is in the history");
            assert!(matches!(entry.sending, Sending::Sent | Sending::Unknown), "{entry:?}: {play}");
            assert_eq!(turn(entry), post.turn, "{play}");
            assert!(entry.gone || text(entry) == post.text, "{play}");
        }
        for answer in self.answers() {
            let was_sent = sent.contains(answer.message.id.as_str());
            match answer.sending {
                Sending::Sent => assert!(was_sent, "never sent: {play}"),
                Sending::Here => assert_eq!(self.scene, Scene::Text, "{play}"),
                Sending::Unknown => {}
                Sending::Intended | Sending::Failed => panic!("{answer:?} in {play}"),
            }
        }
    }

    /// What the last life found is still there and settled; whatever it had to say itself is known to
    /// have arrived.
    fn nothing_was_given_up(&self, play: &str) {
        for (id, sending) in &self.last.found {
            let entry = self.whole.log.by_id(&message_id(id)).expect("an answer stays");
            let settled = if sending == "Intended" { "Unknown" } else { sending };
            assert_eq!(format!("{:?}", entry.sending), settled, "{play}");
        }
        let found: BTreeSet<&str> = self.last.found.iter().map(|(id, _)| id.as_str()).collect();
        let new = self.answers().filter(|answer| !found.contains(answer.message.id.as_str()));
        for answer in new {
            let here = self.scene == Scene::Text;
            let expected = if here { Sending::Here } else { Sending::Sent };
            assert_eq!(answer.sending, expected, "{play}");
        }
    }

    fn answers(&self) -> impl Iterator<Item = &Entry> {
        self.whole.log.iter().filter(|entry| entry.turn.is_some())
    }
}

fn turn(answer: &Entry) -> u64 {
    answer.turn.map_or(0, Fence::get)
}

fn text(entry: &Entry) -> String {
    let texts = entry.message.parts.iter().map(|part| match part {
        Part::Text { text } => text.as_str(),
        Part::Media { .. } | Part::Original { .. } => "",
    });
    texts.collect()
}
