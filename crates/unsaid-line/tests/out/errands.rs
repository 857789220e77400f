//! What is done for a source after LINE has its answer.

use std::sync::{Arc, atomic::Ordering};

use metrics_exporter_prometheus::PrometheusBuilder;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use unsaid_core::{
    domain::{
        source::{SourceCard, SourceKind},
        time::Timestamp,
    },
    port::directory::{Directory as _, NameCard},
};
use unsaid_line::{
    errand::{Errand, Errands as _, Where},
    errand_runner::{ErrandRunner, Places, describe_metrics},
    names::Names,
    picture::LOAD_FAILED,
    stand_in::{Call, Fault},
};
use unsaid_testkit::builder::{message_id, words};

use crate::{
    directory::Drawer,
    gallery::{Gallery, png},
    house::{NOW, person, soon, source},
    logs::{capture_logs, logged},
};

struct Runner {
    gallery: Gallery,
    drawer: Arc<Drawer>,
    places: Places,
    errands: Arc<ErrandRunner>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Runner {
    async fn new() -> Self {
        let (gallery, drawer) = (Gallery::new().await, Arc::new(Drawer::default()));
        let client = gallery.house.client.clone();
        let clock = Arc::clone(&gallery.house.clock);
        let names = Names::new(client.clone(), Arc::clone(&drawer) as _, clock);
        let places = Places::new(client, Arc::clone(&drawer) as _, names);
        let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
        let errands = ErrandRunner::start(places.clone(), &gallery.pictures, &tasks, &shutdown);
        Self { gallery, drawer, places, errands, tasks, shutdown }
    }

    fn take(&self, errand: Errand) {
        self.errands.take(errand);
    }

    async fn card(&self, id: &str) -> Option<SourceCard> {
        self.drawer.source(&source(id)).await.unwrap()
    }

    /// Waits until the card of a place is like this.
    async fn until(&self, id: &str, like: impl Fn(&SourceCard) -> bool) -> SourceCard {
        soon(async {
            loop {
                match self.card(id).await {
                    Some(card) if like(&card) => return card,
                    Some(_) | None => tokio::task::yield_now().await,
                }
            }
        })
        .await
    }

    fn calls(&self) -> Vec<Call> {
        self.gallery.house.line.seen().iter().map(|seen| seen.call).collect()
    }
}

fn at(id: &str, kind: SourceKind, millis: i64) -> Where {
    Where { id: source(id), kind, at: Timestamp::from_millis(millis) }
}

fn spoke(place: Where) -> Errand {
    Errand::Spoke { place, person: Some(person("U1")) }
}

#[tokio::test]
async fn whoever_speaks_is_kept_once_and_then_costs_nothing() {
    let runner = Runner::new().await;
    runner.take(spoke(at("U1", SourceKind::Person, 1_000)));
    let card = runner.until("U1", |card| card.present).await;
    let expected = SourceCard {
        id: source("U1"),
        kind: SourceKind::Person,
        name: None,
        members: None,
        present: true,
        at: Timestamp::from_millis(1_000),
    };
    assert_eq!(card, expected);
    for millis in 2_000..2_100 {
        runner.take(spoke(at("U1", SourceKind::Person, millis)));
    }
    let before = runner.drawer.writes();
    // Errands about a place are done in their order, so this is the last.
    runner.take(Errand::Left { place: at("U1", SourceKind::Person, 3_000) });
    runner.until("U1", |card| !card.present).await;
    assert_eq!(runner.drawer.writes(), before + 1, "only the last one wrote");
    assert_eq!(runner.calls(), []);
}

#[tokio::test]
async fn a_group_that_speaks_first_is_looked_at() {
    let runner = Runner::new().await;
    runner.gallery.house.line.know_place(&source("C1"), SourceKind::Group, "Friends", 7);
    runner.take(spoke(at("C1", SourceKind::Group, 1_000)));
    let card = runner.until("C1", |card| card.members.is_some()).await;
    assert_eq!((card.name, card.members), (Some(words("Friends")), Some(7)));
}

#[tokio::test]
async fn a_friend_is_known_by_name_and_again_on_repeat() {
    let runner = Runner::new().await;
    let line = &runner.gallery.house.line;
    for (millis, name) in [(1_000, "Ana"), (2_000, "Anabel")] {
        line.know_person(&person("U1"), name);
        runner.take(Errand::Arrived { place: at("U1", SourceKind::Person, millis) });
        runner.until("U1", |card| card.at.as_millis() == millis && card.present).await;
        let expected = NameCard { id: person("U1"), name: Some(words(name)), at: NOW };
        soon(async {
            while runner.drawer.names(&[person("U1")]).await.unwrap() != [expected.clone()] {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_group_and_a_room_are_known_by_what_line_tells_and_again_on_repeat() {
    let runner = Runner::new().await;
    let line = &runner.gallery.house.line;
    for (millis, name, members) in [(1_000, "Friends", 7), (2_000, "Old friends", 8)] {
        line.know_place(&source("C1"), SourceKind::Group, name, members);
        line.know_place(&source("R1"), SourceKind::Room, "", members);
        for (id, kind) in [("C1", SourceKind::Group), ("R1", SourceKind::Room)] {
            runner.take(Errand::Arrived { place: at(id, kind, millis) });
            let card = runner.until(id, |card| card.at.as_millis() == millis).await;
            let expected = (kind == SourceKind::Group).then(|| words(name));
            assert_eq!((card.name, card.members, card.present), (expected, Some(members), true));
        }
    }
    assert!(!runner.calls().contains(&Call::Profile));
}

#[tokio::test]
async fn what_line_does_not_tell_stays_as_it_was() {
    let runner = Runner::new().await;
    let line = &runner.gallery.house.line;
    line.know_place(&source("C1"), SourceKind::Group, "Friends", 7);
    runner.take(Errand::Arrived { place: at("C1", SourceKind::Group, 1_000) });
    runner.until("C1", |card| card.members == Some(7)).await;
    line.fault(Call::GroupSummary, Fault::status(500));
    line.fault(Call::MembersCount, Fault::status(403));
    runner.take(Errand::Arrived { place: at("C1", SourceKind::Group, 2_000) });
    let card = runner.until("C1", |card| card.at.as_millis() == 2_000).await;
    assert_eq!((card.name, card.members), (Some(words("Friends")), Some(7)));
}

#[tokio::test]
async fn who_left_is_not_there_until_somebody_speaks_or_it_comes_back() {
    let runner = Runner::new().await;
    let place = |millis| at("U1", SourceKind::Person, millis);
    runner.take(spoke(place(1_000)));
    runner.take(Errand::Left { place: place(2_000) });
    runner.until("U1", |card| !card.present).await;
    runner.take(spoke(place(3_000)));
    runner.until("U1", |card| card.present).await;
    runner.take(Errand::Left { place: place(4_000) });
    runner.until("U1", |card| !card.present).await;
    runner.take(Errand::Arrived { place: place(5_000) });
    runner.until("U1", |card| card.present).await;
    // Somebody unknown may leave, too.
    runner.take(Errand::Left { place: at("C9", SourceKind::Group, 1) });
    runner.until("C9", |card| !card.present).await;
}

#[tokio::test]
async fn an_older_word_does_not_undo_a_newer_one() {
    let runner = Runner::new().await;
    let place = |millis| at("U1", SourceKind::Person, millis);
    runner.places.arrived(&place(5_000)).await.unwrap();
    runner.places.left(&place(4_000)).await.unwrap();
    assert!(runner.card("U1").await.unwrap().present);
    runner.places.left(&place(6_000)).await.unwrap();
    runner.places.spoke(&place(5_500)).await.unwrap();
    runner.places.arrived(&place(5_500)).await.unwrap();
    assert!(!runner.card("U1").await.unwrap().present);
}

#[tokio::test]
async fn members_are_counted_again() {
    let runner = Runner::new().await;
    let line = &runner.gallery.house.line;
    for (millis, members) in [(1_000, 7), (2_000, 8)] {
        line.know_place(&source("C1"), SourceKind::Group, "Friends", members);
        let place = at("C1", SourceKind::Group, millis);
        runner.take(Errand::MembersChanged { place });
        runner.until("C1", |card| card.members == Some(members)).await;
    }
    assert!(!runner.calls().contains(&Call::GroupSummary));
}

#[tokio::test]
async fn a_turn_knows_a_place_whose_errand_was_lost() {
    let runner = Runner::new().await;
    runner.gallery.house.line.know_place(&source("C1"), SourceKind::Group, "Friends", 7);
    let place = at("C1", SourceKind::Group, 1_000);
    assert_eq!(runner.places.card(&place).await.unwrap().members, Some(7));
    let asked = runner.calls().len();
    assert_eq!(runner.places.card(&place).await.unwrap().members, Some(7));
    assert_eq!(runner.calls().len(), asked, "it is kept");
    // That the bot left is not forgotten by asking.
    let place = at("C2", SourceKind::Group, 1_000);
    runner.places.left(&place).await.unwrap();
    let later = at("C2", SourceKind::Group, 2_000);
    assert!(!runner.places.card(&later).await.unwrap().present);
}

#[tokio::test]
async fn a_picture_is_fetched_into_its_message() {
    let runner = Runner::new().await;
    runner.gallery.promise("m1", png(2, 3)).await;
    runner.gallery.promise("m2", b"no picture".to_vec()).await;
    for id in ["m1", "m2"] {
        let place = at("U1", SourceKind::Person, 1_000);
        runner.take(Errand::Picture { place, message: message_id(id) });
    }
    soon(async {
        while runner.gallery.says("m1").await != "image/png"
            || runner.gallery.says("m2").await != LOAD_FAILED
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn slow_pictures_do_not_keep_other_errands_waiting() {
    let runner = Runner::new().await;
    for number in 0..10 {
        let id = format!("m{number}");
        runner.gallery.promise(&id, png(2, 3)).await;
        runner.gallery.house.line.fault(Call::Content, Fault::Hang);
        let place = at("U1", SourceKind::Person, 1_000);
        runner.take(Errand::Picture { place, message: message_id(&id) });
    }
    soon(runner.gallery.house.line.until_seen(Call::Content, 4)).await;
    runner.take(spoke(at("U1", SourceKind::Person, 1_000)));
    runner.until("U1", |card| card.present).await;
    assert_eq!(runner.calls().len(), 4, "no fifth while four are fetched");
}

#[tokio::test]
async fn what_there_is_no_room_for_is_forgotten_and_nobody_waits() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _guard = metrics::set_default_local_recorder(&recorder);
    describe_metrics();
    let runner = Runner::new().await;
    // Nobody has had time to do any of them.
    for number in 0..300 {
        let message = message_id(&format!("m{number}"));
        let place = at("U1", SourceKind::Person, 1_000);
        runner.take(Errand::Picture { place, message });
    }
    for number in 0..300 {
        runner.take(spoke(at("U1", SourceKind::Person, number)));
    }
    let printed = recorder.handle().render();
    for kind in ["picture", "spoke"] {
        let line = format!(r#"errands_total{{errand="{kind}",outcome="dropped"}} 44"#);
        assert!(printed.contains(&line), "{printed}");
    }
    runner.until("U1", |card| card.present).await;
}

#[tokio::test]
async fn at_the_end_all_workers_end_whatever_they_are_at() {
    let runner = Runner::new().await;
    runner.gallery.promise("m1", png(2, 3)).await;
    runner.gallery.house.line.fault(Call::Content, Fault::Hang);
    runner.gallery.house.line.fault(Call::MembersCount, Fault::Hang);
    let place = at("U1", SourceKind::Person, 1_000);
    runner.take(Errand::Picture { place, message: message_id("m1") });
    runner.take(Errand::MembersChanged { place: at("C1", SourceKind::Group, 1_000) });
    soon(runner.gallery.house.line.until_seen(Call::Content, 1)).await;
    soon(runner.gallery.house.line.until_seen(Call::MembersCount, 1)).await;
    runner.shutdown.cancel();
    runner.tasks.close();
    soon(runner.tasks.wait()).await;
    // Whoever still has something to be done is not held up.
    runner.take(spoke(at("U1", SourceKind::Person, 1_000)));
}

#[tokio::test]
async fn a_store_that_fails_is_logged_by_id_and_the_next_errand_is_done() {
    capture_logs();
    let runner = Runner::new().await;
    runner.drawer.fails.store(true, Ordering::SeqCst);
    runner.take(Errand::Arrived { place: at("U1", SourceKind::Person, 1_000) });
    soon(async {
        while !logged().contains("errand failed") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    runner.drawer.fails.store(false, Ordering::SeqCst);
    runner.gallery.house.line.know_person(&person("U1"), "canary-name");
    runner.take(Errand::Arrived { place: at("U1", SourceKind::Person, 2_000) });
    runner.until("U1", |card| card.present).await;
    let logged = logged();
    assert!(logged.contains("source=U1") && !logged.contains("canary"), "{logged}");
}
