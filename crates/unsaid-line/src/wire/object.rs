//! One level of JSON: the names are read, the values stay as they are until somebody asks.
//!
//! What nobody asks for is only skipped, and skipping does not recurse. A value of another kind than
//! asked for counts as missing.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// See the module. A name that is given twice makes it unreadable: nobody knows which one counts.
pub(super) struct Object<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Object<'a> {
    pub(super) fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Whether it is given at all; `null` is not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| value.get() != "null")
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name)
    }

    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        self.value(name)
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.value(name) == Some(true)
    }

    pub(super) fn object(&self, name: &str) -> Option<Self> {
        Self::read(self.0.get(name)?.get())
    }

    pub(super) fn list(&self, name: &str) -> Option<Vec<&'a RawValue>> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    /// The texts of a list; what is no text is left out.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let list = self.list(name).unwrap_or_default();
        list.into_iter().filter_map(|item| serde_json::from_str(item.get()).ok()).collect()
    }

    fn value<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a name is given twice"));
            }
        }
        Ok(Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_without_doubled_names_are_read() {
        for text in ["", "null", "1", "[]", r#"["a"]"#, r#"[{"a":1}]"#, "{", "{} {}", r#""{}""#] {
            assert!(Object::read(text).is_none(), "{text}");
        }
        assert!(Object::read(r#"{"a":1,"b":2,"a":1}"#).is_none());
        assert!(Object::read(r#"{"a":1,"\u0061":1}"#).is_none());
        assert!(Object::read(" {} ").is_some());
        assert!(Object::read(r#"{"a":{"b":1,"b":2}}"#).is_some());
    }

    #[test]
    fn values_are_given_to_whoever_asks_for_their_kind() {
        let text = r#"{"t":"x","i":-7,"b":true,"o":{"t":"y"},"l":["a",1,null,"b"],"n":null,
                       "f":1.5,"h":1e999,"m":99999999999999999999}"#;
        let object = Object::read(text).unwrap();
        assert_eq!(object.text("t").as_deref(), Some("x"));
        assert_eq!(object.integer("i"), Some(-7));
        assert!(object.is_true("b"));
        assert_eq!(object.object("o").unwrap().text("t").as_deref(), Some("y"));
        assert_eq!(object.texts("l"), ["a", "b"]);
        assert_eq!(object.list("l").unwrap().len(), 4);
        for name in ["i", "b", "o", "l", "n", "f", "h", "missing"] {
            assert_eq!(object.text(name), None, "{name}");
        }
        for name in ["t", "b", "o", "l", "n", "f", "h", "m", "missing"] {
            assert_eq!(object.integer(name), None, "{name}");
            assert!(object.object(name).is_none() || name == "o", "{name}");
        }
        assert!(object.has("h") && !object.has("n") && !object.has("missing"));
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        let text = format!(r#"{{"deep":{deep},"t":"x"}}"#);
        let object = Object::read(&text).unwrap();
        assert_eq!(object.text("t").as_deref(), Some("x"));
        assert_eq!(object.text("deep"), None);
        assert_eq!(object.integer("deep"), None);
        assert!(object.object("deep").is_none());
        assert_eq!(object.list("deep").unwrap().len(), 1);
        assert!(object.texts("deep").is_empty());
    }
}
