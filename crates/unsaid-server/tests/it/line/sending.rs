//! Answers on their way, and answers of LINE that are lost.

use unsaid_core::domain::conversation::log::Sending;
use unsaid_core::domain::message::ReplyToken;
use unsaid_line::stand_in::{Call, Fault};

use super::event::person;
use super::house::{House, thought};
use super::keeper::Keeper;
use super::on_every_history;

/// LINE took the reply and its answer was lost: nobody knows, so nobody says it again.
fn a_reply_whose_answer_is_lost_is_never_pushed(keeper: Keeper) {
    for fault in [Fault::Cut, Fault::status(500)] {
        let house = House::thinking(keeper);
        let ana = person("Uana");
        house.line.fault_after(Call::Reply, fault);
        assert_eq!(house.ask(&ana, "m1", "persimmons are ripe"), thought(0));
        assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
        assert_eq!((house.said(), house.pushes()), (vec![thought(0), thought(1)], 0));
        // it may have been read, so it is remembered
        assert!(house.thinker.until_asked(2).words.contains(&thought(0)));
        let history = house.history(&ana);
        let answer = history.log.iter().find(|entry| !entry.message.author.is_person());
        assert_eq!(answer.unwrap().sending, Sending::Unknown);
        house.end();
    }
}

/// A token that is too old certainly sends nothing: it is pushed, under a name that LINE takes once.
fn a_push_whose_answer_is_lost_is_taken_once(keeper: Keeper) {
    let house = House::thinking(keeper);
    let ana = person("Uana");
    let event = house.text(&ana, "m1", "persimmons are ripe");
    house.line.expire_reply_token(&ReplyToken::new(event["replyToken"].as_str().unwrap()));
    house.line.fault_after(Call::Push, Fault::status(500));
    house.deliver(&[event]);
    assert_eq!(house.next_said(), thought(0));
    house.wait(house.line.until_seen(Call::Push, 2));
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert_eq!((house.said(), house.pushes()), (vec![thought(0), thought(1)], 1));
    let history = house.history(&ana);
    let answer = history.log.iter().find(|entry| !entry.message.author.is_person());
    assert_eq!(answer.unwrap().sending, Sending::Sent);
    house.end();
}

on_every_history![
    a_reply_whose_answer_is_lost_is_never_pushed,
    a_push_whose_answer_is_lost_is_taken_once,
];

/// What was certainly not sent is not remembered as said.
#[test]
fn an_answer_that_failed_is_not_shown_later() {
    let flags = [("line.debounce", "0ms"), ("line.push", "false")];
    let script = |asked: &super::thinker::Asked| match asked.nth {
        1 => super::thinker::skip("it cannot be sent"),
        nth => super::thinker::reply(thought(nth)),
    };
    let house = House::with(Keeper::Sqlite, script, &flags);
    let ana = person("Uana");
    house.line.fault(Call::Reply, Fault::status(400));
    house.say(&ana, "m1", "persimmons are ripe");
    let told = house.thinker.until_asked(2).words;
    assert!(told.contains("failed to send reply"), "{told}");
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(2));
    assert!(!house.thinker.until_asked(3).raw.contains(&thought(0)));
    assert_eq!(house.said(), [thought(2)]);
    house.end();
}

/// Five thousand signs of two units each are more than LINE takes in one message.
#[test]
fn a_long_reply_is_split_into_messages_of_one_call() {
    let house = House::scripted(Keeper::Sqlite, |_| super::thinker::reply("🍐".repeat(5_000)));
    let all = house.ask(&person("Uana"), "m1", "pears, please, many");
    assert_eq!(all.chars().filter(|&c| c == '🍐').count(), 5_000);
    assert_eq!(house.line.sent().len(), 1);
    house.end();
}
