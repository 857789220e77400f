//! What wants an answer, and when the worker is told so.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{Instant, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use unsaid_app::{
    event::Watchers,
    worker::{Casting, Stage, Worker},
};
use unsaid_core::{
    domain::{conversation::key::ConversationKey, time::Timestamp},
    port::{clock::Clock, error::StoreError},
};
use unsaid_line::inbound::{Groups, Inbound, Settings};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::{at, line_key},
    failing::Failing,
};

use crate::{
    door::{DEBOUNCE_MS, Door, NOW, desk, settings, taken},
    letter::{HAPPENED, message, text, with},
};

/// From when on an answer is wanted after one event, if one is.
async fn wanted(settings: Settings, event: Value) -> Option<Timestamp> {
    let door = Door::with(settings);
    let chat = event["source"]["groupId"].as_str().or(event["source"]["userId"].as_str());
    let chat = chat.unwrap().to_owned();
    door.tell(event).await;
    assert_eq!(door.heard(&chat).await, ["m1"], "it is kept in any case");
    let state = door.state(&chat).await;
    let wanted = door.talk(&chat).overview().await.wanted_at;
    assert_eq!(state.contains("way back event-m1"), wanted.is_some(), "{state}");
    wanted
}

fn groups(groups: Groups) -> Settings {
    Settings { groups, ..settings() }
}

fn mentioning(chat: &str, mentionees: &Value) -> Value {
    let mention = json!({"mentionees": mentionees});
    message(chat, "m1", &json!({"type": "text", "text": "@bot hi", "mention": mention}))
}

const SOON: Option<Timestamp> = Some(at(NOW + DEBOUNCE_MS));

#[tokio::test]
async fn an_answer_is_wanted_once_others_had_time_to_join_in() {
    assert_eq!(wanted(settings(), text("Uana", "m1", "hello")).await, SOON);
    let at_once = Settings { debounce: Duration::ZERO, ..settings() };
    assert_eq!(wanted(at_once, text("Uana", "m1", "hello")).await, Some(at(NOW)));
}

#[tokio::test]
async fn in_standby_everything_is_kept_and_nothing_answered() {
    for (mode, expected) in [
        (json!("standby"), None),
        (json!("active"), SOON),
        (json!("brandNew"), SOON),
        (json!(7), SOON),
    ] {
        let event = with(&text("Uana", "m1", "hello"), &json!({"mode": mode}));
        assert_eq!(wanted(settings(), event).await, expected, "{mode}");
    }
}

#[tokio::test]
async fn what_is_too_old_is_kept_and_not_answered() {
    let five_minutes = 5 * 60 * 1_000;
    for (timestamp, expected) in [
        (NOW - five_minutes, SOON),
        (NOW - five_minutes - 1, None),
        (0, None),
        // clocks differ
        (NOW + five_minutes, SOON),
    ] {
        let event = with(&text("Uana", "m1", "hello"), &json!({"timestamp": timestamp}));
        assert_eq!(wanted(settings(), event).await, expected, "{timestamp}");
    }
}

#[tokio::test]
async fn groups_are_answered_as_the_operator_wants() {
    let us = json!([{"type": "all"}, {"type": "user", "userId": "Ubot", "isSelf": true}]);
    let others = json!([{"type": "all"}, {"type": "user", "userId": "Ubob", "isSelf": false}]);
    let odd = json!([null, 1, [], {"isSelf": "true"}, {"isSelf": 1}]);
    for (setting, event, expected) in [
        (Groups::Decide, text("Cgroup", "m1", "hello"), SOON),
        (Groups::Mention, text("Cgroup", "m1", "hello"), None),
        (Groups::Mention, text("Cgroup", "m1", "@bot"), None),
        (Groups::Mention, mentioning("Cgroup", &us), SOON),
        (Groups::Mention, mentioning("Cgroup", &others), None),
        (Groups::Mention, mentioning("Cgroup", &odd), None),
        (Groups::Mention, mentioning("Cgroup", &json!("@bot")), None),
        (Groups::Off, mentioning("Cgroup", &us), None),
        (Groups::Off, text("Cgroup", "m1", "hello"), None),
        (Groups::Mention, text("Uana", "m1", "hello"), SOON),
        (Groups::Off, text("Uana", "m1", "hello"), SOON),
    ] {
        assert_eq!(wanted(groups(setting), event.clone()).await, expected, "{setting:?} {event}");
    }
}

#[tokio::test]
async fn rooms_are_groups_too() {
    for (setting, expected) in
        [(Groups::Decide, SOON), (Groups::Mention, None), (Groups::Off, None)]
    {
        let door = Door::with(groups(setting));
        door.tell(text("Rroom", "m1", "hello")).await;
        assert_eq!(door.talk("Rroom").overview().await.wanted_at, expected, "{setting:?}");
    }
}

#[tokio::test]
async fn a_second_message_does_not_put_the_answer_off() {
    let door = Door::new();
    door.tell(text("Uana", "m1", "hello")).await;
    door.clock.advance(1_000);
    door.tell(text("Uana", "m2", "are you there?")).await;
    assert_eq!(door.talk("Uana").overview().await.wanted_at, SOON);
}

/// Shows what the paused time of the test shows.
struct PausedClock(Instant);

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        at(HAPPENED).plus_millis(i64::try_from(self.0.elapsed().as_millis()).unwrap())
    }
}

/// Notes who is asked for, and when; another process answers.
struct Noting {
    clock: Arc<PausedClock>,
    asked: Mutex<Vec<(ConversationKey, Timestamp)>>,
}

#[async_trait]
impl Stage for Noting {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        self.asked.lock().unwrap().push((key.clone(), self.clock.now()));
        Ok(Casting::Elsewhere)
    }
}

#[tokio::test(start_paused = true)]
async fn the_worker_is_woken_for_the_moment_from_which_the_answer_is_wanted() {
    let store = Arc::new(Failing::new(Arc::new(MemoryStore::unbounded())));
    let clock = Arc::new(PausedClock(Instant::now()));
    let watchers = Arc::new(Watchers::default());
    let stage = Arc::new(Noting { clock: Arc::clone(&clock), asked: Mutex::default() });
    let desk = desk(&store, &watchers, Arc::<PausedClock>::clone(&clock));
    let worker = Worker::new(Arc::new(desk), Arc::<Noting>::clone(&stage), 4);
    let mut door = Door::over(Arc::clone(&store), store, groups(Groups::Off));
    let Inbound { history, errands, secret, settings, .. } =
        Arc::into_inner(door.inbound).expect("nobody else has it");
    let inbound =
        Inbound { history, watchers, wake: worker.wake(), errands, clock, secret, settings };
    door.inbound = Arc::new(inbound);

    let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
    let mut working = JoinSet::new();
    let (on, end) = (tasks.clone(), shutdown.clone());
    working.spawn(async move { worker.run(&on, end).await });
    // a sweep comes every five seconds, from the beginning on: this is between two of them
    tokio::time::advance(Duration::from_millis(100)).await;
    let events = [text("Uana", "m1", "hello"), text("Cgroup", "m2", "not for us")];
    assert_eq!(door.call(&events).await, Ok(taken(2)));
    let asked = async {
        while stage.asked.lock().unwrap().is_empty() {
            // waits: the paused clock jumps to the next timer, and this is never the last
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_mins(1), asked).await.expect("somebody is asked for");
    let expected = at(HAPPENED + 100 + DEBOUNCE_MS);
    assert_eq!(*stage.asked.lock().unwrap(), [(line_key("Uana"), expected)]);
    shutdown.cancel();
    working.join_next().await.unwrap().unwrap();
    tasks.close();
    tasks.wait().await;
}
