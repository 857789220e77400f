//! Streams over the life of a server, and over several servers.

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::sse::Frame;
use super::world::{Server, Stream, Visitor, serve};
use crate::erasing::base::Base;

/// What lasts, once this was heard.
fn lasting(stream: &Stream, last: &str) -> Vec<Frame> {
    stream.until_heard(last);
    stream.frames().into_iter().filter(|frame| frame.id.is_some()).collect()
}

fn newest(frames: &[Frame]) -> Option<u64> {
    frames.last().and_then(|frame| frame.id)
}

fn contents(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(Frame::content).collect()
}

/// Says things one after the other, the servers being killed in between.
fn killed_and_resumed(base: &Base) {
    let dir = tempdir().unwrap();
    let start = || serve(dir.path(), base, &[], &[]);
    let mut server = start();
    let mut ana = Visitor::new(server.address, "ana", false);
    let mut stream = ana.watches(None);
    let (mut all, mut said) = (Vec::new(), Vec::new());
    for round in 0..4 {
        for part in ["first", "second"] {
            let id = ana.says(&format!("{part} of {round}"));
            said.push(id.clone());
            if part == "first" {
                all.extend(lasting(&stream, &id));
            }
        }
        // What it was told of the second, if anything, goes with it.
        server.running.signal(Signal::KILL);
        server.running.end();
        stream.until_over();
        server = start();
        ana = ana.at(server.address);
        if round == 2 {
            let path = format!("/w/messages/{}/unsend", said.pop().unwrap());
            let done = ana.call("POST", &path, &json!({ "chatId": ana.chat }));
            assert_eq!(done.status, 200, "{}", done.body);
        }
        stream = ana.watches(newest(&all));
    }
    let end = ana.says("the end");
    all.extend(lasting(&stream, &end));
    let ids: Vec<&str> = all.iter().filter_map(Frame::message).collect();
    said.push(end);
    assert_eq!(ids, said, "{:?}", contents(&all));
    assert!(all.windows(2).all(|pair| pair[0].id < pair[1].id), "{all:#?}");
    assert_eq!(all.iter().filter(|frame| frame.kind() == "removed").count(), 1, "{all:#?}");
    assert!(!stream.text().contains("second of 2"), "{}", stream.text());
}

#[test]
fn a_stream_goes_on_after_a_kill_on_sqlite() {
    killed_and_resumed(&Base::sqlite());
}

#[test]
fn a_stream_goes_on_after_a_kill_on_postgres() {
    killed_and_resumed(&Base::postgres());
}

#[test]
fn whoever_listens_does_not_hold_up_the_end() {
    let (dir, base) = (tempdir().unwrap(), Base::sqlite());
    let server = serve(dir.path(), &base, &[], &[]);
    let ana = Visitor::new(server.address, "ana", false);
    let stream = ana.watches(None);
    lasting(&stream, &ana.says("hello"));
    server.running.signal(Signal::TERM);
    let ended = server.running.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.stderr.contains("ended without waiting any longer"), "{ended:?}");
    stream.until_over();
}

#[test]
fn servers_see_what_happens_on_each_other() {
    let (dir, base) = (tempdir().unwrap(), Base::postgres());
    let servers: Vec<Server> = (0..3).map(|_| serve(dir.path(), &base, &[], &[])).collect();
    let ana = Visitor::new(servers[0].address, "ana", false);
    let at: Vec<Visitor> = servers.iter().map(|server| ana.at(server.address)).collect();
    let streams: Vec<Stream> = at.iter().map(|visitor| visitor.watches(None)).collect();
    let mut said: Vec<String> = Vec::new();
    for (place, visitor) in at.iter().enumerate() {
        let id = visitor.says(&format!("@o1 from {place}"));
        for stream in &streams {
            lasting(stream, &id);
            stream.until_heard(&format!(r#""replyToMessageId":"{id}""#));
        }
        said.push(id);
    }
    let path = format!("/w/messages/{}", said[1]);
    let removed = at[2].call("DELETE", &path, &json!({ "chatId": ana.chat })).body;
    let edit = removed["editId"].as_str().unwrap();
    let undone = at[1].call("POST", &format!("/w/edits/{edit}/undo"), &Value::Null);
    assert_eq!(undone.status, 200, "{}", undone.body);
    let all: Vec<Vec<Frame>> =
        streams.iter().map(|stream| lasting(stream, r#""type":"restored""#)).collect();
    assert_eq!(all[0].len(), 8, "three questions, three answers, and back and forth: {all:#?}");
    assert!(all.iter().all(|frames| *frames == all[0]), "{all:#?}");
    // Whoever was cut off at one goes on at another.
    let known = all[0][2].id;
    let elsewhere = at[2].watches(known);
    assert_eq!(lasting(&elsewhere, r#""type":"restored""#), all[0][3..]);
}
