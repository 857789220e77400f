//! Accounts through the binary: over true sockets, after restarts, on several servers, and by
//! commands beside them.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::postgres::Database;
use crate::running::{Running, answer, connect, contents, run};
use crate::wait::until;

pub(crate) const PASSWORD: &str = "correct horse";

/// Status, headers and body of an answer.
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) fn call(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &Value,
) -> Told {
    let mut stream = connect(address);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\
        \r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
    .unwrap();
    let text = answer(stream);
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_str(body).unwrap() };
    Told { status, head: head.to_owned(), body }
}

pub(crate) fn sign_up(address: SocketAddr, name: &str) -> String {
    sign_up_with(address, name, true)
}

pub(crate) fn sign_up_with(address: SocketAddr, name: &str, consent: bool) -> String {
    let body = json!({
        "email": format!("{name}@example.org"), "password": PASSWORD, "name": name,
        "store_history_consent": consent,
    });
    let told = call(address, "POST", "/api/auth/register", "", &body);
    assert_eq!(told.status, 201, "{}", told.body);
    told.body["user_id"].as_str().unwrap().to_owned()
}

fn login(address: SocketAddr, name: &str, password: &str) -> Told {
    let body = json!({ "email": format!("{name}@example.org"), "password": password });
    call(address, "POST", "/api/auth/login", "", &body)
}

pub(crate) fn token(address: SocketAddr, name: &str, password: &str) -> String {
    let told = login(address, name, password);
    assert_eq!(told.status, 200, "{}", told.body);
    told.body["token"].as_str().unwrap().to_owned()
}

pub(crate) fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}\r\n")
}

fn me(address: SocketAddr, token: &str) -> Told {
    call(address, "GET", "/api/users/me", &bearer(token), &Value::Null)
}

/// Runs a command that reads this; code and what it said.
pub(crate) fn run_reading(dir: &Path, arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_unsaid"))
        .args(arguments)
        .env_clear()
        // A warning of a slow disk is not what the command says.
        .env("UNSAID_LOG", "error")
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // it may refuse without reading
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap_or_default();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// The path of the link that a new server prints for its owner.
fn setup_path(server: &Running) -> String {
    let line = server.line();
    let (_, path) = line.split_once("/setup").unwrap_or_else(|| panic!("{line}"));
    format!("/setup{path}")
}

#[test]
fn an_account_and_its_tokens_outlive_the_server() {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    let id = sign_up(address, "ana");
    let token = token(address, "ana", PASSWORD);
    let off = json!({ "store_history": false });
    let path = "/api/users/me/preferences";
    assert_eq!(call(address, "PATCH", path, &bearer(&token), &off).status, 200);
    server.signal(Signal::KILL);
    server.end();
    let (_server, address) = Running::serve(dir.path());
    let told = me(address, &token);
    assert_eq!((told.status, &told.body["id"]), (200, &json!(id)));
    assert_eq!(told.body["preferences"]["store_history"], false);
    let date = &told.body["preferences"]["history_deletion_scheduled_at"];
    assert!(date.is_string(), "{date}");
}

#[test]
fn an_ended_account_leaves_no_byte() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    let canary = "canary9f3kq";
    let id = sign_up(address, canary);
    let token = token(address, canary, PASSWORD);
    let places = || {
        let holds = |bytes: &[u8]| bytes.windows(canary.len()).any(|at| at == canary.as_bytes());
        let found = contents(dir.path()).into_iter().filter(|(_, (_, bytes))| holds(bytes));
        format!("{:?}", found.map(|(path, _)| path).collect::<Vec<_>>())
    };
    assert_ne!(places(), "[]", "it is there before");
    let proof = json!({ "password": PASSWORD });
    assert_eq!(call(address, "DELETE", "/api/users/me", &bearer(&token), &proof).status, 204);
    assert_eq!(me(address, &token).status, 401);
    until(places, |seen| seen == "[]");
    let verified = run(dir.path(), &["audit", "verify"]);
    assert!(verified.stdout.starts_with("whole: 1 lines"), "{verified:?} {id}");
}

#[test]
fn a_new_installation_lets_its_owner_in_once() {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    let path = setup_path(&server);
    let told = call(address, "GET", &path, "", &Value::Null);
    assert_eq!(told.status, 303, "{}", told.head);
    let cookie = told.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = format!("cookie: {}\r\n", cookie.split(';').next().unwrap());
    let owner = call(address, "GET", "/api/users/me", &cookie, &Value::Null);
    assert_eq!(owner.body["account_type"], "admin", "{}", owner.body);
    let consent = json!({ "store_history": true });
    let switch = |origin: &str| {
        let headers = format!("{cookie}origin: {origin}\r\n");
        call(address, "PATCH", "/api/users/me/preferences", &headers, &consent).status
    };
    assert_eq!(switch("https://evil.example"), 403);
    assert_eq!(switch(&format!("http://{address}")), 200);
    assert_eq!(switch(&format!("http://localhost:{}", address.port())), 200);
    assert_eq!(call(address, "GET", &path, "", &Value::Null).status, 403);
    server.signal(Signal::TERM);
    let ended = server.end();
    assert!(!ended.stderr.contains(path.split_once('=').unwrap().1), "the key is in the log");
    // now somebody has an account
    let (server, _) = Running::serve(dir.path());
    server.signal(Signal::TERM);
    assert!(!server.end().stdout.contains("/setup"));
}

#[test]
fn others_could_reach_it_so_no_link_is_printed() {
    let dir = tempdir().unwrap();
    let mut server = Running::start(dir.path(), &["serve", "--listen", "0.0.0.0:0"]);
    server.address();
    server.signal(Signal::TERM);
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.stdout.contains("/setup"), "{ended:?}");
}

#[test]
fn accounts_are_made_and_changed_beside_a_running_server() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    let user = |arguments: &[&str], input: &str| {
        run_reading(dir.path(), &[&["user"], arguments].concat(), input)
    };
    let (code, said) = user(&["add", "Ana@Example.org", "--name", "Ana"], "correct horse\n");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("ana@example.org has an account: "), "{said}");
    let (code, said) = user(&["add", "ana@example.org"], "correct horse\n");
    assert_eq!(
        (code, said.as_str()),
        (Some(2), "unsaid: ana@example.org has an account already\n")
    );
    for (arguments, input, sentence) in [
        (&["add", "ben@example.org"][..], "short\n", "the password is not 8 to 128 characters"),
        (&["add", "ben@example.org"], "", "standard input has ended"),
        (&["add", "nobody"], "correct horse\n", "that is not an e-mail address"),
        (&["admin", "ben@example.org"], "", "no account has this address"),
        (&["grant", "ben@example.org", "3"], "", "no account has this address"),
    ] {
        let (code, said) = user(arguments, input);
        assert_eq!((code, said), (Some(2), format!("unsaid: {sentence}\n")), "{arguments:?}");
    }

    let first = token(address, "ana", PASSWORD);
    let told = me(address, &first);
    assert_eq!(told.body["display_name"], "Ana");
    assert_eq!(told.body["account_type"], "user");
    assert_eq!(told.body["preferences"]["store_history"], false);
    assert_eq!(user(&["admin", "ana@example.org"], "").0, Some(0));
    assert_eq!(me(address, &first).body["account_type"], "admin");
    assert_eq!(user(&["admin", "ana@example.org", "--off"], "").0, Some(0));
    assert_eq!(me(address, &first).body["account_type"], "user");

    assert_eq!(user(&["password", "ana@example.org"], "battery staple\n").0, Some(0));
    assert_eq!(me(address, &first).status, 401, "all tokens end");
    assert_eq!(login(address, "ana", PASSWORD).status, 401);
    token(address, "ana", "battery staple");

    let (code, said) = user(&["grant", "ana@example.org", "3"], "");
    assert_eq!((code, said.as_str()), (Some(0), "ana@example.org may open 3 more paid sessions\n"));
    assert_eq!(user(&["grant", "ana@example.org", "0"], "").0, Some(2));
    let (code, said) = user(&["list"], "");
    assert_eq!(code, Some(0));
    let fields: Vec<&str> = said.trim_end().split('\t').collect();
    assert_eq!(
        [fields[1], fields[2], fields[4], fields[5]],
        ["ana@example.org", "user", "not stored", "3 paid"]
    );
}

#[test]
fn a_password_is_not_shown_while_it_is_typed() {
    let dir = tempdir().unwrap();
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let terminal = ptsname(&controller, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(terminal.to_str().unwrap()).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_unsaid"))
        .args(["user", "add", "ana@example.org"])
        .env_clear()
        .current_dir(dir.path())
        .stdin(terminal.try_clone().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut asked = child.stderr.take().unwrap();
    let mut controller = File::from(controller);
    for question in ["Password: ", "\nAgain: "] {
        let mut bytes = vec![0; question.len()];
        asked.read_exact(&mut bytes).unwrap();
        assert_eq!(bytes, question.as_bytes());
        // what is typed before echoing ends would be shown
        until(|| format!("{:?}", is_shown(&terminal)), |shown| shown == "false");
        controller.write_all(b"correct horse\n").unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(is_shown(&terminal), "the terminal is as it was");
    // a mark, so that there is an end to what can be read
    controller.write_all(b"#").unwrap();
    let mut shown = Vec::new();
    while shown.last() != Some(&b'#') {
        let mut byte = [0];
        controller.read_exact(&mut byte).unwrap();
        shown.extend(byte);
    }
    assert!(!String::from_utf8(shown).unwrap().contains("horse"));
}

fn is_shown(terminal: &File) -> bool {
    tcgetattr(terminal).unwrap().local_modes.contains(LocalModes::ECHO)
}

#[test]
fn history_is_erased_beside_a_running_server() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    let id = sign_up(address, "ana");
    let erase = |whose: &[&str]| run(dir.path(), &[&["erase"], whose].concat());
    assert_eq!(erase(&["--due"]).stdout, "erased: 0\n");
    let said = format!("erased: 0 sessions, 0 messages, 0 files of {id}\n");
    assert_eq!(erase(&["--user", "Ana@example.org"]).stdout, said);
    assert_eq!(erase(&["--user", &id]).stdout, said);
    assert_eq!(erase(&["--user", &id.to_uppercase()]).stdout, said);
    for nobody in ["ben@example.org", "00000000-0000-4000-8000-000000000000", "n o"] {
        let ended = erase(&["--user", nobody]);
        assert_eq!(ended.code, Some(2));
        assert_eq!(ended.stderr, "unsaid: nobody has this address or id\n");
    }
    assert_eq!(erase(&[]).code, Some(2), "whose must be said");
    assert_eq!(erase(&["--due", "--user", &id]).code, Some(2), "one at a time");
    let verified = run(dir.path(), &["audit", "verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.stdout.starts_with("whole: 3 lines, the newest is "), "{verified:?}");
}

#[test]
fn servers_on_one_database_know_the_same_people_and_count_together() {
    let (dir, database) = (tempdir().unwrap(), Database::new());
    let limits = ["--limits.logins_per_15min_account", "4"];
    let arguments =
        [&["serve", "--listen", ":0", "--database", &database.address][..], &limits].concat();
    let mut servers = [0, 1].map(|_| Running::start(dir.path(), &arguments));
    let [one, other] = servers.each_mut().map(Running::address);
    let id = sign_up(one, "ana");
    let token = token(one, "ana", PASSWORD);
    // the same key signs on both
    assert_eq!(me(other, &token).body["id"], json!(id));
    for (server, status) in [(other, 401), (one, 401), (other, 401), (one, 429), (other, 429)] {
        let told = login(server, "ana", "wrong horse");
        assert_eq!(told.status, status, "{}", told.body);
        assert_eq!(told.head.contains("retry-after: "), status == 429, "{}", told.head);
    }
    // whoever leaves one has left all
    assert_eq!(call(one, "POST", "/api/auth/logout", &bearer(&token), &Value::Null).status, 204);
    assert_eq!(me(other, &token).status, 401);
    let beside = ["user", "admin", "ana@example.org", "--database", &database.address];
    assert_eq!(run(dir.path(), &beside).code, Some(0));
    let erased = run(dir.path(), &["erase", "--user", &id, "--database", &database.address]);
    assert_eq!(erased.code, Some(0), "{erased:?}");
    let verified = run(dir.path(), &["audit", "verify", "--database", &database.address]);
    assert!(verified.stdout.starts_with("whole: 1 lines"), "{verified:?}");
}
