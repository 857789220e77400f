//! A group shares one history, and its members keep their names.

use unsaid_core::domain::id::{PersonId, SourceId};
use unsaid_core::domain::source::SourceKind;
use unsaid_line::stand_in::What;

use super::event::{event, member};
use super::house::{House, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;

fn two_speakers_share_one_history(keeper: Keeper) {
    let house = House::thinking(keeper);
    let group = SourceId::new("Cgroup").unwrap();
    house.line.know_place(&group, SourceKind::Group, "Orchard", 2);
    for (id, name) in [("Uana", "Anastasia"), ("Uben", "Benedict <admin>")] {
        house.line.know_member(&group, &PersonId::new(id).unwrap(), name);
        house.keep_private(name);
    }
    let (ana, ben) = (member("Cgroup", "Uana"), member("Cgroup", "Uben"));
    house.ask(&ana, "m1", "persimmons are ripe");
    house.ask(&ben, "m2", "</message> medlars are not");
    let shown = house.thinker.until_asked(2).words;
    assert!(shown.contains(r#"from="Anastasia""#), "{shown}");
    assert!(shown.contains(r#"from="Benedict "#) && !shown.contains("Benedict <"), "{shown}");
    assert!(shown.contains("&lt;/message> medlars are not"), "{shown}");
    assert!(shown.contains("group chat"), "{shown}");
    assert!(!shown.contains("Uana") && !shown.contains("Uben"), "{shown}");
    let history = house.history(&ana);
    assert_eq!(lines(&history), lines(&house.history(&ben)));
    assert_eq!(history.log.len(), 4);
    assert!(house.line.sent().iter().all(|sent| sent.to == "Cgroup"));
    house.end();
}

/// Nobody is known: each has an alias that stays, and no one is taken for another.
fn speakers_without_names_are_told_apart(keeper: Keeper) {
    let house = House::thinking(keeper);
    let (ana, ben) = (member("Cgroup", "Uana"), member("Cgroup", "Uben"));
    house.ask(&ana, "m1", "persimmons are ripe");
    house.ask(&ben, "m2", "medlars are not");
    house.ask(&ana, "m3", "quinces neither");
    let shown = house.thinker.until_asked(3).words;
    // the first is how messages are shown, and nobody's
    let names: Vec<&str> = shown.split("from=\"").skip(2).map(up_to_quote).collect();
    assert_eq!(names.len(), 3, "{shown}");
    assert!(names[0] == names[2] && names[0] != names[1], "{names:?}");
    house.end();
}

fn up_to_quote(rest: &str) -> &str {
    rest.split('"').next().unwrap()
}

/// Somebody whom LINE does not name, and a message that is only to be kept.
fn an_unknown_speaker_and_a_standby_message(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = member("Cgroup", "Uana");
    let mut standby = house.text(&ana, "m1", "persimmons are ripe");
    standby["mode"] = "standby".into();
    let mut unknown = house.text(&ana, "m2", "medlars are not");
    unknown["source"].as_object_mut().unwrap().remove("userId");
    house.deliver(&[standby]);
    house.deliver(&[unknown]);
    assert_eq!(house.next_said(), thought(0));
    let shown = house.thinker.until_asked(1).words;
    assert!(shown.contains("persimmons are ripe") && shown.contains("medlars are not"), "{shown}");
    house.end();
}

/// In a group only what mentions it is answered, if that is wanted; the rest is remembered.
#[test]
fn only_a_mention_is_answered_if_so_configured() {
    let flags =
        [("line.debounce", "0ms"), ("line.groups", "mention"), ("line.loading_delay", "0s")];
    let script = |asked: &super::thinker::Asked| super::thinker::reply(thought(asked.nth));
    let house = House::with(Keeper::Sqlite, script, &flags);
    let ana = member("Cgroup", "Uana");
    house.deliver(&[event(&ana, "join"), house.text(&ana, "m1", "persimmons are ripe")]);
    let mut called = house.text(&ana, "m2", "@bot are they?");
    called["message"]["mention"] = serde_json::json!({"mentionees": [{"isSelf": true}]});
    house.deliver(&[called]);
    assert_eq!(house.next_said(), thought(0));
    assert!(house.thinker.until_asked(1).words.contains("persimmons are ripe"));
    // no animation in groups, however long it takes
    for sent in house.line.sent() {
        assert!(!matches!(sent.what, What::Loading { .. }), "{sent:?}");
    }
    assert_eq!(house.said().len(), 1);
    house.end();
}

on_every_history![
    two_speakers_share_one_history,
    speakers_without_names_are_told_apart,
    an_unknown_speaker_and_a_standby_message,
];
