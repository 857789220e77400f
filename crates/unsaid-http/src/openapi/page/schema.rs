//! What a body looks like, in words.

use serde_json::Value;

use super::{escaped, items, marked, members, text};

/// The schemas that others point to are in this document.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'a>(pub(super) &'a Value);

impl<'a> Schemas<'a> {
    /// The fields of an object, or the ways in which something may look.
    pub(super) fn of(self, schema: &'a Value) -> String {
        let schema = self.resolved(schema);
        let ways: Vec<&Value> = self.ways(schema).collect();
        match ways.as_slice() {
            [] => self.fields(schema),
            [one] => self.of(one),
            several => {
                let way = |way: &&'a Value| {
                    let about = marked(text(&self.resolved(way)["description"]));
                    format!("<li>{about}{}</li>\n", self.of(way))
                };
                let ways: String = several.iter().map(way).collect();
                format!("<p>One of these:</p>\n<ul class=\"ways\">\n{ways}</ul>\n")
            }
        }
    }

    /// One field or parameter: its name, what it may be, and what is in it.
    pub(super) fn row(
        self,
        name: &str,
        schema: &'a Value,
        is_required: bool,
        place: &str,
        about: &str,
    ) -> String {
        let mut rules = vec![self.kind(schema)];
        rules.extend(self.rules(schema));
        if !place.is_empty() {
            rules.push(escaped(place));
        }
        if !is_required {
            rules.push("may be missing".to_owned());
        }
        let about =
            if about.is_empty() { String::new() } else { format!("<p>{}</p>", marked(about)) };
        let within = self.of(self.innermost(schema));
        format!(
            "<dt><code>{}</code></dt>\n<dd><span class=\"kind\">{}</span>{about}{within}</dd>\n",
            escaped(name),
            rules.join(", ")
        )
    }

    fn fields(self, schema: &'a Value) -> String {
        let required: Vec<&str> = items(&schema["required"]).map(text).collect();
        let row = |(name, field): (&str, &'a Value)| {
            let about = match text(&field["description"]) {
                "" => text(&self.resolved(field)["description"]),
                about => about,
            };
            self.row(name, field, required.contains(&name), "", about)
        };
        let rows: String = members(&schema["properties"]).map(row).collect();
        if rows.is_empty() { rows } else { format!("<dl>\n{rows}</dl>\n") }
    }

    fn kind(self, schema: &'a Value) -> String {
        let schema = self.resolved(schema);
        if let Some(one) = self.ways(schema).next() {
            let null = if items(&schema["oneOf"]).any(is_null) { " or null" } else { "" };
            return format!("{}{null}", self.kind(one));
        }
        let mut kinds: Vec<&str> = items(&schema["type"]).map(text).collect();
        if kinds.is_empty() {
            kinds.push(text(&schema["type"]));
        }
        let kinds = kinds.join(" or ");
        match (kinds.as_str(), text(&schema["format"])) {
            ("array", _) => format!("list of {}", self.kind(&schema["items"])),
            (_, "" | "int32" | "int64" | "password") => escaped(&kinds),
            (_, format) => format!("{} ({})", escaped(&kinds), escaped(format)),
        }
    }

    fn rules(self, schema: &'a Value) -> Vec<String> {
        let schema = self.resolved(schema);
        let mut rules = Vec::new();
        let words: Vec<String> = items(&schema["enum"])
            .map(|word| format!("<code>{}</code>", escaped(text(word))))
            .collect();
        match words.as_slice() {
            [] => {}
            [only] => rules.push(format!("always {only}")),
            several => rules.push(format!("one of {}", several.join(" "))),
        }
        match (schema["minLength"].as_u64(), schema["maxLength"].as_u64()) {
            (None, None) => {}
            (Some(least), None) => rules.push(format!("at least {least} characters")),
            (None, Some(most)) => rules.push(format!("at most {most} characters")),
            (Some(least), Some(most)) => rules.push(format!("{least} to {most} characters")),
        }
        if let Some(least) = schema["minimum"].as_u64() {
            rules.push(format!("at least {least}"));
        }
        match text(&schema["pattern"]) {
            "" => {}
            pattern => rules.push(format!("matches <code>{}</code>", escaped(pattern))),
        }
        rules
    }

    /// The elements of a list, or the thing itself.
    fn innermost(self, schema: &'a Value) -> &'a Value {
        let schema = self.resolved(schema);
        if schema["type"] == "array" { self.innermost(&schema["items"]) } else { schema }
    }

    fn ways(self, schema: &'a Value) -> impl Iterator<Item = &'a Value> {
        items(&schema["oneOf"]).filter(|way| !is_null(way)).map(move |way| self.resolved(way))
    }

    /// What something points to, or the thing itself.
    pub(super) fn resolved(self, schema: &'a Value) -> &'a Value {
        let pointer = text(&schema["$ref"]).strip_prefix('#');
        pointer.and_then(|pointer| self.0.pointer(pointer)).unwrap_or(schema)
    }
}

fn is_null(schema: &Value) -> bool {
    schema["type"] == "null"
}
