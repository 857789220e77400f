//! The API is as its own document describes it: schemathesis reads the document, makes calls out of
//! it that are right, nearly right and wrong, and judges the answers of the true binary.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::people::{bearer, call, run_reading, token};
use crate::running::Running;

/// Calls that would end the run: with the account, its password or its sign-in every further call
/// would be refused alike. `setup` is spent by its first call, the events of a world never end, and
/// the webhook is not open here; both have judges of their own.
const LEFT_OUT: &[&str] =
    &["delete_account", "change_password", "logout", "setup", "world_events", "line_webhook"];

/// Calls that are made up once more, in a session that is there.
const TALKING: &[&str] = &["chat", "resume", "stop", "messages", "edit_message", "unsend_message"];

/// An answer that breaks one of these is a fault of ours.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
    response_headers_conformance,response_schema_conformance,negative_data_rejection,\
    missing_required_header,unsupported_method,ignored_auth";

/// Nobody is told to come back later, or every other answer would be that.
const LIMITS: &str = "\
[model]
provider = \"demo\"

[limits]
logins_per_15min_account = 1_000_000
logins_per_15min_address = 1_000_000
registrations_per_hour_address = 1_000_000
writes_per_min = 1_000_000
reads_per_min = 1_000_000
password_hashes_waiting = 1_000
";

const CALLS_AT_LEAST: u64 = 5_000;
const PASSWORD: &str = "correct horse";

#[test]
fn thousands_of_calls_are_answered_as_described() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("unsaid.toml"), LIMITS).unwrap();
    let (_server, address) = Running::serve(dir.path());
    add_admin(dir.path(), "ada");
    let token = token(address, "ada", PASSWORD);
    let consent = json!({ "store_history": true });
    let kept = call(address, "PATCH", "/api/users/me/preferences", &bearer(&token), &consent);
    assert_eq!(kept.status, 200, "{}", kept.body);

    let document = format!("http://{address}/api/openapi.json");
    let pinned = dir.path().join("pinned.json");
    fs::write(&pinned, pinned_to_a_session(address, &token).to_string()).unwrap();
    let base = format!("http://{address}");
    let talking = ["--url", &base, "--mode", "positive", "--max-examples", "20"];
    let talking = [&talking[..], &named("--include-operation-id", TALKING)].concat();
    let spoken = judged(dir.path(), pinned.to_str().unwrap(), Some(&token), &talking);

    let left_out = named("--exclude-operation-id", LEFT_OUT);
    let many = [&["--max-examples", "90"][..], &left_out].concat();
    let signed_in = judged(dir.path(), &document, Some(&token), &many);
    let few = [&["--max-examples", "5"][..], &left_out].concat();
    let from_nobody = judged(dir.path(), &document, None, &few);
    let all = spoken + signed_in + from_nobody;
    assert!(all >= CALLS_AT_LEAST, "{spoken} + {signed_in} + {from_nobody}");
    let still = call(address, "GET", "/api/users/me", &bearer(&token), &Value::Null);
    assert_eq!(still.status, 200, "{}", still.body);
}

fn named<'a>(option: &'a str, names: &[&'a str]) -> Vec<&'a str> {
    names.iter().flat_map(|name| [option, name]).collect()
}

/// The document, with an open session in every place where one is named: nobody guesses a UUID.
fn pinned_to_a_session(address: SocketAddr, token: &str) -> Value {
    let opened = call(address, "POST", "/api/sessions", &bearer(token), &json!({}));
    assert_eq!(opened.status, 201, "{}", opened.body);
    let only = json!([opened.body["session"]["id"]]);
    let mut document = call(address, "GET", "/api/openapi.json", "", &Value::Null).body;
    let schemas = &mut document["components"]["schemas"];
    schemas["Said"]["properties"]["session_id"]["enum"] = only.clone();
    schemas["UiMessages"]["properties"]["id"]["enum"] = only.clone();
    for methods in document["paths"].as_object_mut().unwrap().values_mut() {
        for operation in methods.as_object_mut().unwrap().values_mut() {
            let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
            for parameter in parameters.into_iter().flatten() {
                if parameter["name"] == "session_id" {
                    parameter["schema"]["enum"] = only.clone();
                }
            }
        }
    }
    document
}

fn add_admin(dir: &Path, name: &str) {
    let address = format!("{name}@example.org");
    for (arguments, input) in [
        (["user", "add", &address], format!("{PASSWORD}\n")),
        (["user", "admin", &address], String::new()),
    ] {
        let (code, said) = run_reading(dir, &arguments, &input);
        assert_eq!(code, Some(0), "{said}");
    }
}

/// Lets schemathesis judge, and says how many calls it made.
fn judged(dir: &Path, document: &str, token: Option<&str>, arguments: &[&str]) -> u64 {
    let python = std::env::var("UNSAID_TEST_SCHEMATHESIS")
        .expect("this test needs schemathesis: run it with `cargo xtask services -- cargo test`");
    let mut command = Command::new(python);
    command
        .args(["-m", "schemathesis.cli", "--no-color", "run"])
        .arg(document)
        .args(["--phases", "examples,coverage,fuzzing", "--checks", CHECKS])
        // One worker: Python 3.11 loses count of its parser's depth when two threads use it at once.
        .args(["--seed", "20261116", "--workers", "1"])
        .args(["--generation-database", "none", "--no-shrink", "--continue-on-failure"])
        .args(["--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "60"])
        .args(arguments)
        .current_dir(dir)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::null());
    if let Some(token) = token {
        command.args(["--header", &format!("Authorization: Bearer {token}")]);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complaints}");
    let made = said.lines().find_map(|line| line.trim().split_once(" generated,"));
    made.unwrap_or_else(|| panic!("{said}")).0.parse().unwrap()
}
