//! The socket and its connections. Nobody holds a place for ever: headers, bodies
//! (`unsaid_http::body`), the reading of answers (`stall`) and the end (`linger`, `floor`) have their time.

mod floor;
mod linger;
mod stall;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::middleware::AddExtension;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Layer as _;
use unsaid_http::client::Peer;

use self::floor::Floor;
use self::linger::Lingering;
use self::stall::Impatient;
use crate::refusal::{Refusal, said};

/// Connections at the same time; more wait until one closes.
const CONNECTIONS_MAX: usize = 16_384;
/// A caller that has not sent its headers by then is gone.
const HEADERS_WITHIN: Duration = Duration::from_secs(30);
/// Headers that are larger are refused.
const HEADERS_BYTES_MAX: usize = 64 * 1024;
/// A caller that has taken nothing of its answer for so long is gone.
const TAKEN_WITHIN: Duration = Duration::from_secs(30);
/// At the end of the process, a caller that has not said all of what it asks by then is left.
const SAID_WITHIN: Duration = Duration::from_secs(5);
/// A pause when the system has no more sockets to give.
const ACCEPT_AGAIN: Duration = Duration::from_millis(500);

/// Takes the address.
///
/// # Errors
/// If it is taken, or not ours to take.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, Refusal> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| {
        let taken = error.kind() == io::ErrorKind::AddrInUse;
        let advice = if taken { "; stop the other program or choose another port" } else { "" };
        Refusal::new(format!("cannot listen on {address}: {}{advice}", said(&error)))
    })
}

/// Serves `app` until the end; connections are among the calls, and finish what they have begun. Comes
/// back when all calls are over.
pub async fn accept(
    listener: TcpListener,
    app: Router,
    calls: &TaskTracker,
    ending: &CancellationToken,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    while let Some(next) = ending.run_until_cancelled(next(&listener, &places)).await {
        match next {
            Ok((stream, peer, place)) => {
                let app = Extension(peer).layer(app.clone());
                calls.spawn(connection(stream, app, ending.clone(), place));
            }
            Err(error) if is_the_callers(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                // Waiting is all there is to do, and the end is looked at right after.
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
    calls.close();
    calls.wait().await;
}

async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, Peer, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, address) = listener.accept().await?;
    // Answers are small and people wait for them.
    stream.set_nodelay(true)?;
    Ok((stream, Peer(address.ip()), place))
}

/// The caller went away before it was let in.
fn is_the_callers(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::NotConnected
            | io::ErrorKind::InvalidInput
    )
}

async fn connection<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    app: AddExtension<Router, Peer>,
    ending: CancellationToken,
    place: OwnedSemaphorePermit,
) {
    let stream = Lingering::new(Impatient::new(stream, TAKEN_WITHIN), ending.clone());
    let floor = Floor::default();
    let app = floor.before(app);
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_header_size(HEADERS_BYTES_MAX)
        // What is kept of headers that have not ended yet; it also bounds answers that wait.
        .max_buf_size(HEADERS_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    tokio::pin!(serving);
    let ended = tokio::select! {
        // What was said before the end is read before the end is looked at.
        biased;
        ended = serving.as_mut() => Some(ended),
        () = ending.cancelled() => {
            serving.as_mut().graceful_shutdown();
            tokio::select! {
                ended = serving.as_mut() => Some(ended),
                () = floor.given_up_after(SAID_WITHIN) => None,
            }
        }
    };
    if let Some(Err(error)) = ended {
        tracing::debug!(%error, "connection broke off");
    }
    drop(place);
}

#[cfg(test)]
mod tests;
