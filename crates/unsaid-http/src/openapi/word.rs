//! Texts of which there are only a few, and what else has one shape in several calls.

use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

macro_rules! words {
    ($($name:ident: $($word:literal),+;)*) => {$(
        #[doc = concat!($("`", $word, "` "),+)]
        pub(crate) fn $name() -> Object {
            text().enum_values(Some([$($word),+])).build()
        }
    )*};
}

words! {
    ok: "ok";
    ready: "ready";
    bearer: "Bearer";
    account_type: "user", "admin";
    role: "user", "assistant";
    session_status: "active", "expired", "ended";
    session_type: "freemium", "paid";
    source_kind: "user", "group", "room";
    try_place: "person", "group";
    try_from: "person", "bot";
    unsent: "unsent";
    decision: "answered", "silent", "failed", "stopped", "cancelled", "released";
}

/// 32 bytes in hex.
pub(crate) fn sha256() -> Object {
    text().pattern(Some("^[0-9a-f]{64}$")).build()
}

/// The name of an error code.
pub(crate) fn code() -> Object {
    text().pattern(Some("^[A-Z0-9_]+$")).build()
}

/// An id that a client gave to a message of its own, or none.
pub(crate) fn maybe_client_id() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .pattern(Some("^[A-Za-z0-9_-]{1,64}$"))
        .build()
}

/// How many rows are wanted. More than can be counted is as good as the most that can.
pub(crate) fn page_size() -> Object {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).build()
}

/// A place in a list.
pub(crate) fn position() -> Object {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).build()
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}
