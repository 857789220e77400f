//! LINE is played against a server: what the bot says can be seen, and what it does not say.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::{TempDir, tempdir};

use crate::running::{Running, run};

const SCENE: &str = "
-- Kim is alone with the bot, says a name and takes it back
[200] Kim adds the bot as a friend
[200] #1 Kim: My name is Rosalind.
      bot: This is a demo, not a language model. I heard: “My name is Rosalind.”. I remember nothing \
before that.
[200] #2 Kim: What is my name?
      bot: This is a demo, not a language model. You told me that your name is Rosalind.
[200] Kim unsends #1
[200] #3 Kim: What is my name?
      bot: This is a demo, not a language model. I remember no name of yours.

-- Kim and Noa are in a group with the bot
[200] the bot joins the group
You are Kim, in the group.
[200] #4 Kim: Lunch at noon?
      bot: This is a demo, not a language model. I heard: “Lunch at noon?”. I remember nothing \
before that.
You are Noa, in the group.
[200] #5 Noa: Fine with me, Kim. (not for you)
      (the bot stays silent: it has decided so)

The scene is over.
";

/// A server, and a directory with what it and the simulator are told.
struct House {
    dir: TempDir,
    _server: Running,
    url: String,
    /// Keeps the port of the stand-in until it is wanted.
    port: TcpListener,
}

impl House {
    fn open(line: &str) -> Self {
        let dir = tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", port.local_addr().unwrap());
        let settings = format!(
            "model.provider = \"demo\"\n[line]\nchannel_secret = \"a secret\"\n\
             channel_access_token = \"a-token\"\napi_base = \"{base}\"\ndata_api_base = \"{base}\"\n\
             debounce = \"10ms\"\n{line}\n"
        );
        fs::write(dir.path().join("unsaid.toml"), settings).unwrap();
        let (server, address) = Running::serve(dir.path());
        Self { dir, _server: server, url: format!("http://{address}"), port }
    }

    /// What somebody sees who types these lines.
    fn typed(self, lines: &[&str]) -> String {
        drop(self.port);
        let mut child = Command::new(env!("CARGO_BIN_EXE_unsaid"))
            .args(["line", "simulate", "--server", &self.url, "--wait", "60s"])
            .env_clear()
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
        drop(stdin);
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let (seen, log) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        assert!(status.success(), "{seen}{log}");
        assert_eq!(log, "");
        seen
    }
}

#[test]
fn a_ready_scene_shows_replies_an_unsend_and_silence_in_a_group() {
    let House { dir, _server, url, port } = House::open("");
    drop(port);
    let play = ["line", "simulate", "--play", "--server", &url, "--wait", "60s"];
    let simulator = Running::start(dir.path(), &play);
    assert!(
        simulator.line().starts_with(&format!("The server takes webhooks at {url}/line/webhook."))
    );
    for expected in SCENE.lines() {
        assert_eq!(simulator.line(), expected);
    }
    let ended = simulator.end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.stdout);
}

#[test]
fn what_is_typed_is_played() {
    let seen = House::open("").typed(&[
        "/follow",
        "/sticker",
        "/image",
        "/edit 1 something else",
        "/group",
        "I like tea.",
        "/edit 3 I like coffee.",
        "/as Noa",
        "/unsend 3",
        "what did Kim like?",
        "/unsend",
        "/list",
        "/dance",
        "/quit",
    ]);
    let demo = "      bot: This is a demo, not a language model.";
    let remembered = format!("{demo} I heard: “what did Kim like?”. I remember: ");
    for (line, count) in [
        ("[200] Kim adds the bot as a friend", 1),
        ("[200] #1 Kim: [a sticker]", 1),
        ("[200] #2 Kim: [a picture]", 1),
        ("LINE tells bots about edits in groups only.", 1),
        ("[200] #3 Kim: I like tea.", 1),
        ("[200] Kim edits #3: I like coffee.", 1),
        ("There is no such message of yours; /list shows them.", 1),
        ("[200] Noa unsends #4", 1),
        ("#4 group: (unsent)", 1),
        ("There is no such command; /help lists them.", 1),
        (demo, 4),
        (remembered.as_str(), 1),
    ] {
        assert_eq!(seen.matches(line).count(), count, "{line}: {seen}");
    }
    let answer = seen.lines().find(|line| line.starts_with(&remembered)).unwrap();
    assert!(answer.contains("I like coffee.") && !answer.contains("tea"), "{answer}");
}

#[test]
fn a_bot_that_answers_when_mentioned_is_not_waited_for_otherwise() {
    let seen = House::open("groups = \"mention\"").typed(&["/group", "hello", "@bot hello"]);
    let silent = "      (the bot is not asked: `line.groups` is `mention`)";
    assert_eq!(seen.lines().filter(|line| *line == silent).count(), 1, "{seen}");
    assert_eq!(seen.matches("      bot: ").count(), 1, "{seen}");
}

#[test]
fn what_is_missing_is_said_in_one_sentence() {
    let refused = |dir: &Path, settings: &str, sentence: &str| {
        fs::write(dir.join("unsaid.toml"), settings).unwrap();
        let ended = run(dir, &["line", "simulate"]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        assert!(ended.stderr.contains(sentence), "{ended:?}");
    };
    let dir = tempdir().unwrap();
    let secrets = "line.channel_secret = \"s\"\nline.channel_access_token = \"t\"\n";
    refused(dir.path(), "", "the LINE door is closed");
    refused(dir.path(), secrets, "must be one http:// address of this machine");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let here = format!(
        "{secrets}line.api_base = \"http://{port}\"\nline.data_api_base = \"http://{port}\"\n"
    );
    refused(dir.path(), &format!("listen = \":0\"\n{here}"), "say with `--server URL`");
}
