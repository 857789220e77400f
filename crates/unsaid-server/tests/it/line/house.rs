//! A server with a LINE beside it.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio::runtime::Runtime;
use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::message::Part;
use unsaid_core::port::Store;
use unsaid_line::client::AccessToken;
use unsaid_line::signature::{ChannelSecret, sign};
use unsaid_line::stand_in::{Sent, StandIn, What};
use unsaid_server::config::{Sources, load};
use unsaid_server::store::open_beside;
use unsaid_testkit::bucket::gcs::GcsStandIn;

use super::event::{Spot, body, event};
use super::keeper::{Beside, Keeper};
use super::thinker::{Asked, Deed, Thinker, reply};
use crate::running::{DEADLINE, Ended, Running, contents};
use crate::wait::until;

const SECRET: &str = "8c570fa6dd201bb328f1c1eac23a96d8";
const TOKEN: &str = "access-token-canary";
const OK: &str = "HTTP/1.1 200 ";

/// See the module. [`House::end`] ends it and reads its log.
pub(super) struct House {
    server: Option<Running>,
    pub(super) address: SocketAddr,
    pub(super) line: StandIn,
    pub(super) thinker: Thinker,
    runtime: Runtime,
    flags: Vec<(String, String)>,
    /// What no log may hold.
    private: Mutex<Vec<String>>,
    log: String,
    dir: TempDir,
    beside: Beside,
}

/// Something of its own for everything it is asked.
pub(super) fn thought(nth: usize) -> String {
    format!("quince-{nth}-thought")
}

impl House {
    /// The model is the demo.
    pub(super) fn demo(keeper: Keeper) -> Self {
        let thinker = Thinker::new(|_| panic!("the demo asks nobody"));
        Self::start(keeper, thinker, &[("model.provider", "demo"), ("line.debounce", "0ms")])
    }

    /// The same, and LINE cannot come in.
    pub(super) fn closed(flags: &[(&str, &str)]) -> Self {
        let thinker = Thinker::new(|_| panic!("the demo asks nobody"));
        let no_line = [("line.channel_secret", ""), ("line.channel_access_token", "")];
        Self::start(Keeper::Sqlite, thinker, &[&no_line[..], flags].concat())
    }

    /// The model gives an answer of its own to everything.
    pub(super) fn thinking(keeper: Keeper) -> Self {
        Self::scripted(keeper, |asked| reply(thought(asked.nth)))
    }

    /// The model does what the test says.
    pub(super) fn scripted(
        keeper: Keeper,
        script: impl Fn(&Asked) -> Deed + Send + Sync + 'static,
    ) -> Self {
        Self::with(keeper, script, &[("line.debounce", "0ms")])
    }

    pub(super) fn with(
        keeper: Keeper,
        script: impl Fn(&Asked) -> Deed + Send + Sync + 'static,
        flags: &[(&str, &str)],
    ) -> Self {
        let thinker = Thinker::new(script);
        let base = thinker.base.clone();
        let model =
            [("model.provider", "openai"), ("model.name", "thinker"), ("model.base_url", &base)];
        Self::start(keeper, thinker, &[&model[..], flags].concat())
    }

    fn start(keeper: Keeper, thinker: Thinker, flags: &[(&str, &str)]) -> Self {
        let (runtime, dir) = (Runtime::new().unwrap(), tempdir().unwrap());
        let line = StandIn::start(([127, 0, 0, 1], 0).into(), AccessToken::new(TOKEN));
        let line = runtime.block_on(line).unwrap();
        let data_dir = dir.path().join("data");
        let mut all = vec![
            ("data_dir", data_dir.to_str().unwrap().to_owned()),
            ("log", "debug".to_owned()),
            ("line.api_base", line.base()),
            ("line.data_api_base", line.base()),
            ("line.channel_secret", SECRET.to_owned()),
            ("line.channel_access_token", TOKEN.to_owned()),
            // a slow machine is no reason for an animation
            ("line.loading_delay", "10m".to_owned()),
        ];
        let (beside, kept) = keeper.open(dir.path(), &runtime);
        all.extend(kept);
        all.retain(|(known, _)| flags.iter().all(|(key, _)| key != known));
        let given = flags.iter().filter(|(_, value)| !value.is_empty());
        all.extend(given.map(|&(key, value)| (key, value.to_owned())));
        let flags = all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let (server, address) = (None, ([127, 0, 0, 1], 0).into());
        let private = Mutex::new(vec![SECRET.to_owned(), TOKEN.to_owned()]);
        let log = String::new();
        let mut house =
            Self { server, address, line, thinker, runtime, flags, private, log, dir, beside };
        house.open();
        house
    }

    fn open(&mut self) {
        let (server, address) = self.another();
        (self.server, self.address) = (Some(server), address);
    }

    /// One more server in the same house.
    pub(super) fn another(&self) -> (Running, SocketAddr) {
        let mut arguments = vec!["serve".to_owned(), "--listen".to_owned(), ":0".to_owned()];
        for (key, value) in &self.flags {
            arguments.extend([format!("--{key}"), value.clone()]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut server = Running::start(self.dir.path(), &arguments);
        let address = server.address();
        (server, address)
    }

    /// Runs a command in this house, beside its server; it reads this.
    pub(super) fn command(&self, arguments: &[&str], input: &str) -> Ended {
        let flags = self.flags.iter().flat_map(|(key, value)| [format!("--{key}"), value.clone()]);
        let mut child = Command::new(env!("CARGO_BIN_EXE_unsaid"))
            .args(arguments)
            .args(flags)
            .env_clear()
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // it may end without reading
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap_or_default();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        Ended { code: output.status.code(), stdout, stderr }
    }

    pub(super) fn server(&self) -> &Running {
        self.server.as_ref().unwrap()
    }

    /// Where the objects are, if the bucket is a directory.
    pub(super) fn bucket(&self) -> PathBuf {
        self.dir.path().join("bucket")
    }

    /// The bucket, if it is a stand-in.
    pub(super) fn cloud(&self) -> &GcsStandIn {
        self.beside.cloud.as_ref().unwrap()
    }

    /// Where these bytes are, in any file or object of the house.
    pub(super) fn places_of(&self, needle: &[u8]) -> Vec<String> {
        let holds = |bytes: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
        let files = contents(self.dir.path()).into_iter();
        let found = files.filter(|(_, (_, bytes))| holds(bytes));
        let found = found.map(|(path, _)| path.display().to_string());
        let cloud = self.beside.cloud.iter().flat_map(|cloud| cloud.places_of(needle));
        found.chain(cloud).collect()
    }

    fn stop(&mut self, signal: Signal) -> Ended {
        let server = self.server.take().unwrap();
        server.signal(signal);
        let ended = server.end();
        self.log.push_str(&ended.stderr);
        self.log.push_str(&ended.stdout);
        ended
    }

    /// Ends the server well and starts it again.
    pub(super) fn restart(&mut self) {
        assert_eq!(self.stop(Signal::TERM).code, Some(0));
        self.open();
    }

    /// Kills the server.
    pub(super) fn kill(&mut self) {
        assert_eq!(self.stop(Signal::KILL).code, None);
    }

    /// Starts it after a kill.
    pub(super) fn revive(&mut self) {
        self.open();
    }

    /// Ends everything: well, and without a word in any log. The log.
    pub(super) fn end(mut self) -> String {
        let ended = self.stop(Signal::TERM);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let mut private = self.private.lock().unwrap().clone();
        private.extend(self.thinker.answers());
        private.extend(self.said());
        for word in private.iter().filter(|word| !word.is_empty()) {
            assert!(!self.log.contains(word.as_str()), "{word} is in the log:\n{}", self.log);
        }
        assert!(!self.log.contains("panicked"), "{}", self.log);
        std::mem::take(&mut self.log)
    }

    /// No log may hold this.
    pub(super) fn keep_private(&self, word: &str) {
        self.private.lock().unwrap().push(word.to_owned());
    }

    /// A message with a reply token.
    pub(super) fn message(&self, spot: &Spot, message: Value) -> Value {
        let token = self.line.issue_reply_token(&spot.id);
        self.keep_private(token.expose());
        let mut event = event(spot, "message");
        event["message"] = message;
        event["replyToken"] = json!(token.expose());
        event
    }

    pub(super) fn text(&self, spot: &Spot, id: &str, words: &str) -> Value {
        self.keep_private(words);
        self.message(spot, json!({"id": id, "type": "text", "text": words}))
    }

    /// Delivers events; LINE is told that they are safe.
    pub(super) fn deliver(&self, events: &[Value]) {
        deliver_to(self.address, events);
    }

    /// Somebody says something.
    pub(super) fn say(&self, spot: &Spot, id: &str, words: &str) {
        self.deliver(&[self.text(spot, id, words)]);
    }

    /// Somebody says something and is answered; the answer.
    pub(super) fn ask(&self, spot: &Spot, id: &str, words: &str) -> String {
        self.say(spot, id, words);
        self.next_said()
    }

    /// Waits for the next thing that is said to somebody.
    pub(super) fn next_said(&self) -> String {
        self.next_said_within(DEADLINE)
    }

    /// The same, where it takes its time.
    pub(super) fn next_said_within(&self, time: Duration) -> String {
        let next = async {
            loop {
                let sent = self.line.next_sent().await;
                if !sent.what.texts().is_empty() {
                    return sent;
                }
            }
        };
        let within = async { tokio::time::timeout(time, next).await };
        let sent = self.runtime.block_on(within).expect("something is said");
        texts(&sent).concat()
    }

    /// Waits for answers until the model has seen these words; what it saw with them.
    pub(super) fn until_answered(&self, words: &str) -> Asked {
        loop {
            self.next_said();
            let seen = self.thinker.asked().into_iter().find(|asked| asked.words.contains(words));
            if let Some(seen) = seen {
                return seen;
            }
        }
    }

    /// Waits for something at the stand-in.
    pub(super) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        let within = async { tokio::time::timeout(DEADLINE, what).await };
        self.runtime.block_on(within).expect("it happens")
    }

    /// Everything that was said so far.
    pub(super) fn said(&self) -> Vec<String> {
        self.line.sent().iter().flat_map(texts).collect()
    }

    /// How many of these were unasked.
    pub(super) fn pushes(&self) -> usize {
        let is_push = |sent: &Sent| match sent.what {
            What::Push { .. } => true,
            What::Reply { .. } | What::Loading { .. } => false,
        };
        self.line.sent().iter().filter(|&sent| is_push(sent)).count()
    }

    /// What is kept of a conversation.
    pub(super) fn history(&self, spot: &Spot) -> Conversation {
        let (store, key) = (self.store(), ConversationKey::Line(spot.id.clone()));
        self.runtime.block_on(store.whole(&key)).unwrap().unwrap_or_default()
    }

    /// Waits until this is known of a place: its name, how many are there, and whether the bot is.
    pub(super) fn until_known(&self, spot: &Spot, wanted: &str) {
        let store = self.store();
        let look = || {
            let card = self.runtime.block_on(store.source(&spot.id)).unwrap();
            card.map_or_else(String::new, |card| {
                let name = card.name.map_or_else(|| "-".to_owned(), String::from);
                let members = card.members.map_or_else(|| "-".to_owned(), |many| many.to_string());
                format!("{name}, {members}, {}", if card.present { "present" } else { "gone" })
            })
        };
        until(look, |seen| seen == wanted);
    }

    fn store(&self) -> Arc<dyn Store> {
        let sources = Sources { flags: self.flags.clone(), ..Sources::default() };
        let config = load(&sources).unwrap().config;
        self.runtime.block_on(open_beside(&config)).unwrap()
    }
}

fn texts(sent: &Sent) -> Vec<String> {
    sent.what.texts().iter().map(|text| text.as_str().to_owned()).collect()
}

/// Delivers events to a server as LINE does: again, as long as it is told to come again. A slow disk
/// is no mistake; losing what was accepted, or taking it twice, is.
pub(super) fn deliver_to(address: SocketAddr, events: &[Value]) {
    let body = body(events);
    let come_again = "HTTP/1.1 503 ";
    let answer = until(|| post(address, &body), |answer| !answer.starts_with(come_again));
    assert!(answer.starts_with(OK) && answer.ends_with("{}"), "{answer}");
}

/// A call of LINE, and its answer.
pub(super) fn post(address: SocketAddr, body: &str) -> String {
    post_signed(address, &[&signature(body)], body)
}

pub(super) fn signature(body: &str) -> String {
    sign(&ChannelSecret::new(SECRET), body.as_bytes())
}

pub(super) fn post_signed(address: SocketAddr, signatures: &[&str], body: &str) -> String {
    try_post(address, signatures, body).unwrap()
}

/// The same to a server that may have been killed.
pub(super) fn try_post(address: SocketAddr, signatures: &[&str], body: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    let mut head = String::from("POST /line/webhook HTTP/1.1\r\nhost: x\r\nconnection: close\r\n");
    for signature in signatures {
        write!(head, "x-line-signature: {signature}\r\n").unwrap();
    }
    let length = body.len();
    // it may have heard enough before the end
    write!(stream, "{head}content-length: {length}\r\n\r\n{body}").unwrap_or_default();
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// Who said what, as it is kept.
pub(super) fn lines(history: &Conversation) -> Vec<(bool, String)> {
    let line = |entry: &Entry| (entry.message.author.is_person(), words_of(entry));
    history.log.iter().map(line).collect()
}

pub(super) fn words_of(entry: &Entry) -> String {
    let words = entry.message.parts.iter().map(|part| match part {
        Part::Text { text } => text.as_str(),
        Part::Media { .. } => "[media]",
        Part::Original { .. } => "[original]",
    });
    words.collect()
}
