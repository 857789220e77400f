//! Whose turn it is to speak on a connection: at the end of the process nobody is heard out for long who
//! has asked for something and not said all of it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::HttpBody;
use hyper::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::sleep;
use tower::Service;

/// Whether a call has been heard to its end, so that it is for us to answer. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Floor(Arc<AtomicBool>);

impl Floor {
    /// `app`, with a look at how far its callers have come.
    pub(super) fn before<S>(&self, app: S) -> Attentive<S> {
        Attentive { app, floor: self.clone() }
    }

    /// Returns once the caller has had so long to finish what it says, and has not. If there is something
    /// to answer by then, it never does.
    pub(super) async fn given_up_after(&self, time: Duration) {
        sleep(time).await;
        if self.0.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }

    fn is_ours(&self, is_ours: bool) {
        self.0.store(is_ours, Ordering::Relaxed);
    }
}

/// See [`Floor::before`].
#[derive(Debug, Clone)]
pub(super) struct Attentive<S> {
    app: S,
    floor: Floor,
}

impl<S: Service<Request<Question>>> Service<Request<Incoming>> for Attentive<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.app.poll_ready(context)
    }

    fn call(&mut self, request: Request<Incoming>) -> S::Future {
        self.floor.is_ours(request.body().is_end_stream());
        let floor = self.floor.clone();
        self.app.call(request.map(|body| Question { body, floor }))
    }
}

/// The body of a call. Once all of it is there, or nobody wants more of it, it is for us to speak.
#[derive(Debug)]
pub(super) struct Question {
    body: Incoming,
    floor: Floor,
}

impl HttpBody for Question {
    type Data = <Incoming as HttpBody>::Data;
    type Error = <Incoming as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.floor.is_ours(true);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.floor.is_ours(true);
    }
}
