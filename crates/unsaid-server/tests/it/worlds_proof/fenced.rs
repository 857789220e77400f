//! H5: what an agent says in a turn that was taken back, whichever way and on whichever server, is
//! never there: not in a stream, a page, a memory, a later prompt, the database or a log.

mod way;

use rustix::process::Signal;
use tempfile::tempdir;
use tokio::runtime::Runtime;

use self::way::Way;
use super::oracle::{Oracle, halves};
use super::world::{Server, Stream, Visitor, serve};
use crate::erasing::base::Base;
use crate::wait::until;

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
    /// Whether what is said is kept.
    consent: bool,
    /// The only one of its kind.
    question: String,
}

impl Play<'_> {
    fn runs(&self, way: Way, when: When) {
        let (told, [here, there, _]) = (format!("{way:?} {when:?} {}", self.consent), &self.at);
        let watching: Vec<Stream> = self.at.iter().map(|visitor| visitor.watches(None)).collect();
        let begun = here.says("good morning");
        let first = watching[0].until_told(&begun)[0].id.unwrap();
        let asked = way.asks(here, &begun, &format!("hold {}", self.question));
        let [opening, canary] = halves(&self.question);
        self.oracle.until_asked(&self.question);
        // Of several servers any may be the one that answers; only there it is heard at once.
        if here.address == there.address {
            asked.until_heard(&opening);
            watching[0].until_heard(&opening);
        }
        asked.until_heard(r#""type":"message""#);
        let question = way.takes_back(there, &asked);
        if when == When::AllAreTold {
            asked.until_over();
        }
        self.oracle.release(&self.question);
        asked.until_over();
        self.is_over(way);
        // Something else is said, and everybody who can hears it.
        let later = self.goes_on(way);
        for stream in watching.iter().chain([&asked]).filter(|_| way != Way::Withdraw) {
            if when == When::AllAreTold {
                assert!(!stream.text().contains(&canary), "{told}: {}", stream.text());
            }
            is_silent_after_the_end(stream, &question, [&opening, &canary], &told);
        }
        self.is_nowhere([&opening, &canary], (first, &later), &told);
        if way == Way::Withdraw {
            // What was hidden is seen again, and it is not there.
            here.switches(true);
            assert!(here.messages().to_string().contains("good morning"), "{told}");
            self.is_nowhere([&opening, &canary], (first, &[]), &told);
        }
    }

    /// Waits until no turn runs any more, if there is still a chat where one could.
    fn is_over(&self, way: Way) {
        let here = &self.at[0];
        if way != Way::DeleteChat {
            let status = format!("/w/status?chatId={}", here.chat);
            let is_over = |seen: &str| seen.contains(r#""isProcessing":false"#);
            until(|| here.gets(&status).to_string(), is_over);
        }
    }

    /// Everybody says something where they are; in another chat, if there is no other way. Who says it.
    fn goes_on(&self, way: Way) -> Vec<Visitor> {
        let goes_on = |visitor: &Visitor| {
            let is_gone = way == Way::DeleteChat;
            let visitor = if is_gone { visitor.in_new_chat() } else { visitor.clone() };
            let watching = visitor.watches(None);
            watching.until_told(&visitor.says(LAST));
            visitor
        };
        self.at.iter().map(goes_on).collect()
    }

    /// Neither half, anywhere: to who just spoke, in what they can still hear of it, and where it is kept.
    fn is_nowhere(&self, halves: [&String; 2], (first, later): (u64, &[Visitor]), told: &str) {
        let places = |text: &str| self.runtime.block_on(self.base.places_of(text));
        for visitor in later {
            let replay = visitor.watches(Some(first));
            replay.until_heard(&visitor.says("and once more"));
            let seen = [visitor.messages(), visitor.memory()].map(|seen| seen.to_string());
            assert!(seen.iter().all(|seen| seen.contains(LAST)), "{told}: {seen:?}");
            for text in seen.iter().chain([&replay.text()]) {
                assert!(halves.iter().all(|half| !text.contains(*half)), "{told}: {text}");
            }
        }
        for half in halves {
            let shown = self.oracle.shown();
            assert!(shown.iter().all(|shown| !shown.contains(half)), "{told}: {half} was shown");
            assert_eq!(places(half), [""; 0], "{told}: {half}");
        }
        if self.consent {
            assert_ne!(places("good morning"), [""; 0], "the search finds what is there");
        } else {
            assert_eq!(places("good morning"), [""; 0], "{told}: nothing is kept");
            assert_eq!(places(&self.question), [""; 0], "{told}: nothing is kept");
        }
    }
}

/// Once a stream has told that a question is removed, or its answer broken off, nothing of it follows.
fn is_silent_after_the_end(stream: &Stream, question: &str, halves: [&String; 2], told: &str) {
    let mut frames = stream.frames();
    let asked = frames.iter().position(|frame| frame.message() == Some(question));
    frames.drain(..asked.unwrap_or(0));
    let is_end = |kind: &str, sse: &str| {
        ["removed", "restored", "reset"].contains(&kind) || (kind == "sse" && sse == "error")
    };
    let after = frames.iter().skip_while(|frame| {
        !is_end(frame.kind(), frame.data["data"]["type"].as_str().unwrap_or_default())
    });
    for frame in after {
        let text = frame.data.to_string();
        assert!(halves.iter().all(|half| !text.contains(*half)), "{told}: {text} in {frames:#?}");
    }
}

/// Plays these on one base, with servers beside each other.
fn never_appears(base: &Base, servers: usize, consent: bool, plays: &[(Way, When)]) {
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
    if !consent {
        ana.switches(false);
    }
    // Something that nobody takes back.
    let always = Visitor::new(address(0), "eve", true);
    if consent {
        always.says("good morning");
    }
    for (way, when) in plays {
        let here = ana.in_new_chat();
        let at = [0, 1, 2].map(|place| here.at(address(place)));
        let question = format!("{way:?}{when:?}").to_lowercase();
        let (oracle, runtime) = (&oracle, &runtime);
        Play { oracle, base, runtime, at, consent, question }.runs(*way, *when);
    }
    for server in servers {
        server.running.signal(Signal::TERM);
        let ended = server.running.end();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let said = [ended.stdout, ended.stderr].concat();
        assert!(!said.contains("canary-of") && !said.contains("opening-of"), "{said}");
    }
}

fn each_at_once_and_later() -> Vec<(Way, When)> {
    let both = |way| [(way, When::AllAreTold), (way, When::AtOnce)];
    Way::ENDING.into_iter().flat_map(both).collect()
}

fn every_play() -> Vec<(Way, When)> {
    let plays = each_at_once_and_later();
    plays.into_iter().chain([(Way::Withdraw, When::AtOnce)]).collect()
}

#[test]
fn h5_what_nobody_wants_any_more_never_appears_on_one_server() {
    never_appears(&Base::sqlite(), 1, true, &every_play());
}

#[test]
fn h5_what_nobody_wants_any_more_never_appears_on_three_servers() {
    never_appears(&Base::postgres(), 3, true, &every_play());
}

#[test]
fn h5_what_nobody_wants_any_more_never_appears_in_memory() {
    never_appears(&Base::sqlite(), 1, false, &each_at_once_and_later());
}
