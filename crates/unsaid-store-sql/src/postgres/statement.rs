//! Statements and values as PostgreSQL takes them.

use std::{
    collections::HashMap,
    error::Error,
    fmt,
    sync::{PoisonError, RwLock},
};

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use unsaid_core::port::error::{StoreError, corrupt};

use crate::db::{Row, Value};

/// Statements that were translated, by their address: they are few, and live as long as the program.
static TRANSLATED: RwLock<Option<HashMap<(usize, usize), &'static str>>> = RwLock::new(None);

/// A statement of the ports in PostgreSQL's words.
pub(super) fn translated(sql: &'static str) -> &'static str {
    let place = (sql.as_ptr().addr(), sql.len());
    let known = TRANSLATED.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known.as_ref().and_then(|known| known.get(&place)) {
        return text;
    }
    drop(known);
    let mut known = TRANSLATED.write().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().entry(place).or_insert_with(|| translate(sql).leak())
}

/// `?1` becomes `$1`, and what is for PostgreSQL alone comes out of its comment.
fn translate(sql: &str) -> String {
    let mut text = sql.replace('?', "$");
    while let Some((before, rest)) = text.split_once("/*pg:") {
        let (own, after) = rest.split_once("*/").unwrap_or((rest, ""));
        text = format!("{before}{own}{after}");
    }
    text
}

/// Never the value itself: the driver prints its parameters at the level of debugging.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Int(_) => "a number",
            Self::Text(_) => "a text",
            Self::Blob(_) => "bytes",
        })
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) if *kind == Type::INT8 => value.to_sql(kind, out),
            Self::Int(value) if *kind == Type::INT4 => i32::try_from(*value)?.to_sql(kind, out),
            Self::Text(value) if *kind == Type::TEXT => value.to_sql(kind, out),
            Self::Blob(value) if *kind == Type::BYTEA => value.to_sql(kind, out),
            Self::Int(_) | Self::Text(_) | Self::Blob(_) => {
                Err(format!("{self:?} where {kind} is wanted").into())
            }
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        match *kind {
            Type::INT8 => i64::from_sql(kind, raw).map(Self::Int),
            Type::INT4 => Ok(Self::Int(i32::from_sql(kind, raw)?.into())),
            Type::BOOL => Ok(Self::Int(bool::from_sql(kind, raw)?.into())),
            Type::BYTEA => Vec::from_sql(kind, raw).map(Self::Blob),
            _ => String::from_sql(kind, raw).map(Self::Text),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::INT4, Type::BOOL, Type::BYTEA, Type::TEXT].contains(kind)
    }
}

pub(super) fn row(found: &tokio_postgres::Row) -> Result<Row, StoreError> {
    let values = (0..found.len()).map(|column| found.try_get(column));
    let values = values.collect::<Result<_, _>>();
    values.map(Row).map_err(|_| corrupt("a row", "unexpected column type"))
}

#[cfg(test)]
mod tests {
    use super::{Value, translate, translated};

    #[test]
    fn a_statement_is_translated() {
        let sql = "SELECT 1 FROM a JOIN w ON w.id = a.w /*pg: AND w.p = a.p */ WHERE x = ?1 \
            AND y = ?12 /*pg: FOR UPDATE */";
        assert_eq!(
            translate(sql),
            "SELECT 1 FROM a JOIN w ON w.id = a.w  AND w.p = a.p  WHERE x = $1 AND y = $12  \
             FOR UPDATE "
        );
        assert_eq!(translated("SELECT ?1"), "SELECT $1");
        assert_eq!(translated("SELECT ?1"), "SELECT $1");
    }

    #[test]
    fn values_do_not_print_themselves() {
        let values = [Value::Text("secret".into()), Value::Blob(b"secret".into()), Value::Int(1)];
        assert_eq!(format!("{values:?}"), "[a text, bytes, a number]");
    }
}
