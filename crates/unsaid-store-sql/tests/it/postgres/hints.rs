//! Wake-ups between servers.

use std::{sync::Arc, time::Duration};

use tokio::{sync::broadcast::Receiver, time::timeout};
use unsaid_core::{domain::conversation::key::ConversationKey, port::Store};
use unsaid_testkit::{builder::chat_key, talk::Talk};

use super::database::Database;

const SOON: Duration = Duration::from_secs(10);

/// Says something in new chats until one of them is heard: the other may not listen yet.
async fn until_heard(store: &Arc<dyn Store>, hints: &mut Receiver<ConversationKey>, name: &str) {
    let heard = async {
        for chat in 0.. {
            let key = chat_key(&format!("{name}{chat}"));
            Talk::new(store, key.clone()).say("m").await;
            if timeout(Duration::from_millis(200), hears(hints, &key)).await.is_ok() {
                return;
            }
        }
    };
    timeout(SOON, heard).await.expect("a hint is heard");
}

async fn hears(hints: &mut Receiver<ConversationKey>, key: &ConversationKey) {
    while hints.recv().await.expect("hints go on") != *key {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_heard_of_on_other_servers_also_after_the_connection_was_lost() {
    let database = Database::new().await;
    let here: Arc<dyn Store> = Arc::new(database.open().await);
    let other = database.open().await;
    let mut hints = other.hints();
    until_heard(&here, &mut hints, "before").await;
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    database.plain().await.execute(sql, &[]).await.unwrap();
    // The pool's own connections were ended as well; the first change may meet one of them.
    while here.check().await.is_err() {}
    until_heard(&here, &mut hints, "after").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_not_heard_of_on_its_own_server() {
    let database = Database::new().await;
    let (store, other) = (database.open().await, database.open().await);
    let (mut own, mut others) = (store.hints(), other.hints());
    let (here, there): (Arc<dyn Store>, Arc<dyn Store>) = (Arc::new(store), Arc::new(other));
    // Both listen.
    until_heard(&here, &mut others, "first").await;
    until_heard(&there, &mut own, "second").await;
    let talk = Talk::new(&here, chat_key("third"));
    talk.say("m1").await;
    hears(&mut others, &talk.key).await;
    // What is told after it comes after it.
    let last = Talk::new(&there, chat_key("last"));
    last.say("m1").await;
    loop {
        let heard = own.recv().await.expect("hints go on");
        assert_ne!(heard, talk.key);
        if heard == last.key {
            break;
        }
    }
}
