//! The settings in effect, secrets masked.

use toml::{Table, Value};

use super::known::{PERSONAS, SECRETS};
use super::mask::{MASK, masked_url};
use super::source::Loaded;

/// As TOML.
#[must_use]
pub fn effective(loaded: &Loaded) -> String {
    let mut root = Table::new();
    for (key, setting) in loaded.settings.iter() {
        put(&mut root, key, masked(key, &setting.value));
    }
    if loaded.config.model.api_key.is_some() {
        put(&mut root, "model.api_key", Value::from(MASK));
    }
    toml::to_string_pretty(&root).unwrap_or_default()
}

fn masked(key: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if SECRETS.contains(&key) && !text.is_empty() => Value::from(MASK),
        Value::String(text) if !key.starts_with(PERSONAS) => Value::from(masked_url(text)),
        Value::String(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_)
        | Value::Table(_) => value.clone(),
    }
}

fn put(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        Some((section, rest)) => {
            let inner = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
            }
        }
        None => {
            table.insert(key.to_owned(), value);
        }
    }
}
