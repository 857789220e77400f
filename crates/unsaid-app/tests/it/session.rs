//! Sessions without a door: what holds between a question and the turn that answers it.

use std::{sync::Arc, time::Duration};

use jiff::tz::TimeZone;
use unsaid_app::{
    event::Watchers,
    logs::{Log, Logs, Side},
    session::{Expert, Experts, SessionStage, Speeches, end, talk::Talk},
    worker::{Casting, Stage as _, Wake},
};
use unsaid_core::{
    domain::{conversation::key::ConversationKey, session::SessionTerms},
    port::{history::History as _, people::People as _, volatile::Volatile as _},
};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::{
        agent_id, at, consent_line, expert_id, message_id, new_session, person, person_id,
        session_id, words,
    },
    model::DrivenModel,
};

#[tokio::test]
async fn a_session_that_ends_before_its_turn_begins_is_still_answered_without_consent() {
    let store = Arc::new(MemoryStore::unbounded());
    let volatile = Arc::new(MemoryStore::unbounded());
    store.add(person("bob", false), consent_line(false, 0)).await.unwrap();
    let terms = SessionTerms { free: 0, free_minutes: 5, paid_minutes: 45 };
    let session = store.open_session(new_session("s1", "bob", 100), terms).await.unwrap().unwrap();
    let speeches = Speeches::default();
    let logs = Logs {
        kept: Side { history: Arc::clone(&store) as _, wake: Wake::unheard() },
        volatile: Side { history: Arc::clone(&volatile) as _, wake: Wake::unheard() },
        watchers: Arc::new(Watchers::default()),
        crossing: Arc::default(),
    };
    let (logs, speeches_of) = (&logs, &speeches);
    let bob = person("bob", false);
    let talk = Talk {
        logs,
        speeches: speeches_of,
        person: &bob,
        session: &session,
        now: at(200),
        once: None,
    };
    talk.say(message_id("m1"), words("hello")).await.unwrap();
    let ended = end(&*store, &*volatile, &person_id("bob"), &session_id("s1"), at(300)).await;
    assert_eq!(ended.unwrap().expert, None);

    let key = ConversationKey::Session(session_id("s1"));
    let model = DrivenModel::new().0;
    let expert = Expert {
        id: expert_id("kai"),
        author: agent_id("kai"),
        name: "Kai".to_owned(),
        description: String::new(),
        prompt: words("You are Kai."),
        model,
    };
    let stage = SessionStage {
        log: Log::Volatile,
        history: Arc::clone(&volatile) as _,
        people: Arc::clone(&store) as _,
        experts: Arc::new(Experts::new([expert], expert_id("kai"))),
        speeches,
        zone: TimeZone::UTC,
        turn_max: Duration::from_mins(1),
    };
    let casting = stage.cast(&key).await.unwrap();
    assert!(matches!(casting, Casting::Cast { .. }), "nobody answers");
    assert!(!volatile.drop_idle(&key, at(300)).await.unwrap(), "an answer is owed");
    assert!(volatile.overview(&key).await.unwrap().is_some());
}
