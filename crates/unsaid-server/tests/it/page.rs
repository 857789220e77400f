//! The page in a real browser, in front of the real binary. What is done there stands in `web/tests`;
//! each of its files starts servers of its own. And the page that is committed is the one that its
//! sources give.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::tempdir;

use crate::use_chat::storyteller::Storyteller;

#[test]
fn people_talk_edit_and_undo() {
    in_a_browser("talk.test.mjs");
}

#[test]
fn people_see_what_is_kept_and_what_is_gone() {
    in_a_browser("data.test.mjs");
}

#[test]
fn nothing_is_lost_when_the_line_is_cut_or_the_server_dies() {
    in_a_browser("cuts.test.mjs");
}

#[test]
fn every_screen_can_be_used_by_everybody() {
    in_a_browser("looks.test.mjs");
}

#[test]
fn tabs_see_what_the_others_do() {
    in_a_browser("tabs.test.mjs");
}

#[test]
fn people_ask_experts_and_take_it_back() {
    in_a_browser("sessions.test.mjs");
}

#[test]
fn the_way_back_is_offered_while_there_is_one() {
    in_a_browser("undo.test.mjs");
}

#[test]
fn drafts_survive_and_are_written_only_where_they_may() {
    in_a_browser("drafts.test.mjs");
}

#[test]
fn it_speaks_japanese_and_spanish() {
    in_a_browser("languages.test.mjs");
}

#[test]
fn admins_see_decisions_and_try_the_bot() {
    in_a_browser("admin.test.mjs");
}

#[test]
fn admins_see_whether_the_chain_of_erasures_is_whole() {
    in_a_browser("audit.test.mjs");
}

#[test]
fn what_comes_late_brings_nothing_back() {
    in_a_browser("late.test.mjs");
}

#[test]
fn what_is_gone_is_gone_everywhere() {
    in_a_browser("gone.test.mjs");
}

#[test]
fn what_fails_can_be_tried_again() {
    in_a_browser("retry.test.mjs");
}

#[test]
fn a_long_chat_is_read_by_pages() {
    in_a_browser("long.test.mjs");
}

#[test]
fn people_see_what_they_do() {
    in_a_browser("sight.test.mjs");
}

#[test]
fn screens_that_are_seen_seldom_can_be_used_by_everybody() {
    in_a_browser("seldom.test.mjs");
}

#[test]
fn everything_is_done_with_the_keyboard_alone() {
    in_a_browser("keys.test.mjs");
}

#[test]
fn sessions_run_out_and_are_left() {
    in_a_browser("time.test.mjs");
}

#[test]
fn what_a_model_writes_loads_and_runs_nothing() {
    in_a_browser("markdown.test.mjs");
}

/// The other languages say all that English says, or they do not compile.
#[test]
fn every_refusal_that_people_can_meet_is_told_in_their_language() {
    // What only programs can do wrong, and what has a screen of its own.
    let others =
        ["INVALID_SIGNATURE", "METHOD_NOT_ALLOWED", "SETUP_LINK_INVALID", "UNSUPPORTED_MEDIA_TYPE"];
    let errors = fs::read_to_string(repository().join("docs/reference/errors.md")).unwrap();
    let words = fs::read_to_string(repository().join("web/src/words/en.ts")).unwrap();
    let rows = errors.lines().filter_map(|line| line.strip_prefix("| `"));
    let codes: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert!(codes.len() > 30, "{codes:?}");
    for code in codes {
        assert!(words.contains(&format!("    {code}: ")) != others.contains(&code), "{code}");
    }
}

#[test]
fn what_is_committed_is_what_the_sources_give() {
    let dir = tempdir().unwrap();
    let web = dir.path().join("web");
    fs::create_dir(&web).unwrap();
    let sources = repository().join("web");
    for name in
        ["index.html", "package.json", "svelte.config.js", "tsconfig.json", "vite.config.js"]
    {
        fs::copy(sources.join(name), web.join(name)).unwrap();
    }
    for name in ["scripts", "src"] {
        copy(&sources.join(name), &web.join(name));
    }
    symlink(packages().join("node_modules"), web.join("node_modules")).unwrap();
    // the description of the API, of which the types are made
    symlink(repository().join("crates"), dir.path().join("crates")).unwrap();
    for step in ["types", "check", "build"] {
        succeed(Command::new("npm").args(["run", step]).current_dir(&web));
    }
    for name in ["src", "dist"] {
        let (fresh, committed) = (files(&web.join(name)), files(&sources.join(name)));
        assert!(
            fresh.keys().eq(committed.keys()),
            "{:?} {:?}: run cargo xtask web",
            fresh.keys(),
            committed.keys()
        );
        for (path, bytes) in &fresh {
            assert!(*bytes == committed[path], "{name}/{}: run cargo xtask web", path.display());
        }
    }
}

fn in_a_browser(file: &str) {
    let dir = tempdir().unwrap();
    let tests = dir.path().join("tests");
    copy(&repository().join("web/tests"), &tests);
    symlink(packages().join("node_modules"), dir.path().join("node_modules")).unwrap();
    let model = Storyteller::start();
    let mut node = Command::new("node");
    node.arg("--test").arg("--test-reporter=spec").arg(tests.join(file));
    node.env("UNSAID_BINARY", env!("CARGO_BIN_EXE_unsaid")).env("MODEL", &model.base);
    succeed(node.env("TMPDIR", dir.path()));
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap();
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{said}\n{complained}", output.status);
}

/// Where the packages of the page are installed.
fn packages() -> PathBuf {
    let place = std::env::var("UNSAID_TEST_WEB").expect(
        "this test needs the packages of the page: run it with `cargo xtask services -- cargo test`",
    );
    PathBuf::from(place)
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from) {
        let target = to.join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, bytes).unwrap();
    }
}

/// The files below a directory, by their paths from there.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut places = vec![root.to_owned()];
    while let Some(place) = places.pop() {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                places.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path.strip_prefix(root).unwrap().to_owned(), bytes);
            }
        }
    }
    found
}
