//! Takes settings out, one by one, as types. What is wrong is told with its key and origin.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use toml::Value;

use super::error::{Error, Origin};
use super::layers::{Setting, Settings};
use super::value::{self, HttpUrl, Secret};

const DURATION: &str = "a duration such as 30d, 24h, 90s or 250ms";

/// The settings that have not been taken yet.
#[derive(Debug)]
pub struct Reader(BTreeMap<String, Setting>);

impl Reader {
    /// Over all of them.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self(settings.into_map())
    }

    /// Those that are left: none, once everything has been resolved.
    #[must_use]
    pub fn left(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// The keys that begin like this.
    #[must_use]
    pub fn keys_under(&self, prefix: &str) -> Vec<String> {
        self.0.keys().filter(|key| key.starts_with(prefix)).cloned().collect()
    }

    /// A text and its origin.
    pub(super) fn text(&mut self, key: &str) -> Result<(String, Origin), Error> {
        match self.take(key)? {
            Setting { value: Value::String(text), origin } => Ok((text, origin)),
            Setting { origin, .. } => Err(bad(key, origin, "a text")),
        }
    }

    /// A text, unless it is empty.
    pub(super) fn set_text(&mut self, key: &str) -> Result<Option<String>, Error> {
        let (text, _) = self.text(key)?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// A text that is not there or empty.
    pub(super) fn spare_text(&mut self, key: &str) -> Result<Option<String>, Error> {
        if self.0.contains_key(key) { self.set_text(key) } else { Ok(None) }
    }

    /// A secret, unless it is empty.
    pub(super) fn secret(&mut self, key: &str) -> Result<Option<Secret>, Error> {
        Ok(self.set_text(key)?.map(Secret::new))
    }

    /// A path, unless it is empty.
    pub(super) fn path(&mut self, key: &str) -> Result<Option<PathBuf>, Error> {
        Ok(self.set_text(key)?.map(PathBuf::from))
    }

    /// A text that `parse` understands.
    pub(super) fn parsed<T>(
        &mut self,
        key: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Error> {
        let (text, origin) = self.text(key)?;
        parse(&text).ok_or_else(|| bad(key, origin, expected))
    }

    /// A text that `parse` understands, unless it is empty.
    pub(super) fn set_parsed<T>(
        &mut self,
        key: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        self.parsed(key, expected, |text| match text {
            "" => Some(None),
            text => parse(text).map(Some),
        })
    }

    /// An address on the web, unless it is empty.
    pub(super) fn url(&mut self, key: &str) -> Result<Option<HttpUrl>, Error> {
        self.set_parsed(key, "an address such as https://chat.example.org", HttpUrl::parse)
    }

    /// A duration, perhaps zero.
    pub(super) fn duration(&mut self, key: &str) -> Result<Duration, Error> {
        self.parsed(key, DURATION, value::duration)
    }

    /// A duration above zero.
    pub(super) fn some_time(&mut self, key: &str) -> Result<Duration, Error> {
        self.parsed(key, &format!("{DURATION}, above zero"), |text| {
            value::duration(text).filter(|duration| !duration.is_zero())
        })
    }

    /// Yes or no.
    pub(super) fn switch(&mut self, key: &str) -> Result<bool, Error> {
        match self.take(key)? {
            Setting { value: Value::Boolean(on), .. } => Ok(on),
            Setting { origin, .. } => Err(bad(key, origin, "true or false")),
        }
    }

    /// A number within a range.
    pub(super) fn number<T: TryFrom<i64>>(
        &mut self,
        key: &str,
        range: RangeInclusive<i64>,
    ) -> Result<T, Error> {
        let Setting { value, origin } = self.take(key)?;
        let fits = value.as_integer().filter(|number| range.contains(number));
        fits.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let expected = match *range.end() {
                i64::MAX => format!("a whole number from {} on", range.start()),
                end => format!("a whole number from {} to {end}", range.start()),
            };
            bad(key, origin, &expected)
        })
    }

    /// Several texts that `parse` understands.
    pub(super) fn list<T>(
        &mut self,
        key: &str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let Setting { value, origin } = self.take(key)?;
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let parsed = items.iter().map(|item| item.as_str().and_then(&parse));
        parsed.collect::<Option<_>>().ok_or_else(|| bad(key, origin, expected))
    }

    fn take(&mut self, key: &str) -> Result<Setting, Error> {
        self.0.remove(key).ok_or_else(|| Error::Clash(format!("`{key}` is not set")))
    }
}

pub(super) fn bad(key: &str, origin: Origin, expected: &str) -> Error {
    Error::Bad { key: key.to_owned(), origin, expected: expected.to_owned() }
}
