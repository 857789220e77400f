//! A stand-in for Google Cloud Storage.
//!
//! It speaks the XML API for objects and the JSON API for the bucket's settings, as far as we use
//! them, and it is as strict as the real one: generations are enforced, tags follow the content, and
//! if the test wants, an object takes one write a second. Emulators that ignore conditions would let
//! a test pass that loses data.

mod answer;
mod fault;
mod objects;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use self::objects::Objects;

pub use fault::{Fault, On};
pub use objects::Settings;

/// The only bucket there is.
pub const BUCKET: &str = "unsaid-test";

/// A server that runs until it is dropped.
pub struct GcsStandIn {
    cloud: Arc<Cloud>,
    address: SocketAddr,
    /// Ends with us, and all connections with it.
    _server: JoinSet<()>,
}

/// What came in and went out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests that write, whatever became of them.
    pub puts: u64,
    /// Requests that read, with or without a body.
    pub gets: u64,
    /// Requests that delete.
    pub deletes: u64,
    /// Bytes of objects that came in.
    pub bytes_in: u64,
    /// Bytes of objects that went out.
    pub bytes_out: u64,
}

#[derive(Default)]
struct Cloud {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    objects: Objects,
    settings: Settings,
    orders: Vec<fault::Order>,
    traffic: BTreeMap<String, Traffic>,
    lists: u64,
}

impl Cloud {
    /// A test that failed in another thread should not hide its reason behind ours.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GcsStandIn {
    /// Starts one with an empty bucket that forgets everything at once.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let cloud = Arc::<Cloud>::default();
        let mut server = JoinSet::new();
        server.spawn(serve(listener, Arc::clone(&cloud)));
        Self { cloud, address, _server: server }
    }

    /// For `history_endpoint`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// For `history`, with this prefix.
    #[must_use]
    pub fn place(&self, prefix: &str) -> String {
        format!("gs://{BUCKET}/{prefix}")
    }

    /// Changes how the bucket is set up.
    pub fn set(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.cloud.lock().settings);
    }

    /// The next `times` requests of a kind go wrong; orders are carried out one after the other.
    pub fn order(&self, on: On, fault: Fault, times: u32) {
        self.cloud.lock().orders.push(fault::Order { on, name_part: None, fault, times });
    }

    /// The same, only for objects whose name holds this.
    pub fn order_for(&self, name_part: &str, on: On, fault: Fault, times: u32) {
        let name_part = Some(name_part.to_owned());
        self.cloud.lock().orders.push(fault::Order { on, name_part, fault, times });
    }

    /// Nothing goes wrong any more.
    pub fn cancel_orders(&self) {
        self.cloud.lock().orders.clear();
    }

    /// How many of the ordered faults have not come yet.
    #[must_use]
    pub fn faults_left(&self) -> u32 {
        self.cloud.lock().orders.iter().map(|order| order.times).sum()
    }

    /// Everything that can be read by its whole name.
    #[must_use]
    pub fn objects(&self) -> BTreeMap<String, Bytes> {
        self.cloud.lock().objects.live()
    }

    /// Puts an object as if somebody else had.
    pub fn plant(&self, name: &str, bytes: impl Into<Bytes>) {
        let inner = &mut *self.cloud.lock();
        inner.objects.put(name, bytes.into(), &inner.settings);
    }

    /// Where these bytes are: names of objects, of kept generations too, and names that hold them.
    #[must_use]
    pub fn places_of(&self, needle: &[u8]) -> Vec<String> {
        self.cloud.lock().objects.places_of(needle)
    }

    /// Requests for one object, by its whole name.
    #[must_use]
    pub fn traffic_of(&self, name: &str) -> Traffic {
        self.cloud.lock().traffic.get(name).copied().unwrap_or_default()
    }

    /// Requests for all objects together.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let sum = |a: Traffic, b: &Traffic| Traffic {
            puts: a.puts + b.puts,
            gets: a.gets + b.gets,
            deletes: a.deletes + b.deletes,
            bytes_in: a.bytes_in + b.bytes_in,
            bytes_out: a.bytes_out + b.bytes_out,
        };
        self.cloud.lock().traffic.values().fold(Traffic::default(), sum)
    }

    /// Requests for lists, one a page.
    #[must_use]
    pub fn lists(&self) -> u64 {
        self.cloud.lock().lists
    }

    /// Counts from nothing again.
    pub fn forget_traffic(&self) {
        let mut inner = self.cloud.lock();
        inner.traffic.clear();
        inner.lists = 0;
    }
}

async fn serve(listener: TcpListener, cloud: Arc<Cloud>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        connections.spawn(connection(stream, Arc::clone(&cloud)));
        // those that ended are not kept
        while connections.try_join_next().is_some() {}
    }
}

async fn connection(stream: TcpStream, cloud: Arc<Cloud>) {
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        let cloud = Arc::clone(&cloud);
        async move { answer::answer(&cloud, request).await.ok_or(Dropped) }
    });
    // an error is a client that left, or a fault that was ordered
    http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.unwrap_or_default();
}

/// The connection is closed without an answer.
#[derive(Debug)]
struct Dropped;

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("dropped as ordered")
    }
}

impl std::error::Error for Dropped {}

/// An answer, or none at all.
type Answer = Option<Response<Body>>;
