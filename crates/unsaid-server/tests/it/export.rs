//! Everything held on one person, by the command and over a true socket.

use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::tempdir;
use unsaid_core::port::Store;
use unsaid_server::store::sqlite;
use unsaid_store_sql::postgres::{Options, PostgresStore};
use unsaid_testkit::builder::{
    TERMS, chat, chat_key, line_key, message_by, new_session, person_id, say, session_key, unsend,
    words_of, world,
};
use unsaid_testkit::talk::Talk;

use crate::people::{PASSWORD, bearer, call, sign_up, token};
use crate::postgres::Database;
use crate::running::{Running, connect, run};

/// A chat with a long talk, and a session; one word was taken back, one was edited away.
async fn furnish(store: Arc<dyn Store>, id: &str) {
    store.add_world(world(id, "w1"), chat("c1", 0), Vec::new()).await.unwrap().unwrap();
    store.open_session(new_session("s1", id, 1_000), TERMS).await.unwrap().unwrap();
    let talk = Talk::new(&store, chat_key("c1")).owned_by(id);
    for n in 0..230 {
        talk.make(say(message_by(id, &format!("canary-{n}")))).await;
    }
    talk.make(unsend("canary-7")).await;
    let talk = Talk::new(&store, session_key("s1")).owned_by(id);
    talk.exchange("canary-m", "canary-a").await;
    talk.make(unsend("canary-m")).await;
    let talk = Talk::new(&store, line_key("U1"));
    talk.make(say(message_by("U1", "canary-l"))).await;
    let talk = Talk::new(&store, line_key("C1"));
    talk.make(say(message_by("U2", "canary-u2"))).await;
    talk.make(say(message_by("U1", "canary-g"))).await;
}

/// On a runtime of its own, closed before anybody else looks.
fn furnished<F: Future<Output = Arc<dyn Store>>>(open: F, id: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { furnish(open.await, id).await });
}

/// The body of the export, as it comes in its chunks.
fn fetched(address: SocketAddr, token: &str) -> String {
    let mut stream = connect(address);
    let who = bearer(token);
    write!(
        stream,
        "GET /api/users/me/export HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{who}\r\n"
    )
    .unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, mut rest) = text.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200") && head.contains("transfer-encoding: chunked"),
        "{head}"
    );
    let mut body = String::new();
    loop {
        let (size, after) = rest.split_once("\r\n").unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return body;
        }
        body.push_str(&after[..size]);
        rest = after[size..].strip_prefix("\r\n").unwrap();
    }
}

fn exported(dir: &Path, whose: &str, more: &[&str]) -> String {
    let ended = run(dir, &[&["export", "--user", whose], more].concat());
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.stdout.len());
    ended.stdout
}

fn parsed(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// By command and by call, by address and by id, before and after a withdrawal.
fn tells_everything<F: Future<Output = Arc<dyn Store>>>(
    more: &[&str],
    open: impl FnOnce(&Path) -> F,
) {
    let dir = tempdir().unwrap();
    let mut server = Running::start(dir.path(), &[&["serve", "--listen", ":0"], more].concat());
    let address = server.address();
    let id = sign_up(address, "ana");
    let token = token(address, "ana", PASSWORD);
    furnished(open(dir.path()), &id);
    let text = exported(dir.path(), "ana@example.org", more);
    assert_eq!(text, exported(dir.path(), &id, more));
    assert_eq!(text, fetched(address, &token));
    let told = parsed(&text);
    let kinds = |kind: &str| told.iter().filter(|line| line["type"] == kind).count();
    let counts = ["person", "consent", "world", "chat", "session", "message"].map(kinds);
    assert_eq!(counts, [1, 1, 1, 1, 1, 230]);
    assert!(text.contains(&words_of("canary-229")) && !text.contains(&words_of("canary-7")));
    assert!(!text.contains(&words_of("canary-m")) && !text.contains(&words_of("canary-a")));
    let withdrawn = told.iter().find(|line| line["withdrawn"] == true).unwrap();
    assert_eq!(withdrawn["id"], "canary-a");
    assert!(!text.contains("canary-l"), "that is somebody on LINE");

    let off = json!({ "store_history": false });
    let path = "/api/users/me/preferences";
    assert_eq!(call(address, "PATCH", path, &bearer(&token), &off).status, 200);
    let hidden = parsed(&exported(dir.path(), &id, more));
    assert_eq!(hidden.iter().filter(|line| line["hidden"] == true).count(), 231);

    let on_line = parsed(&exported(dir.path(), "U1", more));
    assert_eq!(on_line[0], json!({ "type": "person", "id": "U1", "display_name": null }));
    let said: Vec<&Value> = on_line[1..].iter().map(|line| &line["id"]).collect();
    assert_eq!(said, ["canary-l", "canary-g"]);

    let nobody = run(dir.path(), &[&["export", "--user", "nobody@example.org"], more].concat());
    assert_eq!((nobody.code, nobody.stdout.as_str()), (Some(2), ""));
    assert_eq!(nobody.stderr, "unsaid: nobody has this address or id\n");
    server.signal(Signal::TERM);
    let ended = server.end();
    assert_eq!(ended.code, Some(0));
    let said = [ended.stdout, ended.stderr].concat();
    assert!(!said.contains("canary") && !said.contains("ana@"), "{said}");
}

#[test]
fn on_sqlite() {
    tells_everything(&["--log", "debug"], |dir| {
        let file = sqlite::file(&dir.join("unsaid-data"));
        async move { sqlite::open(&file).unwrap() }
    });
}

#[test]
fn on_postgres() {
    let database = Database::new();
    let address = database.address.clone();
    tells_everything(&["--log", "debug", "--database", &database.address], |_| async move {
        Arc::new(PostgresStore::open(&address, &Options::default()).await.unwrap())
            as Arc<dyn Store>
    });
}

#[test]
fn it_needs_a_name() {
    let dir = tempdir().unwrap();
    for arguments in [&["export"][..], &["export", "--user"]] {
        assert_eq!(run(dir.path(), arguments).code, Some(2));
    }
    let nobody = run(dir.path(), &["export", "--user", person_id("x").as_str()]);
    assert_eq!(nobody.code, Some(2), "{nobody:?}");
}
