//! A promise ends once: with the picture, or with the sentence. Unless its message goes first.

use std::sync::Arc;

use unsaid_core::port::media::{MediaFile, MediaPlace};
use unsaid_line::{
    client::ClientOptions,
    picture::{Fetched, LOAD_FAILED, PENDING_MIME, is_promised, media_key},
    stand_in::{Call, Fault},
};
use unsaid_testkit::builder::{message_id, revise, say, unsend};

use crate::{
    gallery::{Gallery, png},
    house::{GENEROUS, House, SHORT, TOKEN, soon},
    logs::{capture_logs, logged},
};

#[tokio::test]
async fn a_picture_comes_into_its_message() {
    let gallery = Gallery::new().await;
    gallery.promise("m1", png(2, 3)).await;
    assert_eq!(gallery.says("m1").await, PENDING_MIME);
    assert_eq!(gallery.fetch("m1").await, Fetched::Kept);
    assert_eq!(gallery.says("m1").await, "image/png");
    let file = gallery.file("m1").await.unwrap();
    assert_eq!(file, MediaFile { mime: "image/png".to_owned(), bytes: png(2, 3) });
    assert_eq!(gallery.fetch("m1").await, Fetched::Gone, "there is no promise any more");
    assert_eq!(gallery.downloads(), 1);
}

#[tokio::test]
async fn a_large_one_is_made_smaller() {
    let gallery = Gallery::new().await;
    gallery.promise("m1", png(1_500, 20)).await;
    assert_eq!(gallery.fetch("m1").await, Fetched::Kept);
    assert_eq!(gallery.says("m1").await, "image/jpeg");
    let file = gallery.file("m1").await.unwrap();
    let picture = image::load_from_memory(&file.bytes).unwrap();
    assert_eq!((file.mime.as_str(), picture.width(), picture.height()), ("image/jpeg", 1_024, 14));
}

#[tokio::test]
async fn bytes_tell_the_type_and_headers_do_not() {
    let gallery = Gallery::new().await;
    for (id, header) in [("m1", "text/html"), ("m2", "image/jpeg")] {
        gallery.promise(id, Vec::new()).await;
        gallery.house.line.put_content(&message_id(id), header, png(2, 3));
        assert_eq!(gallery.fetch(id).await, Fetched::Kept);
        assert_eq!(gallery.says(id).await, "image/png");
    }
    gallery.promise("m3", Vec::new()).await;
    gallery.house.line.put_content(&message_id("m3"), "image/png", "<html>");
    assert_eq!(gallery.fetch("m3").await, Fetched::Failed);
    assert_eq!(gallery.says("m3").await, LOAD_FAILED);
}

#[tokio::test]
async fn the_sentence_stands_for_what_cannot_be_fetched() {
    assert_eq!(LOAD_FAILED, "[User sent an image, but an error occurred while loading]");
    let base = House::new().await.line.base();
    let faults = [
        Fault::status(404),
        Fault::status(410),
        Fault::status(400),
        Fault::limited(3_600),
        Fault::Flood,
    ];
    for fault in faults {
        let gallery = Gallery::new().await;
        gallery.promise("m1", png(2, 3)).await;
        gallery.house.line.fault(Call::Content, fault.clone());
        assert_eq!(gallery.fetch("m1").await, Fetched::Failed, "{fault:?}");
        assert_eq!(gallery.says("m1").await, LOAD_FAILED);
        assert_eq!(gallery.file("m1").await, None);
        assert_eq!(gallery.downloads(), 1);
    }
    // A redirect is a failure that may pass; it is not followed.
    let gallery = Gallery::new().await;
    gallery.promise("m1", png(2, 3)).await;
    gallery.house.line.fault(Call::Content, Fault::Redirect(base));
    assert_eq!(gallery.fetch("m1").await, Fetched::Kept);
    assert_eq!(gallery.downloads(), 2);
}

#[tokio::test]
async fn a_picture_larger_than_allowed_is_not_taken() {
    let small = |options| ClientOptions { content_bytes_max: 100, ..options };
    let gallery = Gallery::of(House::with(small).await, GENEROUS);
    gallery.promise("m1", vec![0; 101]).await;
    assert_eq!(gallery.fetch("m1").await, Fetched::Failed);
    assert_eq!(gallery.says("m1").await, LOAD_FAILED);
}

#[tokio::test]
async fn what_hangs_ends_in_the_sentence() {
    let gallery = Gallery::of(House::new().await, SHORT);
    gallery.promise("m1", png(2, 3)).await;
    gallery.house.line.fault(Call::Content, Fault::Hang);
    assert_eq!(gallery.fetch("m1").await, Fetched::Failed);
    assert_eq!(gallery.says("m1").await, LOAD_FAILED);
}

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    for fault in [Fault::status(202), Fault::status(500), Fault::limited(0), Fault::Cut] {
        let gallery = Gallery::new().await;
        gallery.promise("m1", png(2, 3)).await;
        gallery.house.line.fault(Call::Content, fault.clone());
        gallery.house.line.fault(Call::Content, fault);
        assert_eq!(gallery.fetch("m1").await, Fetched::Kept);
        assert_eq!(gallery.downloads(), 3);
    }
}

#[tokio::test]
async fn h4_nothing_is_kept_of_a_picture_whose_message_is_taken_back_meanwhile() {
    let gallery = Gallery::new().await;
    gallery.promise("m1", png(2, 3)).await;
    gallery.house.line.fault(Call::Content, Fault::Hang);
    let taking_back = async {
        gallery.house.line.until_seen(Call::Content, 1).await;
        gallery.talk.make(unsend("m1")).await;
        gallery.house.line.hang_up();
    };
    let (fetched, ()) = tokio::join!(gallery.fetch("m1"), taking_back);
    assert_eq!(fetched, Fetched::Gone);
    assert_eq!(gallery.downloads(), 2, "it was fetched, too late");
    assert_eq!((gallery.entry("m1").await, gallery.file("m1").await), (None, None));
    gallery.talk.assert_unsaid("line-m1").await;
}

#[tokio::test]
async fn nothing_is_asked_for_a_message_that_promises_nothing() {
    let gallery = Gallery::new().await;
    assert_eq!(gallery.fetch("m1").await, Fetched::Gone);
    gallery.talk.say("m2").await;
    assert_eq!(gallery.fetch("m2").await, Fetched::Gone);
    gallery.promise("m3", png(2, 3)).await;
    gallery.talk.make(unsend("m3")).await;
    assert_eq!(gallery.fetch("m3").await, Fetched::Gone);
    gallery.promise("m4", png(2, 3)).await;
    gallery.talk.make(revise("m4", "words instead", gallery.talk.now)).await;
    assert_eq!(gallery.fetch("m4").await, Fetched::Gone);
    assert_eq!(gallery.says("m4").await, "words instead");
    assert_eq!(gallery.downloads(), 0);
}

#[tokio::test]
async fn two_who_want_the_same_picture_fetch_it_once() {
    let gallery = Gallery::new().await;
    gallery.promise("m1", png(2, 3)).await;
    let (one, other) = tokio::join!(gallery.fetch("m1"), gallery.fetch("m1"));
    assert_eq!([one, other], [Fetched::Kept, Fetched::Gone]);
    assert_eq!(gallery.downloads(), 1);
}

#[tokio::test]
async fn whoever_stops_fetching_lets_the_next_one_do_it() {
    let gallery = Gallery::new().await;
    gallery.promise("m1", png(2, 3)).await;
    gallery.house.line.fault(Call::Content, Fault::Hang);
    let stopped = tokio::select! {
        fetched = gallery.fetch("m1") => Some(fetched),
        () = gallery.house.line.until_seen(Call::Content, 1) => None,
    };
    assert_eq!(stopped, None);
    assert_eq!(gallery.fetch("m1").await, Fetched::Kept);
}

#[tokio::test]
async fn talking_goes_on_while_a_picture_is_fetched() {
    let gallery = Gallery::new().await;
    gallery.promise("m1", png(2, 3)).await;
    gallery.house.line.fault(Call::Content, Fault::Hang);
    let talking = async {
        gallery.house.line.until_seen(Call::Content, 1).await;
        gallery.talk.say("m2").await;
        gallery.house.line.hang_up();
    };
    let (fetched, ()) = tokio::join!(gallery.fetch("m1"), talking);
    assert_eq!(fetched, Fetched::Kept);
    assert_eq!(gallery.says("m1").await, "image/png");
}

#[tokio::test]
async fn a_file_that_is_there_already_only_has_to_be_named() {
    let gallery = Gallery::new().await;
    gallery.promise("m1", png(2, 3)).await;
    // The server stopped between keeping the file and saying so.
    let place = MediaPlace { conversation: gallery.key().clone(), message: message_id("m1") };
    let file = MediaFile { mime: "image/gif".to_owned(), bytes: b"GIF".to_vec() };
    let key = media_key(&message_id("m1"));
    assert!(gallery.talk.store.put(&key, &place, file).await.unwrap());
    assert_eq!(gallery.fetch("m1").await, Fetched::Kept);
    assert_eq!(gallery.says("m1").await, "image/gif");
    assert_eq!(gallery.downloads(), 0);
}

#[tokio::test]
async fn a_turn_gets_the_pictures_it_is_about() {
    let gallery = Gallery::new().await;
    for id in ["m1", "m2", "m3", "m4", "m5"] {
        gallery.promise(id, png(2, 3)).await;
    }
    gallery.talk.make(say(unsaid_testkit::builder::message("m6"))).await;
    gallery.fetch("m2").await;
    let entries = gallery.talk.store.page(gallery.key(), None, 10).await.unwrap();
    assert_eq!(entries.iter().filter(|entry| is_promised(entry)).count(), 4);
    soon(gallery.pictures.make_ready(gallery.key(), &entries, GENEROUS)).await;
    for id in ["m1", "m2", "m3", "m4", "m5"] {
        assert_eq!(gallery.says(id).await, "image/png");
    }
    assert_eq!(gallery.downloads(), 5);
}

#[tokio::test]
async fn a_turn_does_not_wait_for_ever_and_what_it_gave_up_stays_given_up() {
    let gallery = Arc::new(Gallery::new().await);
    gallery.promise("m1", png(2, 3)).await;
    gallery.house.line.fault(Call::Content, Fault::Hang);
    let entries = gallery.talk.store.page(gallery.key(), None, 10).await.unwrap();
    // Somebody else is at it, and would be for a long time.
    let turn = async {
        gallery.house.line.until_seen(Call::Content, 1).await;
        gallery.pictures.make_ready(gallery.key(), &entries, SHORT).await;
        assert_eq!(gallery.says("m1").await, LOAD_FAILED);
    };
    let (fetched, ()) = soon(async { tokio::join!(gallery.fetch("m1"), turn) }).await;
    assert_eq!(fetched, Fetched::Failed);
    assert_eq!(gallery.fetch("m1").await, Fetched::Gone);
    assert_eq!((gallery.says("m1").await.as_str(), gallery.downloads()), (LOAD_FAILED, 1));
}

#[tokio::test]
async fn failures_are_logged_by_id() {
    capture_logs();
    let gallery = Gallery::new().await;
    gallery.promise("m1", b"canary-bytes".to_vec()).await;
    gallery.fetch("m1").await;
    let logged = logged();
    assert!(logged.contains("not_a_picture") && logged.contains("m1"), "{logged}");
    assert!(!logged.contains(TOKEN) && !logged.contains("canary-bytes"));
}
