//! Everything held on a person, and nothing else.

use serde_json::{Value, json};
use unsaid_app::{
    erase::claim_now,
    export::{Desk, Export, ExportError},
};
use unsaid_core::{
    domain::{
        conversation::change::{Change, SendOutcome},
        message::{Author, Message, Part},
        source::{SourceCard, SourceKind},
        world::Agent,
    },
    port::{
        directory::NameCard,
        error::StoreError,
        history::{Commit, History as _},
        volatile::Volatile,
    },
};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::{
        GRACE_MS, TERMS, agent, answer, ask, at, chat, chat_key, edit, failed_edit, line_key,
        media_key, message, message_by, new_session, person_id, say, session_id, session_key,
        source_id, unsend, words, words_of, world, world_key,
    },
    failing::Fault,
    talk::Talk,
};

use crate::given::House;

/// All lines to the end.
async fn told(
    house: &House,
    memory: Option<&dyn Volatile>,
    mut export: Export,
) -> Result<Vec<Value>, ExportError> {
    let desk = Desk { store: &*house.port, memory, clock: &house.clock };
    let mut told = Vec::new();
    while let Some(lines) = export.next(desk).await? {
        assert!(lines.ends_with('\n'));
        told.extend(lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    Ok(told)
}

async fn of(house: &House, name: &str) -> Vec<Value> {
    told(house, None, Export::of_account(person_id(name))).await.unwrap()
}

fn those<'a>(told: &'a [Value], kind: &str) -> Vec<&'a Value> {
    told.iter().filter(|line| line["type"] == kind).collect()
}

/// The ids of the messages, in order.
fn ids(told: &[Value]) -> Vec<&str> {
    those(told, "message").iter().map(|line| line["id"].as_str().unwrap()).collect()
}

fn all_text(told: &[Value]) -> String {
    told.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// Ana has a world with an agent and a chat, and a session; in both something was said.
async fn furnish(house: &House) -> [Talk; 2] {
    let kai = Agent { system_prompt: words("be kind"), ..agent("kai") };
    let made = house.port.add_world(world("ana", "w1"), chat("c1", 10_000), vec![kai]).await;
    made.unwrap().unwrap();
    house.port.open_session(new_session("s1", "ana", 1_000), TERMS).await.unwrap().unwrap();
    let in_chat = house.talk();
    in_chat.exchange("m1", "a1").await;
    let in_session = Talk::new(&house.port, session_key("s1")).owned_by("ana");
    in_session.exchange("m2", "a2").await;
    [in_chat, in_session]
}

#[tokio::test]
async fn it_holds_exactly_this() {
    let house = House::new().await;
    furnish(&house).await;
    let said = |place: &str, place_id: &str, id: &str| {
        json!({
            "type": "message", "conversation": place, "conversation_id": place_id, "id": id,
            "role": "user", "sender": "ana", "content": words_of(id),
            "at": "1970-01-01T00:00:00Z", "stored": true,
        })
    };
    let answered = |place: &str, place_id: &str, id: &str| {
        json!({
            "type": "message", "conversation": place, "conversation_id": place_id, "id": id,
            "role": "assistant", "sender": "kai", "content": words_of(id),
            "at": "1970-01-01T00:00:00Z", "sent": true, "stored": true,
        })
    };
    let expected = [
        json!({
            "type": "person", "id": "ana", "email": "ana@example.org", "display_name": "ana",
            "account_type": "user", "created_at": "1970-01-01T00:00:00Z", "store_history": true,
            "store_history_changed_at": "1970-01-01T00:00:00Z",
            "history_deletion_scheduled_at": null, "free_sessions_used": 1,
            "paid_sessions_left": 0,
        }),
        json!({
            "type": "consent", "at": "1970-01-01T00:00:00Z", "granted": true,
            "notice_version": "1", "door": "test",
        }),
        json!({
            "type": "world", "id": "w1", "name": "w1", "turn_limit": 5, "main_agent": null,
            "current_chat_id": "c1", "created_at": "1970-01-01T00:00:00Z",
        }),
        json!({
            "type": "agent", "world_id": "w1", "id": "kai", "name": "kai",
            "system_prompt": "be kind", "provider": null, "model": null, "auto_reply": true,
        }),
        json!({
            "type": "chat", "world_id": "w1", "id": "c1", "name": "c1",
            "created_at": "1970-01-01T00:00:10Z",
        }),
        said("chat", "c1", "m1"),
        answered("chat", "c1", "a1"),
        json!({
            "type": "session", "id": "s1", "expert_id": "kai", "session_type": "freemium",
            "duration_minutes": 15, "started_at": "1970-01-01T00:00:01Z", "ended_at": null,
            "expires_at": "1970-01-01T00:15:01Z",
        }),
        said("session", "s1", "m2"),
        answered("session", "s1", "a2"),
    ];
    assert_eq!(of(&house, "ana").await, expected);
    let others = of(&house, "bob").await;
    assert_eq!(others.len(), 2, "nothing of Ana's is Bob's");
}

#[tokio::test]
async fn edits_that_failed_are_in_it_as_long_as_the_messages_are() {
    let house = House::new().await;
    furnish(&house).await;
    let noted = house.port.note_failed_edit(&world_key("ana", "w1"), failed_edit("f1", 900)).await;
    assert!(noted.unwrap());
    let shown = json!({
        "type": "failed_edit", "world_id": "w1", "id": "f1", "chat_id": "c1",
        "message_id": "m1", "code": "STORAGE_FULL", "at": "1970-01-01T00:00:00Z",
    });
    assert_eq!(those(&of(&house, "ana").await, "failed_edit"), [&shown]);
    assert!(those(&of(&house, "bob").await, "failed_edit").is_empty());
    house.switch("ana", false).await;
    assert_eq!(those(&of(&house, "ana").await, "failed_edit")[0]["hidden"], true);
    house.clock.advance(GRACE_MS);
    assert!(those(&of(&house, "ana").await, "failed_edit").is_empty());
}

#[tokio::test]
async fn what_was_taken_back_is_not_in_it_and_its_answer_is_a_line_without_words() {
    let house = House::new().await;
    let [in_chat, _] = furnish(&house).await;
    in_chat.make(unsend("m1")).await;
    in_chat.make(say(message("m5"))).await;
    in_chat.make(edit("m5", message("m6"), "e1", at(9_000_000))).await;
    let told = of(&house, "ana").await;
    assert_eq!(ids(&told), ["a1", "m6", "m2", "a2"]);
    let without_words = json!({
        "type": "message", "conversation": "chat", "conversation_id": "c1", "id": "a1",
        "role": "assistant", "sender": "kai", "at": "1970-01-01T00:00:00Z", "sent": true,
        "withdrawn": true, "stored": true,
    });
    assert_eq!(those(&told, "message")[0], &without_words);
    let text = all_text(&told);
    for gone in ["m1", "a1", "m5"] {
        assert!(!text.contains(&words_of(gone)), "{gone}");
    }
}

#[tokio::test]
async fn h8_what_is_hidden_is_in_it_and_says_so_until_it_is_due() {
    let house = House::new().await;
    furnish(&house).await;
    house.switch("ana", false).await;
    house.clock.advance(GRACE_MS - 1);
    let held = of(&house, "ana").await;
    assert_eq!(ids(&held), ["m1", "a1", "m2", "a2"]);
    for line in &held {
        let is_history = line["type"] == "message" || line["type"] == "session";
        assert_eq!(line.get("hidden"), is_history.then_some(&json!(true)), "{line}");
    }
    assert_eq!(held[0]["store_history"], false);
    assert_eq!(held[0]["history_deletion_scheduled_at"], "1970-01-31T00:00:01Z");

    // The job has not run, and nothing of it is there; a bill is all that stays of a session.
    house.clock.advance(1);
    let gone = of(&house, "ana").await;
    let kinds: Vec<&str> = gone.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["person", "consent", "consent", "world", "agent", "chat", "billing"]);
    assert_eq!(gone[0]["history_deletion_scheduled_at"], Value::Null);
    let bill = json!({
        "type": "billing", "user_id": "ana", "started_at": "1970-01-01T00:00:01Z", "minutes": 15,
        "session_type": "freemium",
    });
    assert_eq!(gone[6], bill);
    claim_now(&*house.port, &house.clock, &person_id("ana")).await.unwrap();
    let mut erased = of(&house, "ana").await;
    erased.sort_by_key(Value::to_string);
    let mut gone = gone;
    gone.sort_by_key(Value::to_string);
    assert_eq!(erased, gone, "and the job changes nothing about that");
}

#[tokio::test]
async fn h7_words_in_memory_are_in_it_and_say_so() {
    let house = House::new().await;
    let memory = MemoryStore::unbounded();
    let said = say(message_by("bob", "m9"));
    let commit = Commit::new(said, at(1_000)).owned_by(person_id("bob"));
    memory.commit(&session_key("s9"), commit).await.unwrap();
    let others = Commit::new(say(message("m8")), at(1_000)).owned_by(person_id("ana"));
    memory.commit(&session_key("s8"), others).await.unwrap();
    let export = || Export::of_account(person_id("bob"));
    let lines = told(&house, Some(&memory), export()).await.unwrap();
    let message = those(&lines, "message");
    assert_eq!(message.len(), 1);
    assert_eq!(message[0]["content"], words_of("m9"));
    assert_eq!((&message[0]["stored"], message[0].get("hidden")), (&json!(false), None));
    let without = told(&house, None, export()).await.unwrap();
    assert!(ids(&without).is_empty(), "this process has no such memory");
}

#[tokio::test]
async fn files_are_named_with_their_message() {
    let house = House::new().await;
    let [in_chat, _] = furnish(&house).await;
    let picture = Part::Media { key: media_key("k1"), mime: "image/png".to_owned() };
    let parts = vec![Part::text(words("look")), picture, Part::text(words("nice"))];
    in_chat.make(say(Message { parts, ..message("m7") })).await;
    let told = of(&house, "ana").await;
    let place = told.iter().position(|line| line["id"] == "m7").unwrap();
    assert_eq!(told[place]["content"], "look\nnice");
    let file = json!({
        "type": "media", "conversation": "chat", "conversation_id": "c1", "message_id": "m7",
        "id": "k1", "mime_type": "image/png", "stored": true,
    });
    assert_eq!(told[place + 1], file);
}

#[tokio::test]
async fn a_long_history_comes_a_page_at_a_time_and_in_order() {
    let house = House::new().await;
    let [in_chat, _] = furnish(&house).await;
    for n in 0..250 {
        in_chat.make(say(message(&format!("n{n}")))).await;
    }
    let desk = Desk { store: &*house.port, memory: None, clock: &house.clock };
    let mut export = Export::of_account(person_id("ana"));
    let mut all = Vec::new();
    while let Some(lines) = export.next(desk).await.unwrap() {
        assert!(lines.lines().count() <= 100, "no more than a page is held");
        all.extend(lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    let expected: Vec<String> = ["m1", "a1"]
        .map(str::to_owned)
        .into_iter()
        .chain((0..250).map(|n| format!("n{n}")))
        .chain(["m2", "a2"].map(str::to_owned))
        .collect();
    assert_eq!(ids(&all), expected);
    assert_eq!(house.store.calls("whole"), 0, "nobody asks for all of it");
}

#[tokio::test]
async fn what_changes_on_the_way_counts_from_the_next_page_on() {
    let house = House::new().await;
    let [in_chat, _] = furnish(&house).await;
    for n in 0..250 {
        in_chat.make(say(message(&format!("n{n}")))).await;
    }
    let desk = Desk { store: &*house.port, memory: None, clock: &house.clock };
    let mut export = Export::of_account(person_id("ana"));
    // The account, the world, the chat, the first page.
    for _ in 0..4 {
        assert!(!export.next(desk).await.unwrap().unwrap().contains("hidden"));
    }
    house.switch("ana", false).await;
    let page = export.next(desk).await.unwrap().unwrap();
    assert_eq!(page.lines().filter(|line| line.contains(r#""hidden":true"#)).count(), 100);
    house.clock.advance(GRACE_MS);
    let rest = export.next(desk).await.unwrap().unwrap();
    assert!(rest.starts_with(r#"{"type":"billing""#) && rest.lines().count() == 1, "{rest}");
    assert_eq!(export.next(desk).await.unwrap(), None);
}

#[tokio::test]
async fn h8_an_erasure_on_the_way_ends_all_reading() {
    let house = House::new().await;
    let [in_chat, _] = furnish(&house).await;
    for n in 0..150 {
        in_chat.make(say(message(&format!("n{n}")))).await;
    }
    let desk = Desk { store: &*house.port, memory: None, clock: &house.clock };
    let mut export = Export::of_account(person_id("ana"));
    for _ in 0..4 {
        export.next(desk).await.unwrap().unwrap();
    }
    claim_now(&*house.port, &house.clock, &person_id("ana")).await.unwrap();
    let rest = export.next(desk).await.unwrap().unwrap();
    assert!(rest.starts_with(r#"{"type":"billing""#) && rest.lines().count() == 1, "{rest}");
    assert_eq!(export.next(desk).await.unwrap(), None);
}

#[tokio::test]
async fn a_store_that_fails_on_the_way_is_an_error_and_no_end() {
    let house = House::new().await;
    furnish(&house).await;
    for call in ["person", "consents", "sessions", "agents", "failed_edits", "entries_after"] {
        house.store.fail(call, Fault::Unavailable);
        let failed = told(&house, None, Export::of_account(person_id("ana"))).await;
        assert!(matches!(failed, Err(ExportError::Broken(StoreError::Unavailable(_)))), "{call}");
    }
    assert!(house.store.is_spent());
    let nobody = told(&house, None, Export::of_account(person_id("nobody"))).await;
    assert_eq!(nobody, Err(ExportError::NotFound));
}

/// Of a talk on LINE: what was said alone with the bot, and one's own words elsewhere.
#[tokio::test]
async fn on_line_it_is_ones_own_talk_and_ones_own_words_among_others() {
    let house = House::new().await;
    let card = NameCard { id: person_id("U1"), name: Some(words("Ana")), at: at(0) };
    house.port.keep_name(card).await.unwrap();
    let card = SourceCard {
        id: source_id("U1"),
        kind: SourceKind::Person,
        name: None,
        members: None,
        present: true,
        at: at(0),
    };
    house.port.keep_source(card).await.unwrap();
    let alone = Talk::line(&house.port);
    for (question, reply, outcome) in [
        ("m1", "a1", SendOutcome::Sent),
        ("m2", "a2", SendOutcome::Failed),
        ("m3", "a3", SendOutcome::Unknown),
    ] {
        alone.make(ask(message_by("U1", question), at(1_000))).await;
        let fence = alone.begin().await.fence;
        alone.make(Change::Intend { fence, message: answer(reply) }).await;
        let id = answer(reply).id;
        alone.make(Change::Settle { id, outcome }).await;
        alone.make(Change::Stop).await;
    }
    let group = Talk::new(&house.port, line_key("C1"));
    group.make(say(message_by("U1", "g1"))).await;
    group.make(say(message_by("U2", "g2"))).await;
    group.make(say(Message { author: Author::Person(None), ..message("g3") })).await;
    group.make(say(message_by("U1", "g4"))).await;
    let other = Talk::new(&house.port, line_key("U2"));
    other.make(say(message_by("U2", "o1"))).await;
    let told = told(&house, None, Export::of_line(person_id("U1")).unwrap()).await;
    let told = told.unwrap();
    assert_eq!(told[0], json!({ "type": "person", "id": "U1", "display_name": "Ana" }));
    assert_eq!((&told[1]["type"], &told[1]["kind"]), (&json!("source"), &json!("user")));
    assert_eq!(ids(&told), ["m1", "a1", "m2", "a2", "m3", "a3", "g1", "g4"]);
    let sent = |id: &str| told.iter().find(|line| line["id"] == id).unwrap().get("sent").cloned();
    let seen = ["m1", "a1", "a2", "a3"].map(sent);
    assert_eq!(seen, [None, Some(json!(true)), Some(json!(false)), Some(Value::Null)]);
    let failed = told.iter().find(|line| line["id"] == "a2").unwrap();
    assert_eq!((failed.get("content"), failed.get("withdrawn")), (None, None));
    assert!(!all_text(&told).contains(&words_of("g2")), "that is somebody else's");
}

#[tokio::test]
async fn a_deleted_session_is_a_bill() {
    let house = House::new().await;
    let [_, in_session] = furnish(&house).await;
    house.port.drop_conversation(&in_session.key).await.unwrap();
    assert!(house.port.forget_session(&session_id("s1")).await.unwrap());
    house.port.drop_conversation(&chat_key("c1")).await.unwrap();
    let told = of(&house, "ana").await;
    assert!(those(&told, "session").is_empty() && ids(&told).is_empty());
    assert_eq!(those(&told, "billing").len(), 1);
}
