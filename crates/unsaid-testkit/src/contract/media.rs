//! Files live and die with their message.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Ripple, SendOutcome},
            key::ConversationKey,
        },
        message::{Message, Part},
    },
    port::{
        Store,
        media::{MediaFile, MediaPlace},
    },
};

use crate::{
    builder::{
        answer, ask, at, chat_key, cut, edit, media_key, message, message_id, person_id, picture,
        restore, revise, say, unsend,
    },
    talk::Talk,
};

/// A message with a picture of its own name.
fn pictured(id: &str) -> Message {
    let part = Part::Media { key: media_key(id), mime: "image/png".to_owned() };
    Message { parts: vec![part], ..message(id) }
}

fn place(conversation: &ConversationKey, message: &str) -> MediaPlace {
    MediaPlace { conversation: conversation.clone(), message: message_id(message) }
}

async fn put(talk: &Talk, key: &str, message: &str) -> bool {
    let place = place(&talk.key, message);
    let file = picture(key.as_bytes());
    talk.store.put(&media_key(key), &place, file).await.expect("the store answers")
}

async fn get(talk: &Talk, key: &str) -> Option<MediaFile> {
    talk.store.get(&talk.key, &media_key(key)).await.expect("the store answers")
}

/// A file comes back byte for byte.
pub async fn a_file_comes_back_byte_for_byte(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.make(say(pictured("m1"))).await;
    let file = picture(&(0..=255).cycle().take(70_000).collect::<Vec<u8>>());
    let kept = store.put(&media_key("m1"), &place(&talk.key, "m1"), file.clone()).await;
    assert!(kept.expect("the store answers"));
    assert_eq!(get(&talk, "m1").await, Some(file));
    assert_eq!(get(&talk, "m2").await, None);
    assert!(put(&talk, "empty", "m1").await);
}

/// Without its message nothing is kept.
pub async fn h4_a_file_without_its_message_is_not_kept(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    assert!(!put(&talk, "k1", "m1").await, "no conversation");
    talk.say("m2").await;
    assert!(!put(&talk, "k1", "m1").await, "no message");
    talk.make(unsend("m2")).await;
    assert!(!put(&talk, "k1", "m2").await, "taken back meanwhile");
    talk.say("m1").await;
    assert_eq!(get(&talk, "k1").await, None, "nothing was kept for later");
}

/// A key that is taken in a conversation keeps what it has; another conversation has its own.
pub async fn a_taken_key_keeps_what_it_has(store: Arc<dyn Store>) {
    let (one, two) = (Talk::new(&store, chat_key("x")), Talk::new(&store, chat_key("y")));
    for talk in [&one, &two] {
        talk.say("m1").await;
    }
    assert!(put(&one, "k1", "m1").await);
    let other = |talk: &Talk| (place(&talk.key, "m1"), picture(b"other"));
    let (again, file) = other(&one);
    assert!(!store.put(&media_key("k1"), &again, file).await.expect("the store answers"));
    assert_eq!(get(&two, "k1").await, None);
    let (elsewhere, file) = other(&two);
    assert!(store.put(&media_key("k1"), &elsewhere, file).await.expect("the store answers"));
    assert_eq!(get(&one, "k1").await, Some(picture(b"k1")));
    assert_eq!(get(&two, "k1").await, Some(picture(b"other")));
    two.make(unsend("m1")).await;
    assert_eq!(get(&two, "k1").await, None);
    assert_eq!(get(&one, "k1").await, Some(picture(b"k1")));
}

/// A file is gone with its message, however that goes; files of other messages stay.
pub async fn h4_a_file_goes_with_its_message(store: Arc<dyn Store>) {
    let ana = person_id("ana");
    let goes = [
        unsend("m2"),
        cut("m2"),
        Change::EraseAuthor { person: ana, ripple: Ripple::Withdraw },
        Change::EraseAll,
    ];
    for (index, change) in goes.into_iter().enumerate() {
        let talk = Talk::new(&store, chat_key(&format!("c{index}")));
        let (kept, gone) = (format!("k{index}-1"), format!("k{index}-2"));
        talk.make(say(Message { author: answer("m1").author, ..pictured("m1") })).await;
        talk.make(say(pictured("m2"))).await;
        assert!(put(&talk, &kept, "m1").await && put(&talk, &gone, "m2").await);
        let all = change == Change::EraseAll;
        talk.make(change).await;
        assert_eq!(get(&talk, &gone).await, None);
        assert_eq!(get(&talk, &kept).await.is_none(), all);
    }
}

/// The file of an answer is gone with its words.
pub async fn h4_a_file_of_an_answer_goes_with_its_words(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.exchange("m1", "r1").await;
    assert!(put(&talk, "k1", "r1").await);
    talk.make(unsend("m1")).await;
    assert_eq!(get(&talk, "k1").await, None);
    assert!(!put(&talk, "k2", "r1").await, "a line without words keeps no file");
}

/// While an edit can be undone its files are hidden; an undo brings them back.
pub async fn an_undo_brings_files_back(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.make(say(pictured("m1"))).await;
    assert!(put(&talk, "k1", "m1").await);
    talk.make(edit("m1", message("m1"), "e1", at(9_000))).await;
    assert_eq!(get(&talk, "k1").await, None, "the new message has the old id, not the old file");
    talk.make(restore("e1")).await;
    assert_eq!(get(&talk, "k1").await, Some(picture(b"k1")));
    talk.make(edit("m1", message("m2"), "e2", at(9_000))).await;
    talk.say("m3").await;
    assert_eq!(get(&talk, "k1").await, None);
    assert!(talk.whole().await.undo.is_none());
}

/// A replacement of the same id has files of its own, while the edit can be undone and after.
pub async fn files_of_the_same_id_are_told_apart(store: Arc<dyn Store>) {
    for (name, undone) in [("x", true), ("y", false)] {
        let talk = Talk::new(&store, chat_key(name));
        let (old, new) = (format!("old-{name}"), format!("new-{name}"));
        talk.say("m1").await;
        assert!(put(&talk, &old, "m1").await);
        talk.make(edit("m1", message("m1"), "e1", at(9_000))).await;
        assert!(put(&talk, &new, "m1").await);
        assert!(get(&talk, &old).await.is_none() && get(&talk, &new).await.is_some());
        talk.make(if undone { restore("e1") } else { say(message("m2")) }).await;
        assert_eq!(get(&talk, &old).await.is_some(), undone);
        assert_eq!(get(&talk, &new).await.is_some(), !undone);
    }
}

/// A file of an answer that has not left the house is not shown.
pub async fn h11_a_file_is_shown_when_its_answer_has_left(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.make(ask(message("m1"), talk.now)).await;
    let fence = talk.begin().await.fence;
    talk.make(Change::Intend { fence, message: answer("r1") }).await;
    assert!(put(&talk, "k1", "r1").await);
    assert_eq!(get(&talk, "k1").await, None);
    let outcome = SendOutcome::Sent;
    talk.make(Change::Settle { id: message_id("r1"), outcome }).await;
    assert_eq!(get(&talk, "k1").await, Some(picture(b"k1")));
}

/// Files go with a dropped conversation.
pub async fn files_go_with_a_dropped_conversation(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.make(say(pictured("m1"))).await;
    assert!(put(&talk, "k1", "m1").await);
    store.drop_conversation(&talk.key).await.expect("the store answers");
    assert_eq!(get(&talk, "k1").await, None);
    talk.make(say(pictured("m1"))).await;
    assert_eq!(get(&talk, "k1").await, None, "a new message of the same name has none");
}

/// New parts keep the files they name, and no others.
pub async fn h4_an_edit_in_place_takes_files_that_it_no_longer_names(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.say("m1").await;
    assert!(put(&talk, "k1", "m1").await);
    let parts = vec![Part::Media { key: media_key("k1"), mime: "image/png".to_owned() }];
    talk.make(Change::Fill { id: message_id("m1"), parts }).await;
    assert_eq!(get(&talk, "k1").await, Some(picture(b"k1")));
    talk.make(revise("m1", "no picture any more", at(2_000))).await;
    assert_eq!(get(&talk, "k1").await, None);
}

/// An id that comes again after everything was forgotten does not bring its old file along.
pub async fn h13_an_id_that_comes_again_has_no_old_file(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    assert!(put(&talk, "k1", "m1").await);
    talk.make(Change::EraseAll).await;
    talk.say("m1").await;
    assert_eq!(get(&talk, "k1").await, None);
    while store.sweep(talk.now, 10).await.expect("the store answers").purged > 0 {}
    assert_eq!(get(&talk, "k1").await, None);
    assert!(put(&talk, "k1", "m1").await, "its bytes are gone, so the key is free again");
}
