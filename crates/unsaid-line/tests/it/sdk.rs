//! LINE's own SDK for Python as a judge, in both directions: we take what it writes and signs, and
//! it reads what we hold to be LINE's, signed by us.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
    thread,
};

use serde::Deserialize;
use serde_json::{Value, json};
use unsaid_core::domain::{
    id::{DeliveryId, MediaKey, MessageId},
    message::{Author, Part},
    text::Words,
};
use unsaid_line::{
    inbound::Receipt,
    picture::PENDING_MIME,
    signature::{ChannelSecret, sign},
    wire::{self, Content, Event, Said, What},
};
use unsaid_testkit::builder::{at, message_id};

use crate::{
    door::{DEBOUNCE_MS, Door, NOW, SECRET, taken},
    fixtures::{Fixture, fixtures},
    letter::HAPPENED,
};

/// Runs the judge, with something to read.
fn judge(arguments: &[&str], input: &str) -> Vec<Value> {
    let python = std::env::var("UNSAID_TEST_LINE_SDK").expect(
        "this test needs LINE's SDK for Python: run it with `cargo xtask services -- cargo test`",
    );
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/sdk/judge.py");
    let mut child = Command::new(python)
        .arg(script)
        .args(arguments)
        // its own notes beside the sources are nobody's business
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Python of LINE's SDK starts");
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "the judge failed: {}", output.status);
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A webhook that the SDK wrote.
#[derive(Deserialize)]
struct Written {
    name: String,
    body: String,
    signature: String,
}

/// The words that must be kept of each message, by its name; none for a picture.
fn words() -> BTreeMap<&'static str, (&'static str, Option<&'static str>)> {
    BTreeMap::from([
        ("text", ("Uana", Some("Hello, 世界 👋"))),
        ("text in a group", ("Cgroup", Some("lunch?"))),
        ("text in a room", ("Rroom", Some("hi all"))),
        ("text of a stranger", ("Cgroup", Some("who am I"))),
        ("text with a quote", ("Uana", Some("this"))),
        ("text with emojis", ("Uana", Some("(moon)"))),
        ("text with half a pair", ("Uana", Some("half \u{fffd}"))),
        ("text with a zero", ("Uana", Some("ze\u{fffd}ro"))),
        ("text with a mention", ("Cgroup", Some("@bot @All"))),
        ("image", ("Uana", None)),
        ("image of a set", ("Uana", None)),
        ("sticker", ("Uana", Some("[User sent a sticker]"))),
        ("sticker with keywords", ("Uana", Some("[User sent a sticker: cony, hi]"))),
        ("sticker with text", ("Uana", Some("[User sent a sticker: cony, yes]"))),
        ("video", ("Uana", Some("[User sent a video]"))),
        ("audio", ("Uana", Some("[User sent an audio]"))),
        ("location", ("Uana", Some("[User sent a location]"))),
        ("location with a name", ("Uana", Some("[User sent a location: LINE, 1-3 Kioicho]"))),
        ("file", ("Uana", Some("[User sent a file: 見積 書.pdf]"))),
    ])
}

#[tokio::test]
async fn what_lines_sdk_writes_and_signs_is_taken_with_the_right_effect() {
    let door = Door::new();
    let words = words();
    let mut messages = 0;
    for written in judge(&["write", SECRET, &HAPPENED.to_string()], "") {
        let Written { name, body, signature } = serde_json::from_value(written).unwrap();
        let receipt = door.inbound.receive(&[signature.as_bytes()], body.as_bytes()).await;
        if let Some((chat, words)) = words.get(name.as_str()) {
            assert_eq!(receipt, Ok(taken(1)), "{name}");
            assert_kept(&door, &name, chat, *words).await;
            messages += 1;
        } else {
            let receipt = receipt.unwrap();
            assert_effect(&door, &name, receipt).await;
        }
    }
    assert_eq!(messages, words.len());
}

async fn assert_kept(door: &Door, name: &str, chat: &str, words: Option<&str>) {
    let id = format!("m-{}", name.replace(' ', "-"));
    let message = door.message(chat, &id).await;
    assert_eq!(message.at, at(HAPPENED), "{name}");
    assert_eq!(message.author == Author::Person(None), name.contains("stranger"), "{name}");
    let quoted = name.contains("quote").then(|| message_id("m0"));
    assert_eq!(message.reply_to, quoted, "{name}");
    let errands = door.errands.taken();
    if let Some(words) = words {
        assert_eq!(door.words(chat, &id).await, words, "{name}");
        assert_eq!(errands.len(), 1, "{errands:?}");
    } else {
        let key = MediaKey::new(format!("line-{id}")).unwrap();
        let promised = Part::Media { key, mime: PENDING_MIME.to_owned() };
        assert_eq!(message.parts, [promised], "{name}");
        assert_eq!(errands[1], format!("picture of {id} in Person {chat}"));
    }
    assert!(errands[0].contains("spoke in"), "{errands:?}");
    let way_back = door.talk(chat).find(&id).await.unwrap().way_back.unwrap();
    assert_eq!(way_back.delivery.as_str(), format!("e-{}", name.replace(' ', "-")));
    assert_eq!(way_back.token.unwrap().expose(), "00000000000000000000000000000001");
    let wanted = door.talk(chat).overview().await.wanted_at;
    assert_eq!(wanted, Some(at(NOW + DEBOUNCE_MS)), "{name}");
}

/// What is no message.
async fn assert_effect(door: &Door, name: &str, receipt: Receipt) {
    let ignored = Receipt { ignored: 1, ..Receipt::default() };
    let (expected, errand) = match name {
        "unsend" | "messageEdited" => (taken(1), None),
        "follow" => (taken(1), Some("arrived in Person Uana")),
        "join" => (taken(1), Some("arrived in Group Cgroup")),
        "unfollow" => (taken(1), Some("left in Person Uana")),
        "leave" => (taken(1), Some("left in Group Cgroup")),
        "memberJoined" => (taken(1), Some("members changed in Group Cgroup")),
        "memberLeft" => (taken(1), Some("members changed in Room Rroom")),
        _ => (ignored, None),
    };
    assert_eq!(receipt, expected, "{name}");
    assert_eq!(door.errands.taken(), Vec::from_iter(errand), "{name}");
    match name {
        "unsend" => {
            assert!(!door.heard("Uana").await.contains(&"m-text".to_owned()));
            door.talk("Uana").assert_unsaid("Hello").await;
        }
        "messageEdited" => {
            assert_eq!(door.words("Cgroup", "m-text-in-a-group").await, "dinner!");
            door.talk("Cgroup").assert_unsaid("lunch?").await;
        }
        _ => {}
    }
}

#[test]
fn lines_sdk_reads_our_fixtures_with_our_signature_as_we_do() {
    let mut input = String::new();
    for Fixture { name, body } in fixtures() {
        let signature = sign(&ChannelSecret::new(SECRET), body.as_bytes());
        let line = json!({"name": name, "body": body, "signature": signature});
        writeln!(input, "{line}").unwrap();
    }
    let told = judge(&["read", SECRET], &input);
    assert_eq!(told.len(), fixtures().len());
    for (Fixture { name, body }, told) in fixtures().into_iter().zip(told) {
        assert_eq!(told["name"], name);
        let ours = wire::read(body.as_bytes()).unwrap();
        let theirs = told["events"].as_array().unwrap();
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            assert_same(&name, &ours.unwrap(), theirs);
        }
    }
}

fn assert_same(name: &str, ours: &Event, theirs: &Value) {
    let event = theirs["event"].as_str().unwrap();
    assert_ne!(event, "UnknownEvent", "{name}");
    let Event::Heard(heard) = ours else {
        assert!(!KNOWN.contains(&event), "{name}: we ignore {event}");
        return;
    };
    let kind = heard.kind.name();
    let theirs_kind = format!("{}{}Event", kind[..1].to_uppercase(), &kind[1..]);
    assert_eq!(event, theirs_kind, "{name}");
    let delivery = heard.delivery.as_ref().map(DeliveryId::as_str);
    assert_eq!(theirs["delivery"].as_str(), delivery, "{name}");
    let (id, text) = match &heard.what {
        What::Said(Said { id, content: Content::Text(text), .. }) | What::Edited { id, text } => {
            (Some(id), Some(text))
        }
        What::Said(Said { id, content: Content::Picture { .. }, .. }) => (Some(id), None),
        What::Unsent { .. } | What::Arrived | What::Left | What::MembersChanged => (None, None),
    };
    assert_eq!(theirs["id"].as_str(), id.map(MessageId::as_str), "{name}");
    if theirs["message"] == "TextMessageContent" {
        assert_eq!(theirs["text"].as_str(), text.map(Words::as_str), "{name}");
    }
}

/// What has an effect here, by the names of the SDK.
const KNOWN: [&str; 9] = [
    "MessageEvent",
    "UnsendEvent",
    "MessageEditedEvent",
    "FollowEvent",
    "UnfollowEvent",
    "JoinEvent",
    "LeaveEvent",
    "MemberJoinedEvent",
    "MemberLeftEvent",
];
