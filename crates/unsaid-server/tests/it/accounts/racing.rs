//! A grant that races the erasure job at the due moment (H8): exactly one of two ends, and the
//! answer says which.

use serde_json::json;
use unsaid_app::erase::erase_due;
use unsaid_core::port::clock::Clock as _;
use unsaid_testkit::builder::chat_key;
use unsaid_testkit::talk::Talk;

use super::house::{Answer, DAY_MS, House};

const SWITCH: &str = "/api/users/me/preferences";
const ROUNDS: u32 = 30;

async fn switch(house: &House, token: &str, on: bool) -> Answer {
    house.call("PATCH", SWITCH).bearer(token).json(json!({ "store_history": on })).await
}

/// The first in order, so that each end is seen; the others at once.
#[tokio::test(flavor = "multi_thread")]
async fn h8_a_grant_racing_the_job_says_which_of_two_ends_it_was() {
    let house = House::new().await;
    let id = house.sign_up("ana", true).await;
    let mut token = house.token("ana").await;
    let (mut kept, mut erased) = (0, 0);
    let job = async || {
        let report = erase_due(&*house.store, &*house.clock, &|| false).await.unwrap();
        assert_eq!(report.failed, []);
    };
    for round in 0..ROUNDS {
        // A withdrawal in the very moment of the last erasure could not be told from one before it.
        house.clock.advance(1);
        let talk = Talk::new(&house.store, chat_key(&format!("c{round}"))).owned_by(&id);
        talk.say("m1").await;
        let off = switch(&house, &token, false).await;
        assert_eq!(off.status, 200, "{off:?}");
        let due = house.clock.now().plus_millis(30 * DAY_MS);
        house.clock.set(due.plus_millis(-1));
        token = house.token("ana").await;
        let grant = switch(&house, &token, true);
        let at_the_due_moment = async {
            house.clock.set(due);
            job().await;
        };
        let answer = match round {
            0 => (grant.await, at_the_due_moment.await).0,
            1 => (at_the_due_moment.await, grant.await).1,
            _ if round % 2 == 0 => tokio::join!(grant, at_the_due_moment).0,
            _ => tokio::join!(at_the_due_moment, grant).1,
        };
        assert_eq!((answer.status, &answer.body["store_history"]), (200, &json!(true)));
        match answer.header("unsaid-history") {
            Some("kept") => {
                assert_eq!(talk.heard().await, ["m1"], "round {round}");
                kept += 1;
            }
            Some("erased") => {
                talk.assert_wordless("m1").await;
                erased += 1;
            }
            other => panic!("{other:?} in round {round}"),
        }
        // A job that comes later changes nothing of it.
        let before = talk.heard().await;
        job().await;
        assert_eq!(talk.heard().await, before, "round {round}");
        let audit = house.store.audit(None, 100).await.unwrap();
        assert_eq!(audit.len(), erased, "round {round}");
    }
    assert!(kept > 0 && erased > 0, "{kept} kept, {erased} erased");
}
