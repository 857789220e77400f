//! What callers send, parsed at the door: past here there are only types.
//!
//! Whatever is wrong is 400 `VALIDATION_ERROR`, and `details` names the field and the rule. What the
//! caller wrote is never quoted: it may be words of people.
//!
//! - [`mod@json`]: bodies. [`query`]: what follows the `?`. [`path`]: what stands between the slashes.
//! - [`field`]: the fields that several calls share.

pub mod field;
pub mod json;
pub mod path;
pub mod query;

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer};
use serde_json::json;

use crate::error::{ApiError, Code};

/// A field name that is longer is not repeated.
const FIELD_CHARS_MAX: usize = 64;
/// Marks the texts of our own rules among the errors of serde, which quote what was sent.
const RULE: &str = "rule: ";

/// Says what is wrong with a field.
#[must_use]
pub fn invalid(field: &str, problem: &str) -> ApiError {
    let code = ApiError::new(Code::VALIDATION_ERROR);
    match name(field) {
        Some(field) => code.with_details(json!({ "field": field, "problem": problem })),
        None => code.with_details(json!({ "problem": problem })),
    }
}

/// A rule of ours that a value breaks, as an error of serde.
pub(crate) fn rule<E: serde::de::Error>(rule: impl fmt::Display) -> E {
    E::custom(format_args!("{RULE}{rule}"))
}

/// Reads a value, and names the field that is wrong.
fn read<'de, T, D>(from: D) -> Result<T, ApiError>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
    D::Error: fmt::Display,
{
    serde_path_to_error::deserialize(from).map_err(|error| {
        let at = error.path().to_string();
        explained(&at, &error.inner().to_string())
    })
}

/// An error of serde in words of ours.
fn explained(at: &str, error: &str) -> ApiError {
    // They begin like this, and the name stands between the first two backticks.
    let named = error.split('`').nth(1).unwrap_or_default();
    if error.starts_with("missing field") {
        invalid(named, "missing")
    } else if error.starts_with("unknown field") {
        invalid(named, "unknown")
    } else if error.starts_with("duplicate field") {
        invalid(named, "given twice")
    } else if let Some((_, broken)) = error.split_once(RULE) {
        // The parser adds the place to what we said.
        invalid(at, broken.split(" at line ").next().unwrap_or(broken))
    } else {
        invalid(at, "of the wrong type")
    }
}

/// A name that can be repeated: ours, or one that could be.
fn name(field: &str) -> Option<&str> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.[]".contains(letter);
    let fits = (1..=FIELD_CHARS_MAX).contains(&field.len());
    (fits && field != "." && field.chars().all(plain)).then_some(field)
}

#[cfg(test)]
mod tests;
