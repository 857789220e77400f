//! A transaction as the statements see it.
//!
//! Statements go out without waiting for the answers to those before, where nobody needs them: an
//! append is three ways to the server and back. Answers come in the order of the statements, so the
//! one that is waited for tells what became of the others.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use async_trait::async_trait;
use deadpool_postgres::Object;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use unsaid_core::{
    domain::id::EventNumber,
    port::error::{StoreError, corrupt},
};

use super::{
    Shared,
    answer::{Answer, Answered, Coming, Wanted},
    failure::Failure,
    locks::locking,
    numbers::Numbers,
    statement::{row, translated},
};
use crate::db::{Db, Lock, Row, Value, values};

/// Statements that may be under way before the next one waits: they are kept in memory.
const SENT_MAX: usize = 256;

/// What a transaction is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Change,
    Look,
}

impl Purpose {
    fn begin(self) -> &'static str {
        match self {
            Self::Change => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
            Self::Look => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }
}

/// One transaction on one connection. It begins with its first statement.
pub(super) struct PostgresDb {
    /// None only at the very end.
    connection: Option<Arc<Object>>,
    shared: Arc<Shared>,
    purpose: Purpose,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    begun: bool,
    /// Statements whose answers nobody has looked at yet.
    sent: VecDeque<Answer>,
    /// The first thing that went wrong; everything after it fails as well.
    failure: Option<Failure>,
    /// Conversations that others should look at.
    hints: Vec<String>,
}

/// How a transaction has ended.
pub(super) enum Ended<T> {
    Done(Result<T, StoreError>),
    /// Nothing was kept, because somebody else was in the way.
    InTheWay,
}

impl PostgresDb {
    pub(super) fn new(connection: Object, shared: Arc<Shared>, purpose: Purpose) -> Self {
        let connection = Some(Arc::new(connection));
        Self { connection, shared, purpose, state: Mutex::default() }
    }

    /// Ends the transaction: commits if the work succeeded, and says what became of it.
    pub(super) async fn end<T>(mut self, result: Result<T, StoreError>) -> Ended<T> {
        let result = match result {
            Ok(value) if self.purpose == Purpose::Change => self.commit().await.map(|()| value),
            result => result,
        };
        let in_the_way = self.state().failure.as_ref().is_some_and(|failure| failure.again);
        self.give_back();
        if result.is_err() && in_the_way { Ended::InTheWay } else { Ended::Done(result) }
    }

    async fn commit(&self) -> Result<(), StoreError> {
        if !self.state().begun {
            return Ok(());
        }
        let commit = Answer::to(self.simple("COMMIT"));
        self.answer(commit).await.map_err(Failure::of_commit)?;
        let mut state = self.state();
        state.begun = false;
        let hints = std::mem::take(&mut state.hints);
        drop(state);
        self.shared.hints.tell(hints);
        Ok(())
    }

    /// Hands the connection back, unless it is in a state that nobody knows.
    fn give_back(&mut self) {
        let state = std::mem::take(&mut *self.state());
        if state.begun {
            // Sent and not waited for: the server takes it before whatever comes next.
            drop(Answer::to(self.simple("ROLLBACK")));
        }
        drop(state.sent);
        let known = state.failure.is_none_or(|failure| failure.certain);
        let connection = self.connection.take().and_then(Arc::into_inner);
        if let Some(connection) = connection.filter(|_| !known) {
            drop(Object::take(connection));
            // The others may lead to the same nowhere; new ones lead to wherever the server is now.
            self.shared.pool.retain(|_, _| false);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> Result<Arc<Object>, Failure> {
        self.connection.clone().ok_or_else(Failure::late)
    }

    /// Sends a statement; whatever was sent before comes before it.
    async fn dispatch(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        wanted: Wanted,
    ) -> Result<Answer, Failure> {
        let client = self.client()?;
        // The first time on a connection this is a way there and back.
        let prepared = self.in_time(pin!(client.prepare_cached(translated(sql)))).await?;
        let statement = prepared.map_err(|error| self.remember(Failure::from(&error)))?;
        if self.begin_now() && !sql.starts_with("SELECT") {
            // A write must not go out before it is sure that there is a transaction.
            self.settle().await?;
        }
        Ok(Answer::to(Box::pin(async move {
            let values: Vec<_> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
            match wanted {
                Wanted::Rows => client.query(&statement, &values).await.map(Answered::Rows),
                Wanted::Count => client.execute(&statement, &values).await.map(Answered::Count),
            }
        })))
    }

    /// Begins with the first statement; whether this is it.
    fn begin_now(&self) -> bool {
        let mut state = self.state();
        if state.begun {
            return false;
        }
        state.begun = true;
        let begin = Answer::to(self.simple(self.purpose.begin()));
        state.sent.push_back(begin);
        true
    }

    fn simple(&self, sql: &'static str) -> Coming {
        let client = self.connection.clone();
        Box::pin(async move {
            if let Some(client) = client {
                client.batch_execute(sql).await?;
            }
            Ok(Answered::Count(0))
        })
    }

    /// Waits for an answer.
    async fn answer(&self, mut answer: Answer) -> Result<Answered, Failure> {
        self.in_time(poll_fn(|context| answer.poll(context).map(|_| ()))).await?;
        match answer {
            Answer::There(Ok(answered)) => Ok(answered),
            Answer::There(Err(error)) => Err(self.remember(Failure::from(&error))),
            Answer::Coming(_) => Err(self.remember(Failure::late())),
        }
    }

    /// Waits for something the server says, no longer than allowed, and takes note of what it says
    /// before. If something failed before, that is the answer.
    async fn in_time<F: Future + Unpin>(&self, mut coming: F) -> Result<F::Output, Failure> {
        let there = poll_fn(|context| {
            self.look_at_sent(context);
            Pin::new(&mut coming).poll(context)
        });
        let Ok(there) = timeout(self.shared.answer_within, there).await else {
            return Err(self.remember(Failure::late()));
        };
        match &self.state().failure {
            Some(failure) => Err(failure.clone()),
            None => Ok(there),
        }
    }

    /// Waits until all that was sent is answered.
    async fn settle(&self) -> Result<(), Failure> {
        let last = self.state().sent.pop_back();
        match last {
            Some(last) => self.answer(last).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// Takes note of answers that nobody waits for; they come before those that somebody does.
    fn look_at_sent(&self, context: &mut Context<'_>) {
        let mut state = self.state();
        while let Some(first) = state.sent.front_mut() {
            let failure = match first.poll(context) {
                Poll::Pending => break,
                Poll::Ready(Ok(_)) => None,
                Poll::Ready(Err(error)) => Some(Failure::from(error)),
            };
            state.sent.pop_front();
            if state.failure.is_none() {
                state.failure = failure;
            }
        }
    }

    /// The first failure says why: it takes all after it along.
    fn remember(&self, failure: Failure) -> Failure {
        self.state().failure.get_or_insert(failure).clone()
    }

    async fn number(
        &self,
        numbers: &Numbers,
        after: i64,
        block: &'static str,
    ) -> Result<i64, StoreError> {
        if let Some(number) = numbers.next(after) {
            return Ok(number);
        }
        let rows = self.rows(block, values![]).await?;
        let block = rows.first().ok_or_else(|| corrupt("a sequence", "no number"))?;
        Ok(numbers.begin(block.int(0)?))
    }
}

/// The caller has gone in the middle of a transaction: so does the connection.
impl Drop for PostgresDb {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.state().sent.clear();
            if let Some(connection) = Arc::into_inner(connection) {
                drop(Object::take(connection));
            }
        }
    }
}

#[async_trait]
impl Db for PostgresDb {
    async fn run(&self, sql: &'static str, values: Vec<Value>) -> Result<u64, StoreError> {
        let answer = self.dispatch(sql, values, Wanted::Count).await;
        match self.answer(answer.map_err(broken)?).await.map_err(broken)? {
            Answered::Count(count) => Ok(count),
            Answered::Rows(rows) => Ok(rows.len() as u64),
        }
    }

    async fn send(&self, sql: &'static str, values: Vec<Value>) -> Result<(), StoreError> {
        let answer = self.dispatch(sql, values, Wanted::Count).await.map_err(broken)?;
        let many = {
            let mut state = self.state();
            state.sent.push_back(answer);
            state.sent.len() > SENT_MAX
        };
        if many { self.settle().await.map_err(broken) } else { Ok(()) }
    }

    async fn rows(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let answer = self.dispatch(sql, values, Wanted::Rows).await;
        match self.answer(answer.map_err(broken)?).await.map_err(broken)? {
            Answered::Rows(rows) => rows.iter().map(row).collect(),
            Answered::Count(_) => Ok(Vec::new()),
        }
    }

    async fn event_number(&self, after: EventNumber) -> Result<EventNumber, StoreError> {
        let after = i64::try_from(after.get()).unwrap_or(i64::MAX);
        let block = "SELECT nextval('event_block')";
        let number = self.number(&self.shared.events, after, block).await?;
        Ok(EventNumber::new(number.cast_unsigned()))
    }

    async fn keep_words(&self, place: &str, words: &[u8]) -> Result<i64, StoreError> {
        let id = self.number(&self.shared.words, 0, "SELECT nextval('words_block')").await?;
        let sql = "INSERT INTO words (place, id, content) VALUES (?1, ?2, ?3)";
        self.send(sql, values![place, id, words]).await?;
        Ok(id)
    }

    async fn erase_words(&self, place: &str, slots: &[i64]) -> Result<(), StoreError> {
        if slots.is_empty() {
            return Ok(());
        }
        let slots: Vec<String> = slots.iter().map(ToString::to_string).collect();
        let sql = "DELETE FROM words WHERE place = ?1 \
            AND id = ANY (string_to_array(?2, ',')::bigint[])";
        self.send(sql, values![place, slots.join(",")]).await
    }

    async fn lock(&self, lock: Lock<'_>) -> Result<(), StoreError> {
        let locking = locking(lock);
        self.send(locking.wait, values![locking.name]).await
    }

    async fn try_lock(&self, lock: Lock<'_>) -> Result<bool, StoreError> {
        let locking = locking(lock);
        Ok(!self.rows(locking.try_now, values![locking.name]).await?.is_empty())
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn hint(&self, conversation: &str) {
        self.state().hints.push(conversation.to_owned());
    }
}

fn broken(failure: Failure) -> StoreError {
    failure.error
}
