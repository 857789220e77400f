//! `useChat` of the AI SDK, as npm has it, in conversation with the server. What is said is in
//! `tests/node/use_chat.mjs`; here are the server, its model and two people.
//!
//! - `storyteller`: the model.

pub(crate) mod storyteller;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::tempdir;

use self::storyteller::Storyteller;
use crate::people::{call, token};
use crate::running::Running;

const PASSWORD: &str = "correct horse";
const PROGRAM: &str = "use_chat.mjs";

#[test]
fn the_ai_sdk_sends_streams_edits_stops_and_resumes() {
    let packages = std::env::var("UNSAID_TEST_USE_CHAT").expect(
        "this test needs the AI SDK of npm: run it with `cargo xtask services -- cargo test`",
    );
    let dir = tempdir().unwrap();
    let model = Storyteller::start();
    let arguments = [
        ["serve", "--listen=:0"].as_slice(),
        &["--model.provider", "openai", "--model.name", "storyteller"],
        &["--model.base_url", &model.base],
        // a slow machine is not a silent model, and a test talks faster than people do
        &["--model.idle_timeout", "10m", "--model.call_timeout", "10m"],
        &["--limits.writes_per_min", "10000", "--limits.reads_per_min", "10000"],
    ];
    let mut server = Running::start(dir.path(), &arguments.concat());
    let address = server.address();
    for (name, consent) in [("ana", true), ("ben", false)] {
        let body = json!({
            "email": format!("{name}@example.org"), "password": PASSWORD, "name": name,
            "store_history_consent": consent,
        });
        let told = call(address, "POST", "/api/auth/register", "", &body);
        assert_eq!(told.status, 201, "{}", told.body);
    }
    let program = beside(Path::new(&packages), dir.path());
    let output = Command::new("node")
        .arg(program)
        .env("UNSAID", format!("http://{address}"))
        .env("MODEL", &model.base)
        .env("KEPT_TOKEN", token(address, "ana", PASSWORD))
        .env("UNKEPT_TOKEN", token(address, "ben", PASSWORD))
        .output()
        .expect("node starts");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{said}\n{complained}", output.status);
}

/// A copy of the program, with the packages where node looks for them.
fn beside(packages: &Path, dir: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node").join(PROGRAM);
    let copy = dir.join(PROGRAM);
    fs::copy(source, &copy).unwrap();
    symlink(packages.join("node_modules"), dir.join("node_modules")).unwrap();
    copy
}
