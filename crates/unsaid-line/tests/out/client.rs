//! Each call, and each way in which it can go wrong.

use tokio::net::TcpListener;
use unsaid_core::domain::source::SourceKind;
use unsaid_line::{
    client::{AccessToken, ClientOptions, ClientTimes, LineError, WebhookTest},
    stand_in::{Call, Fault, What},
};
use uuid::Uuid;

use crate::house::{
    GENEROUS, House, Nobody, SHORT, TOKEN, anywhere, client_of, message, options, person, source,
};

fn refused(status: u16) -> LineError {
    LineError::Refused { status, token: false, retry_after: None }
}

#[tokio::test]
async fn names_and_numbers_are_asked_for_where_line_has_them() {
    let House { line, client, .. } = House::new().await;
    line.know_person(&person("U1"), "Ana");
    line.know_member(&source("C1"), &person("U1"), "Ana in the group");
    line.know_member(&source("R1"), &person("U1"), "Ana in the room");
    line.know_place(&source("C1"), SourceKind::Group, "Friends", 7);
    line.know_place(&source("R1"), SourceKind::Room, "", 3);

    let mut told = vec![client.profile(&person("U1")).await.unwrap().display_name];
    for (id, kind) in [("U1", SourceKind::Person), ("C1", SourceKind::Group)] {
        told.push(client.member(&source(id), kind, &person("U1")).await.unwrap().display_name);
    }
    let room = client.member(&source("R1"), SourceKind::Room, &person("U1")).await;
    told.push(room.unwrap().display_name);
    told.push(client.group_summary(&source("C1")).await.unwrap().group_name);
    let told: Vec<String> = told.into_iter().map(|name| name.unwrap().into()).collect();
    assert_eq!(told, ["Ana", "Ana", "Ana in the group", "Ana in the room", "Friends"]);

    let kinds = [("U1", SourceKind::Person), ("C1", SourceKind::Group), ("R1", SourceKind::Room)];
    let mut counts = Vec::new();
    for (id, kind) in kinds {
        counts.push(client.members_count(&source(id), kind).await.unwrap());
    }
    assert_eq!(counts, [1, 7, 3]);
    assert_eq!(client.profile(&person("U2")).await, Err(refused(404)));
    assert_eq!(client.group_summary(&source("R1")).await, Err(refused(404)));
}

#[tokio::test]
async fn an_id_cannot_lead_to_another_call() {
    let House { line, client, .. } = House::new().await;
    for id in ["a/b", "a/../../info", "a?b=c", "a#b", "a%2fb", "%2e%2e"] {
        line.know_person(&person(id), id);
        let told = client.profile(&person(id)).await.unwrap().display_name;
        assert_eq!(told.unwrap().as_str(), id);
    }
    assert_eq!(client.profile(&person("..")).await, Err(refused(404)));
    assert!(line.seen().iter().all(|seen| seen.call == Call::Profile));
}

#[tokio::test]
async fn the_bot_and_its_webhook_are_told_to_whoever_checks_them() {
    let House { line, client, .. } = House::new().await;
    assert_eq!(client.bot_info().await.unwrap().basic_id, "@stand-in");
    assert_eq!(client.webhook_endpoint().await.unwrap_err().status(), Some(404));
    let test = WebhookTest {
        success: false,
        status_code: 0,
        reason: "COULD_NOT_CONNECT".to_owned(),
        detail: "connection timed out".to_owned(),
    };
    line.set_webhook("https://bot.example/line/webhook", true, test.clone());
    let endpoint = client.webhook_endpoint().await.unwrap();
    assert!(endpoint.active && endpoint.endpoint == "https://bot.example/line/webhook");
    assert_eq!(client.test_webhook().await.unwrap(), test);
}

#[tokio::test]
async fn a_wrong_token_is_told_by_its_status() {
    let House { line, clock, .. } = House::new().await;
    let wrong = ClientOptions { token: AccessToken::new("wrong"), ..options(&line.base()) };
    let client = client_of(&wrong, &clock);
    assert_eq!(client.bot_info().await, Err(refused(401)));
}

#[tokio::test]
async fn neither_options_nor_clients_print_the_token() {
    let House { line, client, .. } = House::new().await;
    let printed = format!("{:?} {client:?} {line:?}", options(&line.base()));
    assert!(!printed.contains(TOKEN), "{printed}");
}

#[tokio::test]
async fn nobody_reached_is_certain() {
    let House { clock, .. } = House::new().await;
    let nobody = Nobody::new();
    let client = client_of(&options(&nobody.base()), &clock);
    let error = client.bot_info().await.unwrap_err();
    assert_eq!(error, LineError::Unreachable);
    assert!(error.is_certain());
}

#[tokio::test]
async fn a_connection_that_does_not_come_about_is_certain() {
    // It takes connections and never speaks, so that TLS cannot begin.
    let silent = TcpListener::bind(anywhere()).await.unwrap();
    let base = format!("https://{}", silent.local_addr().unwrap());
    let times = ClientTimes { connect: SHORT, ..options(&base).times };
    let House { clock, .. } = House::new().await;
    let client = client_of(&ClientOptions { times, ..options(&base) }, &clock);
    assert_eq!(client.bot_info().await, Err(LineError::Unreachable));
}

#[tokio::test]
async fn a_refusal_is_certain_and_everything_unclear_is_lost() {
    let House { line, client, .. } = House::new().await;
    let to = source("U1");
    let cases = [
        (Fault::status(400), "line_refused", true),
        (Fault::status(409), "line_refused", true),
        (Fault::limited(7), "line_limited", true),
        (Fault::status(500), "line_failing", false),
        (Fault::status(503), "line_failing", false),
        (Fault::Redirect(format!("{}/v2/bot/info", line.base())), "line_failing", false),
        (Fault::Cut, "line_cut", false),
    ];
    for (fault, name, is_certain) in cases {
        line.fault(Call::Push, fault);
        let error = client.push(&to, &["hi"], Uuid::nil(), GENEROUS).await.unwrap_err();
        assert_eq!((error.name(), error.is_certain()), (name, is_certain));
        assert_eq!(error.retry_after().is_some(), name == "line_limited");
    }
    line.fault(Call::Push, Fault::Hang);
    let error = client.push(&to, &["hi"], Uuid::nil(), SHORT).await.unwrap_err();
    assert_eq!((error, error.is_certain()), (LineError::TimedOut, false));
    assert!(line.seen().iter().all(|seen| seen.call == Call::Push), "a redirect was followed");
}

#[tokio::test]
async fn the_word_about_a_reply_token_is_heard() {
    let House { line, client, .. } = House::new().await;
    let token = line.issue_reply_token(&source("U1"));
    client.reply(&token, &["hi"], GENEROUS).await.unwrap();
    let error = client.reply(&token, &["hi"], GENEROUS).await.unwrap_err();
    assert_eq!(error.name(), "line_invalid_reply_token");
}

#[tokio::test]
async fn a_yes_stays_a_yes_whatever_follows_it() {
    let House { line, client, .. } = House::new().await;
    line.fault_after(Call::Push, Fault::Flood);
    client.push(&source("U1"), &["hi"], Uuid::nil(), GENEROUS).await.unwrap();
    assert!(matches!(line.sent()[0].what, What::Push { .. }));
}

#[tokio::test]
async fn a_document_that_does_not_end_or_is_none_is_no_answer() {
    let House { line, client, .. } = House::new().await;
    line.fault(Call::BotInfo, Fault::Flood);
    assert_eq!(client.bot_info().await, Err(LineError::TooLarge));
    line.fault(Call::BotInfo, Fault::status(201));
    assert_eq!(client.bot_info().await, Err(LineError::Garbled));
}

#[tokio::test]
async fn content_is_bounded_and_not_redirected() {
    let House { line, client, .. } =
        House::with(|options| ClientOptions { content_bytes_max: 10, ..options }).await;
    let id = message("m1");
    assert_eq!(client.content(&id).await, Err(refused(404)));
    line.put_content(&id, "image/png", vec![7; 10]);
    assert_eq!(client.content(&id).await.unwrap(), vec![7; 10]);
    line.put_content(&id, "image/png", vec![7; 11]);
    assert_eq!(client.content(&id).await, Err(LineError::TooLarge));
    line.fault(Call::Content, Fault::Flood);
    assert_eq!(client.content(&id).await, Err(LineError::TooLarge));
    line.fault(Call::Content, Fault::status(202));
    assert_eq!(client.content(&id).await, Err(LineError::NotReady));
    line.fault(Call::Content, Fault::Redirect(format!("{}/v2/bot/info", line.base())));
    assert_eq!(client.content(&id).await, Err(LineError::Failing { status: 307 }));
    assert!(line.seen().iter().all(|seen| seen.call == Call::Content));
}

#[tokio::test]
async fn a_download_that_hangs_is_given_up() {
    let House { line, client, .. } = House::with(|options| {
        let times = ClientTimes { content: SHORT, ..options.times };
        ClientOptions { times, ..options }
    })
    .await;
    line.fault(Call::Content, Fault::Hang);
    assert_eq!(client.content(&message("m1")).await, Err(LineError::TimedOut));
}
