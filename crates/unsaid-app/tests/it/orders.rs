//! H4, H5 and H11 in every order of say, unsend, edit, begin, model and send.

use std::sync::Arc;

use async_trait::async_trait;
use unsaid_app::{
    answer::{Ended, answer},
    place::Place,
};
use unsaid_core::{
    domain::{conversation::key::ConversationKey, id::MessageId, message::Message},
    port::{messenger::Messenger, model::Model},
};
use unsaid_testkit::orders::{Rooms, of_one_message, of_two_messages, play_all};

use crate::theatre::Theatre;

/// People talk to one process, and turns run in another, or in the same.
struct Houses {
    door: Theatre,
    turns: Theatre,
}

impl Houses {
    fn place(key: &ConversationKey) -> Place {
        match key {
            ConversationKey::Line(source) => Place::line(source.clone()),
            ConversationKey::Chat(_) | ConversationKey::Session(_) => panic!("{key} is not LINE's"),
        }
    }

    /// The door, in a conversation.
    fn door_at(&self, key: &ConversationKey) -> Theatre {
        let Theatre { store, port, clock, watchers, desk, messenger, shutdown, .. } = &self.door;
        Theatre {
            store: Arc::clone(store),
            port: Arc::clone(port),
            clock: Arc::clone(clock),
            watchers: Arc::clone(watchers),
            desk: Arc::clone(desk),
            messenger: Arc::clone(messenger),
            shutdown: shutdown.clone(),
            place: Self::place(key),
        }
    }
}

#[async_trait]
impl Rooms for Houses {
    async fn say(&self, key: &ConversationKey, message: Message) {
        self.door_at(key).ask(message.id.as_str()).await;
    }

    async fn unsend(&self, key: &ConversationKey, id: &MessageId) {
        self.door_at(key).unsend(id.as_str()).await;
    }

    async fn edit(&self, key: &ConversationKey, id: &MessageId, text: &str) {
        self.door_at(key).edit(id.as_str(), text).await;
    }

    async fn answer(
        &self,
        key: &ConversationKey,
        model: Arc<dyn Model>,
        messenger: Arc<dyn Messenger>,
    ) -> bool {
        let mut cast = self.turns.with_messenger(model, messenger);
        cast.place = Self::place(key);
        let ended = answer(&self.turns.desk, &cast, &self.turns.shutdown).await.unwrap();
        !matches!(ended, Ended::NotBegun(_))
    }
}

async fn one_process() -> (Theatre, Theatre) {
    let door = Theatre::line().await;
    let turns = door.another("p1");
    let desk = Arc::clone(&door.desk);
    let watchers = Arc::clone(&door.watchers);
    (door, Theatre { watchers, desk, ..turns })
}

async fn two_processes() -> (Theatre, Theatre) {
    let door = Theatre::line().await;
    let turns = door.another("p2");
    (door, turns)
}

async fn play((door, turns): (Theatre, Theatre), orders: Vec<Vec<unsaid_testkit::orders::Step>>) {
    let store = Arc::clone(&door.port);
    let rooms: Arc<dyn Rooms> = Arc::new(Houses { door, turns });
    play_all(&store, &rooms, orders, 1).await;
}

#[tokio::test(start_paused = true)]
async fn one_message_in_one_process() {
    play(one_process().await, of_one_message()).await;
}

#[tokio::test(start_paused = true)]
async fn one_message_in_two_processes() {
    play(two_processes().await, of_one_message()).await;
}

#[tokio::test(start_paused = true)]
async fn two_messages_in_one_process() {
    play(one_process().await, of_two_messages()).await;
}

#[tokio::test(start_paused = true)]
async fn two_messages_in_two_processes() {
    play(two_processes().await, of_two_messages()).await;
}
