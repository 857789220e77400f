//! H6 where consent has changed in the middle of a chat: what is edited and whatever came after it is gone
//! from both logs, and what is said instead is where consent wants it, or none of it. Whatever fails on
//! the way.

use serde_json::{Value, json};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::port::history::History;
use unsaid_testkit::failing::{Failing, Fault};

use crate::accounts::house::{Answer, House, MINUTE_MS};
use crate::rounds::company::Company;

/// No call makes so many.
const CALLS_MAX: u64 = 100;
const OLD: &str = "marzipan";
const NEW: &str = "nougat";
const FAULTS: [Fault; 5] =
    [Fault::Unavailable, Fault::Full, Fault::LostRequest, Fault::LostAnswer, Fault::Late];

/// Whether consent was on for each of the words that were said, and is on for the edit of the first.
type Order = (&'static [bool], bool);

/// Whatever the two logs hold after what is edited.
const ORDERS: [Order; 5] = [
    (&[false], true),
    (&[false, true], true),
    (&[true, false], true),
    (&[true, false, true, false], true),
    (&[false, true, false], false),
];

/// Somebody whose consent has changed while they talked.
struct Crosser<'a> {
    ana: Company<'a>,
    id: String,
    keyed: bool,
    order: Order,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Before,
    After,
}

impl<'a> Crosser<'a> {
    async fn new(house: &'a House, name: &str, keyed: bool, order: Order) -> Self {
        // Only so many sign up in an hour.
        house.clock.advance(60 * MINUTE_MS);
        let ana = Company::of(house, name, false, &[]).await;
        let (words, is_on) = order;
        let mut first = None;
        for is_on in words {
            ana.switches(*is_on).await;
            let body = json!({ "message": OLD, "stream": false });
            let said = ana.calls("POST", "messages", body).await;
            let id = said.body["messageId"].as_str().unwrap();
            first = first.or(Some(id.to_owned()));
        }
        ana.switches(is_on).await;
        Self { ana, id: first.expect("something was said"), keyed, order }
    }

    async fn edits(&self) -> Answer {
        let path = self.ana.path(&format!("messages/{}", self.id));
        let call = self.ana.house.call("PUT", &path).bearer(&self.ana.token);
        let call = if self.keyed { call.header("idempotency-key", "k1") } else { call };
        call.json(json!({ "chatId": self.ana.chat, "newContent": NEW, "stream": false })).await
    }

    async fn seen(&self, told: &str) -> Seen {
        let house = self.ana.house;
        let (kept, in_memory) =
            (self.texts(&*house.store).await, self.texts(&*house.volatile).await);
        let (words, is_on) = self.order;
        let old = |log: bool| vec![OLD.to_owned(); words.iter().filter(|on| **on == log).count()];
        let new = |log: bool| vec![NEW.to_owned(); usize::from(log == is_on)];
        if (&kept, &in_memory) == (&old(true), &old(false)) {
            Seen::Before
        } else if (&kept, &in_memory) == (&new(true), &new(false)) {
            Seen::After
        } else {
            panic!("{told}: {kept:?} {in_memory:?}")
        }
    }

    async fn texts(&self, history: &dyn History) -> Vec<String> {
        let key: ConversationKey = format!("chat:{}", self.ana.chat).parse().unwrap();
        let page = history.page(&key, None, 10).await.unwrap();
        page.iter().map(|entry| entry.message.text()).collect()
    }

    /// Tries it while something fails, and then once more; which of all calls was struck.
    async fn tries(&self, told: &str) -> Option<&'static str> {
        let first = self.edits().await;
        let struck = self.ana.house.faults.struck();
        let told = format!("{told}: {} {}", first.status, first.body);
        let seen = self.seen(&told).await;
        if first.status == 200 {
            assert_eq!(seen, Seen::After, "{told}");
            return struck;
        }
        assert!((500..600).contains(&first.status), "{told}");
        let again = self.edits().await;
        let told = format!("{told}, then {} {}", again.status, again.body);
        assert_eq!(again.status == 200, seen == Seen::Before || self.keyed, "{told}");
        assert_eq!(self.seen(&told).await, Seen::After, "{told}");
        struck
    }
}

fn number_of(removal: &Value) -> u64 {
    removal["removal"]["messagesRemovedTotal"].as_u64().unwrap()
}

async fn whatever_call_fails(order: Order) {
    let house = House::new().await;
    for keyed in [false, true] {
        for nth in 1.. {
            assert!(nth < CALLS_MAX, "it makes ever more calls");
            let ana = Crosser::new(&house, &format!("ana-{keyed}-{nth}"), keyed, order).await;
            house.faults.fail_nth_of_all(nth, Fault::Unavailable);
            if ana.tries(&format!("{order:?}, call {nth}")).await.is_none() {
                break;
            }
        }
    }
}

#[tokio::test]
async fn h6_whatever_call_of_the_store_fails() {
    for order in ORDERS {
        whatever_call_fails(order).await;
    }
}

#[tokio::test]
async fn h6_whatever_becomes_of_its_commit() {
    let house = House::new().await;
    for (at, order) in ORDERS.into_iter().enumerate() {
        for (place, fault) in FAULTS.into_iter().enumerate() {
            for keyed in [false, true] {
                let name = format!("ana-{at}-{place}-{keyed}");
                let ana = Crosser::new(&house, &name, keyed, order).await;
                house.faults.fail_nth("commit", 1, fault);
                ana.tries(&format!("{order:?}, {fault:?}")).await;
                assert!(house.faults.is_spent(), "no commit was made");
            }
        }
    }
}

/// The answer of the commit is lost, and nobody can look what became of it.
#[tokio::test]
async fn h6_the_key_of_an_edit_that_was_broken_off_brings_it_to_its_end() {
    let house = House::new().await;
    for (at, order) in ORDERS.into_iter().filter(|(_, is_on)| *is_on).enumerate() {
        let ana = Crosser::new(&house, &format!("ana-{at}"), true, order).await;
        let faults: &Failing = &house.faults;
        let looked = faults.calls("find");
        faults.fail_nth("commit", 1, Fault::LostAnswer);
        // Whether it is kept is looked for before it is edited, too.
        faults.fail_nth("find", 2, Fault::Unavailable);
        let first = ana.edits().await;
        assert_eq!(first.status, 503, "{first:?}");
        assert!(faults.is_spent(), "nobody looked: {} times", faults.calls("find") - looked);
        let again = ana.edits().await;
        let words = order.0.len() as u64;
        assert_eq!((again.status, number_of(&again.body)), (200, words), "{again:?}");
        assert_eq!(ana.seen("again").await, Seen::After);
        let once_more = ana.edits().await;
        assert_eq!((once_more.status, once_more.body), (200, again.body));
    }
}

/// Without a key nobody repeats it: whoever reads, edits or speaks next brings it to its end.
#[tokio::test]
async fn h6_an_edit_that_was_broken_off_is_whole_before_anything_else_is_edited() {
    let house = House::new().await;
    let ana = Crosser::new(&house, "ana", false, (&[true, false], true)).await;
    house.faults.fail_nth("commit", 1, Fault::LostAnswer);
    house.faults.fail_nth("find", 2, Fault::Unavailable);
    assert_eq!(ana.edits().await.status, 503);
    let count = ana.ana.gets(&format!("messages/{}/count?chatId={}", ana.id, ana.ana.chat)).await;
    assert_eq!(count.status, 404, "{count:?}");
    assert_eq!(ana.seen("read").await, Seen::After);
    assert_eq!(ana.edits().await.status, 404, "it was made");
    assert_eq!(ana.seen("then").await, Seen::After);
}

#[tokio::test]
async fn h6_the_key_of_a_removal_that_was_broken_off_brings_it_to_its_end() {
    let house = House::new().await;
    let ana = Crosser::new(&house, "ana", true, (&[true, false], true)).await;
    let removes = async || {
        let path = ana.ana.path(&format!("messages/{}", ana.id));
        let call = house.call("DELETE", &path).bearer(&ana.ana.token);
        call.header("idempotency-key", "k1").json(json!({ "chatId": ana.ana.chat })).await
    };
    house.faults.fail_nth("commit", 1, Fault::LostAnswer);
    house.faults.fail_nth("find", 2, Fault::Unavailable);
    assert_eq!(removes().await.status, 503);
    assert_eq!(ana.texts(&*house.volatile).await, [OLD], "nobody knows yet");
    let again = removes().await;
    assert_eq!((again.status, &again.body["messagesRemovedTotal"]), (200, &json!(2)));
    assert!(ana.texts(&*house.store).await.is_empty());
    assert!(ana.texts(&*house.volatile).await.is_empty());
}

/// What goes from the kept log first is confirmed by looking, and the key is remembered then.
#[tokio::test]
async fn h3_an_edit_in_memory_whose_first_half_was_not_confirmed_is_answered_and_known() {
    let house = House::new().await;
    let ana = Crosser::new(&house, "ana", true, (&[false, true], false)).await;
    // The first finds out that nothing may be kept.
    house.faults.fail_nth("commit", 2, Fault::LostAnswer);
    let first = ana.edits().await;
    assert!(house.faults.is_spent(), "there is no second commit");
    assert_eq!((first.status, number_of(&first.body)), (200, 2), "{first:?}");
    let again = ana.edits().await;
    assert_eq!((again.status, again.body), (200, first.body));
    assert_eq!(ana.seen("again").await, Seen::After);
}

impl Crosser<'_> {
    /// Edits the first message, and gives a way to undo that.
    async fn edited(&self) -> impl AsyncFn() -> Answer {
        let edited = self.edits().await;
        let edit = edited.body["removal"]["editId"].as_str().expect("it can be undone").to_owned();
        async move || {
            let call = self.ana.house.call("POST", &self.ana.path(&format!("edits/{edit}/undo")));
            let call = call.bearer(&self.ana.token);
            let call = if self.keyed { call.header("idempotency-key", "k2") } else { call };
            call.json(json!({})).await
        }
    }
}

/// An undo is whole or was not made; and who repeats it under its key is told that it was.
#[tokio::test]
async fn h6_whatever_becomes_of_the_commit_of_an_undo() {
    let house = House::new().await;
    let orders = ORDERS.into_iter().filter(|(_, is_on)| *is_on);
    for (at, order) in orders.enumerate() {
        for (place, fault) in FAULTS.into_iter().enumerate() {
            for keyed in [false, true] {
                let name = format!("ana-{at}-{place}-{keyed}");
                let ana = Crosser::new(&house, &name, keyed, order).await;
                let undoes = ana.edited().await;
                house.faults.fail_nth("commit", 1, fault);
                let first = undoes().await;
                let told = format!("{order:?}, {fault:?}, {keyed}: {first:?}");
                assert!(house.faults.is_spent(), "{told}");
                assert!((500..600).contains(&first.status), "{told}");
                let is_made = ana.seen(&told).await == Seen::Before;
                assert_eq!(is_made, [Fault::LostAnswer, Fault::Late].contains(&fault), "{told}");
                let again = undoes().await;
                let expected = if is_made && !keyed { 409 } else { 200 };
                assert_eq!(again.status, expected, "{told}, then {again:?}");
                assert_eq!(ana.seen(&told).await, Seen::Before, "{told}");
            }
        }
    }
}

/// Nobody could look what became of it: its key brings it to its end.
#[tokio::test]
async fn h6_the_key_of_an_undo_that_was_broken_off_brings_it_to_its_end() {
    let house = House::new().await;
    for keyed in [true, false] {
        let ana =
            Crosser::new(&house, &format!("ana-{keyed}"), keyed, (&[true, false], true)).await;
        let undoes = ana.edited().await;
        house.faults.fail_nth("commit", 1, Fault::LostAnswer);
        house.faults.fail_nth("events_after", 1, Fault::Unavailable);
        assert_eq!(undoes().await.status, 503);
        assert!(house.faults.is_spent(), "nobody looked");
        let again = undoes().await;
        assert_eq!(again.status, if keyed { 200 } else { 409 }, "{again:?}");
        assert_eq!(ana.seen("again").await, Seen::Before);
    }
}
