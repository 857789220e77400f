//! A stream that hears a caller out for a while when it is closed.
//!
//! A caller that is refused before it has said everything goes on talking. Were the stream closed
//! with its words unread, the system would tell it that the connection broke, and most callers would
//! never read why. So the answer is sent, and what still comes is thrown away, within bounds.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};
use tokio_util::sync::CancellationToken;

/// Whoever has not hung up by then is left.
const LINGER_MAX: Duration = Duration::from_secs(5);
/// Whoever says more than this is left.
const LINGER_BYTES_MAX: usize = 32 * 1024 * 1024;
const READ_BYTES: usize = 16 * 1024;

/// See the module.
#[derive(Debug)]
pub(super) struct Lingering<S> {
    stream: S,
    /// Nobody is heard out when the process ends.
    ending: CancellationToken,
    /// From the moment on at which nothing more is sent.
    hearing_out: Option<HearingOut>,
}

#[derive(Debug)]
struct HearingOut {
    left_bytes: usize,
    end: Pin<Box<Sleep>>,
}

impl<S> Lingering<S> {
    pub(super) fn new(stream: S, ending: CancellationToken) -> Self {
        Self { stream, ending, hearing_out: None }
    }
}

impl HearingOut {
    fn begin() -> Self {
        Self { left_bytes: LINGER_BYTES_MAX, end: Box::pin(sleep(LINGER_MAX)) }
    }

    /// Ready when the caller has hung up, or was heard long enough.
    fn poll(
        &mut self,
        mut stream: Pin<&mut impl AsyncRead>,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        let mut bytes = [0; READ_BYTES];
        while self.left_bytes > 0 && self.end.as_mut().poll(context).is_pending() {
            let mut into = ReadBuf::new(&mut bytes);
            let read = ready!(stream.as_mut().poll_read(context, &mut into));
            if read.is_err() || into.filled().is_empty() {
                break;
            }
            self.left_bytes = self.left_bytes.saturating_sub(into.filled().len());
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, ending, hearing_out } = &mut *self;
        if hearing_out.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        }
        if ending.is_cancelled() {
            return Poll::Ready(Ok(()));
        }
        let hearing_out = hearing_out.get_or_insert_with(HearingOut::begin);
        hearing_out.poll(Pin::new(stream), context).map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_caller_is_heard_out_until_it_hangs_up() {
        let (mut caller, ours) = duplex(16);
        let mut ours = Lingering::new(ours, CancellationToken::new());
        let begun = Instant::now();
        let talking = async {
            caller.write_all(&[7; 1_600]).await.unwrap();
            assert_eq!(caller.read(&mut [0]).await.unwrap(), 0, "nothing more is sent");
            drop(caller);
        };
        let (shut, ()) = tokio::join!(ours.shutdown(), talking);
        shut.unwrap();
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_neither_talks_nor_hangs_up_is_left() {
        let (_caller, ours) = duplex(16);
        let begun = Instant::now();
        Lingering::new(ours, CancellationToken::new()).shutdown().await.unwrap();
        assert_eq!(begun.elapsed(), LINGER_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_talks_without_end_is_left() {
        let (mut caller, ours) = duplex(1 << 20);
        let mut ours = Lingering::new(ours, CancellationToken::new());
        let talking = async {
            let (mut said, piece) = (0, vec![7; READ_BYTES]);
            while caller.write_all(&piece).await.is_ok() {
                said += piece.len();
            }
            said
        };
        let hearing = async move { ours.shutdown().await.unwrap() };
        let (said, ()) = tokio::join!(talking, hearing);
        assert!((LINGER_BYTES_MAX..LINGER_BYTES_MAX + (2 << 20)).contains(&said), "{said}");
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_heard_out_at_the_end_of_the_process() {
        let (_caller, ours) = duplex(16);
        let ending = CancellationToken::new();
        ending.cancel();
        let begun = Instant::now();
        Lingering::new(ours, ending).shutdown().await.unwrap();
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
