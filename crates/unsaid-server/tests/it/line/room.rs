//! Rooms: people together without a group.

use unsaid_core::domain::id::{PersonId, SourceId};
use unsaid_core::domain::source::SourceKind;

use super::event::{dweller, member, person, unsend};
use super::house::{House, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;

fn a_room_is_one_conversation_of_its_own(keeper: Keeper) {
    let mut house = House::thinking(keeper);
    let room = SourceId::new("Rroom").unwrap();
    house.line.know_place(&room, SourceKind::Room, "", 3);
    house.line.know_member(&room, &PersonId::new("Uana").unwrap(), "Anastasia");
    house.keep_private("Anastasia");
    let (ana, ben) = (dweller("Rroom", "Uana"), dweller("Rroom", "Uben"));
    assert_eq!(house.ask(&ana, "m1", "persimmons are ripe"), thought(0));
    house.restart();
    assert_eq!(house.ask(&ben, "m2", "medlars are not"), thought(1));
    let shown = house.thinker.until_asked(2).words;
    for words in ["persimmons are ripe", "medlars are not", r#"from="Anastasia""#, "group chat"] {
        assert!(shown.contains(words), "{words} is not in {shown}");
    }
    assert!(!shown.contains("Uana") && !shown.contains("Uben"), "{shown}");
    assert_eq!(lines(&house.history(&ana)).len(), 4);
    assert!(house.line.sent().iter().all(|sent| sent.to == "Rroom"));
    // nobody hears of it elsewhere
    house.ask(&person("Uana"), "m3", "what do you know?");
    house.ask(&member("Cgroup", "Uana"), "m4", "what do you know?");
    for asked in &house.thinker.asked()[2..] {
        assert!(!asked.raw.contains("persimmons") && !asked.raw.contains("medlars"));
    }
    house.end();
}

fn what_is_taken_back_in_a_room_is_gone(keeper: Keeper) {
    let house = House::thinking(keeper);
    let (ana, ben) = (dweller("Rroom", "Uana"), dweller("Rroom", "Uben"));
    house.ask(&ana, "m1", "the kumquat is secret");
    house.deliver(&[unsend(&ana, "m1")]);
    // and while the model thinks
    house.thinker.hold();
    house.say(&ana, "m2", "the kumquat, once more");
    house.thinker.until_asked(2);
    house.deliver(&[unsend(&ana, "m2")]);
    house.thinker.release();
    assert_eq!(house.ask(&ben, "m3", "what was it again?"), thought(2));
    assert!(!house.thinker.until_asked(3).raw.contains("kumquat"));
    assert_eq!(house.said(), [thought(0), thought(2)]);
    assert!(!format!("{:?}", lines(&house.history(&ana))).contains("kumquat"));
    house.end();
}

on_every_history![a_room_is_one_conversation_of_its_own, what_is_taken_back_in_a_room_is_gone];
