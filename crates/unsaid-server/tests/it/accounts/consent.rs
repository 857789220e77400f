//! The switch (H7, H8) over HTTP.

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use unsaid_app::erase::erase_due;
use unsaid_core::domain::time::Timestamp;
use unsaid_testkit::talk::Talk;

use super::house::{Answer, BEGIN, DAY_MS, House, Plan};

const SWITCH: &str = "/api/users/me/preferences";

async fn switch(house: &House, token: &str, on: bool) -> Answer {
    house.call("PATCH", SWITCH).bearer(token).json(json!({ "store_history": on })).await
}

fn preferences(on: bool, changed: &str, due: Option<&str>) -> Value {
    json!({
        "store_history": on,
        "store_history_changed_at": changed,
        "history_deletion_scheduled_at": due,
    })
}

#[tokio::test]
async fn a_withdrawal_sets_the_date_to_the_second() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    house.clock.advance(90_061_000);
    let answer = switch(&house, &token, false).await;
    assert_eq!(answer.status, 401, "the token has expired by now");
    let token = house.token("ana").await;
    let answer = switch(&house, &token, false).await;
    let off = preferences(false, "2026-01-18T11:31:01Z", Some("2026-02-17T11:31:01Z"));
    assert_eq!((answer.status, &answer.body), (200, &off));
    assert_eq!(answer.header("unsaid-history"), None, "nothing was granted");
    assert_eq!(house.get(SWITCH, &token).await.body, off);
    assert_eq!(house.get("/api/users/me", &token).await.body["preferences"], off);
}

/// Thirty days are 2,592,000 seconds, also where a day of them has 23 hours or 25, and where the due
/// moment falls into an hour that is left out or comes twice.
#[tokio::test]
async fn thirty_days_are_exact_across_a_daylight_saving_change() {
    let cases = [
        ("America/New_York", "2026-02-06T07:30:00Z", "2026-03-08T07:30:00Z"),
        ("America/New_York", "2026-02-20T12:00:00Z", "2026-03-22T12:00:00Z"),
        ("America/New_York", "2026-03-08T06:59:59Z", "2026-04-07T06:59:59Z"),
        ("America/New_York", "2026-10-02T05:30:00Z", "2026-11-01T05:30:00Z"),
        ("America/New_York", "2026-11-01T05:59:59Z", "2026-12-01T05:59:59Z"),
        ("Europe/Berlin", "2026-03-15T00:30:00Z", "2026-04-14T00:30:00Z"),
        ("Europe/Berlin", "2026-10-10T23:59:59Z", "2026-11-09T23:59:59Z"),
    ];
    for (zone, withdrawn, due) in cases {
        let zone = TimeZone::get(zone).unwrap();
        let house = House::planned(Plan { zone, ..Plan::default() }).await;
        let id = house.sign_up("ana", true).await;
        let talk = Talk::chat(&house.store).owned_by(&id);
        talk.say("m1").await;
        house.clock.set(moment(withdrawn));
        let token = house.token("ana").await;
        let answer = switch(&house, &token, false).await;
        assert_eq!(answer.body, preferences(false, withdrawn, Some(due)));
        let seconds = (moment(due).as_millis() - moment(withdrawn).as_millis()) / 1_000;
        assert_eq!(seconds, 30 * 86_400);
        for (now, erased) in [(moment(due).plus_millis(-1), 0), (moment(due), 1)] {
            house.clock.set(now);
            let report = erase_due(&*house.store, &*house.clock, &|| false).await.unwrap();
            assert_eq!(report.erased, erased, "{withdrawn}");
            assert_eq!(talk.heard().await.is_empty(), erased == 1, "{withdrawn}");
        }
    }
}

fn moment(text: &str) -> Timestamp {
    Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

#[tokio::test]
async fn a_grant_before_the_due_moment_clears_the_date_and_keeps_everything() {
    let house = House::new().await;
    let id = house.sign_up("ana", true).await;
    let talk = Talk::chat(&house.store).owned_by(&id);
    talk.say("m1").await;
    let token = house.token("ana").await;
    switch(&house, &token, false).await;
    house.clock.set(BEGIN.plus_millis(30 * DAY_MS - 1));
    let token = house.token("ana").await;
    let answer = switch(&house, &token, true).await;
    assert_eq!(answer.body, preferences(true, "2026-02-16T10:29:59Z", None));
    assert_eq!(answer.header("unsaid-history"), Some("kept"));
    assert_eq!(talk.heard().await, ["m1"]);
}

#[tokio::test]
async fn from_the_due_moment_on_the_date_is_null_whether_or_not_the_job_has_run() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    switch(&house, &token, false).await;
    let seen = async |now| {
        house.clock.set(now);
        let token = house.token("ana").await;
        house.get(SWITCH, &token).await.body
    };
    let due = BEGIN.plus_millis(30 * DAY_MS);
    let date = Some("2026-02-16T10:30:00Z");
    let changed = "2026-01-17T10:30:00Z";
    assert_eq!(seen(due.plus_millis(-1)).await, preferences(false, changed, date));
    assert_eq!(seen(due).await, preferences(false, changed, None));
}

#[tokio::test]
async fn a_grant_after_the_due_moment_erases_and_starts_empty() {
    let house = House::new().await;
    let id = house.sign_up("ana", true).await;
    let talk = Talk::chat(&house.store).owned_by(&id);
    talk.say("m1").await;
    let token = house.token("ana").await;
    switch(&house, &token, false).await;
    house.clock.set(BEGIN.plus_millis(30 * DAY_MS));
    let token = house.token("ana").await;
    let answer = switch(&house, &token, true).await;
    assert_eq!(answer.body, preferences(true, "2026-02-16T10:30:00Z", None));
    assert_eq!(answer.header("unsaid-history"), Some("erased"));
    talk.assert_wordless("m1").await;
    assert!(talk.heard().await.is_empty());
    // the job was woken for the bytes
    house.erasures.notified().await;
}

#[tokio::test]
async fn a_grant_after_erase_now_says_erased() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    switch(&house, &token, false).await;
    let erase = house.call("POST", "/api/users/me/erase").bearer(&token).await_it().await;
    assert_eq!(erase.status, 200);
    let cleared = house.get(SWITCH, &token).await.body;
    assert_eq!(cleared, preferences(false, "2026-01-17T10:30:00Z", None));
    assert_eq!(switch(&house, &token, true).await.header("unsaid-history"), Some("erased"));
    assert_eq!(switch(&house, &token, true).await.header("unsaid-history"), Some("kept"));
}

#[tokio::test]
async fn the_same_value_changes_nothing_not_even_the_moment() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let before = house.get(SWITCH, &token).await.body;
    house.clock.advance(60_000);
    let answer = switch(&house, &token, true).await;
    assert_eq!((answer.status, &answer.body), (200, &before));
    assert_eq!(answer.header("unsaid-history"), Some("kept"));
    let off = switch(&house, &token, false).await.body;
    house.clock.advance(60_000);
    assert_eq!(switch(&house, &token, false).await.body, off);
    let lines = house.get("/api/users/me/consents", &token).await.body;
    assert_eq!(lines["consents"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn whoever_never_consented_has_no_date() {
    let house = House::new().await;
    let token = house.somebody("ana", false).await;
    let never = preferences(false, "2026-01-17T10:30:00Z", None);
    assert_eq!(switch(&house, &token, false).await.body, never);
    let on = switch(&house, &token, true).await;
    assert_eq!(on.header("unsaid-history"), Some("kept"));
}

#[tokio::test]
async fn what_is_no_boolean_is_refused() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let bodies = ["\"false\"", "0", "null", "[]", "{}", "[false]"];
    let bodies = bodies.map(|value| format!("{{\"store_history\":{value}}}"));
    let others = ["", "{}", "[]", "false", "null", "{\"store_history\":false,\"more\":1}"];
    for body in bodies.iter().map(String::as_str).chain(others) {
        let request = axum::http::Request::patch(SWITCH)
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .body(body.to_owned().into());
        let answer = house.send(request.unwrap()).await;
        assert_eq!(answer.refusal().0, 400, "{body}");
        assert_eq!(answer.refusal().1, "VALIDATION_ERROR");
    }
    assert_eq!(house.get(SWITCH, &token).await.body["store_history"], true);
}

#[tokio::test]
async fn the_ledger_holds_every_change_oldest_first() {
    let house = House::new().await;
    let token = house.somebody("ana", false).await;
    house.clock.advance(1_000);
    switch(&house, &token, true).await;
    house.clock.advance(1_500);
    switch(&house, &token, false).await;
    let answer = house.get("/api/users/me/consents", &token).await;
    let line = |at: &str, granted: bool, door: &str| json!({ "at": at, "granted": granted, "notice_version": "1", "door": door });
    let expected = json!({ "consents": [
        line("2026-01-17T10:30:00Z", false, "sign-up"),
        line("2026-01-17T10:30:01Z", true, "api"),
        line("2026-01-17T10:30:02Z", false, "api"),
    ] });
    assert_eq!((answer.status, answer.body), (200, expected));
}

#[tokio::test]
async fn people_see_their_own_only() {
    let house = House::new().await;
    let ana = house.somebody("ana", true).await;
    let ben = house.somebody("ben", true).await;
    switch(&house, &ana, false).await;
    assert_eq!(house.get(SWITCH, &ben).await.body["store_history"], true);
    let lines = house.get("/api/users/me/consents", &ben).await.body;
    assert_eq!(lines["consents"].as_array().unwrap().len(), 1);
}
