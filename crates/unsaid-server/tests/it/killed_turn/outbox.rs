//! The other side: it takes letters and says so. It lives in the test, so that no kill takes back what
//! it has accepted.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use unsaid_core::port::messenger::Letter;

use crate::running::DEADLINE;

/// What the other side answers once it has accepted a letter.
pub(super) const ACCEPTED: u8 = b'!';
const SEPARATOR: &str = "\t";

/// A letter as it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Post {
    pub(super) conversation: String,
    pub(super) turn: u64,
    pub(super) id: String,
    pub(super) text: String,
}

/// What becomes of a letter that was handed over to the last byte, but not accepted yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nobody ever reads it.
    Lost,
    /// It is accepted when its sender is dead.
    Late,
}

/// See the module.
pub(super) struct Outbox {
    pub(super) address: SocketAddr,
    accepted: Arc<Mutex<Vec<Post>>>,
    held: Receiver<Post>,
}

impl Outbox {
    pub(super) fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let accepted = Arc::new(Mutex::new(Vec::new()));
        let (keep_back, held) = channel();
        let taken = Arc::clone(&accepted);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (taken, keep_back) = (Arc::clone(&taken), keep_back.clone());
                thread::spawn(move || serve(&stream.unwrap(), &taken, &keep_back));
            }
        });
        Self { address, accepted, held }
    }

    /// Decides about the letter that is held back.
    pub(super) fn decide(&self, fate: Fate) {
        let post = self.held.recv_timeout(DEADLINE).expect("the letter was handed over");
        match fate {
            Fate::Lost => {}
            Fate::Late => self.accepted.lock().unwrap().push(post),
        }
    }

    /// What was accepted in a conversation.
    pub(super) fn of(&self, conversation: &str) -> Vec<Post> {
        let accepted = self.accepted.lock().unwrap();
        accepted.iter().filter(|post| post.conversation == conversation).cloned().collect()
    }
}

/// One letter a connection; half a letter is none.
fn serve(stream: &TcpStream, accepted: &Mutex<Vec<Post>>, keep_back: &Sender<Post>) {
    let mut line = String::new();
    // A sender that was killed is no mistake of the other side.
    let whole = BufReader::new(stream).read_line(&mut line).is_ok() && line.ends_with('\n');
    if !whole {
        return;
    }
    let (held, post) = parse(line.trim_end());
    if held {
        keep_back.send(post).unwrap();
        return;
    }
    accepted.lock().unwrap().push(post);
    { stream }.write_all(&[ACCEPTED]).unwrap_or_default();
}

/// A letter on its way; one that is held back is not accepted before the test decides.
pub(super) fn line(letter: &Letter, held: bool) -> String {
    let Letter { conversation, turn, id, question: _, text, way_back: _ } = letter;
    let fields = [
        held.to_string(),
        conversation.to_string(),
        turn.get().to_string(),
        id.to_string(),
        text.as_str().to_owned(),
    ];
    format!("{}\n", fields.join(SEPARATOR))
}

fn parse(line: &str) -> (bool, Post) {
    let fields: Vec<&str> = line.split(SEPARATOR).collect();
    let [held, conversation, turn, id, text] = fields[..] else { panic!("no letter: {line}") };
    let [conversation, id, text] = [conversation, id, text].map(str::to_owned);
    (held.parse().unwrap(), Post { conversation, turn: turn.parse().unwrap(), id, text })
}
