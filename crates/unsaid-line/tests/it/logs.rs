//! What is logged: names and ids of things, never words, tokens, signatures or secrets.

use std::{
    cell::RefCell,
    io,
    sync::{Arc, Once, atomic::AtomicBool},
};

use serde_json::json;
use unsaid_line::{
    inbound::Rejected,
    signature::{ChannelSecret, sign},
};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::line_key,
    failing::{Failing, Fault},
};

use crate::{
    door::{Door, SECRET, settings},
    letter::{body, edited, event, message, text, unsend, with},
    slow::Slow,
};

thread_local! {
    /// What the test of this thread has logged, once it wants to know.
    static LOG: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Writes to the log of its thread. All threads share one subscriber: with one of its own for each
/// test, what is worth logging would be decided by whichever test comes first.
struct ThreadLog;

impl io::Write for ThreadLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                log.extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Log;

impl Log {
    /// Everything that this thread logs from now on, whatever its level.
    fn begin() -> Self {
        static SUBSCRIBED: Once = Once::new();
        SUBSCRIBED.call_once(|| {
            tracing_subscriber::fmt()
                .with_writer(|| ThreadLog)
                .with_max_level(tracing::Level::TRACE)
                .with_ansi(false)
                .init();
        });
        LOG.set(Some(Vec::new()));
        Self
    }

    #[expect(clippy::unused_self, reason = "only who began a log can read it")]
    fn text(&self) -> String {
        LOG.with_borrow(|log| String::from_utf8(log.clone().unwrap()).unwrap())
    }

    /// The lines with this in them.
    fn lines(&self, with: &str) -> Vec<String> {
        self.text().lines().filter(|line| line.contains(with)).map(str::to_owned).collect()
    }
}

const WORDS: &str = "never-log-these-words";
const TOKEN: &str = "never-log-this-token";

#[tokio::test(start_paused = true)]
async fn no_word_token_or_signature_is_logged_whatever_happens() {
    let log = Log::begin();
    let door = Door::new();
    let said = |id: &str| with(&text("Uana", id, WORDS), &json!({"replyToken": TOKEN}));
    let file = json!({"type": "file", "fileName": WORDS, "fileSize": 1});
    let events = [
        said("m1"),
        message("Uana", "m2", &file),
        edited("Uana", "m1", WORDS, 9),
        unsend("Uana", "m9"),
        with(&said("m3"), &json!({"message": {"id": WORDS, "type": WORDS, "text": WORDS}})),
        with(&said("m4"), &json!({"message": {"type": "text", "text": WORDS}})),
        with(&said("m5"), &json!({"source": {"type": WORDS}})),
        with(&event("postback", "Uana", "e1"), &json!({"postback": {"data": WORDS}})),
        with(&event("unfollow", "Uana", "e2"), &json!({"why": WORDS})),
    ];
    door.call(&events).await.unwrap();
    door.call(&events).await.unwrap();
    for call in ["commit", "find"] {
        for fault in [Fault::Unavailable, Fault::Full, Fault::LostAnswer] {
            door.store.fail(call, fault);
            let image = message("Uana", "p1", &json!({"type": "image", "alt": WORDS}));
            door.call(&[said(&format!("{call}-{fault:?}")), image, unsend("Uana", "m1")])
                .await
                .unwrap_or_default();
        }
    }
    let body = body(&[said("m6")]);
    let signature = sign(&ChannelSecret::new(SECRET), &body);
    let wrong = sign(&ChannelSecret::new("another"), &body);
    let outcome = door.inbound.receive(&[wrong.as_bytes()], &body).await;
    assert_eq!(outcome, Err(Rejected::Signature));
    door.inbound.receive(&[signature.as_bytes()], &body).await.unwrap();
    assert_eq!(door.call_raw(WORDS.as_bytes()).await, Err(Rejected::NotAWebhook));
    let broken = format!(r#"{{"events":[{{"type":"{WORDS}"}}"#);
    assert_eq!(door.call_raw(broken.as_bytes()).await, Err(Rejected::NotAWebhook));

    let text = log.text();
    assert!(text.lines().count() > 10, "{text}");
    for secret in [WORDS, TOKEN, SECRET, &signature, &wrong] {
        assert!(!text.contains(secret), "{secret} is in\n{text}");
    }
}

#[tokio::test]
async fn an_unsend_of_an_unknown_message_is_a_warning_with_its_id_once() {
    let log = Log::begin();
    let door = Door::new();
    door.tell(text("Uana", "m1", "hello")).await;
    for id in ["m1", "m404", "m404"] {
        door.call(&[unsend("Uana", id)]).await.unwrap();
    }
    let lines = log.lines("unknown message");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("WARN") && lines[0].contains("m404") && lines[0].contains("Uana"));
}

#[tokio::test]
async fn a_malformed_event_is_logged_by_its_id() {
    let log = Log::begin();
    let door = Door::new();
    let events = [with(&text("Uana", "m1", "hello"), &json!({"message": null})), json!(1)];
    door.call(&events).await.unwrap();
    let lines = log.lines("malformed event");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("event-m1") && lines[0].contains("no message"), "{lines:?}");
    assert!(lines[1].contains("unknown"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn h10_failures_of_storage_are_logged_by_name_with_ids() {
    let log = Log::begin();
    let door = Door::new();
    door.store.fail("commit", Fault::Unavailable);
    door.call(&[text("Uana", "m1", "hello")]).await.unwrap_err();
    door.store.fail("find", Fault::Unavailable);
    door.call(&[unsend("Uana", "m1")]).await.unwrap();

    let store = Arc::new(Failing::new(Arc::new(MemoryStore::unbounded())));
    let port = Arc::<Failing>::clone(&store);
    let key = line_key("Ubob");
    let slow = Arc::new(Slow { store: port, key, hangs: AtomicBool::new(true) });
    let door = Door::over(store, slow, settings());
    let nameless = with(&text("Ubob", "m3", "hello"), &json!({"webhookEventId": null}));
    let events = [nameless, text("Ubob", "m4", "hello"), text("Uana", "m5", "hello")];
    assert_eq!(door.call(&events).await, Err(Rejected::TooSlow));

    for (name, source, delivery) in [
        ("storage_write", "Uana", "event-m1"),
        ("storage_read", "Uana", "event-unsend-m1"),
        ("storage_timeout", "Ubob", "message-m3"),
    ] {
        let lines = log.lines(name);
        assert_eq!(lines.len(), 1, "{name}: {lines:?}");
        assert!(lines[0].contains(source) && lines[0].contains(delivery), "{lines:?}");
    }
}
