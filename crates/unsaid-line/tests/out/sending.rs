//! SPEC 3, "Sending": every sentence of it.

use metrics_exporter_prometheus::PrometheusBuilder;
use unsaid_core::{
    domain::{conversation::change::SendOutcome, message::ReplyToken, source::SourceKind},
    port::messenger::{Letter, Messenger as _},
};
use unsaid_line::{
    messenger::{Outbox, OutboxOptions, SendTimes, describe_metrics, retry_key},
    stand_in::{Call, Fault, Sent, What},
};
use unsaid_testkit::builder::{chat_key, words};
use uuid::Uuid;

use crate::{
    house::{NOW, Nobody, SHORT, client_of, options},
    post::{EVENT, Post, TEXT, delivery, letter, outbox_options},
};

/// The texts that arrived, with their ways.
fn arrived(sent: &[Sent]) -> Vec<(&'static str, String)> {
    let arrived = sent.iter().map(|sent| {
        let way = match &sent.what {
            What::Reply { .. } => "reply",
            What::Push { .. } => "push",
            What::Loading { .. } => "loading",
        };
        let texts: Vec<&str> =
            sent.what.texts().iter().map(unsaid_core::domain::text::Words::as_str).collect();
        (way, texts.join("|"))
    });
    arrived.collect()
}

fn by(way: &'static str) -> Vec<(&'static str, String)> {
    vec![(way, TEXT.to_owned())]
}

#[tokio::test]
async fn a_reply_goes_with_its_token_and_without_a_key() {
    let post = Post::new().await;
    assert_eq!(post.send().await, SendOutcome::Sent);
    // The stand-in refuses a reply that has a key.
    assert_eq!(arrived(&post.house.line.sent()), by("reply"));
    assert_eq!(post.house.line.sent()[0].to, "U1");
    assert_eq!(post.calls(), [Call::Reply]);
}

#[tokio::test]
async fn a_token_is_good_for_fifty_seconds_and_no_longer() {
    for (age_ms, way) in [(0, "reply"), (50_000, "reply"), (50_001, "push"), (-5_000, "reply")] {
        let post = Post::new().await;
        post.house.clock.set(NOW.plus_millis(age_ms));
        assert_eq!(post.send().await, SendOutcome::Sent);
        assert_eq!(arrived(&post.house.line.sent()), by(way), "after {age_ms} ms");
        assert_eq!(post.calls().len(), 1);
    }
}

#[tokio::test]
async fn a_push_has_the_name_of_its_delivery() {
    let post = Post::new().await;
    post.house.clock.advance(50_001);
    post.send().await;
    let key = Uuid::parse_str("dbfd48a5-a539-56e7-a959-77f784540c4c").unwrap();
    assert_eq!(retry_key(&delivery()), key, "UUIDv5 of {EVENT} in the namespace URL");
    let Sent { to, what } = post.house.line.sent().remove(0);
    assert_eq!(
        (to.as_str(), what),
        ("U1", What::Push { texts: vec![words(TEXT)], retry_key: Some(key) })
    );
}

#[tokio::test]
async fn without_a_token_it_is_pushed() {
    let post = Post::new().await;
    assert_eq!(post.send_letter(&letter(None)).await, SendOutcome::Sent);
    assert_eq!(arrived(&post.house.line.sent()), by("push"));
    let nameless = Letter { way_back: None, ..letter(None) };
    assert_eq!(post.send_letter(&nameless).await, SendOutcome::Sent);
    let Some(What::Push { retry_key: Some(key), .. }) =
        post.house.line.sent().pop().map(|sent| sent.what)
    else {
        panic!("not pushed with a key");
    };
    assert_ne!(key, retry_key(&delivery()));
}

#[tokio::test]
async fn a_certain_failure_of_the_first_attempt_is_pushed() {
    for status in [400, 401, 403, 404, 409, 410, 413, 429] {
        let post = Post::new().await;
        post.house.line.fault(Call::Reply, Fault::status(status));
        assert_eq!(post.send().await, SendOutcome::Sent);
        assert_eq!(arrived(&post.house.line.sent()), by("push"), "{status}");
        assert_eq!(post.calls(), [Call::Reply, Call::Push]);
    }
}

#[tokio::test]
async fn a_token_that_was_used_or_is_unknown_is_a_certain_failure() {
    let post = Post::new().await;
    assert_eq!(post.send().await, SendOutcome::Sent);
    assert_eq!(post.send().await, SendOutcome::Sent);
    let ways: Vec<_> = arrived(&post.house.line.sent()).into_iter().map(|(way, _)| way).collect();
    assert_eq!(ways, ["reply", "push"]);
    let unknown = letter(Some(ReplyToken::new("unknown")));
    let post = Post::new().await;
    assert_eq!(post.send_letter(&unknown).await, SendOutcome::Sent);
    assert_eq!(arrived(&post.house.line.sent()), by("push"));
}

#[tokio::test]
async fn with_no_connection_both_ways_are_tried_and_certainly_failed() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let (post, nobody) = (Post::new().await, Nobody::new());
    let client = client_of(&options(&nobody.base()), &post.house.clock);
    let outbox = Outbox::new(client, post.house.clock.clone(), outbox_options());
    let sent = outbox.messenger(SourceKind::Person).send(&post.letter).await;
    assert_eq!(sent, SendOutcome::Failed);
    let printed = recorder.handle().render();
    assert!(printed.contains(r#"sent_total{way="reply",outcome="failed"} 1"#), "{printed}");
    assert!(printed.contains(r#"sent_total{way="push",outcome="failed"} 1"#), "{printed}");
}

#[tokio::test]
async fn a_lost_answer_is_repeated_once() {
    for fault in [Fault::status(500), Fault::status(503), Fault::Cut] {
        let post = Post::new().await;
        post.house.line.fault(Call::Reply, fault.clone());
        assert_eq!(post.send().await, SendOutcome::Sent);
        assert_eq!(arrived(&post.house.line.sent()), by("reply"));
        assert_eq!(post.calls(), [Call::Reply, Call::Reply]);

        let post = Post::new().await;
        for _ in 0..2 {
            post.house.line.fault(Call::Reply, fault.clone());
        }
        assert_eq!(post.send().await, SendOutcome::Unknown, "{fault:?}");
        assert_eq!(post.calls(), [Call::Reply, Call::Reply], "no third attempt, no push");
    }
}

#[tokio::test]
async fn a_lost_reply_whose_token_is_then_invalid_is_unknown_and_not_pushed() {
    for fault in [Fault::status(500), Fault::Cut] {
        let post = Post::new().await;
        post.house.line.fault_after(Call::Reply, fault);
        assert_eq!(post.send().await, SendOutcome::Unknown);
        assert_eq!(arrived(&post.house.line.sent()), by("reply"));
        assert_eq!(post.calls(), [Call::Reply, Call::Reply]);
    }
}

#[tokio::test]
async fn a_lost_reply_that_is_then_refused_for_any_reason_is_unknown_and_not_pushed() {
    for status in [400, 401, 403, 429] {
        let post = Post::new().await;
        post.house.line.fault_after(Call::Reply, Fault::status(502));
        post.house.line.fault(Call::Reply, Fault::status(status));
        assert_eq!(post.send().await, SendOutcome::Unknown, "{status}");
        assert_eq!(post.calls(), [Call::Reply, Call::Reply]);
    }
}

#[tokio::test]
async fn a_lost_reply_is_not_repeated_when_its_token_is_too_old_by_then() {
    let post = Post::new().await;
    post.house.line.fault(Call::Reply, Fault::Hang);
    let growing_old = async {
        post.house.line.until_seen(Call::Reply, 1).await;
        post.house.clock.advance(50_001);
        post.house.line.hang_up();
    };
    let (outcome, ()) = tokio::join!(post.send(), growing_old);
    assert_eq!(outcome, SendOutcome::Unknown);
    assert_eq!(post.calls(), [Call::Reply], "neither repeated nor pushed");
}

#[tokio::test]
async fn a_push_is_repeated_under_the_same_name_and_arrives_once() {
    for fault in [Fault::status(500), Fault::Cut] {
        let post = Post::new().await;
        post.house.line.fault_after(Call::Push, fault);
        assert_eq!(post.send_letter(&letter(None)).await, SendOutcome::Sent);
        assert_eq!(arrived(&post.house.line.sent()), by("push"));
        let statuses: Vec<_> = post.house.line.seen().iter().map(|seen| seen.status).collect();
        assert_eq!(statuses[1], Some(409));
    }
}

#[tokio::test]
async fn a_push_that_stays_unclear_is_unknown() {
    for second in [Fault::status(500), Fault::status(400), Fault::Cut] {
        let post = Post::new().await;
        post.house.line.fault(Call::Push, Fault::status(500));
        post.house.line.fault(Call::Push, second);
        assert_eq!(post.send_letter(&letter(None)).await, SendOutcome::Unknown);
        assert_eq!(post.calls(), [Call::Push, Call::Push]);
    }
}

#[tokio::test]
async fn a_name_that_another_letter_has_taken_says_nothing_about_this_one() {
    let post = Post::new().await;
    assert_eq!(post.send_letter(&letter(None)).await, SendOutcome::Sent);
    let other = Letter { text: words("something else"), ..letter(None) };
    assert_eq!(post.send_letter(&other).await, SendOutcome::Unknown);
    assert_eq!(arrived(&post.house.line.sent()), by("push"));
    assert_eq!(post.calls(), [Call::Push, Call::Push]);
}

#[tokio::test]
async fn a_refused_push_is_the_end_of_it() {
    let post = Post::new().await;
    post.house.line.fault(Call::Reply, Fault::status(400));
    post.house.line.fault(Call::Push, Fault::status(403));
    assert_eq!(post.send().await, SendOutcome::Failed);
    assert_eq!(post.calls(), [Call::Reply, Call::Push]);
}

#[tokio::test]
async fn without_line_push_nothing_is_ever_pushed() {
    let no_push = OutboxOptions { push: false, ..outbox_options() };
    let post = Post::new().await;
    post.house.line.fault(Call::Reply, Fault::status(400));
    assert_eq!(post.send_with(no_push, &post.letter).await, SendOutcome::Failed);
    assert_eq!(post.send_with(no_push, &letter(None)).await, SendOutcome::Failed);
    post.house.clock.advance(50_001);
    assert_eq!(post.send_with(no_push, &post.letter).await, SendOutcome::Failed);
    assert_eq!(post.calls(), [Call::Reply]);
}

#[tokio::test]
async fn line_is_asked_again_when_it_says_so_and_there_is_time() {
    let post = Post::new().await;
    post.house.line.fault(Call::Reply, Fault::limited(0));
    assert_eq!(post.send().await, SendOutcome::Sent);
    assert_eq!(arrived(&post.house.line.sent()), by("reply"));

    let post = Post::new().await;
    for call in [Call::Reply, Call::Reply, Call::Push] {
        post.house.line.fault(call, Fault::limited(0));
    }
    assert_eq!(post.send().await, SendOutcome::Sent);
    assert_eq!(post.calls(), [Call::Reply, Call::Reply, Call::Push, Call::Push]);

    let post = Post::new().await;
    post.house.line.fault(Call::Reply, Fault::limited(3_600));
    post.house.line.fault(Call::Push, Fault::limited(3_600));
    assert_eq!(post.send().await, SendOutcome::Failed);
    assert_eq!(post.calls(), [Call::Reply, Call::Push]);
}

#[tokio::test]
async fn what_hangs_is_unknown_in_time() {
    let hurried = SendTimes { attempt: SHORT, ..outbox_options().times };
    let hurried = OutboxOptions { times: hurried, ..outbox_options() };
    let post = Post::new().await;
    for call in [Call::Reply, Call::Reply, Call::Push, Call::Push] {
        post.house.line.fault(call, Fault::Hang);
    }
    assert_eq!(post.send_with(hurried, &post.letter).await, SendOutcome::Unknown);
    assert!(!post.calls().contains(&Call::Push));
    assert_eq!(post.send_with(hurried, &letter(None)).await, SendOutcome::Unknown);
}

#[tokio::test]
async fn all_attempts_together_have_their_time() {
    let hurried = SendTimes { whole: SHORT, ..outbox_options().times };
    let hurried = OutboxOptions { times: hurried, ..outbox_options() };
    let post = Post::new().await;
    for _ in 0..2 {
        post.house.line.fault(Call::Push, Fault::Hang);
    }
    assert_eq!(post.send_with(hurried, &letter(None)).await, SendOutcome::Unknown);
    assert!(post.calls().len() <= 1, "there was no time for a second");
    // Without time for a first call it is certain that nothing left.
    let never = SendTimes { least: hurried.times.whole * 2, ..hurried.times };
    let never = OutboxOptions { times: never, ..hurried };
    let post = Post::new().await;
    assert_eq!(post.send_with(never, &post.letter).await, SendOutcome::Failed);
    assert_eq!(post.calls(), []);
}

#[tokio::test]
async fn a_long_text_goes_as_several_messages_of_one_call() {
    let post = Post::new().await;
    let long = Letter { text: words(&"😀".repeat(5_000)), ..post.letter.clone() };
    assert_eq!(post.send_letter(&long).await, SendOutcome::Sent);
    let sent = post.house.line.sent();
    let lengths: Vec<_> =
        sent[0].what.texts().iter().map(|text| text.as_str().encode_utf16().count()).collect();
    assert_eq!((sent.len(), lengths), (1, vec![5_000, 5_000]));
}

#[tokio::test]
async fn what_line_cannot_take_has_certainly_failed() {
    let post = Post::new().await;
    let elsewhere = Letter { conversation: chat_key("c1"), ..post.letter.clone() };
    assert_eq!(post.send_letter(&elsewhere).await, SendOutcome::Failed);
    let endless = Letter { text: words(&"x".repeat(25_001)), ..post.letter.clone() };
    assert_eq!(post.send_letter(&endless).await, SendOutcome::Failed);
    assert_eq!(post.calls(), []);
}

#[tokio::test]
async fn a_group_and_a_room_get_their_letters_too() {
    for id in ["C1", "R1"] {
        let post = Post::to(id).await;
        assert_eq!(post.send().await, SendOutcome::Sent);
        let unasked = Letter { conversation: post.letter.conversation.clone(), ..letter(None) };
        assert_eq!(post.send_letter(&unasked).await, SendOutcome::Sent);
        let to: Vec<_> = post.house.line.sent().into_iter().map(|sent| sent.to).collect();
        assert_eq!(to, [id, id]);
    }
}

#[tokio::test]
async fn letters_are_counted_by_way_and_outcome() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _guard = metrics::set_default_local_recorder(&recorder);
    describe_metrics();
    let post = Post::new().await;
    post.send().await;
    post.send().await;
    post.house.line.fault(Call::Push, Fault::status(403));
    post.send().await;
    for _ in 0..2 {
        post.house.line.fault(Call::Push, Fault::status(500));
    }
    post.send_letter(&letter(None)).await;
    post.send_with(OutboxOptions { push: false, ..outbox_options() }, &letter(None)).await;
    let printed = recorder.handle().render();
    let mut counts: Vec<&str> = printed.lines().filter(|line| line.contains("_total{")).collect();
    counts.sort_unstable();
    insta::assert_snapshot!(counts.join("\n"), @r#"
    unsaid_line_sent_total{way="none",outcome="failed"} 1
    unsaid_line_sent_total{way="push",outcome="failed"} 1
    unsaid_line_sent_total{way="push",outcome="sent"} 1
    unsaid_line_sent_total{way="push",outcome="unknown"} 1
    unsaid_line_sent_total{way="reply",outcome="failed"} 2
    unsaid_line_sent_total{way="reply",outcome="sent"} 1
    "#);
    assert!(!printed.contains(TEXT) && !printed.contains(EVENT));
}
