//! People who come and go.

use unsaid_core::domain::id::PersonId;
use unsaid_line::stand_in::Call;

use super::event::{event, person};
use super::house::{House, thought};
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

on_every_history![
    whoever_follows_is_known_and_not_greeted,
    whoever_goes_hears_no_more_and_is_remembered,
];
