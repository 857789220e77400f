//! What the statements of the ports need of an engine.

use async_trait::async_trait;
use unsaid_core::{
    domain::id::{EventNumber, PersonId},
    port::error::{StoreError, corrupt},
};

/// A value that goes into or comes out of a statement.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
    Blob(Vec<u8>),
}

/// One open transaction (or snapshot) of an engine.
///
/// Statements are written with `?1`, `?2` … and in the SQL that SQLite and PostgreSQL share. What
/// stands between `/*pg:` and `*/` is for PostgreSQL alone; to SQLite it is a comment. There words
/// have a place (the conversation or person they belong to), with which the key of their row
/// begins, so a statement that joins them says it:
/// `JOIN words w ON w.id = m.words /*pg: AND w.place = m.conversation */`.
#[async_trait]
pub(crate) trait Db: Send + Sync {
    /// Runs a statement that returns nothing; gives the number of rows it touched.
    async fn run(&self, sql: &'static str, values: Vec<Value>) -> Result<u64, StoreError>;

    /// The same where nobody needs the number. An engine behind a network does not wait for the
    /// answer: a failure shows with a later statement, or with the commit.
    async fn send(&self, sql: &'static str, values: Vec<Value>) -> Result<(), StoreError> {
        self.run(sql, values).await.map(|_| ())
    }

    /// Runs a statement that returns rows.
    async fn rows(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>, StoreError>;

    /// A number for an event: unique in the installation, and larger than `after`.
    async fn event_number(&self, after: EventNumber) -> Result<EventNumber, StoreError>;

    /// Keeps words; gives the slot they stand in.
    async fn keep_words(&self, place: &str, words: &[u8]) -> Result<i64, StoreError>;

    /// Erases the words in slots, for good.
    async fn erase_words(&self, place: &str, slots: &[i64]) -> Result<(), StoreError>;

    /// Waits until nobody else holds this, and holds it to the end of the transaction. What is read
    /// from now on is what the others have left. An engine with one writer has nothing to do.
    async fn lock(&self, _lock: Lock<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    /// The same without waiting: `false` if somebody else holds it.
    async fn try_lock(&self, _lock: Lock<'_>) -> Result<bool, StoreError> {
        Ok(true)
    }

    /// Whether others write to the same database at the same time.
    fn is_shared(&self) -> bool {
        false
    }

    /// Tells the other servers, once this is committed, that a conversation has changed.
    fn hint(&self, _conversation: &str) {}
}

/// What a change holds while it decides. Whoever needs several takes them in this order, so that
/// nobody waits in a circle; the conversations of one change in the order of their keys.
#[derive(Clone, Copy)]
pub(crate) enum Lock<'a> {
    /// One sweep at a time.
    Sweep,
    /// A person, to look at: account and consent stay as they are.
    Consent(&'a PersonId),
    /// A person with sessions, consent and erasure, to change.
    Person(&'a PersonId),
    /// Everything in the worlds of a person, but for what is said there.
    Worlds(&'a PersonId),
    /// A conversation that has no row yet.
    NewConversation(&'a str),
    /// A conversation: its row, if it has one. Whoever changes it reads the row by the same statement
    /// that locks it: see `Head::lock`.
    Conversation(&'a str),
    /// What LINE said of a person or a place, named as the place of its words.
    Card(&'a str),
    /// The end of the audit's chain.
    Audit,
}

/// Comfort over [`Db`].
impl dyn Db + '_ {
    pub(crate) async fn first(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// Whether a statement returns any row.
    pub(crate) async fn any(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<bool, StoreError> {
        Ok(!self.rows(sql, values).await?.is_empty())
    }

    /// Runs a `DELETE … RETURNING` (or the like) whose first column is a slot of this place, and erases
    /// them.
    pub(crate) async fn run_erasing(
        &self,
        place: &str,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<u64, StoreError> {
        let rows = self.rows(sql, values).await?;
        let slots = rows.iter().filter_map(|row| row.opt_int(0).transpose());
        self.erase_words(place, &slots.collect::<Result<Vec<_>, _>>()?).await?;
        Ok(rows.len() as u64)
    }
}

/// One row of an answer.
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    pub(crate) fn opt_int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match &self.0[column] {
            Value::Null => Ok(None),
            Value::Int(value) => Ok(Some(*value)),
            Value::Text(_) | Value::Blob(_) => Err(corrupt("a row", "not a number")),
        }
    }

    pub(crate) fn int(&self, column: usize) -> Result<i64, StoreError> {
        self.opt_int(column)?.ok_or_else(|| corrupt("a row", "no number"))
    }

    /// A number that never is negative.
    pub(crate) fn count(&self, column: usize) -> Result<u64, StoreError> {
        u64::try_from(self.int(column)?).map_err(|_| corrupt("a row", "negative count"))
    }

    pub(crate) fn flag(&self, column: usize) -> Result<bool, StoreError> {
        Ok(self.int(column)? != 0)
    }

    pub(crate) fn opt_text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        match &self.0[column] {
            Value::Null => Ok(None),
            Value::Text(value) => Ok(Some(value)),
            Value::Int(_) | Value::Blob(_) => Err(corrupt("a row", "not a text")),
        }
    }

    pub(crate) fn text(&self, column: usize) -> Result<&str, StoreError> {
        self.opt_text(column)?.ok_or_else(|| corrupt("a row", "no text"))
    }

    pub(crate) fn opt_blob(&self, column: usize) -> Result<Option<&[u8]>, StoreError> {
        match &self.0[column] {
            Value::Null => Ok(None),
            Value::Blob(value) => Ok(Some(value)),
            Value::Int(_) | Value::Text(_) => Err(corrupt("a row", "not bytes")),
        }
    }

    pub(crate) fn blob(&self, column: usize) -> Result<&[u8], StoreError> {
        self.opt_blob(column)?.ok_or_else(|| corrupt("a row", "no bytes"))
    }

    /// A column that was written from a checked value and is checked again.
    pub(crate) fn parse<T>(&self, column: usize) -> Result<T, StoreError>
    where
        T: TryFrom<String>,
        T::Error: std::fmt::Display,
    {
        T::try_from(self.text(column)?.to_owned()).map_err(|error| corrupt("a row", error))
    }

    /// The same where there may be none.
    pub(crate) fn opt_parse<T>(&self, column: usize) -> Result<Option<T>, StoreError>
    where
        T: TryFrom<String>,
        T::Error: std::fmt::Display,
    {
        match self.opt_text(column)? {
            None => Ok(None),
            Some(_) => self.parse(column).map(Some),
        }
    }
}

/// The values of a statement, in order.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::db::Value::from($value)),*] };
}
pub(crate) use values;

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        // Counters rise by one from zero: they do not get there.
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Self::Blob(value.to_vec())
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Blob(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! ids_as_values {
    ($($name:ident),*) => {$(
        impl From<&unsaid_core::domain::id::$name> for Value {
            fn from(id: &unsaid_core::domain::id::$name) -> Self {
                Self::Text(id.as_str().to_owned())
            }
        }
    )*};
}
ids_as_values!(
    MessageId,
    PersonId,
    SourceId,
    ChatId,
    SessionId,
    SignInId,
    DeliveryId,
    EditId,
    FailedEditId,
    ErrorCode,
    HolderId,
    MediaKey,
    IdempotencyKey,
    WorldId,
    AgentId
);

macro_rules! counters_as_values {
    ($($name:ident),*) => {$(
        impl From<unsaid_core::domain::id::$name> for Value {
            fn from(counter: unsaid_core::domain::id::$name) -> Self {
                counter.get().into()
            }
        }
    )*};
}
counters_as_values!(Number, Version, Fence, Roster, EventNumber);

impl From<unsaid_core::domain::time::Timestamp> for Value {
    fn from(at: unsaid_core::domain::time::Timestamp) -> Self {
        Self::Int(at.as_millis())
    }
}
