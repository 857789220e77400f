//! Turns by themselves: who is found, when, how many at once, and what failures do.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use tokio::{task::JoinSet, time::Instant};
use tokio_util::task::TaskTracker;
use unsaid_app::{
    answer::{Ended, Manner, NotBegun, answer_seen, dismiss, speech::Speech},
    place::Place,
    worker::{Casting, Stage, Wake, Worker},
};
use unsaid_core::{
    domain::{
        conversation::{change::Decision, key::ConversationKey, log::Sending},
        id::{Number, SourceId},
        message::Part,
    },
    port::{
        error::StoreError,
        messenger::Messenger,
        model::{EndReason, Model},
    },
};
use unsaid_testkit::{
    builder::{line_key, words},
    failing::Fault,
    messenger::{Post, RecordingMessenger},
    model::{Asks, DrivenModel, ScriptedModel, end, reply, text},
};

use crate::theatre::Theatre;

/// A theatre in which a worker works.
struct Work {
    theatre: Theatre,
    wake: Wake,
    tasks: TaskTracker,
    working: JoinSet<()>,
}

/// Everybody is played by one model, but for some.
struct Plays {
    theatre: Theatre,
    model: Arc<dyn Model>,
    others: Mutex<BTreeMap<ConversationKey, Casting>>,
    asked: Mutex<Vec<ConversationKey>>,
}

#[async_trait]
impl Stage for Plays {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        self.asked.lock().unwrap().push(key.clone());
        if let Some(other) = self.others.lock().unwrap().get(key) {
            return Ok(other.clone());
        }
        let mut cast = self.theatre.with_tools(Arc::clone(&self.model));
        let ConversationKey::Line(source) = key else { panic!("{key} is not LINE's") };
        cast.place = Place::line(source.clone());
        Ok(Casting::Cast { cast: Box::new(cast), through: None })
    }
}

fn plays(theatre: &Theatre, model: Arc<dyn Model>) -> Arc<Plays> {
    let theatre = at(theatre, &line_key("U1"));
    Arc::new(Plays { theatre, model, others: Mutex::default(), asked: Mutex::default() })
}

/// The same process, in a conversation.
fn at(theatre: &Theatre, key: &ConversationKey) -> Theatre {
    let ConversationKey::Line(source) = key else { panic!("{key} is not LINE's") };
    let place = Place::line(SourceId::new(source.as_str()).unwrap());
    let (watchers, desk) = (Arc::clone(&theatre.watchers), Arc::clone(&theatre.desk));
    Theatre { watchers, desk, place, ..theatre.another("p9") }
}

fn work(theatre: Theatre, stage: Arc<Plays>, turns_max: usize) -> Work {
    let (tasks, mut working) = (TaskTracker::new(), JoinSet::new());
    let worker = Worker::new(Arc::clone(&theatre.desk), stage, turns_max);
    let wake = worker.wake();
    let (on, shutdown) = (tasks.clone(), theatre.shutdown.clone());
    working.spawn(async move { worker.run(&on, shutdown).await });
    Work { theatre, wake, tasks, working }
}

fn replying() -> Arc<ScriptedModel> {
    ScriptedModel::saying(vec![reply("hello"), end(EndReason::Calls)])
}

impl Work {
    /// Somebody speaks, and the door says so.
    async fn ask(&self, id: &str) {
        self.theatre.ask(id).await;
        self.wake.at(self.theatre.key(), self.theatre.now());
    }

    async fn ask_at(&self, source: &str, id: &str) {
        let theatre = at(&self.theatre, &line_key(source));
        theatre.ask(id).await;
        self.wake.at(theatre.key(), theatre.now());
    }

    /// Until so many letters have arrived.
    async fn arrived(&self, count: usize) {
        arrived(&self.theatre.messenger, count).await;
    }

    /// Stops, and waits for everything.
    async fn stop(mut self) -> Theatre {
        self.theatre.shutdown.cancel();
        self.working.join_next().await.expect("it works").expect("it does not panic");
        self.tasks.close();
        self.tasks.wait().await;
        self.theatre
    }
}

async fn arrived(messenger: &RecordingMessenger, count: usize) {
    while messenger.outbox().len() < count {
        // waits: a messenger tells nobody; the time is paused
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Lets time pass in which nothing is expected.
async fn later(time: Duration) {
    // waits: that nothing happens is what is tried
    tokio::time::sleep(time).await;
}

#[tokio::test(start_paused = true)]
async fn a_wake_is_answered_at_once() {
    let theatre = Theatre::line().await;
    let stage = plays(&theatre, replying());
    let work = work(theatre, stage, 4);
    later(Duration::from_secs(1)).await;
    let before = Instant::now();
    work.ask("m1").await;
    work.arrived(1).await;
    assert!(before.elapsed() <= Duration::from_millis(2), "{:?}", before.elapsed());
    let theatre = work.stop().await;
    assert_eq!(theatre.decision().await, Decision::Answered);
}

#[tokio::test(start_paused = true)]
async fn what_is_wanted_later_is_answered_then_and_together() {
    let theatre = Theatre::line().await;
    let stage = plays(&theatre, replying());
    let work = work(theatre, Arc::clone(&stage), 4);
    later(Duration::from_secs(1)).await;
    let (before, wanted) = (Instant::now(), work.theatre.now().plus_millis(1_500));
    work.theatre.ask_from("m1", wanted).await;
    work.wake.at(work.theatre.key(), wanted);
    later(Duration::from_secs(1)).await;
    work.theatre.ask_from("m2", wanted.plus_millis(1_000)).await;
    work.wake.at(work.theatre.key(), wanted.plus_millis(1_000));
    work.arrived(1).await;
    let took = before.elapsed();
    assert!((1_500..1_510).contains(&took.as_millis()), "{took:?}");
    later(Duration::from_secs(20)).await;
    assert_eq!(stage.asked.lock().unwrap().len(), 1, "nobody polls");
    assert_eq!(work.stop().await.arrived(), ["hello"]);
}

#[tokio::test(start_paused = true)]
async fn a_sweep_finds_what_nobody_spoke_of() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    let stage = plays(&theatre, replying());
    let work = work(theatre, stage, 4);
    work.arrived(1).await;
    let before = Instant::now();
    work.theatre.ask("m2").await;
    work.arrived(2).await;
    assert!(before.elapsed() <= Duration::from_secs(6));
    work.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_comes_while_a_turn_runs_is_answered_by_the_next() {
    let theatre = Theatre::line().await;
    let (model, mut asks) = DrivenModel::new();
    let stage = plays(&theatre, model);
    let work = work(theatre, stage, 4);
    work.ask("m1").await;
    let first = asks.next().await;
    work.ask("m2").await;
    // Another process took this one in, and its own worker has lost.
    work.theatre.another("p2").ask("m3").await;
    later(Duration::from_secs(7)).await;
    assert!(asks.is_empty(), "one turn a conversation");
    first.answer([reply("one")]);
    let before = Instant::now();
    asks.next().await.answer([reply("two and three")]);
    assert_eq!(before.elapsed(), Duration::ZERO);
    work.arrived(2).await;
    assert_eq!(work.stop().await.arrived(), ["one", "two and three"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_begins_again_at_once() {
    let theatre = Theatre::line().await;
    let (model, mut asks) = DrivenModel::new();
    let stage = plays(&theatre, model);
    let work = work(theatre, stage, 4);
    work.ask("m1").await;
    work.ask("m2").await;
    let first = asks.next().await;
    work.theatre.unsend("m1").await;
    let before = Instant::now();
    first.cancelled().await;
    let second = asks.next().await;
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert!(!unsaid_testkit::model::heard(&second.request).contains("words of m1"));
    work.theatre.edit("m2", "changed").await;
    let third = asks.next().await;
    assert!(unsaid_testkit::model::heard(&third.request).contains("changed"));
    third.answer([reply("done")]);
    work.arrived(1).await;
    assert_eq!(work.stop().await.arrived(), ["done"]);
}

#[tokio::test(start_paused = true)]
async fn so_many_at_once_and_no_more() {
    let theatre = Theatre::line().await;
    let (model, mut asks): (_, Asks) = DrivenModel::new();
    let stage = plays(&theatre, model);
    let work = work(theatre, stage, 2);
    for source in ["U1", "U2", "U3"] {
        work.ask_at(source, "m1").await;
    }
    let (one, _two) = (asks.next().await, asks.next().await);
    later(Duration::from_mins(1)).await;
    assert!(asks.is_empty());
    one.answer([reply("hello")]);
    asks.next().await.answer([reply("hello")]);
    work.arrived(2).await;
    work.stop().await;
}

#[tokio::test(start_paused = true)]
async fn where_nobody_answers_nobody_waits() {
    let theatre = Theatre::line().await;
    let stage = plays(&theatre, replying());
    stage
        .others
        .lock()
        .unwrap()
        .insert(theatre.key().clone(), Casting::Nobody { through: Number::new(1) });
    let work = work(theatre, Arc::clone(&stage), 2);
    work.ask("m1").await;
    later(Duration::from_mins(1)).await;
    assert!(stage.asked.lock().unwrap().len() <= 2, "it is not looked at again and again");
    let theatre = work.stop().await;
    assert_eq!(theatre.decision().await, Decision::Silent { reason: None });
    assert_eq!((theatre.whole().await.wanted_at, theatre.talk().heard().await.len()), (None, 1));
}

#[tokio::test(start_paused = true)]
async fn what_was_said_since_is_not_dismissed_unseen() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    theatre.ask("m2").await;
    later(Duration::from_mins(1)).await;
    let seen_one = dismiss(&theatre.desk, theatre.key(), Number::new(1)).await.unwrap();
    assert_eq!(seen_one, Ended::NotBegun(NotBegun::Unseen));
    assert!(theatre.whole().await.wanted_at.is_some(), "both wait, and are looked at again");
    let seen_both = dismiss(&theatre.desk, theatre.key(), Number::new(2)).await.unwrap();
    assert_eq!(seen_both, Ended::Silent);
    assert_eq!(theatre.whole().await.wanted_at, None);
}

#[tokio::test(start_paused = true)]
async fn what_was_said_since_is_looked_at_before_it_is_answered() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    theatre.ask("m2").await;
    later(Duration::from_mins(1)).await;
    let cast = theatre.with_tools(replying());
    let seen = async |number| {
        let through = Some(Number::new(number));
        answer_seen(&theatre.desk, &cast, through, &theatre.shutdown).await.unwrap()
    };
    assert_eq!(seen(1).await, Ended::NotBegun(NotBegun::Unseen));
    assert_eq!(theatre.talk().heard().await.len(), 2, "nothing was said");
    assert!(theatre.whole().await.wanted_at.is_some(), "both still wait");
    let answered = seen(2).await;
    assert!(matches!(answered, Ended::Answered { .. }), "{answered:?}");
}

#[tokio::test(start_paused = true)]
async fn what_others_answer_is_left_alone_and_in_nobodys_way() {
    let theatre = Theatre::line().await;
    let stage = plays(&theatre, replying());
    for number in 0..150 {
        let theatre = at(&theatre, &line_key(&format!("E{number}")));
        theatre.ask("m1").await;
        stage.others.lock().unwrap().insert(theatre.key().clone(), Casting::Elsewhere);
    }
    later(Duration::from_secs(1)).await;
    at(&theatre, &line_key("U1")).ask("m1").await;
    let work = work(theatre, Arc::clone(&stage), 2);
    work.arrived(1).await;
    later(Duration::from_secs(30)).await;
    assert!(stage.asked.lock().unwrap().len() <= 160, "they are not asked again and again");
    let other = at(&work.theatre, &line_key("E7")).whole().await;
    assert!(other.turns.is_empty() && other.wanted_at.is_some(), "and still wait");
    work.stop().await;
}

#[tokio::test(start_paused = true)]
async fn shutdown_hands_back_what_runs() {
    let theatre = Theatre::line().await;
    let (model, mut asks) = DrivenModel::new();
    let stage = plays(&theatre, model);
    let work = work(theatre, stage, 4);
    work.ask("m1").await;
    let asked = asks.next().await;
    let before = Instant::now();
    let theatre = work.stop().await;
    assert!(before.elapsed() < Duration::from_secs(10));
    asked.cancelled().await;
    assert_eq!(theatre.decision().await, Decision::Released);
    let next = theatre.another("p2");
    assert_eq!(next.turn(&next.with_tools(replying())).await.name(), "answered");
}

#[tokio::test(start_paused = true)]
async fn shutdown_does_not_wait_for_ever() {
    let theatre = Theatre::line().await;
    theatre.messenger.plan([Post::Hangs]);
    let stage = plays(&theatre, replying());
    let mut work = work(theatre, stage, 4);
    work.ask("m1").await;
    work.arrived(1).await;
    let before = Instant::now();
    work.theatre.shutdown.cancel();
    work.working.join_next().await.expect("it works").expect("it does not panic");
    assert!(before.elapsed() <= Duration::from_secs(11), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn two_processes_answer_each_question_once() {
    let theatre = Theatre::line().await;
    let other = theatre.another("p2");
    let stages = [plays(&theatre, replying()), plays(&other, replying())];
    let [one, two] = stages;
    let (one, two) = (work(theatre, one, 4), work(other, two, 4));
    for round in 0..20 {
        let source = format!("U{}", round % 5);
        let (here, there) = if round % 2 == 0 { (&one, &two) } else { (&two, &one) };
        here.ask_at(&source, &format!("m{round}")).await;
        there.wake.at(&line_key(&source), there.theatre.now());
    }
    later(Duration::from_mins(1)).await;
    let outbox = one.theatre.messenger.outbox();
    for source in 0..5 {
        let theatre = at(&one.theatre, &line_key(&format!("U{source}")));
        let whole = theatre.whole().await;
        assert!(whole.log.waiting().is_empty() && whole.turn.is_none());
        let answers = theatre.answers().await;
        for asked in whole.log.iter().filter(|entry| entry.turn.is_none()) {
            let of = answers
                .iter()
                .filter(|answer| answer.turn.is_some_and(|turn| asked.asked_in.contains(&turn)));
            assert_eq!(of.count(), 1, "each question once");
        }
        let sent = outbox.iter().filter(|letter| letter.conversation == *theatre.key()).count();
        assert_eq!(sent, answers.len());
    }
    one.stop().await;
    two.stop().await;
}

/// Calls of a turn, and how many of each there are.
const CALLS: [(&str, u64); 5] =
    [("commit", 6), ("overview", 3), ("page", 1), ("find", 2), ("wanting", 2)];

/// One or two failures at calls of a turn.
fn failures() -> Vec<Vec<(&'static str, u64, Fault)>> {
    let faults = [Fault::Unavailable, Fault::Full, Fault::LostRequest, Fault::LostAnswer];
    let calls = CALLS.iter().flat_map(|(call, count)| (1..=*count).map(|nth| (*call, nth)));
    let single: Vec<_> =
        calls.flat_map(|(call, nth)| faults.map(|fault| (call, nth, fault))).collect();
    let pairs = single
        .iter()
        .enumerate()
        .flat_map(|(place, one)| single[place + 1..].iter().map(move |other| vec![*one, *other]));
    single.iter().map(|one| vec![*one]).chain(pairs).collect()
}

/// Whatever fails: nothing is sent twice, log and outbox agree, and in the end nobody waits.
#[tokio::test(start_paused = true)]
async fn h11_whatever_fails_nothing_is_sent_twice() {
    for what in failures() {
        let theatre = Theatre::line().await;
        theatre.ask("m1").await;
        for (call, nth, fault) in &what {
            theatre.store.fail_nth(call, *nth, *fault);
        }
        let stage = plays(&theatre, replying());
        let work = work(theatre, stage, 2);
        later(Duration::from_mins(2)).await;
        let theatre = work.stop().await;
        let whole = theatre.whole().await;
        assert!(whole.turn.is_none() && whole.log.waiting().is_empty(), "{what:?}");
        let sent = theatre.arrived().len();
        match theatre.decision().await {
            Decision::Answered => assert_eq!(sent, 1, "{what:?}"),
            Decision::Failed { code } => {
                assert_eq!((sent, code.as_str()), (0, "storage_read"), "{what:?}");
            }
            other @ (Decision::Silent { .. }
            | Decision::Stopped
            | Decision::Cancelled
            | Decision::Released) => panic!("{other:?}: {what:?}"),
        }
        for answer in theatre.answers().await {
            let left = match answer.sending {
                Sending::Sent => true,
                Sending::Failed => false,
                Sending::Here | Sending::Intended | Sending::Unknown => {
                    panic!("no certain outcome: {what:?}")
                }
            };
            let id = &answer.message.id;
            let is_out = theatre.messenger.outbox().iter().any(|letter| letter.id == *id);
            assert_eq!(left, is_out, "{what:?}");
        }
    }
}

/// The same for an answer in plain text: it is kept once and whole, or not at all.
#[tokio::test(start_paused = true)]
async fn whatever_fails_an_answer_is_kept_once_or_not_at_all() {
    for what in failures() {
        let theatre = Theatre::session().await;
        theatre.ask("m1").await;
        for (call, nth, fault) in &what {
            theatre.store.fail_nth(call, *nth, *fault);
        }
        let model = ScriptedModel::saying(vec![text("who"), text("le"), end(EndReason::Done)]);
        let cast = theatre.in_text(model, Arc::new(Speech::default()));
        let stage = plays(&theatre, replying());
        let casting = Casting::Cast { cast: Box::new(cast), through: None };
        stage.others.lock().unwrap().insert(theatre.key().clone(), casting);
        let work = work(theatre, stage, 2);
        later(Duration::from_mins(2)).await;
        let theatre = work.stop().await;
        let whole = theatre.whole().await;
        assert!(whole.turn.is_none() && whole.log.waiting().is_empty(), "{what:?}");
        let answers = theatre.answers().await;
        match theatre.decision().await {
            Decision::Answered => {
                assert_eq!(answers.len(), 1, "{what:?}");
                assert_eq!(answers[0].message.parts, [Part::text(words("whole"))], "{what:?}");
            }
            Decision::Failed { .. } => assert!(answers.is_empty(), "{what:?}"),
            other @ (Decision::Silent { .. }
            | Decision::Stopped
            | Decision::Cancelled
            | Decision::Released) => panic!("{other:?}: {what:?}"),
        }
    }
}

/// The same with a store that is away for a while.
#[tokio::test(start_paused = true)]
async fn a_store_that_was_away_is_found_again() {
    let theatre = Theatre::line().await;
    theatre.ask("m1").await;
    for call in ["commit", "wanting", "overview", "page"] {
        for nth in 1..=8 {
            theatre.store.fail_nth(call, nth, Fault::Unavailable);
        }
    }
    let stage = plays(&theatre, replying());
    let work = work(theatre, stage, 2);
    later(Duration::from_mins(3)).await;
    assert!(work.theatre.store.calls("wanting") > 8);
    let theatre = work.stop().await;
    assert!(theatre.whole().await.log.waiting().is_empty());
    assert!(theatre.arrived().len() <= 1);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_panics_does_not_stop_the_others() {
    struct Panicking;
    #[async_trait]
    impl Messenger for Panicking {
        async fn send(
            &self,
            _: &unsaid_core::port::messenger::Letter,
        ) -> unsaid_core::domain::conversation::change::SendOutcome {
            panic!("on purpose")
        }
    }
    let theatre = Theatre::line().await;
    let stage = plays(&theatre, replying());
    let mut cast = theatre.with_tools(replying());
    cast.place = Place::line(SourceId::new("U7").unwrap());
    cast.manner = Manner::Tools { messenger: Arc::new(Panicking), read_calls: |_, _| None };
    stage
        .others
        .lock()
        .unwrap()
        .insert(line_key("U7"), Casting::Cast { cast: Box::new(cast), through: None });
    let work = work(theatre, stage, 1);
    work.ask_at("U7", "m1").await;
    work.ask_at("U1", "m1").await;
    work.arrived(1).await;
    later(Duration::from_mins(1)).await;
    let theatre = work.stop().await;
    let broken = at(&theatre, &line_key("U7"));
    assert_eq!(broken.answers().await[0].sending, Sending::Unknown, "and it is not sent again");
}
