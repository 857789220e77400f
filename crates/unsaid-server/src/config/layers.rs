//! The settings as they were given, one layer over the other, each with where it came from.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use toml::{Table, Value};

use super::error::{Error, Origin};
use super::known::{Kind, PERSONAS, is_section, kind_of, known, nearest};
use super::value::PersonaId;

const PREFIX: &str = "UNSAID_";
const PERSONA_IDS: &str = "a table by id: 1 to 64 letters, digits, `_` and `-`";

/// Every setting by its path.
#[derive(Debug, Clone)]
pub struct Settings(BTreeMap<String, Setting>);

/// A value and where it came from.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Of the kind that its key takes.
    pub value: Value,
    /// For messages about it.
    pub origin: Origin,
}

impl Settings {
    /// The compiled-in defaults.
    #[must_use]
    pub fn defaults() -> Self {
        let entry = |entry: &super::known::Entry| {
            let value = entry.default.clone();
            (entry.key.clone(), Setting { value, origin: Origin::Default })
        };
        Self(known().iter().map(entry).collect())
    }

    /// Puts a file on top.
    ///
    /// # Errors
    /// If it is not TOML, or has an unknown key or a value of the wrong kind.
    pub fn put_file(&mut self, path: &Path, text: &str) -> Result<(), Error> {
        let table: Table = text.parse().map_err(|error| syntax(path, text, &error))?;
        self.put_table("", &table, &Origin::File(path.to_owned()))
    }

    /// Puts the environment on top; unknown names are warnings, since others put names there too.
    ///
    /// # Errors
    /// If a value is of the wrong kind.
    pub fn put_environment(
        &mut self,
        variables: &BTreeMap<String, OsString>,
    ) -> Result<Vec<String>, Error> {
        let mut warnings = Vec::new();
        for (name, value) in variables {
            let Some(path) = name.strip_prefix(PREFIX) else { continue };
            let key = path.replace("__", ".").to_lowercase();
            if kind_of(&key).is_none() {
                let meant = variable(&nearest(&key));
                warnings.push(format!(
                    "unknown environment variable {name}; the nearest known one is {meant}"
                ));
            } else if !value.is_empty() {
                let origin = Origin::Environment(name.clone());
                match value.to_str() {
                    Some(text) => self.put_text(key, text, origin)?,
                    None => return Err(bad(key, origin, "written in UTF-8")),
                }
            }
        }
        Ok(warnings)
    }

    /// Puts flags on top.
    ///
    /// # Errors
    /// If there is an unknown key or a value of the wrong kind.
    pub fn put_flags(&mut self, flags: &[(String, String)]) -> Result<(), Error> {
        for (key, text) in flags {
            self.put_text(key.clone(), text, Origin::Flag)?;
        }
        Ok(())
    }

    /// All of them, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.0.iter().map(|(key, setting)| (key.as_str(), setting))
    }

    /// Hands them over to be read.
    #[must_use]
    pub fn into_map(self) -> BTreeMap<String, Setting> {
        self.0
    }

    fn put_table(&mut self, prefix: &str, table: &Table, origin: &Origin) -> Result<(), Error> {
        for (name, value) in table {
            let key = format!("{prefix}{name}");
            match (value, kind_of(&key)) {
                (value, Some(kind)) => {
                    if Kind::of(value) != Some(kind) {
                        return Err(bad(key, origin.clone(), kind.expected()));
                    }
                    self.0.insert(key, Setting { value: value.clone(), origin: origin.clone() });
                }
                (Value::Table(inner), None) if inner.is_empty() && !is_section(&key) => {
                    return Err(unknown(key, origin.clone()));
                }
                (Value::Table(inner), None) => {
                    self.put_table(&format!("{key}."), inner, origin)?;
                }
                (_, None) if is_section(&key) => {
                    return Err(bad(key, origin.clone(), "a table"));
                }
                (_, None) => return Err(unknown(key, origin.clone())),
            }
        }
        Ok(())
    }

    fn put_text(&mut self, key: String, text: &str, origin: Origin) -> Result<(), Error> {
        let Some(kind) = kind_of(&key) else {
            return Err(unknown(key, origin));
        };
        let Some(value) = kind.parse(text) else {
            return Err(bad(key, origin, kind.expected()));
        };
        self.0.insert(key, Setting { value, origin });
        Ok(())
    }
}

/// The environment's name for a key.
#[must_use]
pub fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "__").to_uppercase())
}

fn unknown(key: String, origin: Origin) -> Error {
    let persona = key.strip_prefix(PERSONAS).and_then(|rest| rest.rsplit_once('.'));
    if persona.is_some_and(|(id, _)| PersonaId::parse(id).is_none()) {
        return bad("personas".into(), origin, PERSONA_IDS);
    }
    let nearest = nearest(&key);
    Error::Unknown { key, origin, nearest }
}

fn bad(key: String, origin: Origin, expected: &str) -> Error {
    Error::Bad { key, origin, expected: expected.to_owned() }
}

/// Only the parser's own words: its longer message quotes the line.
fn syntax(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    let line = text.as_bytes().iter().take(start).filter(|byte| **byte == b'\n').count() + 1;
    let why = error.message().lines().next().unwrap_or_default().to_owned();
    Error::Syntax { path: path.to_owned(), line, why }
}
