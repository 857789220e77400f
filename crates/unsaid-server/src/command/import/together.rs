//! Many writes at once, in their order.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Waits for all of them. Each time they are looked at in their order, so they also begin in it.
pub(super) async fn together<T>(mut futures: Vec<Pin<Box<impl Future<Output = T>>>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut pending = false;
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(outcome) => *done = Some(outcome),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    done.into_iter().flatten().collect()
}
