//! Taking in the worlds of `agent-world`.

mod again;
mod damage;
mod fixture;
mod mended;
mod places;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tempfile::{TempDir, tempdir};
use tokio::runtime::Runtime;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::AgentId;
use unsaid_core::domain::message::{Author, Part};
use unsaid_core::domain::secret::SecretKey;
use unsaid_core::port::Store;
use unsaid_core::port::history::Commit;
use unsaid_core::port::worlds::WorldKey;
use unsaid_server::store::sqlite;
use unsaid_store_sql::postgres::{Options, PostgresStore};
use unsaid_testkit::builder::{at, consent_line, person, unsend, world_key};
use unsaid_testkit::describe::describe;

use self::fixture::{Copy, talk, write_agent, write_database, write_first_database, write_tree};
use crate::postgres::Database;
use crate::running::{Ended, Running, contents, run};
use crate::wait::until;

/// A data directory in which `ana` has an account.
struct House {
    dir: TempDir,
    runtime: Runtime,
}

impl House {
    fn of_ana(consent: bool) -> Self {
        let (dir, runtime) = (tempdir().unwrap(), Runtime::new().unwrap());
        fs::create_dir(dir.path().join("unsaid-data")).unwrap();
        let house = Self { dir, runtime };
        let store = house.store();
        let added = store.add(person("ana", consent), consent_line(consent, 0));
        assert!(house.runtime.block_on(added).unwrap());
        house.runtime.block_on(share_secret(&*store));
        house
    }

    fn store(&self) -> Arc<dyn Store> {
        sqlite::open(&sqlite::file(&self.dir.path().join("unsaid-data"))).unwrap()
    }

    fn import(&self, path: &Path) -> Ended {
        let path = path.to_str().unwrap();
        run(self.dir.path(), &["import", "agent-world", path, "--owner", "ana@example.org"])
    }

    fn shown(&self, world: &str) -> String {
        shown(&self.runtime, &*self.store(), &world_key("ana", world))
    }

    fn entries(&self, world: &str, chat: &str) -> (ConversationKey, Vec<Entry>) {
        let store = self.store();
        self.runtime.block_on(async {
            let chats = store.chats(&world_key("ana", world)).await.unwrap().unwrap();
            let chat = chats.into_iter().find(|found| found.name.as_str() == chat).unwrap();
            let key = ConversationKey::Chat(chat.id);
            let page = store.page(&key, None, 10_000).await.unwrap();
            (key, page)
        })
    }

    /// `id author: text → hearers`, one line each.
    fn lines(&self, world: &str, chat: &str) -> Vec<String> {
        self.entries(world, chat).1.iter().map(line).collect()
    }
}

/// Ids that are made are made with it: with the same, they are the same in every house.
async fn share_secret(store: &dyn Store) {
    store.secret("import", SecretKey::new([7; 32])).await.unwrap();
}

fn line(entry: &Entry) -> String {
    let message = &entry.message;
    let author = match &message.author {
        Author::Person(person) => person.as_ref().map_or("?", |person| person.as_str()).to_owned(),
        Author::Agent(agent) => format!("@{agent}"),
    };
    let text: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::Media { .. } | Part::Original { .. } => None,
        })
        .collect();
    let only = message.audience.only.as_ref().unwrap();
    let hearers: Vec<&str> = only.iter().map(AgentId::as_str).collect();
    format!("{} {author}: {} → {}", message.id, text.concat(), hearers.join(","))
}

/// Settings and logs as text.
fn shown(runtime: &Runtime, store: &dyn Store, key: &WorldKey) -> String {
    runtime.block_on(async {
        let mut text = vec![format!("{:#?}", store.world(key).await.unwrap())];
        for agent in store.agents(key).await.unwrap().unwrap() {
            text.push(format!("{agent:?}\n{}", agent.system_prompt.as_str()));
        }
        for chat in store.chats(key).await.unwrap().unwrap() {
            text.push(format!("{} {chat:?}", chat.name.as_str()));
            let whole = store.whole(&ConversationKey::Chat(chat.id)).await.unwrap();
            text.extend(whole.map(|whole| describe(&whole)));
        }
        text.join("\n")
    })
}

fn tree(copies: &[Copy]) -> TempDir {
    let dir = tempdir().unwrap();
    write_tree(dir.path(), copies);
    dir
}

#[test]
fn both_formats_give_the_same_worlds_and_the_source_stays_as_it_is() {
    let (one, other) = (House::of_ana(true), House::of_ana(true));
    let from = tree(&talk());
    let before = contents(from.path());
    let first = one.import(from.path());
    assert!(contents(from.path()) == before, "the source was changed");
    insta::assert_snapshot!(first.stdout);
    assert_eq!((first.code, first.stderr.as_str()), (Some(1), ""));

    let from = tempdir().unwrap();
    let program = write_database(&from.path().join("database.db"), &talk());
    let before = contents(from.path());
    assert_eq!(before.len(), 3, "a file, its log and its index");
    let second = other.import(&from.path().join("database.db"));
    assert!(contents(from.path()) == before, "the source was changed");
    insta::assert_snapshot!(second.stdout);
    drop(program);

    insta::assert_snapshot!(one.lines("tea-house", "Morning tea").join("\n"));
    let whole = one.shown("tea-house");
    assert_eq!(other.shown("tea-house"), whole);
    assert!(whole.contains("You are O1.\nYou like tea."), "{whole}");

    for (house, path) in [(&one, from.path()), (&other, &from.path().join("database.db"))] {
        let again = house.import(path);
        assert!(
            again.stdout.contains("0 worlds, 0 agents, 0 chats and 0 messages taken in, 12 "),
            "{again:?}"
        );
        assert_eq!(house.shown("tea-house"), whole);
    }
}

#[test]
fn a_broken_memory_is_named_and_the_rest_comes() {
    let house = House::of_ana(true);
    let from = tree(&talk());
    let broken = from.path().join("tea-house/agents/a1/memory.json");
    fs::write(&broken, "[{\"role\": \"user\", \"content\": \"secret canary").unwrap();
    fs::write(from.path().join("tea-house/chats/morning.json"), "").unwrap();
    let ended = house.import(from.path());
    assert_eq!(ended.code, Some(1));
    for line in [
        "not taken in: tea-house/agents/a1/memory.json: cannot be read\n",
        "not taken in: tea-house/chats/morning.json: cannot be read\n",
        "not taken in: tea-house/agents/o1/memory.json, no. 9: said by the program itself\n",
    ] {
        assert!(ended.stdout.contains(line), "{ended:?}");
    }
    assert!(!ended.stdout.contains("canary"), "words of people are not printed");
    let shown = house.shown("tea-house");
    assert!(shown.contains("A drink made of leaves"), "{shown}");
    assert!(shown.contains("AgentId(a1)"), "{shown}");
}

#[test]
fn an_agent_that_is_called_like_the_person_gets_another_id() {
    let house = House::of_ana(true);
    let copies = [
        Copy::of("a1", "hello", "00.000", "m1"),
        Copy::of("human", "hello", "00.000", "m1"),
        Copy::of("human", "I am no person", "01.000", "m2").own(),
        Copy::of("a1", "me neither", "02.000", "m3").from("Human!"),
    ];
    let from = tree(&copies);
    write_agent(from.path(), "human", "Human", &copies);
    for _ in 0..2 {
        let ended = house.import(from.path());
        let told = "; tea-house/agents/human is `human-2` here, where `human` is the person\n";
        assert!(ended.stdout.ends_with(told), "{ended:?}");
        assert_eq!(ended.code, Some(0));
        assert_eq!(
            house.lines("tea-house", "Morning tea"),
            [
                "m1 ana: hello → a1,human-2",
                "m2 @human-2: I am no person → human-2",
                "m3 ana: me neither → a1"
            ]
        );
        assert!(house.shown("tea-house").contains("You are Human."));
    }
}

#[test]
fn a_database_of_the_first_version_has_neither_chats_nor_ids() {
    let (house, from) = (House::of_ana(true), tempdir().unwrap());
    let file = from.path().join("database.db");
    write_first_database(&file);
    let ended = house.import(from.path());
    assert_eq!(
        ended.stdout,
        "not taken in: agent_memory, no. 5: of a world or an agent that is not there\n\
         1 world, 2 agents, 1 chat and 2 messages taken in, 0 messages known before, 1 not taken in\n"
    );
    let (_, entries) = house.entries("old", "Imported");
    let said: Vec<String> = entries.iter().map(line).collect();
    let without_id: Vec<&str> =
        said.iter().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    assert_eq!(without_id, ["ana: hi → a,b", "@a: hello → a,b"]);
    for entry in &entries {
        let id = entry.message.id.as_str();
        let is_safe = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        assert!(id.len() == 10 && is_safe, "{id}");
    }
}

#[test]
fn what_cannot_be_begun_is_refused_in_a_sentence() {
    let (house, from) = (House::of_ana(true), tree(&talk()));
    let empty = tempdir().unwrap();
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let other = path(&sqlite::file(&house.dir.path().join("unsaid-data")));
    let (from, empty) = (path(from.path()), path(empty.path()));
    for (path, owner, sentence) in [
        (&from, "ben@example.org", "ben@example.org has no account here"),
        (&from, "ben", "that is not an e-mail address"),
        (&format!("{from}/nowhere"), "ana@example.org", "no such file"),
        (&empty, "ana@example.org", "holds no world of agent-world"),
        (&other, "ana@example.org", "is not a database of agent-world"),
        (&format!("{from}/tea-house/config.json"), "ana@example.org", "is neither a database"),
    ] {
        let arguments = ["import", "agent-world", path, "--owner", owner];
        let ended = run(house.dir.path(), &arguments);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(sentence), "{ended:?}");
    }
    let ended = run(house.dir.path(), &["import", "agent-world", &from]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
}

#[test]
fn without_consent_no_word_is_kept() {
    let house = House::of_ana(false);
    let from = tree(&[Copy::of("a1", "secret canary", "00.000", "m1")]);
    let ended = house.import(from.path());
    assert_eq!(ended.code, Some(1));
    assert!(ended.stdout.contains("the owner has not agreed that words are kept"), "{ended:?}");
    assert!(ended.stdout.contains("1 world, 2 agents, 1 chat and 0 messages taken in"));
    assert_eq!(house.lines("tea-house", "Morning tea"), [""; 0]);
    for (file, (_, bytes)) in contents(house.dir.path()) {
        let found = bytes.windows(6).any(|bytes| bytes == b"canary");
        assert!(!found, "{}", file.display());
    }
}

#[test]
fn what_was_taken_back_or_erased_does_not_come_back() {
    let (house, from) = (House::of_ana(true), tree(&talk()));
    house.import(from.path());
    let (key, before) = house.entries("tea-house", "Morning tea");
    let store = house.store();
    let remove = Commit::new(unsend("first-id-1"), at(1));
    house.runtime.block_on(store.commit(&key, remove)).unwrap();
    drop(store);
    house.import(from.path());
    assert_eq!(house.entries("tea-house", "Morning tea").1.len(), before.len() - 1);
    let erased = run(house.dir.path(), &["erase", "--user", "ana@example.org"]);
    assert_eq!(erased.code, Some(0), "{erased:?}");
    for _ in 0..2 {
        let again = house.import(from.path());
        assert!(again.stdout.contains("erased here since stay out: 12"), "{again:?}");
        assert_eq!(house.lines("tea-house", "Morning tea"), [""; 0]);
    }
}

/// Thousands of messages, each in two memories.
fn long_talk() -> Vec<Copy> {
    let mut copies = Vec::new();
    for n in 0..3_000 {
        let (second, milli) = (n / 100, n % 100);
        for agent in ["a1", "o1"] {
            let when = format!("{second:02}.{milli:03}");
            let id = if n % 3 == 0 { String::new() } else { format!("m{n}") };
            copies.push(Copy::of(agent, &format!("leaf {n}"), &when, &id));
        }
    }
    copies
}

#[test]
fn an_import_that_is_killed_goes_on_where_it_was() {
    let from = tree(&long_talk());
    let (whole, house) = (House::of_ana(true), House::of_ana(true));
    let ended = whole.import(from.path());
    assert!(ended.stdout.contains(" 3000 messages taken in"), "{ended:?}");
    assert_eq!(ended.code, Some(0));
    for _ in 0..3 {
        let path = from.path().to_str().unwrap();
        let arguments = ["import", "agent-world", path, "--owner", "ana@example.org"];
        let count = || {
            let store = house.store();
            let world = world_key("ana", "tea-house");
            let chats = house.runtime.block_on(store.chats(&world)).unwrap();
            let Ok(chats) = chats else { return 0 };
            let key = ConversationKey::Chat(chats[0].id.clone());
            let overview = house.runtime.block_on(store.overview(&key)).unwrap();
            overview.map_or(0, |overview| overview.heard)
        };
        let before = count();
        let importing = Running::start(house.dir.path(), &arguments);
        until(
            || count().to_string(),
            |now| now.parse::<u64>().unwrap() > before || before == 3_000,
        );
        // killed, unless it was faster than the look
        drop(importing);
    }
    let ended = house.import(from.path());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(house.shown("tea-house"), whole.shown("tea-house"));
}

#[test]
fn it_works_beside_a_running_server() {
    let (house, from) = (House::of_ana(true), tree(&talk()));
    let (_server, _) = Running::serve(house.dir.path());
    let ended = house.import(from.path());
    assert!(ended.stdout.contains("12 messages taken in"), "{ended:?}");
}

#[test]
fn into_postgres() {
    let (database, from) = (Database::new(), tree(&talk()));
    let (house, dir) = (House::of_ana(true), tempdir().unwrap());
    house.import(from.path());
    let path = from.path().to_str().unwrap();
    let arguments = ["import", "agent-world", path, "--owner", "ana@example.org"];
    let arguments = [&arguments[..], &["--database", &database.address]].concat();
    let open = || -> Arc<dyn Store> {
        let options = Options::default();
        let opened = PostgresStore::open(&database.address, &options);
        Arc::new(house.runtime.block_on(opened).unwrap())
    };
    let store = open();
    let added = store.add(person("ana", true), consent_line(true, 0));
    assert!(house.runtime.block_on(added).unwrap());
    house.runtime.block_on(share_secret(&*store));
    let whole = house.shown("tea-house");
    for known in ["12 messages taken in, 0 messages", "0 messages taken in, 12 messages"] {
        let ended = run(dir.path(), &arguments);
        assert!(ended.stdout.contains(known), "{ended:?}");
        assert_eq!(shown(&house.runtime, &*open(), &world_key("ana", "tea-house")), whole);
    }
}
