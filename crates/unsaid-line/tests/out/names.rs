//! What people are called: by the directory, by LINE, by an alias.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use unsaid_core::{
    domain::{id::PersonId, source::SourceKind},
    port::directory::{Directory as _, NameCard},
};
use unsaid_line::{
    names::{Names, alias},
    stand_in::{Call, Fault},
};
use unsaid_testkit::builder::words;

use crate::{
    directory::Drawer,
    house::{GENEROUS, House, NOW, SHORT, person, soon, source},
    logs::{capture_logs, logged},
};

const HOUR_MS: i64 = 60 * 60 * 1_000;

struct Desk {
    house: House,
    drawer: Arc<Drawer>,
    names: Names,
}

impl Desk {
    async fn new() -> Self {
        let (house, drawer) = (House::new().await, Arc::new(Drawer::default()));
        let clock = Arc::clone(&house.clock);
        let names = Names::new(house.client.clone(), Arc::clone(&drawer) as _, clock);
        Self { house, drawer, names }
    }

    /// What people are called in the group `C1`.
    async fn called(&self, people: &[&str]) -> Vec<String> {
        self.called_within(people, GENEROUS).await
    }

    async fn called_within(&self, people: &[&str], within: Duration) -> Vec<String> {
        let group = (&source("C1"), SourceKind::Group);
        let set = people.iter().map(|id| person(id)).collect();
        let called = soon(self.names.of(group, &set, within)).await;
        assert_eq!(called.len(), set.len(), "somebody was left out");
        people.iter().map(|id| called[&person(id)].as_str().to_owned()).collect()
    }

    fn alias(id: &str) -> String {
        alias(&source("C1"), &person(id)).into()
    }

    fn asked(&self) -> usize {
        self.house.line.seen().len()
    }
}

#[tokio::test]
async fn whom_the_directory_does_not_know_line_is_asked_about_once() {
    let desk = Desk::new().await;
    desk.house.line.know_member(&source("C1"), &person("U1"), "Ana");
    desk.house.line.know_member(&source("C1"), &person("U2"), "Bo");
    assert_eq!(desk.called(&["U1", "U2"]).await, ["Ana", "Bo"]);
    assert_eq!(desk.called(&["U1", "U2"]).await, ["Ana", "Bo"]);
    assert_eq!(desk.asked(), 2);
    let kept = desk.drawer.names(&[person("U1")]).await.unwrap();
    let card = NameCard { id: person("U1"), name: Some(words("Ana")), at: NOW };
    assert_eq!(kept, [card]);
}

#[tokio::test]
async fn a_one_to_one_chat_asks_for_the_profile_and_a_room_for_its_member() {
    let desk = Desk::new().await;
    desk.house.line.know_person(&person("U1"), "Ana");
    desk.house.line.know_member(&source("R1"), &person("U2"), "Bo");
    for (id, kind, who, name) in
        [("U1", SourceKind::Person, "U1", "Ana"), ("R1", SourceKind::Room, "U2", "Bo")]
    {
        let people = [person(who)].into();
        let called = soon(desk.names.of((&source(id), kind), &people, GENEROUS)).await;
        assert_eq!(called[&person(who)].as_str(), name);
    }
    let calls: Vec<Call> = desk.house.line.seen().iter().map(|seen| seen.call).collect();
    assert_eq!(calls, [Call::Profile, Call::Member]);
}

#[tokio::test]
async fn that_line_does_not_tell_is_remembered_for_an_hour() {
    let desk = Desk::new().await;
    assert_eq!(desk.called(&["U1"]).await, [Desk::alias("U1")]);
    desk.house.clock.advance(HOUR_MS);
    assert_eq!(desk.called(&["U1"]).await, [Desk::alias("U1")]);
    assert_eq!(desk.asked(), 1);
    desk.house.line.know_member(&source("C1"), &person("U1"), "Ana");
    desk.house.clock.advance(1);
    assert_eq!(desk.called(&["U1"]).await, ["Ana"]);
    assert_eq!(desk.asked(), 2);
}

#[tokio::test]
async fn a_failure_is_not_remembered() {
    for fault in [Fault::status(500), Fault::status(401), Fault::limited(9), Fault::Cut] {
        let desk = Desk::new().await;
        desk.house.line.know_member(&source("C1"), &person("U1"), "Ana");
        desk.house.line.fault(Call::Member, fault);
        assert_eq!(desk.called(&["U1"]).await, [Desk::alias("U1")]);
        assert_eq!(desk.called(&["U1"]).await, ["Ana"]);
    }
}

#[tokio::test]
async fn a_name_is_asked_for_again_after_a_day_and_kept_if_line_tells_no_other() {
    let desk = Desk::new().await;
    desk.house.line.know_member(&source("C1"), &person("U1"), "Ana");
    desk.called(&["U1"]).await;
    desk.house.line.know_member(&source("C1"), &person("U1"), "Anabel");
    desk.house.clock.advance(24 * HOUR_MS);
    assert_eq!(desk.called(&["U1"]).await, ["Ana"]);
    desk.house.clock.advance(1);
    assert_eq!(desk.called(&["U1"]).await, ["Anabel"]);
    for fault in [Fault::status(404), Fault::status(500)] {
        desk.house.clock.advance(24 * HOUR_MS + 1);
        desk.house.line.fault(Call::Member, fault);
        assert_eq!(desk.called(&["U1"]).await, ["Anabel"]);
    }
}

#[tokio::test]
async fn slow_answers_are_not_waited_for_and_quick_ones_count() {
    let desk = Desk::new().await;
    desk.called(&["U1"]).await;
    desk.drawer.keep_name(card("U1", "Ana")).await.unwrap();
    for _ in 0..4 {
        desk.house.line.fault(Call::Member, Fault::Hang);
    }
    let called = desk.called_within(&["U1", "U2", "U3", "U4", "U5"], SHORT).await;
    assert_eq!(called[0], "Ana");
    assert_eq!(called[1..], ["U2", "U3", "U4", "U5"].map(Desk::alias));
}

#[tokio::test]
async fn many_people_are_asked_about_a_few_at_a_time() {
    let desk = Desk::new().await;
    let people: Vec<String> = (0..20).map(|number| format!("U{number}")).collect();
    for id in &people {
        desk.house.line.know_member(&source("C1"), &person(id), &format!("name of {id}"));
    }
    for _ in 0..4 {
        desk.house.line.fault(Call::Member, Fault::Hang);
    }
    let people: Vec<&str> = people.iter().map(String::as_str).collect();
    let looking = async {
        desk.house.line.until_seen(Call::Member, 4).await;
        assert_eq!(desk.asked(), 4, "no fifth while four are asked");
        desk.house.line.hang_up();
    };
    let (called, ()) = tokio::join!(desk.called(&people), looking);
    let named = called.iter().filter(|name| name.starts_with("name of U")).count();
    assert_eq!(named, 16, "those that were cut have an alias this once");
}

#[tokio::test]
async fn nobody_passes_for_another_by_taking_their_name() {
    let desk = Desk::new().await;
    for (id, name) in [("U1", "Ana"), ("U2", "ANA"), ("U3", "Bo")] {
        desk.house.line.know_member(&source("C1"), &person(id), name);
    }
    let called = desk.called(&["U1", "U2", "U3"]).await;
    assert!(called[0].starts_with("Ana (") && called[1].starts_with("ANA ("), "{called:?}");
    assert_ne!(called[0].to_lowercase(), called[1].to_lowercase());
    assert_eq!(called[2], "Bo");
    assert_eq!(desk.called(&["U1", "U3"]).await, ["Ana", "Bo"]);
}

#[tokio::test]
async fn without_a_directory_there_are_still_names() {
    let desk = Desk::new().await;
    desk.house.line.know_member(&source("C1"), &person("U1"), "Ana");
    desk.drawer.fails.store(true, Ordering::SeqCst);
    assert_eq!(desk.called(&["U1", "U2"]).await, ["Ana".to_owned(), Desk::alias("U2")]);
}

#[tokio::test]
async fn names_are_not_logged() {
    capture_logs();
    let desk = Desk::new().await;
    desk.house.line.know_member(&source("C1"), &person("U1"), "canary-name");
    desk.drawer.fails.store(true, Ordering::SeqCst);
    desk.called(&["U1"]).await;
    desk.house.line.fault(Call::Member, Fault::status(500));
    desk.called(&["U1"]).await;
    let logged = logged();
    assert!(logged.contains("name not kept") && logged.contains("line_failing"), "{logged}");
    assert!(!logged.contains("canary-name"), "{logged}");
}

fn card(id: &str, name: &str) -> NameCard {
    let id: PersonId = person(id);
    NameCard { id, name: Some(words(name)), at: NOW }
}
