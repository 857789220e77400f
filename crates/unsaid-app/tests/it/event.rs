//! Who watches, and who is cut off.

use unsaid_app::event::{Notice, Watchers};
use unsaid_core::domain::{conversation::change::Event, id::EventNumber};
use unsaid_testkit::builder::{chat_key, message_id};

fn notice(number: u64) -> Notice {
    let event = Event::Message { id: message_id(&format!("m{number}")) };
    Notice::Log { number: Some(EventNumber::new(number)), event }
}

#[tokio::test]
async fn everybody_who_watches_is_told_in_order_and_nobody_else() {
    let watchers = Watchers::default();
    let (here, there) = (chat_key("here"), chat_key("there"));
    let mut watching = [watchers.watch(&here), watchers.watch(&here)];
    let mut elsewhere = watchers.watch(&there);
    for number in 1..=3 {
        watchers.tell(&here, &notice(number));
    }
    watchers.tell(&there, &notice(9));
    for watch in &mut watching {
        for number in 1..=3 {
            assert_eq!(watch.next().await, Some(notice(number)));
        }
    }
    assert_eq!(elsewhere.next().await, Some(notice(9)));
}

#[tokio::test]
async fn a_watch_begins_now() {
    let watchers = Watchers::default();
    watchers.tell(&chat_key("c1"), &notice(1));
    let mut watch = watchers.watch(&chat_key("c1"));
    watchers.tell(&chat_key("c1"), &notice(2));
    assert_eq!(watch.next().await, Some(notice(2)));
}

#[tokio::test]
async fn who_reads_too_slowly_is_cut_off_after_what_waits_and_the_others_go_on() {
    let watchers = Watchers::new(2);
    let key = chat_key("c1");
    let (mut slow, mut quick) = (watchers.watch(&key), watchers.watch(&key));
    for number in 1..=4 {
        watchers.tell(&key, &notice(number));
        assert_eq!(quick.next().await, Some(notice(number)));
    }
    assert_eq!(watchers.count(&key), 1);
    assert_eq!(slow.next().await, Some(notice(1)));
    assert_eq!(slow.next().await, Some(notice(2)));
    assert_eq!(slow.next().await, None, "nothing is left out silently");
    watchers.tell(&key, &notice(5));
    assert_eq!(quick.next().await, Some(notice(5)));
}

#[tokio::test]
async fn who_leaves_is_forgotten_at_once() {
    let watchers = Watchers::default();
    let key = chat_key("c1");
    let (one, other) = (watchers.watch(&key), watchers.watch(&key));
    drop(one);
    assert_eq!(watchers.count(&key), 1);
    drop(other);
    assert_eq!(watchers.count(&key), 0);
    watchers.tell(&key, &notice(1));
}

#[tokio::test]
async fn a_watch_ends_with_the_house_after_what_waits() {
    let watchers = Watchers::default();
    let key = chat_key("c1");
    let mut ended = watchers.watch(&key);
    watchers.tell(&key, &notice(1));
    watchers.end_all();
    let mut left = watchers.watch(&key);
    watchers.tell(&key, &notice(2));
    drop(watchers);
    for (watch, number) in [(&mut ended, 1), (&mut left, 2)] {
        assert_eq!(watch.next().await, Some(notice(number)));
        assert_eq!(watch.next().await, None);
    }
}
