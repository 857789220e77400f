//! Forget all (H8), and the audit, over HTTP.

use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use unsaid_app::erase::{ERASURES_TOTAL, describe_metrics};
use unsaid_core::port::people::PersonChange;
use unsaid_testkit::failing::Fault;
use unsaid_testkit::talk::Talk;

use super::house::{BEGIN, DAY_MS, House, PASSWORD};

const ERASE: &str = "/api/users/me/erase";
const RUN: &str = "/api/admin/erasures/run";
const AUDIT: &str = "/api/admin/audit";

/// An admin's token.
async fn admin(house: &House) -> String {
    let id = house.sign_up("admin", false).await;
    let change = PersonChange::Admin(true);
    assert!(house.store.change(&id.try_into().unwrap(), change).await.unwrap());
    house.token("admin").await
}

fn sha256_hex(text: &str) -> String {
    let hex: Vec<String> = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    hex.concat()
}

async fn run(house: &House, token: &str) -> Value {
    let answer = house.call("POST", RUN).bearer(token).await_it().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

#[tokio::test]
async fn h8_erase_now_makes_everything_unreadable_in_any_state() {
    let house = House::new().await;
    let id = house.sign_up("ana", true).await;
    let token = house.token("ana").await;
    let talk = Talk::chat(&house.store).owned_by(&id);
    talk.say("m1").await;
    let answer = house.call("POST", ERASE).bearer(&token).await_it().await;
    assert_eq!((answer.status, answer.body), (200, json!({ "status": "ok" })));
    talk.assert_wordless("m1").await;
    house.erasures.notified().await;
    let me = house.get("/api/users/me", &token).await.body;
    assert_eq!(me["preferences"]["store_history"], true, "consent stays as it is");
    let again = house.call("POST", ERASE).bearer(&token).await_it().await;
    assert_eq!(again.status, 200);
}

#[tokio::test]
async fn h8_the_job_erases_who_is_due_and_nobody_else() {
    let house = House::new().await;
    let (ana, ben) = (house.sign_up("ana", true).await, house.sign_up("ben", true).await);
    let talks = [("c1", &ana), ("c2", &ben)].map(|(chat, id)| {
        Talk::new(&house.store, unsaid_testkit::builder::chat_key(chat)).owned_by(id)
    });
    for talk in &talks {
        talk.say("m1").await;
    }
    let token = house.token("ana").await;
    let off = json!({ "store_history": false });
    house.call("PATCH", "/api/users/me/preferences").bearer(&token).json(off).await;
    house.clock.set(BEGIN.plus_millis(30 * DAY_MS - 1));
    let admin = admin(&house).await;
    assert_eq!(run(&house, &admin).await, json!({ "erased": 0 }));
    assert_eq!(talks[0].heard().await, ["m1"]);
    house.clock.advance(1);
    assert_eq!(run(&house, &admin).await, json!({ "erased": 1 }));
    assert_eq!(run(&house, &admin).await, json!({ "erased": 0 }), "again is nothing");
    talks[0].assert_wordless("m1").await;
    assert_eq!(talks[1].heard().await, ["m1"]);
    let token = house.token("ana").await;
    let seen = house.get("/api/users/me/preferences", &token).await.body;
    assert_eq!(seen["store_history"], false);
    assert_eq!(seen["history_deletion_scheduled_at"], Value::Null);
}

#[tokio::test]
async fn what_an_admin_has_erased_is_counted_and_what_failed_too() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _guard = metrics::set_default_local_recorder(&recorder);
    describe_metrics();
    let counted = || {
        let printed = recorder.handle().render();
        ["erased", "failed"].map(|outcome| {
            let begin = format!("{ERASURES_TOTAL}{{outcome=\"{outcome}\"}} ");
            printed.lines().find_map(|line| line.strip_prefix(&begin)?.parse::<u64>().ok()).unwrap()
        })
    };
    let house = House::new().await;
    let admin = admin(&house).await;
    let token = house.somebody("ana", true).await;
    house.call("POST", ERASE).bearer(&token).await_it().await;
    house.faults.fail_nth("erase_batch", 1, Fault::Full);
    assert_eq!(run(&house, &admin).await, json!({ "erased": 0 }));
    assert_eq!(counted(), [0, 1]);
    assert_eq!(run(&house, &admin).await, json!({ "erased": 1 }));
    assert_eq!(counted(), [1, 1]);
    house.faults.fail_nth("due", 1, Fault::Full);
    let failed = house.call("POST", RUN).bearer(&admin).await_it().await;
    assert_eq!((failed.status, counted()), (507, [1, 2]));
}

#[tokio::test]
async fn the_audit_answers_exactly_this() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let id = house.sign_up("ana", true).await;
    Talk::chat(&house.store).owned_by(&id).say("m1").await;
    let token = house.token("ana").await;
    house.call("POST", ERASE).bearer(&token).await_it().await;
    assert_eq!(run(&house, &admin).await, json!({ "erased": 1 }));
    let answer = house.get(AUDIT, &admin).await;
    let zeros = "0".repeat(64);
    let fields = format!(
        r#"{{"at":"2026-01-17T10:30:00Z","id":1,"media":0,"messages":1,"reason":"now","sessions":0,"user_id":"{id}"}}"#
    );
    let hash = sha256_hex(&format!("{zeros}{fields}"));
    let expected = json!({ "audit": [{
        "id": 1, "at": "2026-01-17T10:30:00Z", "user_id": id, "reason": "now", "sessions": 0,
        "messages": 1, "media": 0, "prev_hash": zeros, "hash": hash,
    }] });
    assert_eq!((answer.status, answer.body), (200, expected));
}

#[tokio::test]
async fn the_audit_comes_in_pages_oldest_first() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let token = house.somebody("ana", true).await;
    for _ in 0..5 {
        house.call("POST", ERASE).bearer(&token).await_it().await;
        run(&house, &admin).await;
    }
    let ids = async |query: &str| {
        let answer = house.get(&format!("{AUDIT}{query}"), &admin).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let lines = answer.body["audit"].as_array().unwrap().clone();
        lines.iter().map(|line| line["id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids("").await, [1, 2, 3, 4, 5]);
    assert_eq!(ids("?limit=2").await, [4, 5]);
    assert_eq!(ids("?limit=2&before=4").await, [2, 3]);
    assert_eq!(ids("?before=1").await, Vec::<u64>::new());
    assert_eq!(ids("?limit=1000").await, [1, 2, 3, 4, 5]);
    for query in ["?limit=0", "?limit=-1", "?limit=x", "?before=x", "?before=-1", "?other=1"] {
        assert_eq!(house.get(&format!("{AUDIT}{query}"), &admin).await.status, 400, "{query}");
    }
}

#[tokio::test]
async fn only_admins_run_the_job_and_read_the_audit() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let audit = house.get(AUDIT, &token).await;
    assert_eq!(audit.refusal(), (403, "FORBIDDEN", "Not allowed"));
    let run = house.call("POST", RUN).bearer(&token).await_it().await;
    assert_eq!(run.refusal().0, 403);
    let admin = admin(&house).await;
    let me = house.get("/api/users/me", &admin).await;
    assert_eq!(me.body["account_type"], "admin");
    assert_eq!(house.get(AUDIT, &admin).await.body, json!({ "audit": [] }));
}

#[tokio::test]
async fn an_ended_account_is_erased_with_reason_account() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let id = house.sign_up("ana", true).await;
    let talk = Talk::chat(&house.store).owned_by(&id);
    talk.say("m1").await;
    let token = house.token("ana").await;
    let proof = json!({ "password": PASSWORD });
    let answer = house.call("DELETE", "/api/users/me").bearer(&token).json(proof).await;
    assert_eq!(answer.status, 204);
    talk.assert_wordless("m1").await;
    house.erasures.notified().await;
    assert_eq!(run(&house, &admin).await, json!({ "erased": 1 }));
    let line = house.get(AUDIT, &admin).await.body["audit"][0].clone();
    assert_eq!((&line["reason"], &line["user_id"]), (&json!("account"), &json!(id)));
    // the address is free again, for somebody else
    let other = house.sign_up("ana", false).await;
    assert_ne!(other, id);
}
