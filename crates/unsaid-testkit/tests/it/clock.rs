//! Time and chance stand still until they are moved.

use unsaid_core::port::clock::{Chance as _, Clock as _};
use unsaid_testkit::{
    builder::at,
    clock::{MovedClock, SeededChance},
};

#[test]
fn a_clock_moves_when_it_is_moved() {
    let clock = MovedClock::at(at(1_000));
    assert_eq!((clock.now(), clock.now()), (at(1_000), at(1_000)));
    assert_eq!(clock.advance(5), at(1_005));
    assert_eq!(clock.now(), at(1_005));
    clock.set(at(3));
    assert_eq!(clock.now(), at(3));
}

#[test]
fn chance_is_the_same_for_the_same_seed() {
    let drawn = |seed| {
        let chance = SeededChance::new(seed);
        let mut bytes = [[0; 11]; 2];
        for half in &mut bytes {
            chance.fill(half);
        }
        bytes
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
    assert_ne!(drawn(1)[0], drawn(1)[1]);
}
