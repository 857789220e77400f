//! What there is to set: the compiled-in defaults as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use toml::{Table, Value};

use super::DEFAULT_TOML;
use super::value::PersonaId;

/// The one table whose second part is free: `personas.ID.FIELD`.
pub const PERSONAS: &str = "personas.";
/// What a persona has.
pub const PERSONA_FIELDS: [&str; 4] = ["name", "description", "prompt", "model"];
/// Never printed.
pub const SECRETS: [&str; 3] =
    ["line.channel_secret", "line.channel_access_token", "model.api_key"];

/// A key that can be set.
#[derive(Debug)]
pub struct Entry {
    /// Its path, with dots.
    pub key: String,
    /// The same with `-` for `_`, where that differs.
    pub dashed: Option<String>,
    /// What kind of value it takes.
    pub kind: Kind,
    /// Its value unless set.
    pub default: Value,
    /// What stands above it in the file.
    pub comment: String,
}

/// What kind of value a key takes: that of its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text, or what is written as one: a duration, an address.
    Text,
    /// A whole number.
    Number,
    /// Yes or no.
    Switch,
    /// Several texts; separated by commas in flags and environment.
    List,
}

impl Kind {
    /// For people: "must be …".
    #[must_use]
    pub fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a whole number",
            Self::Switch => "true or false",
            Self::List => "a list of texts",
        }
    }

    /// For the help: `--key …`.
    #[must_use]
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Text => "TEXT",
            Self::Number => "NUMBER",
            Self::Switch => "true|false",
            Self::List => "TEXT,…",
        }
    }

    /// The kind of a value; none for what no key takes.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(_) => Some(Self::Text),
            Value::Integer(_) => Some(Self::Number),
            Value::Boolean(_) => Some(Self::Switch),
            Value::Array(items) if items.iter().all(Value::is_str) => Some(Self::List),
            Value::Array(_) | Value::Float(_) | Value::Datetime(_) | Value::Table(_) => None,
        }
    }

    /// Reads the text of a flag or a variable.
    #[must_use]
    pub fn parse(self, text: &str) -> Option<Value> {
        match self {
            Self::Text => Some(Value::String(text.to_owned())),
            Self::Number => text.trim().replace('_', "").parse().ok().map(Value::Integer),
            Self::Switch => text.trim().parse().ok().map(Value::Boolean),
            Self::List => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(Value::Array(items.map(Value::from).collect()))
            }
        }
    }
}

/// Every key of the defaults, in the order of the file.
#[must_use]
pub fn known() -> &'static [Entry] {
    &KNOWN
}

/// What kind of value this key takes, if there is such a key.
#[must_use]
pub fn kind_of(key: &str) -> Option<Kind> {
    if let Some(entry) = known().iter().find(|entry| entry.key == key) {
        return Some(entry.kind);
    }
    let (id, field) = key.strip_prefix(PERSONAS)?.rsplit_once('.')?;
    let fits = PersonaId::parse(id).is_some() && PERSONA_FIELDS.contains(&field);
    fits.then_some(Kind::Text)
}

/// Whether this is the path of a table: `line`, `personas`, `personas.ID`.
#[must_use]
pub fn is_section(key: &str) -> bool {
    let within =
        |entry: &Entry| entry.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
    known().iter().any(within)
        || key.strip_prefix(PERSONAS).is_some_and(|id| PersonaId::parse(id).is_some())
}

/// The known key that is written most like this one; in a table that there is, the one there.
#[must_use]
pub fn nearest(key: &str) -> String {
    let persona = key.strip_prefix(PERSONAS).and_then(|rest| rest.split('.').next());
    let candidates: Vec<String> = if let Some(id) = persona {
        PERSONA_FIELDS.iter().map(|field| format!("{PERSONAS}{id}.{field}")).collect()
    } else {
        let table = key.rsplit_once('.').map(|(table, _)| table);
        let table = table.filter(|table| is_section(table)).map(|table| format!("{table}."));
        let keys = known().iter().map(|entry| &entry.key);
        let beside = |key: &&String| table.as_ref().is_none_or(|table| key.starts_with(table));
        keys.filter(beside).cloned().collect()
    };
    let distance = |candidate: &String| strsim::damerau_levenshtein(key, candidate);
    candidates.into_iter().min_by_key(distance).unwrap_or_default()
}

static KNOWN: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    // The tests parse the same text; if it were broken, no build would pass them.
    let table: Table = DEFAULT_TOML.parse().unwrap_or_default();
    let mut values = BTreeMap::new();
    flatten("", &table, &mut values);
    let lines = commented_keys(DEFAULT_TOML);
    let entries = lines.into_iter().filter_map(|(key, comment)| {
        let default = values.remove(&key)?;
        let kind = Kind::of(&default)?;
        let dashed = key.contains('_').then(|| key.replace('_', "-"));
        Some(Entry { key, dashed, kind, default, comment })
    });
    entries.collect()
});

/// The leaves of a table by their path.
pub(super) fn flatten(prefix: &str, table: &Table, into: &mut BTreeMap<String, Value>) {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        match value {
            Value::Table(inner) => flatten(&format!("{key}."), inner, into),
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => {
                into.insert(key, value.clone());
            }
        }
    }
}

/// The keys with the comment above each. Lines of a longer text may look like keys: whoever asks
/// keeps those that are.
fn commented_keys(text: &str) -> Vec<(String, String)> {
    let (mut section, mut comment, mut keys) = (String::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(words) = line.strip_prefix('#') {
            comment.push(words.trim());
        } else if let Some(name) = line.strip_prefix('[') {
            section = format!("{}.", name.trim_end_matches(']'));
            comment.clear();
        } else if let Some((name, _)) = line.split_once(" = ") {
            keys.push((format!("{section}{name}"), comment.join(" ")));
            comment.clear();
        } else {
            comment.clear();
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_known_with_a_comment() {
        let table: Table = DEFAULT_TOML.parse().unwrap();
        let mut values = BTreeMap::new();
        flatten("", &table, &mut values);
        let keys: Vec<&str> = known().iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys.len(), values.len(), "{keys:?}");
        for entry in known() {
            assert!(!entry.comment.is_empty(), "{} has no comment", entry.key);
            assert_eq!(kind_of(&entry.key), Some(entry.kind));
        }
    }

    #[test]
    fn secrets_are_those_that_say_so() {
        let say_so = known().iter().filter(|entry| entry.comment.ends_with(" Secret."));
        let keys: Vec<&str> = say_so.map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, SECRETS);
    }

    #[test]
    fn the_nearest_key_is_the_one_that_was_meant() {
        let cases = [
            ("lissten", "listen"),
            ("datadir", "data_dir"),
            ("line.channel_secrt", "line.channel_secret"),
            ("line_channel_secret", "line.channel_secret"),
            ("channel_secret", "line.channel_secret"),
            ("limits.body_byte", "limits.body_bytes"),
            ("personas.mine.promt", "personas.mine.prompt"),
            // Far from all of them, and further from the others of its table.
            ("auth.ttl", "auth.token_ttl"),
            ("sessions.fee", "sessions.free"),
        ];
        for (written, meant) in cases {
            assert_eq!(nearest(written), meant);
        }
        for written in ["limits.foo", "limits.listen"] {
            assert!(nearest(written).starts_with("limits."), "{written}: {}", nearest(written));
        }
    }

    #[test]
    fn sections_are_told_from_keys() {
        for section in ["line", "limits", "personas", "personas.companion", "personas.mine"] {
            assert!(is_section(section), "{section}");
        }
        for key in ["listen", "lin", "line.push", "nothing"] {
            assert!(!is_section(key), "{key}");
        }
    }
}
