//! H5: what an agent says in a turn that was taken back, whichever way and on whichever server, is
//! never there: not in a stream, a page, a memory, a later prompt, the database or a log.

use rustix::process::Signal;
use serde_json::json;
use tempfile::tempdir;
use tokio::runtime::Runtime;

use super::oracle::{Oracle, halves};
use super::world::{Server, Stream, Visitor, serve};
use crate::erasing::base::Base;
use crate::wait::until;

/// How a turn is taken back.
#[derive(Debug, Clone, Copy)]
enum Way {
    Edit,
    Remove,
    Unsend,
    Stop,
}

/// When the agent goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// When whoever asked was told that nothing more comes.
    AllAreTold,
    /// At once.
    AtOnce,
}

const LAST: &str = "what was that?";

struct Play<'a> {
    oracle: &'a Oracle,
    base: &'a Base,
    runtime: &'a Runtime,
    /// Where it is asked, where it is taken back, where somebody goes on.
    at: [Visitor; 3],
    /// The only one of its kind.
    question: String,
}

impl Play<'_> {
    fn runs(&self, way: Way, when: When) {
        let (told, [here, there, elsewhere]) = (format!("{way:?} {when:?}"), &self.at);
        let watching: Vec<Stream> = self.at.iter().map(|visitor| visitor.watches(None)).collect();
        let begun = here.says("good morning");
        watching[0].until_heard(&begun);
        let first = watching[0].frames().iter().find_map(|frame| frame.id).unwrap();
        let asked = here.asks(&format!("hold {}", self.question));
        let [opening, canary] = halves(&self.question);
        self.oracle.until_asked(&self.question);
        // Of several servers any may be the one that answers; only there it is heard at once.
        if here.address == there.address {
            asked.until_heard(&opening);
            watching[0].until_heard(&opening);
        }
        asked.until_heard(&self.question);
        let id = asked.frames().iter().find_map(|frame| frame.message().map(str::to_owned));
        takes_back(there, &id.unwrap(), way);
        if when == When::AllAreTold {
            asked.until_over();
        }
        self.oracle.release(&self.question);
        asked.until_over();
        let status = format!("/w/status?chatId={}", here.chat);
        until(|| here.gets(&status).to_string(), |seen| seen.contains(r#""isProcessing":false"#));
        // Something else is said, and everybody hears it.
        let later = elsewhere.says(LAST);
        for stream in &watching {
            stream.until_heard(&later);
        }
        for stream in watching.iter().chain([&asked]) {
            if when == When::AllAreTold {
                assert!(!stream.text().contains(&canary), "{told}: {}", stream.text());
            }
            is_silent_after_the_end(stream, [&opening, &canary], &told);
        }
        self.is_nowhere([&opening, &canary], first, &told);
    }

    /// Neither half, anywhere.
    fn is_nowhere(&self, halves: [&String; 2], first: u64, told: &str) {
        for half in halves {
            for visitor in &self.at {
                let replay = visitor.watches(Some(first));
                replay.until_heard(LAST);
                let seen = [visitor.messages(), visitor.memory()].map(|seen| seen.to_string());
                assert!(seen.iter().all(|seen| seen.contains(LAST)), "{told}: {seen:?}");
                for text in seen.iter().chain([&replay.text()]) {
                    assert!(!text.contains(half), "{told}: {half} in {text}");
                }
            }
            let shown = self.oracle.shown();
            assert!(shown.iter().all(|shown| !shown.contains(half)), "{told}: {half} was shown");
            let places = self.runtime.block_on(self.base.places_of(half));
            assert!(places.is_empty(), "{told}: {half} in {places:?}");
        }
        let places = self.runtime.block_on(self.base.places_of("good morning"));
        assert!(!places.is_empty(), "the search finds what is there");
    }
}

fn takes_back(visitor: &Visitor, id: &str, way: Way) {
    let chat = &visitor.chat;
    let in_chat = json!({ "chatId": chat });
    let with = json!({ "chatId": chat, "newContent": "something else", "stream": false });
    let path = format!("/w/messages/{id}");
    let done = match way {
        Way::Edit => visitor.call("PUT", &format!("{path}?interrupt=true"), &with),
        Way::Remove => visitor.call("DELETE", &format!("{path}?interrupt=true"), &in_chat),
        Way::Unsend => visitor.call("POST", &format!("{path}/unsend"), &in_chat),
        Way::Stop => visitor.call("POST", "/w/messages/stop", &in_chat),
    };
    assert_eq!(done.status, 200, "{way:?}: {}", done.body);
}

/// Once a stream has told that something is removed, or broken off, nothing of it follows.
fn is_silent_after_the_end(stream: &Stream, halves: [&String; 2], told: &str) {
    let frames = stream.frames();
    let is_end = |kind: &str, sse: &str| kind == "removed" || (kind == "sse" && sse == "error");
    let after = frames.iter().skip_while(|frame| {
        !is_end(frame.kind(), frame.data["data"]["type"].as_str().unwrap_or_default())
    });
    for frame in after {
        let text = frame.data.to_string();
        assert!(halves.iter().all(|half| !text.contains(*half)), "{told}: {text} in {frames:#?}");
    }
}

fn never_appears(base: &Base, servers: usize) {
    let (dir, runtime, oracle) = (tempdir().unwrap(), Runtime::new().unwrap(), Oracle::new());
    let model = [
        ["--model.provider", "openai", "--model.name", "oracle"].as_slice(),
        &["--model.base_url", &oracle.base],
        // A slow machine is not a silent model.
        &["--model.idle_timeout", "10m", "--model.call_timeout", "10m"],
    ];
    let servers: Vec<Server> =
        (0..servers).map(|_| serve(dir.path(), base, &model.concat(), &[])).collect();
    let address = |place: usize| servers[place % servers.len()].address;
    let ana = Visitor::new(address(0), "ana", true);
    for way in [Way::Edit, Way::Remove, Way::Unsend, Way::Stop] {
        for when in [When::AllAreTold, When::AtOnce] {
            let here = ana.in_new_chat();
            let at = [0, 1, 2].map(|place| here.at(address(place)));
            let question = format!("{way:?}{when:?}").to_lowercase();
            let (oracle, runtime) = (&oracle, &runtime);
            Play { oracle, base, runtime, at, question }.runs(way, when);
        }
    }
    for server in servers {
        server.running.signal(Signal::TERM);
        let ended = server.running.end();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let said = [ended.stdout, ended.stderr].concat();
        assert!(!said.contains("canary-of") && !said.contains("opening-of"), "{said}");
    }
}

#[test]
fn h5_what_nobody_wants_any_more_never_appears_on_one_server() {
    never_appears(&Base::sqlite(), 1);
}

#[test]
fn h5_what_nobody_wants_any_more_never_appears_on_three_servers() {
    never_appears(&Base::postgres(), 3);
}
