//! Live streams over true sockets that are cut at any byte, again and again, while somebody talks.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;

use tempfile::tempdir;
use unsaid_testkit::random::dice::Dice;

use super::PATIENCE;
use super::sse::{Frame, frames, lasting};
use super::world::{Visitor, serve};
use crate::erasing::base::Base;

const SEED: u64 = 20_261_117;
const TALKERS: usize = 3;
const SAID: usize = 20;
/// A frame is shorter than half of this, so that each connection gets further in the end.
const BYTES_MAX: u64 = 1_500;
const END: &str = "the end of all";

/// Listens to so many bytes of the body, or to the end of the talk, and hangs up.
fn listens(ana: &Visitor, after: u64, bytes: usize) -> String {
    let mut socket = TcpStream::connect(ana.address).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        socket,
        "GET /api/worlds/w/events?chatId={} HTTP/1.0\r\nhost: x\r\nlast-event-id: {after}\r\n{}\r\n",
        ana.chat, ana.headers
    )
    .unwrap();
    let (mut read, mut byte) = (Vec::new(), [0]);
    while !read.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte).unwrap();
        read.extend(byte);
    }
    assert!(read.starts_with(b"HTTP/1.0 200 "), "{}", String::from_utf8_lossy(&read));
    let mut body = Vec::new();
    let is_end = |body: &[u8]| {
        let told = body.ends_with(b"\n\n").then(|| frames(&String::from_utf8_lossy(body)));
        told.is_some_and(|told| told.last().is_some_and(|frame| frame.content() == END))
    };
    while body.len() < bytes && !is_end(&body) {
        socket.read_exact(&mut byte).unwrap();
        body.extend(byte);
    }
    // Half a character is no text; whatever was cut is asked for again.
    String::from_utf8_lossy(&body).into_owned()
}

/// Talks with others at once, and is answered; what was said, in order.
fn talks(ana: &Visitor, talker: usize) -> Vec<String> {
    let say = |nth: usize| {
        let mention = if nth.is_multiple_of(5) { "@o1 " } else { "" };
        ana.says(&format!("{mention}número {nth} de {talker} 🍵"))
    };
    (0..SAID).map(say).collect()
}

fn is_heard_whole(base: &Base, consent: bool, dice: &mut Dice) {
    let dir = tempdir().unwrap();
    let server = serve(dir.path(), base, &["--limits.volatile_messages", "1000"], &[]);
    let ana = Visitor::new(server.address, "ana", false);
    if !consent {
        ana.switches(false);
    }
    let whole = ana.watches(None);
    let begun = ana.says("the beginning");
    let begun = whole.until_told(&begun)[0].id.unwrap();
    let (told, said, cuts) = thread::scope(|scope| {
        let spawn = |talker: usize| {
            let ana = &ana;
            scope.spawn(move || talks(ana, talker))
        };
        let talkers: Vec<_> = (0..TALKERS).map(spawn).collect();
        let ending = scope.spawn(|| {
            let said = talkers.into_iter().map(|talker| talker.join().unwrap());
            let said = said.collect::<Vec<_>>();
            ana.says(END);
            said
        });
        let (mut told, mut known, mut cuts) = (Vec::<Frame>::new(), begun, 0);
        while told.last().is_none_or(|frame| frame.content() != END) {
            let bytes = usize::try_from(dice.below(BYTES_MAX)).unwrap();
            told.extend(lasting(&listens(&ana, known, bytes)));
            known = told.last().and_then(|frame| frame.id).unwrap_or(begun);
            cuts += 1;
        }
        (told, ending.join().unwrap(), cuts)
    });
    assert!(cuts > 10, "it was cut only {cuts} times");
    let end = told.last().and_then(Frame::message).unwrap().to_owned();
    let mut never_cut = whole.until_told(&end);
    never_cut.retain(|frame| frame.id > Some(begun));
    assert_eq!(told, never_cut, "nothing is missed and nothing comes twice");
    for said in said {
        let of_one = told.iter().filter_map(Frame::message);
        let of_one: Vec<&str> = of_one.filter(|id| said.iter().any(|said| said == id)).collect();
        assert_eq!(of_one, said);
    }
    assert!(told.len() > TALKERS * SAID + 1, "with answers");
}

#[test]
fn a_live_stream_that_is_cut_at_any_byte_is_heard_whole() {
    eprintln!("seed {SEED}");
    let mut dice = Dice::new(SEED);
    for consent in [true, false] {
        is_heard_whole(&Base::sqlite(), consent, &mut dice);
    }
    is_heard_whole(&Base::postgres(), true, &mut dice);
}
