//! `kill -9` at every step of the job: another life finishes it, once, and nobody else is touched.
//!
//! A first run tells which steps there are, so that none can be forgotten; then each is played.

use super::base::Base;
use super::child::Play;
use super::people::{Fate, Somebody, check_all};
use crate::killed_turn::life::{until_done, until_killed};

/// A store, and how often it was played on. Each play has people of its own.
struct House {
    base: Base,
    played: u32,
}

impl House {
    fn on(base: Base) -> Self {
        Self { base, played: 0 }
    }

    /// Lives and kills, and one more life that comes to its end; the steps of the last one.
    async fn play(&mut self, kills: &[&str]) -> Vec<String> {
        self.played += 1;
        let fates = [
            ("ana", Fate::Due),
            ("ben", Fate::Account),
            ("cem", Fate::NotYet),
            ("dan", Fate::Consents),
        ];
        let people =
            fates.map(|(name, fate)| Somebody::new(format!("{name}{}", self.played), fate));
        // Nobody holds the store open while children live and die.
        let store = self.base.open().await;
        for somebody in &people {
            somebody.comes(&store).await;
        }
        drop(store);
        let (key, value) = self.base.flag();
        let mut play = Play { flag: (key.to_owned(), value.to_owned()), stop: None };
        for &stop in kills {
            play.stop = Some(stop.to_owned());
            until_killed(&play);
        }
        play.stop = None;
        let reached = until_done(&play).reached;
        let told = format!("kills at {kills:?}");
        for somebody in &people {
            somebody.search(&self.base, &told).await;
        }
        check_all(&people, &self.base, &told).await;
        reached
    }

    /// Plays once for each step, with a kill there after the kills before.
    #[expect(clippy::print_stderr, reason = "which steps there were is good to know")]
    async fn kill_at(&mut self, before: &[&str], steps: &[String]) {
        for step in steps {
            self.play(&[before, &[step.as_str()]].concat()).await;
        }
        eprintln!("{} kills after {before:?}: {}", steps.len(), steps.join(", "));
    }
}

/// What the job does with two people: one whose history goes, and one who goes altogether.
async fn at_every_step(mut house: House) {
    let steps = house.play(&[]).await;
    let wanted = ["due 1", "claim 1", "batch 1", "batch 2", "claim 2", "batch 4", "due 2"];
    for step in wanted.iter().flat_map(|step| [format!("before {step}"), format!("after {step}")]) {
        assert!(steps.contains(&step), "no {step} among {steps:?}");
    }
    house.kill_at(&[], &steps).await;
}

/// Killed with half of somebody gone, and again at every step of going on.
async fn at_every_step_of_going_on(mut house: House) {
    let half = ["after batch 1"];
    let steps = house.play(&half).await;
    assert!(steps.contains(&"after claim 1".to_owned()), "{steps:?}");
    house.kill_at(&half, &steps).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_sqlite() {
    at_every_step(House::on(Base::sqlite())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgres() {
    at_every_step(House::on(Base::postgres())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_sqlite_while_going_on() {
    at_every_step_of_going_on(House::on(Base::sqlite())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgres_while_going_on() {
    at_every_step_of_going_on(House::on(Base::postgres())).await;
}
