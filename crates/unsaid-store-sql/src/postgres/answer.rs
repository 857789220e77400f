//! Answers to statements that have gone out.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use tokio_postgres::{Error, Row};

/// What an answer is needed for.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    Rows,
    Count,
}

pub(super) enum Answered {
    Rows(Vec<Row>),
    Count(u64),
}

pub(super) type Coming = Pin<Box<dyn Future<Output = Result<Answered, Error>> + Send>>;

/// The answer to a statement that has gone out.
pub(super) enum Answer {
    Coming(Coming),
    There(Result<Answered, Error>),
}

impl Answer {
    /// Polling a statement for the first time is what sends it. The answer is looked at later, with
    /// a waker that wakes somebody.
    pub(super) fn to(mut coming: Coming) -> Self {
        match coming.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answered) => Self::There(answered),
            Poll::Pending => Self::Coming(coming),
        }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<&Result<Answered, Error>> {
        if let Self::Coming(coming) = self
            && let Poll::Ready(answered) = coming.as_mut().poll(context)
        {
            *self = Self::There(answered);
        }
        match self {
            Self::There(answered) => Poll::Ready(answered),
            Self::Coming(_) => Poll::Pending,
        }
    }
}
