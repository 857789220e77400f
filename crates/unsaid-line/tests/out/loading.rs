//! The loading animation: late, once, for one person, and never after a letter.

use std::time::Duration;

use tokio::time::timeout;
use unsaid_core::{
    domain::{conversation::change::SendOutcome, source::SourceKind},
    port::messenger::Messenger as _,
};
use unsaid_line::{
    messenger::{OutboxOptions, SendTimes},
    stand_in::{Call, Fault, What},
};
use unsaid_testkit::builder::{chat_key, line_key};

use crate::{
    house::{SHORT, soon},
    post::{Post, outbox_options},
};

#[tokio::test]
async fn it_is_shown_once_in_a_turn() {
    let post = Post::new().await;
    let messenger = post.outbox(outbox_options()).messenger(SourceKind::Person);
    soon(messenger.at_work(&line_key("U1"))).await;
    soon(messenger.at_work(&line_key("U1"))).await;
    let sent = post.house.line.sent();
    assert_eq!((sent.len(), sent[0].to.as_str()), (1, "U1"));
    assert_eq!(sent[0].what, What::Loading { seconds: 30 });
    assert_eq!(post.send().await, SendOutcome::Sent);
}

#[tokio::test]
async fn it_is_not_shown_before_its_time() {
    let post = Post::new().await;
    let options = OutboxOptions { loading_delay: Duration::from_secs(5), ..outbox_options() };
    let messenger = post.outbox(options).messenger(SourceKind::Person);
    tokio::time::pause();
    let key = line_key("U1");
    let before = timeout(Duration::from_millis(4_999), messenger.at_work(&key));
    assert!(before.await.is_err());
    assert_eq!(post.calls(), []);
}

#[tokio::test]
async fn it_is_for_one_to_one_chats_only() {
    let post = Post::new().await;
    for kind in [SourceKind::Group, SourceKind::Room] {
        let messenger = post.outbox(outbox_options()).messenger(kind);
        soon(messenger.at_work(&line_key("C1"))).await;
    }
    let messenger = post.outbox(outbox_options()).messenger(SourceKind::Person);
    soon(messenger.at_work(&chat_key("c1"))).await;
    assert_eq!(post.calls(), []);
}

#[tokio::test]
async fn it_is_not_shown_once_a_letter_was_handed_over() {
    for fault in [None, Some(Fault::status(400))] {
        let post = Post::new().await;
        if let Some(fault) = fault {
            post.house.line.fault(Call::Reply, fault.clone());
            post.house.line.fault(Call::Push, fault);
        }
        let messenger = post.outbox(outbox_options()).messenger(SourceKind::Person);
        soon(messenger.send(&post.letter)).await;
        soon(messenger.at_work(&line_key("U1"))).await;
        assert!(!post.calls().contains(&Call::Loading));
    }
}

#[tokio::test]
async fn a_letter_does_not_wait_long_for_an_animation_that_hangs() {
    let times = SendTimes { loading: SHORT, ..outbox_options().times };
    let options = OutboxOptions { times, ..outbox_options() };
    let post = Post::new().await;
    post.house.line.fault(Call::Loading, Fault::Hang);
    let messenger = post.outbox(options).messenger(SourceKind::Person);
    let key = line_key("U1");
    let sending = async {
        post.house.line.until_seen(Call::Loading, 1).await;
        messenger.send(&post.letter).await
    };
    let ((), outcome) = soon(async { tokio::join!(messenger.at_work(&key), sending) }).await;
    assert_eq!(outcome, SendOutcome::Sent);
}

#[tokio::test]
async fn that_line_does_not_show_it_does_not_matter() {
    for fault in [Fault::status(400), Fault::status(500), Fault::Cut] {
        let post = Post::new().await;
        post.house.line.fault(Call::Loading, fault);
        let messenger = post.outbox(outbox_options()).messenger(SourceKind::Person);
        soon(messenger.at_work(&line_key("U1"))).await;
        assert_eq!(soon(messenger.send(&post.letter)).await, SendOutcome::Sent);
        assert_eq!(post.calls(), [Call::Loading, Call::Reply]);
    }
}
