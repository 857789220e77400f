//! A LINE that stands in for LINE: for tests, and for trying a bot without an account.
//!
//! It takes the calls that we make and is as strict about them as LINE is: tokens, reply tokens that
//! are good once, retry keys, lengths. What it accepts it keeps, in order. It fails on order, too.
//!
//! - `book`, `recent`: what it knows and was told. `call`: what can be asked of it. `fault`: how it
//!   fails.
//! - `rules`: what LINE accepts. `routes`: where it is asked.

mod book;
mod call;
mod fault;
mod recent;
mod routes;
mod rules;

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::Router;
use bytes::Bytes;
use hyper::{
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};
use unsaid_core::domain::{
    id::{MessageId, PersonId, SourceId},
    message::ReplyToken,
    source::SourceKind,
    text::Words,
};

use self::{book::Book, fault::Cut};
pub use self::{
    book::{Sent, What},
    call::{Call, Seen},
    fault::Fault,
};
use crate::client::{AccessToken, WebhookTest};

/// See the module. It ends when it is dropped.
#[derive(Debug)]
pub struct StandIn {
    address: SocketAddr,
    line: Arc<Line>,
    _ends: DropGuard,
}

/// What its connections share.
#[derive(Debug)]
struct Line {
    token: AccessToken,
    book: Mutex<Book>,
    /// Tells whoever waits that the book has changed.
    changed: watch::Sender<()>,
}

impl StandIn {
    /// Begins to listen; port 0 is a free one. Whoever calls it must know the token.
    ///
    /// # Errors
    /// If the address cannot be taken.
    pub async fn start(address: SocketAddr, token: AccessToken) -> io::Result<Self> {
        Self::with_book(address, token, Book::of_everything()).await
    }

    /// The same for a long life: it keeps nothing of what it accepts, and knows so many people, places
    /// and tokens, the newest.
    ///
    /// # Errors
    /// If the address cannot be taken.
    pub async fn start_lasting(
        address: SocketAddr,
        token: AccessToken,
        known_max: usize,
    ) -> io::Result<Self> {
        Self::with_book(address, token, Book::of_the_newest(known_max)).await
    }

    async fn with_book(address: SocketAddr, token: AccessToken, book: Book) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (changed, _) = watch::channel(());
        let line = Arc::new(Line { token, book: Mutex::new(book), changed });
        let ending = CancellationToken::new();
        let (tasks, app) = (TaskTracker::new(), routes::router(Arc::clone(&line)));
        tasks.spawn(accept(listener, app, tasks.clone(), ending.clone()));
        Ok(Self { address, line, _ends: ending.drop_guard() })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to give as `line.api_base` and `line.data_api_base`.
    #[must_use]
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A token with which something that was said in this source can be answered once.
    #[must_use]
    pub fn issue_reply_token(&self, source: &SourceId) -> ReplyToken {
        self.line.lock().issue_reply_token(source)
    }

    /// From now on this token is refused, as after a minute.
    pub fn expire_reply_token(&self, token: &ReplyToken) {
        self.line.lock().expire_reply_token(token);
    }

    /// Everything that it has accepted, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<Sent> {
        self.line.lock().sent().to_vec()
    }

    /// Waits for the next thing that it accepts; each is handed out once.
    pub async fn next_sent(&self) -> Sent {
        self.line.until(Book::take_next_sent).await
    }

    /// Every call that came, in order, accepted or not.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.line.lock().seen().to_vec()
    }

    /// Waits until so many calls of a kind have come.
    pub async fn until_seen(&self, call: Call, count: usize) {
        let enough = |book: &mut Book| {
            let came = book.seen().iter().filter(|seen| seen.call == call).count();
            (came >= count).then_some(())
        };
        self.line.until(enough).await;
    }

    /// The next call of a kind fails like this, and does nothing. Calls in a row take one each.
    pub fn fault(&self, call: Call, fault: Fault) {
        self.line.lock().plan(call, fault, false);
    }

    /// The next call of a kind does what it should and then fails like this: its answer is lost.
    pub fn fault_after(&self, call: Call, fault: Fault) {
        self.line.lock().plan(call, fault, true);
    }

    /// Cuts every call that hangs.
    pub fn hang_up(&self) {
        self.line.lock().hang_up();
    }

    /// Knows a friend of the bot from now on.
    pub fn know_person(&self, person: &PersonId, name: &str) {
        self.line.lock().know_person(person, Words::lossy(name));
    }

    /// Knows a member of a group or room from now on.
    pub fn know_member(&self, source: &SourceId, person: &PersonId, name: &str) {
        self.line.lock().know_member(source, person, Words::lossy(name));
    }

    /// Knows a group or room from now on, the bot not counted. Rooms have no name.
    pub fn know_place(&self, source: &SourceId, kind: SourceKind, name: &str, members: u32) {
        self.line.lock().know_place(source, kind, Words::lossy(name), members);
    }

    /// What it tells that somebody is called in a place.
    #[must_use]
    pub fn name_of(&self, source: &SourceId, person: &PersonId) -> Option<Words> {
        self.line.lock().name_of(source, person).cloned()
    }

    /// How many members of a place it knows.
    #[must_use]
    pub fn count_members(&self, source: &SourceId) -> u32 {
        u32::try_from(self.line.lock().count_members(source)).unwrap_or(u32::MAX)
    }

    /// Knows nothing of a place any more, nor of those who were in it; gives them.
    #[must_use]
    pub fn forget_place(&self, source: &SourceId) -> Vec<PersonId> {
        let members = self.line.lock().forget_place(source);
        members.into_iter().filter_map(|person| PersonId::new(person).ok()).collect()
    }

    /// Somebody has sent this with a message.
    pub fn put_content(&self, message: &MessageId, content_type: &str, bytes: impl Into<Bytes>) {
        self.line.lock().put_content(message, content_type.to_owned(), bytes.into());
    }

    /// What it says about the webhook, and what it would see there.
    pub fn set_webhook(&self, endpoint: &str, active: bool, test: WebhookTest) {
        self.line.lock().set_webhook(endpoint.to_owned(), active, test);
    }
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, Book> {
        // A test that panicked elsewhere must still be able to look.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the book has what is looked for.
    async fn until<T>(&self, mut look: impl FnMut(&mut Book) -> Option<T>) -> T {
        let mut changes = self.changed.subscribe();
        loop {
            if let Some(found) = look(&mut self.lock()) {
                return found;
            }
            // The sender lives as long as we do.
            changes.changed().await.ok();
        }
    }
}

async fn accept(listener: TcpListener, app: Router, tasks: TaskTracker, ending: CancellationToken) {
    while let Some(next) = ending.run_until_cancelled(listener.accept()).await {
        match next {
            Ok((stream, _)) => {
                let (app, ending) = (app.clone(), ending.clone());
                tasks.spawn(async move { ending.run_until_cancelled(serve(stream, app)).await });
            }
            Err(error) => {
                tracing::warn!(%error, "the stand-in cannot accept a connection");
                tokio::task::yield_now().await;
            }
        }
    }
}

async fn serve(stream: TcpStream, app: Router) {
    stream.set_nodelay(true).ok();
    let app = TowerToHyperService::new(app);
    let service = service_fn(move |request| {
        let answering = app.call(request);
        async move {
            let response = match answering.await {
                Ok(response) => response,
                Err(never) => match never {},
            };
            // An error in place of an answer closes the connection.
            if response.extensions().get::<Cut>().is_some() { Err(Cut) } else { Ok(response) }
        }
    });
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection of the stand-in broke off");
    }
}
