//! How long somebody waits in a world until the first words of an answer come, with a model that needs
//! no time.
//!
//! What the history adds is told by a control: somebody else says the same to the same agent in a
//! world just like it, and wants nothing kept. It is the same way through the server, to the same model,
//! without a commit. Beside both what nobody can do without: asking that model directly, and one durable
//! append; and the disk's own pace on the same file system.

use std::{
    net::TcpStream,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::{
    caller::{Caller, WITHOUT_LIMITS, text},
    disk::Page,
    exchange::Exchange,
    measure::{Promise, Times, print_table},
    scripted,
    server::Server,
    talk,
};

const REPEATS: usize = 3_000;
/// A chat is left for a new one after so many questions: memory holds no more than 200 messages of
/// each, and both sides are to show the model as much.
const QUESTIONS: usize = 50;
const WORLD: &str = "w";

#[derive(Default)]
struct Seen {
    kept: Times,
    in_memory: Times,
    model: Times,
    append: Times,
    /// The model and an append, one after the other.
    without_us: Times,
    sync: Times,
    /// Answers that were there before their first words could be passed on.
    came_whole: usize,
}

/// What was heard of an answer.
struct FirstWords {
    after: Duration,
    is_whole: bool,
}

/// Somebody who asks.
struct Asker {
    caller: Caller,
    chat: String,
}

/// What is measured beside the server.
struct Without {
    runtime: Runtime,
    model: Exchange,
    store: SqliteStore,
    page: Page,
}

pub(crate) fn run() -> Vec<Promise> {
    let dir = tempfile::tempdir().expect("a directory");
    let model = scripted::start(vec![scripted::response("text/event-stream", &answer())]);
    let instant = [
        ("model.provider", "openai"),
        ("model.name", "instant"),
        ("model.base_url", model.as_str()),
    ];
    let server = Server::start(dir.path(), &[&WITHOUT_LIMITS[..], &instant].concat());
    let askers = [("ana", true), ("ben", false)].map(|(name, consent)| {
        let mut caller = Caller::sign_up(&server, name, consent);
        let chat = caller.make_world(WORLD);
        let agent = json!({"name": "kai", "systemPrompt": "You like short answers."});
        caller.call("POST", &format!("/worlds/{WORLD}/agents"), &agent);
        Asker { caller, chat }
    });
    let mut seen = see(askers, Without::new(dir.path(), &model));
    let complaints = server.end();
    assert!(complaints.is_empty(), "the server complained: {}", complaints[0]);
    report(&mut seen)
}

fn see([mut ana, mut ben]: [Asker; 2], mut without: Without) -> Seen {
    let mut seen = Seen::default();
    // One chat more than is counted: everything is cold in the first.
    for repeat in 0..REPEATS + QUESTIONS {
        if repeat % QUESTIONS == 0 {
            ana.leave();
            ben.leave();
        }
        // In turn, so that all see the same weather.
        let (kept, in_memory) = (ana.ask(), ben.ask());
        let (model, append) = (without.ask_model(), without.append(repeat));
        let sync = without.sync();
        if repeat >= QUESTIONS {
            seen.came_whole += usize::from(kept.is_whole) + usize::from(in_memory.is_whole);
            seen.kept.add(kept.after);
            seen.in_memory.add(in_memory.after);
            seen.model.add(model);
            seen.append.add(append);
            seen.without_us.add(model + append);
            seen.sync.add(sync);
        }
    }
    seen
}

impl Asker {
    fn leave(&mut self) {
        let path = format!("/worlds/{WORLD}/chats");
        self.chat = text(&self.caller.call("POST", &path, &Value::Null)["id"]);
    }

    /// Until the first words; the others are waited for, too. With a model that needs no time the
    /// answer can be whole before anybody listens: it comes without pieces then.
    fn ask(&mut self) -> FirstWords {
        let path = format!("/worlds/{WORLD}/messages");
        let body = json!({"message": talk::TEXT, "chatId": self.chat});
        let request = self.caller.request("POST", &path, &body);
        let exchange = &mut self.caller.exchange;
        let begun = Instant::now();
        exchange.write(&request).expect("a question");
        let (status, _) = exchange.read_head().expect("an answer");
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        let mut first = None;
        // Lines of the body stand between the lengths of its pieces; the last is empty.
        loop {
            let line = exchange.line().expect("the answer goes on");
            let is_piece = line.contains(r#""type":"chunk""#);
            if is_piece || line.contains(r#""role":"assistant""#) {
                let after = begun.elapsed();
                first.get_or_insert(FirstWords { after, is_whole: !is_piece });
            } else if line == "0" {
                break;
            }
        }
        exchange.line().expect("the end");
        first.expect("something was said")
    }
}

impl Without {
    fn new(dir: &Path, model: &str) -> Self {
        let address = model.trim_start_matches("http://");
        let model = TcpStream::connect(address).and_then(Exchange::new).expect("the model");
        let store = SqliteStore::open(&dir.join("beside.db"), &Options::default());
        Self {
            runtime: Runtime::new().expect("a runtime"),
            model,
            store: store.expect("a store"),
            page: Page::create(&dir.join("page")),
        }
    }

    /// Until the first words.
    fn ask_model(&mut self) -> Duration {
        let messages = json!([{"role": "user", "content": talk::TEXT}]);
        let body = json!({"model": "instant", "stream": true, "messages": messages}).to_string();
        let head = "POST /chat/completions HTTP/1.1\r\nhost: localhost\r\n";
        let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        let begun = Instant::now();
        self.model.write(request.as_bytes()).expect("a question");
        self.model.read_head().expect("an answer");
        self.model.line().expect("the first words");
        let first = begun.elapsed();
        while self.model.line().expect("the answer goes on") != "data: [DONE]" {}
        self.model.line().expect("the end");
        first
    }

    fn append(&self, nth: usize) -> Duration {
        let key = talk::key("chat:beside");
        let begun = Instant::now();
        self.runtime.block_on(talk::say(&self.store, &key, &format!("m{nth}"), 0));
        begun.elapsed()
    }

    fn sync(&mut self) -> Duration {
        let begun = Instant::now();
        self.page.write();
        begun.elapsed()
    }
}

/// An answer in a few pieces, as such servers stream it.
fn answer() -> String {
    let piece = |word: &str| json!({"index": 0, "delta": {"content": word}, "finish_reason": null});
    let end = json!({"index": 0, "delta": {}, "finish_reason": "stop"});
    let choices = ["That ", "is ", "how ", "it ", "is."].map(piece).into_iter().chain([end]);
    let events = choices.map(|choice| json!({"choices": [choice]}).to_string());
    let lines = events.chain(["[DONE]".to_owned()]).map(|data| format!("data: {data}\n\n"));
    lines.collect()
}

fn report(seen: &mut Seen) -> Vec<Promise> {
    let row = |what: &str, times: &mut Times| {
        let shares = [0.5, 0.99, 1.0].map(|share| format!("{:.2} ms", millis(times.share(share))));
        [vec![what.to_owned(), times.count().to_string()], shares.to_vec()].concat()
    };
    let rows = vec![
        row("the first words of an answer", &mut seen.kept),
        row("the same when nothing is kept", &mut seen.in_memory),
        row("without us: the model and an append", &mut seen.without_us),
        row("the model alone", &mut seen.model),
        row("an append alone", &mut seen.append),
        row("fdatasync", &mut seen.sync),
    ];
    print_table(&["what", "times", "p50", "p99", "longest"], rows);
    let sync = [millis(seen.sync.p50()), millis(seen.sync.p99())];
    let kept = [millis(seen.kept.p50()), millis(seen.kept.p99())];
    let in_memory = [millis(seen.in_memory.p50()), millis(seen.in_memory.p99())];
    let without = [millis(seen.without_us.p50()), millis(seen.without_us.p99())];
    let told = |what: &str, other: [f64; 2]| {
        let [p50, p99] = [0, 1].map(|share| {
            let more = kept[share] - other[share];
            format!("{more:.2} ms, {:.1} fdatasyncs", more / sync[share])
        });
        println!("{what}: at p50 {p50}; at p99 {p99}");
    };
    let asked = seen.kept.count() + seen.in_memory.count();
    println!("\n{} of {asked} answers came whole, without pieces.", seen.came_whole);
    told("what keeping adds to the first words", in_memory);
    told("what they take beyond the model and an append", without);
    let added = kept[1] - in_memory[1];
    vec![
        Promise::at_most(
            "what keeping adds to the first words at p99, in fdatasyncs at p99",
            added / sync[1],
            3.0,
        ),
        Promise::at_most("the same in ms", added, 100.0),
    ]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
