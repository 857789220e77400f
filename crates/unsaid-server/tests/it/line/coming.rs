//! People who come and go.

use unsaid_core::domain::id::{PersonId, SourceId};
use unsaid_core::domain::source::SourceKind;
use unsaid_line::stand_in::Call;

use super::event::{again, dweller, event, member, now, person};
use super::house::{House, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;

fn whoever_follows_is_known_and_not_greeted(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.line.know_person(&PersonId::new("Uana").unwrap(), "Anastasia");
    house.keep_private("Anastasia");
    house.deliver(&[event(&ana, "follow")]);
    house.wait(house.line.until_seen(Call::Profile, 1));
    assert!(house.said().is_empty());
    house.ask(&ana, "m1", "persimmons are ripe");
    let shown = house.thinker.until_asked(1).words;
    assert!(shown.contains(r#"from="Anastasia""#), "{shown}");
    assert_eq!(house.said(), [thought(0)]);
    house.end();
}

fn whoever_goes_hears_no_more_and_is_remembered(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    house.thinker.hold();
    house.say(&ana, "m1", "persimmons are ripe");
    house.thinker.until_asked(1);
    house.deliver(&[event(&ana, "unfollow")]);
    house.thinker.release();
    // back again, and at once with a word
    house.deliver(&[event(&ana, "follow")]);
    assert_eq!(house.ask(&ana, "m2", "here I am again"), thought(1));
    assert!(house.thinker.until_asked(2).words.contains("persimmons are ripe"));
    assert_eq!(house.said(), [thought(1)]);
    house.end();
}

/// A group is asked for its name and number when the bot comes, and again on repeat.
fn whoever_comes_into_a_group_knows_it(keeper: Keeper) {
    let house = House::thinking(keeper);
    let (group, ana) = (SourceId::new("Cgroup").unwrap(), member("Cgroup", "Uana"));
    let (came, changed) = (event(&ana, "join"), ["memberJoined", "memberLeft"]);
    house.keep_private("Orchard");
    house.line.know_place(&group, SourceKind::Group, "Orchard", 3);
    house.deliver(std::slice::from_ref(&came));
    house.until_known(&ana, "Orchard, 3, present");
    for (kind, members) in changed.into_iter().zip([7, 6]) {
        house.line.know_place(&group, SourceKind::Group, "Orchard", members);
        house.deliver(&[event(&ana, kind)]);
        house.until_known(&ana, &format!("Orchard, {members}, present"));
    }
    house.line.know_place(&group, SourceKind::Group, "Orchard of figs", 6);
    house.deliver(&[again(&came)]);
    house.until_known(&ana, "Orchard of figs, 6, present");
    // nobody is greeted
    assert!(house.said().is_empty() && house.thinker.asked().is_empty());
    assert_eq!(house.ask(&ana, "m1", "persimmons are ripe"), thought(0));
    let shown = house.thinker.until_asked(1).words;
    assert!(shown.contains("group chat with 6 members"), "{shown}");
    house.end();
}

fn whoever_comes_into_a_room_counts_it(keeper: Keeper) {
    let house = House::thinking(keeper);
    let (room, ana) = (SourceId::new("Rroom").unwrap(), dweller("Rroom", "Uana"));
    house.line.know_place(&room, SourceKind::Room, "", 4);
    house.deliver(&[event(&ana, "join")]);
    house.until_known(&ana, "-, 4, present");
    house.line.know_place(&room, SourceKind::Room, "", 5);
    house.deliver(&[event(&ana, "memberJoined")]);
    house.until_known(&ana, "-, 5, present");
    assert_eq!(house.ask(&ana, "m1", "persimmons are ripe"), thought(0));
    let shown = house.thinker.until_asked(1).words;
    assert!(shown.contains("group chat with 5 members"), "{shown}");
    assert_eq!(house.said(), [thought(0)]);
    house.end();
}

fn a_group_that_is_left_hears_no_more_and_is_remembered(keeper: Keeper) {
    let house = House::thinking(keeper);
    for (ana, mark) in [(member("Cgroup", "Uana"), "C"), (dweller("Rroom", "Uana"), "R")] {
        let (spoken, asked) = (house.said().len(), house.thinker.asked().len());
        let id = |nth| format!("{mark}{nth}");
        house.thinker.hold();
        house.say(&ana, &id(1), "persimmons are ripe");
        house.thinker.until_asked(asked + 1);
        house.deliver(&[event(&ana, "leave")]);
        house.until_known(&ana, "-, -, gone");
        house.thinker.release();
        assert_eq!(lines(&house.history(&ana)), [(true, "persimmons are ripe".to_owned())]);
        house.deliver(&[event(&ana, "join")]);
        house.until_known(&ana, "-, -, present");
        assert_eq!(house.ask(&ana, &id(2), "here we are again"), thought(asked + 1));
        assert!(house.thinker.until_asked(asked + 2).words.contains("persimmons are ripe"));
        assert_eq!(house.said().len(), spoken + 1);
    }
    house.end();
}

/// What LINE delivers again says nothing about today: who came back since is answered.
fn an_old_unfollow_again_stops_nothing(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    let mut gone = event(&ana, "unfollow");
    gone["timestamp"] = (now() - 60_000).into();
    house.deliver(std::slice::from_ref(&gone));
    house.until_known(&ana, "-, -, gone");
    house.deliver(&[event(&ana, "follow")]);
    house.until_known(&ana, "-, -, present");
    house.thinker.hold();
    house.say(&ana, "m1", "here I am again");
    house.thinker.until_asked(1);
    house.deliver(&[again(&gone)]);
    house.thinker.release();
    assert_eq!(house.next_said(), thought(0));
    // nor is she taken for gone
    house.deliver(&[again(&gone), house.text(&ana, "m2", "am I not here?"), again(&gone)]);
    assert_eq!(house.next_said(), thought(1));
    house.until_known(&ana, "-, -, present");
    assert_eq!(house.said(), [thought(0), thought(1)]);
    house.end();
}

on_every_history![
    whoever_follows_is_known_and_not_greeted,
    whoever_goes_hears_no_more_and_is_remembered,
    whoever_comes_into_a_group_knows_it,
    whoever_comes_into_a_room_counts_it,
    a_group_that_is_left_hears_no_more_and_is_remembered,
    an_old_unfollow_again_stops_nothing,
];
