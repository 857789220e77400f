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

#[tokio::test]
async fn a_change_is_heard_of_on_its_own_server_at_once() {
    let database = Database::new().await;
    let store = database.open().await;
    let mut hints = store.hints();
    let talk = Talk::chat(&(Arc::new(store) as Arc<dyn Store>));
    talk.say("m1").await;
    assert_eq!(hints.try_recv().expect("a hint"), talk.key);
}
