//! The fields that several calls share.

use serde::{Deserialize, Deserializer};
use unsaid_core::domain::id::{MessageId, SessionId, SourceId};
use unsaid_core::domain::password::Password;
use unsaid_core::domain::person::Email;
use unsaid_core::domain::text::Words;
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, SchemaFormat, Type};
use uuid::Uuid;

use super::rule;
use crate::error::{ApiError, Code};

/// What somebody wants to be called has at most so many characters.
const NAME_CHARS_MAX: usize = 100;
/// A client's own id of a message has at most so many.
const CLIENT_ID_CHARS_MAX: usize = 64;
/// What is said of an id that is none.
pub(crate) const CLIENT_ID_RULE: &str = "not 1 to 64 letters, digits, _ and -";

/// An address.
///
/// # Errors
/// If it is none.
pub fn email<'de, D: Deserializer<'de>>(from: D) -> Result<Email, D::Error> {
    Email::new(&String::deserialize(from)?).map_err(rule)
}

/// A password that is chosen.
///
/// # Errors
/// If it is too short or too long.
pub fn password<'de, D: Deserializer<'de>>(from: D) -> Result<Password, D::Error> {
    Password::new(String::deserialize(from)?).map_err(rule)
}

/// What somebody wants to be called.
///
/// # Errors
/// If there is nothing in it, or too much.
pub fn display_name<'de, D: Deserializer<'de>>(from: D) -> Result<Words, D::Error> {
    let text = String::deserialize(from)?;
    Words::bounded(text.trim(), NAME_CHARS_MAX).map_err(rule)
}

/// What something is called from now on, where that is said.
///
/// # Errors
/// If there is nothing in it, or too much.
pub fn new_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Words>, D::Error> {
    display_name(from).map(Some)
}

/// A field that may be left out, but not be null.
///
/// # Errors
/// If it is something else.
pub fn given<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(from).map(Some)
}

/// A field that may be left out, and that null empties.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Setting<T> {
    /// It stays as it is.
    #[default]
    LeftOut,
    /// Nothing from now on.
    Null,
    /// This from now on.
    Given(T),
}

impl<T> Setting<T> {
    /// As a change, with what is given made into something else.
    ///
    /// # Errors
    /// If that fails.
    pub fn patch<U, E>(self, make: impl FnOnce(T) -> Result<U, E>) -> Result<Option<Option<U>>, E> {
        Ok(match self {
            Self::LeftOut => None,
            Self::Null => Some(None),
            Self::Given(given) => Some(Some(make(given)?)),
        })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(from)?.map_or(Self::Null, Self::Given))
    }
}

/// An id as somebody wrote it. What cannot be one belongs to nothing: it is as good as unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenId<T>(Option<T>);

impl<T> WrittenId<T> {
    /// The id, or what is said where nothing has it.
    ///
    /// # Errors
    /// If it cannot be one.
    pub fn or(self, unknown: Code) -> Result<T, ApiError> {
        self.0.ok_or_else(|| unknown.into())
    }
}

impl<'de, T: TryFrom<String>> Deserialize<'de> for WrittenId<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(T::try_from(String::deserialize(from)?).ok()))
    }
}

/// `true` or `false` in a query.
///
/// # Errors
/// If it is another word.
pub fn yes_or_no<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match String::deserialize(from)?.as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(rule("not true or false")),
    }
}

/// A session, by its UUID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionUuid(pub SessionId);

impl<'de> Deserialize<'de> for SessionUuid {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let uuid = Uuid::parse_str(&String::deserialize(from)?).map_err(|_| rule("not a UUID"))?;
        SessionId::new(uuid.to_string()).map(Self).map_err(rule)
    }
}

impl IntoParams for SessionUuid {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let uuid = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::Custom("uuid".to_owned())));
        let parameter = ParameterBuilder::new()
            .name("session_id")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .schema(Some(uuid));
        vec![parameter.build()]
    }
}

/// An id that a client gave to a message of its own: 1 to 64 letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientId(MessageId);

impl ClientId {
    /// The id of the message.
    #[must_use]
    pub fn into_inner(self) -> MessageId {
        self.0
    }
}

impl<'de> Deserialize<'de> for ClientId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if !(1..=CLIENT_ID_CHARS_MAX).contains(&text.len()) || !text.bytes().all(plain) {
            return Err(rule(CLIENT_ID_RULE));
        }
        MessageId::new(text).map(Self).map_err(rule)
    }
}

/// A source on LINE, where one is named.
///
/// # Errors
/// If it cannot be the id of one.
pub fn source_id<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SourceId>, D::Error> {
    SourceId::new(String::deserialize(from)?).map(Some).map_err(|_| rule("not an id of a source"))
}

/// How many rows of a list are wanted: plain digits, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSize(usize);

impl PageSize {
    /// As many as wanted, or as many as there may be.
    #[must_use]
    pub fn within(self, most: usize) -> usize {
        self.0.min(most)
    }
}

impl<'de> Deserialize<'de> for PageSize {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match whole_number(from)? {
            0 => Err(rule("less than 1")),
            wanted => Ok(Self(usize::try_from(wanted).unwrap_or(usize::MAX))),
        }
    }
}

/// A place in a list: plain digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position(pub u64);

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        whole_number(from).map(Self)
    }
}

/// Plain digits. More than can be counted is as good as the most that can.
fn whole_number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(rule("not a whole number"));
    }
    Ok(text.parse().unwrap_or(u64::MAX))
}
