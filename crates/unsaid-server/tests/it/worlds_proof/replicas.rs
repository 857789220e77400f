//! Several servers on one database: what each knows of a round that one of them runs, and followers
//! while all of them write.

use std::thread;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use super::oracle::{Oracle, halves};
use super::sse::Frame;
use super::world::{Server, Stream, Visitor, serve};
use crate::erasing::base::Base;
use crate::wait::until;

const WRITERS_EACH: usize = 2;
const SAID: usize = 8;

struct Replicas {
    servers: Vec<Server>,
    ana: Visitor,
    _base: Base,
    _dir: TempDir,
}

impl Replicas {
    fn new(count: usize, more: &[&str], auto_reply: bool) -> Self {
        let (dir, base) = (tempdir().unwrap(), Base::postgres());
        let servers: Vec<Server> =
            (0..count).map(|_| serve(dir.path(), &base, more, &[])).collect();
        let ana = Visitor::new(servers[0].address, "ana", auto_reply);
        Self { servers, ana, _base: base, _dir: dir }
    }

    /// The same person at each of them.
    fn at(&self) -> Vec<Visitor> {
        self.servers.iter().map(|server| self.ana.at(server.address)).collect()
    }
}

/// A round that waits in the middle of an answer.
fn held(oracle: &Oracle, question: &str, more: &[&str]) -> (Replicas, Stream) {
    let model = [
        ["--model.provider", "openai", "--model.name", "oracle"].as_slice(),
        &["--model.base_url", &oracle.base, "--model.idle_timeout", "10m"],
        more,
    ];
    let replicas = Replicas::new(2, &model.concat(), true);
    let asked = replicas.ana.asks(&format!("hold {question}"));
    oracle.until_asked(question);
    (replicas, asked)
}

#[test]
fn whoever_watches_at_another_server_gets_whole_messages_and_no_chunks() {
    let (oracle, question) = (Oracle::new(), "whole");
    let [opening, rest] = halves(question);
    let (replicas, asked) = held(&oracle, question, &[]);
    let streams: Vec<Stream> = replicas.at().iter().map(|visitor| visitor.watches(None)).collect();
    // Any of them may be the one that answers. Who watches there hears what was said so far.
    let is_there = |stream: &&Stream| stream.text().contains(&opening);
    until(|| streams.iter().filter(is_there).count().to_string(), |count| count == "1");
    oracle.release(question);
    let answer = format!(r#""content":"{opening}{rest}""#);
    for stream in streams.iter().chain([&asked]) {
        stream.until_heard(&answer);
    }
    let later = replicas.ana.says("thank you");
    for stream in &streams {
        stream.until_heard(&format!(r#""replyToMessageId":"{later}""#));
    }
    let frames: Vec<Vec<Frame>> = streams.iter().map(Stream::frames).collect();
    // The later answer may be spoken at the other server, so only what came before it counts.
    let first = |frames: &[Frame]| -> Vec<Frame> {
        let before = frames.iter().take_while(|frame| frame.message() != Some(&later));
        before.cloned().collect()
    };
    let spoken =
        |frames: &[Frame]| first(frames).iter().filter(|frame| frame.kind() == "sse").count();
    let mut counts = frames.iter().map(|frames| spoken(frames)).collect::<Vec<_>>();
    counts.sort_unstable();
    assert_eq!(counts[0], 0, "no piece of it: {frames:#?}");
    assert!(counts[1] >= 3, "start, pieces and end: {frames:#?}");
    let lasting = |frames: &[Frame]| -> Vec<Frame> {
        frames.iter().filter(|frame| frame.id.is_some()).cloned().collect()
    };
    assert_eq!(lasting(&frames[0]), lasting(&frames[1]), "the same of all that lasts");
}

#[test]
fn every_server_knows_that_a_round_runs_and_when_it_is_over() {
    let (oracle, question) = (Oracle::new(), "status");
    let (replicas, asked) = held(&oracle, question, &[]);
    let status = |visitor: &Visitor| visitor.gets(&format!("/w/status?chatId={}", visitor.chat));
    let busy = json!({ "isProcessing": true, "activeAgents": ["o1"], "stored": true });
    let frames = || asked.frames().iter().find_map(|frame| frame.message().map(str::to_owned));
    asked.until_heard(r#""type":"message""#);
    let id = frames().unwrap();
    let edit = json!({ "chatId": replicas.ana.chat, "newContent": "other", "stream": false });
    for visitor in replicas.at() {
        assert_eq!(status(&visitor), busy);
        let locked = visitor.call("PUT", &format!("/w/messages/{id}"), &edit);
        assert_eq!((locked.status, &locked.body["code"]), (423, &json!("WORLD_LOCKED")));
    }
    oracle.release(question);
    asked.until_over();
    let idle = json!({ "isProcessing": false, "activeAgents": [], "stored": true });
    for visitor in replicas.at() {
        assert_eq!(status(&visitor), idle, "whoever asked was told that it is over");
    }
}

#[test]
fn a_round_whose_server_died_is_taken_back_at_another() {
    let (oracle, question) = (Oracle::new(), "orphan");
    let [opening, _] = halves(question);
    let (mut replicas, asked) = held(&oracle, question, &[]);
    let watching: Vec<Stream> = replicas.at().iter().map(|visitor| visitor.watches(None)).collect();
    let hears = || watching.iter().position(|stream| stream.text().contains(&opening));
    until(|| format!("{:?}", hears()), |place| place != "None");
    asked.until_heard(r#""type":"message""#);
    let id = asked.frames().iter().find_map(|frame| frame.message().map(str::to_owned)).unwrap();
    let holder = replicas.servers.remove(hears().unwrap());
    holder.running.signal(Signal::KILL);
    holder.running.end();
    let there = replicas.at().remove(0);
    let status = format!("/w/status?chatId={}", there.chat);
    assert_eq!(there.gets(&status)["isProcessing"], true, "its lease is not over yet");
    let path = format!("/w/messages/{id}");
    let edit = json!({ "chatId": there.chat, "newContent": "instead", "stream": false });
    assert_eq!(there.call("PUT", &path, &edit).status, 423);
    let edited = there.call("PUT", &format!("{path}?interrupt=true"), &edit);
    assert_eq!(edited.status, 200, "{}", edited.body);
    oracle.release(question);
    let shown: Vec<Value> = there
        .messages()
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].clone())
        .collect();
    assert_eq!(shown, ["instead", "fine"]);
}

/// Says things, and takes every fourth of them back; what is left.
fn write(visitor: &Visitor, writer: usize) -> Vec<String> {
    let mut left = Vec::new();
    for nth in 0..SAID {
        let id = visitor.says(&format!("number {nth} of {writer}"));
        if nth % 4 == 3 {
            let path = format!("/w/messages/{id}/unsend");
            let unsent = visitor.call("POST", &path, &json!({ "chatId": visitor.chat }));
            assert_eq!(unsent.status, 200, "{}", unsent.body);
        } else {
            left.push(id);
        }
    }
    left
}

/// Everybody talks at once, at every server. All who follow are told the same in one order, each once.
#[test]
fn followers_of_servers_that_all_write_at_once_hear_everything_once_and_in_one_order() {
    let replicas = Replicas::new(3, &[], false);
    let at = replicas.at();
    let streams: Vec<Stream> = at.iter().map(|visitor| visitor.watches(None)).collect();
    let begun = replicas.ana.says("the beginning");
    let begun = streams[0].until_told(&begun)[0].id;
    let writers = at.len() * WRITERS_EACH;
    let left: Vec<Vec<String>> = thread::scope(|scope| {
        let spawn = |writer: usize| {
            let visitor = &at[writer % at.len()];
            scope.spawn(move || write(visitor, writer))
        };
        let running: Vec<_> = (0..writers).map(spawn).collect();
        running.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let end = at[1].says("the end");
    let is_left = |frame: &Frame| match frame.message() {
        Some(id) => id == end || left.iter().flatten().any(|left| left == id),
        None => true,
    };
    // Of what was taken back some were told before, some never; of the rest everything to everybody.
    let heard = |stream: &Stream| -> Vec<Frame> {
        let told = stream.until_told(&end);
        assert!(told.windows(2).all(|pair| pair[0].id < pair[1].id), "{told:#?}");
        told.into_iter().filter(|frame| frame.id > begun && is_left(frame)).collect()
    };
    let all: Vec<Vec<Frame>> = streams.iter().map(heard).collect();
    for left in &left {
        let of_one = all[0].iter().filter_map(Frame::message);
        let of_one: Vec<&str> = of_one.filter(|id| left.iter().any(|left| left == id)).collect();
        assert_eq!(of_one, *left, "in the order in which each spoke");
    }
    let removed = all[0].iter().filter(|frame| frame.kind() == "removed").count();
    assert_eq!(removed, writers * SAID / 4);
    for (place, told) in all.iter().enumerate() {
        assert_eq!(*told, all[0], "at {place}");
        let later = at[place].watches(begun);
        assert_eq!(heard(&later), all[0], "later, at {place}");
    }
}
