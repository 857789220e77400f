//! H6 for words that were said without consent and are edited when consent is on: what is said instead
//! is kept, what was said is gone from memory, or neither. Whatever fails on the way.

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
const FAULTS: [Fault; 4] = [Fault::Unavailable, Fault::Full, Fault::LostRequest, Fault::LostAnswer];

/// Somebody who said something without consent, and has given it since.
struct Crosser<'a> {
    ana: Company<'a>,
    id: String,
    keyed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Before,
    After,
}

impl<'a> Crosser<'a> {
    async fn new(house: &'a House, name: &str, keyed: bool) -> Self {
        // Only so many sign up in an hour.
        house.clock.advance(60 * MINUTE_MS);
        let ana = Company::of(house, name, false, &[]).await;
        let said = ana.calls("POST", "messages", json!({ "message": OLD, "stream": false })).await;
        let id = said.body["messageId"].as_str().unwrap().to_owned();
        let on = json!({ "store_history": true });
        let granted = house.call("PATCH", "/api/users/me/preferences").bearer(&ana.token);
        assert_eq!(granted.json(on).await.status, 200);
        Self { ana, id, keyed }
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
        match (&kept.join(" ")[..], &in_memory.join(" ")[..]) {
            ("", OLD) => Seen::Before,
            (NEW, "") => Seen::After,
            half => panic!("{told}: {half:?}"),
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

#[tokio::test]
async fn h6_whatever_call_of_the_store_fails() {
    let house = House::new().await;
    for keyed in [false, true] {
        for nth in 1.. {
            assert!(nth < CALLS_MAX, "it makes ever more calls");
            let ana = Crosser::new(&house, &format!("ana-{keyed}-{nth}"), keyed).await;
            house.faults.fail_nth_of_all(nth, Fault::Unavailable);
            if ana.tries(&format!("call {nth}")).await.is_none() {
                break;
            }
        }
    }
}

#[tokio::test]
async fn h6_whatever_becomes_of_its_commits() {
    let house = House::new().await;
    for (place, fault) in FAULTS.into_iter().enumerate() {
        for (keyed, nth) in [(false, 1), (false, 2), (true, 1), (true, 2)] {
            let ana = Crosser::new(&house, &format!("ana-{place}-{keyed}-{nth}"), keyed).await;
            house.faults.fail_nth("commit", nth, fault);
            ana.tries(&format!("commit {nth} {fault:?}")).await;
            assert!(house.faults.is_spent(), "commit {nth} was not made");
        }
    }
}

/// The answer of the commit is lost, and nobody can look what became of it.
#[tokio::test]
async fn h6_the_key_of_an_edit_that_was_broken_off_brings_it_to_its_end() {
    let house = House::new().await;
    let ana = Crosser::new(&house, "ana", true).await;
    let faults: &Failing = &house.faults;
    faults.fail_nth("commit", 2, Fault::LostAnswer);
    faults.fail("find", Fault::Unavailable);
    let first = ana.edits().await;
    assert_eq!(first.status, 503, "{first:?}");
    assert!(faults.is_spent(), "nobody looked");
    let again = ana.edits().await;
    assert_eq!((again.status, number_of(&again.body)), (200, 1), "{again:?}");
    assert_eq!(ana.seen("again").await, Seen::After);
    let once_more = ana.edits().await;
    assert_eq!((once_more.status, once_more.body), (200, again.body));
}
