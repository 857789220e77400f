//! A LINE that stands in, and a client that knows it.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{net::TcpSocket, time::timeout};
use unsaid_core::domain::{
    id::{MessageId, PersonId, SourceId},
    time::Timestamp,
};
use unsaid_line::{
    client::{AccessToken, ClientOptions, ClientTimes, LineClient},
    stand_in::StandIn,
};
use unsaid_testkit::clock::MovedClock;

/// No word of ours, so that logs can be searched for it.
pub(crate) const TOKEN: &str = "canary-access-token";
/// 2026-01-17T10:30:00Z
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_768_645_800_000);
/// Long enough for the slowest machine; nothing takes it unless something is wrong.
pub(crate) const GENEROUS: Duration = Duration::from_mins(1);
/// Long enough for nothing: what hangs is given up at once.
pub(crate) const SHORT: Duration = Duration::from_millis(50);

pub(crate) struct House {
    pub(crate) line: StandIn,
    pub(crate) client: LineClient,
    pub(crate) clock: Arc<MovedClock>,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with(|options| options).await
    }

    pub(crate) async fn with(change: impl FnOnce(ClientOptions) -> ClientOptions) -> Self {
        let line = StandIn::start(anywhere(), AccessToken::new(TOKEN)).await.unwrap();
        let clock = Arc::new(MovedClock::at(NOW));
        let client = client_of(&change(options(&line.base())), &clock);
        Self { line, client, clock }
    }
}

pub(crate) fn anywhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

/// Times that no slow machine exceeds.
pub(crate) fn options(base: &str) -> ClientOptions {
    ClientOptions {
        api_base: base.to_owned(),
        data_api_base: base.to_owned(),
        times: ClientTimes { connect: GENEROUS, call: GENEROUS, content: GENEROUS },
        ..ClientOptions::new(AccessToken::new(TOKEN))
    }
}

pub(crate) fn client_of(options: &ClientOptions, clock: &Arc<MovedClock>) -> LineClient {
    LineClient::new(options, Arc::clone(clock) as _).unwrap()
}

/// An address at which nobody listens, and nobody will as long as this is held.
pub(crate) struct Nobody(TcpSocket);

impl Nobody {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(anywhere()).unwrap();
        Self(socket)
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }
}

/// Waits for what should happen.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(GENEROUS, what).await.unwrap()
}

pub(crate) fn source(id: &str) -> SourceId {
    SourceId::new(id).unwrap()
}

pub(crate) fn person(id: &str) -> PersonId {
    PersonId::new(id).unwrap()
}

pub(crate) fn message(id: &str) -> MessageId {
    MessageId::new(id).unwrap()
}
