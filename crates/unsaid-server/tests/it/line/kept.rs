//! Seed 001: what is said is kept, shown to the model, apart by source, and never half.

use unsaid_core::domain::conversation::log::Sending;

use super::event::{again, body, event, member, person};
use super::house::{House, lines, post, thought, words_of};
use super::keeper::Keeper;
use super::on_every_history;
use super::outage::Outage;
use super::thinker::reply;
use crate::disk::Fault;

/// AC-001
fn ac_001_message_and_answer_are_kept(keeper: Keeper) {
    let mut house = House::thinking(keeper);
    let ana = person("Uana");
    let asked = house.text(&ana, "m1", "persimmons are ripe");
    house.deliver(std::slice::from_ref(&asked));
    assert_eq!(house.next_said(), thought(0));
    house.restart();
    let history = house.history(&ana);
    let kept = lines(&history);
    assert_eq!(kept, [(true, "persimmons are ripe".to_owned()), (false, thought(0))]);
    let mut entries = history.log.iter();
    let (message, answer) = (entries.next().unwrap(), entries.next().unwrap());
    assert_eq!(message.message.at.as_millis(), asked["timestamp"].as_i64().unwrap());
    assert!(answer.message.at >= message.message.at);
    assert_eq!((message.sending, answer.sending), (Sending::Here, Sending::Sent));
    house.ask(&ana, "m2", "and the medlars?");
    let shown = house.thinker.until_asked(2).words;
    assert!(shown.contains("persimmons are ripe") && shown.contains(&thought(0)), "{shown}");
    house.end();
}

/// AC-002
fn ac_002_the_answer_knows_what_was_said(keeper: Keeper) {
    let mut house = House::demo(keeper);
    let taro = person("Utaro");
    house.ask(&taro, "m1", "私の名前は太郎です");
    let answer = house.ask(&taro, "m2", "私の名前を覚えてる？");
    assert!(answer.contains("太郎"), "{answer}");
    house.restart();
    let answer = house.ask(&taro, "m3", "私の名前を覚えてる？？");
    assert!(answer.contains("太郎"), "{answer}");
    house.end();
}

fn ac_002_the_model_is_shown_what_was_said(keeper: Keeper) {
    let house = House::thinking(keeper);
    let taro = person("Utaro");
    house.ask(&taro, "m1", "私の名前は太郎です");
    house.ask(&taro, "m2", "私の名前を覚えてる？");
    let shown = house.thinker.until_asked(2).words;
    let places = ["私の名前は太郎です", &thought(0), "私の名前を覚えてる？"];
    let places = places.map(|words| shown.find(words).unwrap_or_else(|| panic!("{shown}")));
    assert!(places.is_sorted(), "{shown}");
    house.end();
}

/// AC-003
fn ac_003_sources_are_kept_apart(keeper: Keeper) {
    let house = House::scripted(keeper, |asked| {
        let knows = |food| asked.words.contains(food);
        reply(match (knows("ラーメン"), knows("寿司")) {
            (true, false) => "ラーメンです",
            (false, true) => "寿司です",
            (true, true) => "どちらも",
            (false, false) => "知りません",
        })
    });
    let (alone, among) = (person("Uana"), member("Cgroup", "Uana"));
    house.ask(&alone, "m1", "好きな食べ物はラーメン");
    house.ask(&among, "m2", "好きな食べ物は寿司");
    assert_eq!(house.ask(&alone, "m3", "好きな食べ物は？"), "ラーメンです");
    assert_eq!(house.ask(&among, "m4", "好きな食べ物は？"), "寿司です");
    assert_eq!(house.ask(&person("Uben"), "m5", "好きな食べ物は？"), "知りません");
    house.end();
}

on_every_history![
    ac_001_message_and_answer_are_kept,
    ac_002_the_answer_knows_what_was_said,
    ac_002_the_model_is_shown_what_was_said,
    ac_003_sources_are_kept_apart,
];

/// AC-004
#[test]
fn ac_004_storage_failure_is_silent() {
    for fault in ["pwrite64:error=ENOSPC", "pwrite64:error=EROFS", "fdatasync,fsync:error=EIO"] {
        let house = House::thinking(Keeper::Sqlite);
        house.ask(&person("Uana"), "m0", "all is well still");
        let fault = Fault::inject(house.server(), fault);
        is_silent(house, |_| fault.end());
    }
}

/// AC-004 where the bucket is away.
#[test]
fn ac_004_bucket_failure_is_silent() {
    for keeper in [Keeper::Directory, Keeper::Gcs] {
        let house = House::thinking(keeper);
        house.ask(&person("Uana"), "m0", "all is well still");
        let outage = Outage::begin(&house, keeper);
        is_silent(house, |house| outage.end(house));
    }
}

/// Storage fails until it is mended: LINE is told to come again, nobody is asked, nothing is said.
fn is_silent(house: House, mend: impl FnOnce(&House)) {
    let ana = person("Uana");
    let asked = house.text(&ana, "m1", "medlars are not");
    for asked in [asked.clone(), again(&asked), again(&asked)] {
        let answer = post(house.address, &body(&[asked]));
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.contains("retry-after: "), "{answer}");
        assert!(!answer.contains("medlars"), "{answer}");
    }
    house.server().wait_for_log("storage_");
    assert_eq!((house.thinker.asked().len(), house.said().len()), (1, 1));
    mend(&house);
    house.deliver(&[again(&asked)]);
    assert_eq!(house.next_said(), thought(1));
    house.deliver(&[again(&asked), event(&ana, "accountLink")]);
    house.ask(&ana, "m2", "the last of them");
    assert_eq!(house.said().len(), 3);
    let history = house.history(&ana);
    let times = history.log.iter().filter(|entry| words_of(entry) == "medlars are not").count();
    assert_eq!(times, 1);
    house.end();
}
