//! `docs/reference/config.md`, from the commented defaults.

use super::{Page, cell, row_of};

pub(crate) const PAGE: Page = Page {
    path: "docs/reference/config.md",
    source: "crates/unsaid-server/src/config/default.toml",
    render,
};

const HEAD: &str = "\
# Configuration

<!-- Written by `cargo xtask docs` from crates/unsaid-server/src/config/default.toml: change it there. -->

Flags count over the environment, the environment over `unsaid.toml`, and that over the defaults
below. In the environment a key is its path in capitals, with `UNSAID_` in front and `__` for each
dot: `line.channel_secret` is `UNSAID_LINE__CHANNEL_SECRET`. Durations are written `30d`, `24h`,
`90s`, `250ms`. An unknown key in the file or a flag is an error that names the nearest known one; in
the environment it is a warning.

`unsaid config` prints what is in effect, with secrets masked; `unsaid config --default` prints the
defaults with their comments, a good beginning for a file of your own.
";

const COLUMNS: &str = "\n| key | default | meaning |\n|---|---|---|\n";

/// A key of the configuration.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Its path, with dots.
    pub(crate) name: String,
    /// The table it stands in, and the comment above that; empty at the top.
    table: (String, String),
    /// Where it stands, from 1.
    pub(crate) line: usize,
    /// As TOML.
    default: String,
    /// The comment above it.
    pub(crate) meaning: String,
}

fn render(source: &str) -> Result<String, String> {
    let mut page = HEAD.to_owned();
    let mut table = None;
    for key in keys(source)? {
        if table.as_ref() != Some(&key.table) {
            page.push_str(&heading(&key.table.0, &key.table.1));
            page.push_str(COLUMNS);
        }
        let default = if key.default.contains('\n') {
            "built in".to_owned()
        } else {
            format!("`{}`", cell(&key.default))
        };
        let row = [format!("`{}`", key.name), default, cell(&key.meaning)];
        page.push_str(&row_of(&row));
        table = Some(key.table);
    }
    Ok(page)
}

/// The keys at the top need none.
fn heading(table: &str, meaning: &str) -> String {
    match (table, meaning) {
        ("", _) => String::new(),
        (table, "") => format!("\n## {table}\n"),
        (table, meaning) => format!("\n## {table}\n\n{meaning}\n"),
    }
}

/// Every key with its comment, in the order of the file.
pub(crate) fn keys(source: &str) -> Result<Vec<Key>, String> {
    let parsed: toml::Table = source.parse().map_err(|error| format!("no TOML: {error}"))?;
    let lines: Vec<&str> = source.lines().collect();
    let mut keys = Vec::new();
    let (mut table, mut comment, mut at) = ((String::new(), String::new()), Vec::new(), 0);
    while at < lines.len() {
        let line = lines[at].trim();
        let mut taken = 1;
        if let Some(words) = line.strip_prefix('#') {
            comment.push(words.trim());
        } else if let Some(name) = line.strip_prefix('[') {
            table = (name.trim_end_matches(']').trim().to_owned(), comment.join(" "));
            comment.clear();
        } else if let Some((name, _)) = line.split_once('=') {
            let (default, length) = value(&lines[at..])?;
            let dot = if table.0.is_empty() { "" } else { "." };
            let name = format!("{}{dot}{}", table.0, name.trim());
            let (table, meaning) = (table.clone(), comment.join(" "));
            keys.push(Key { name, table, line: at + 1, default, meaning });
            comment.clear();
            taken = length;
        } else {
            comment.clear();
        }
        at += taken;
    }
    all_seen(&parsed, &keys)?;
    Ok(keys)
}

/// The value that begins on the first of these lines, and how many it takes.
fn value(lines: &[&str]) -> Result<(String, usize), String> {
    for length in 1..=lines.len() {
        let text = lines[..length].join("\n");
        if text.parse::<toml::Table>().is_ok() {
            let (_, value) = text.split_once('=').unwrap_or_default();
            return Ok((value.trim().to_owned(), length));
        }
    }
    Err(format!("`{}` has no end", lines[0]))
}

/// Reading by lines must find what a TOML parser finds.
fn all_seen(parsed: &toml::Table, keys: &[Key]) -> Result<(), String> {
    let mut waiting: Vec<(String, &toml::Value)> =
        parsed.iter().map(|(name, value)| (name.clone(), value)).collect();
    while let Some((name, value)) = waiting.pop() {
        if keys.iter().any(|key| key.name == name) {
            continue;
        }
        let Some(table) = value.as_table() else {
            return Err(format!("`{name}` was overlooked: write it on a line of its own"));
        };
        waiting.extend(table.iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
    }
    Ok(())
}

/// The keys that a page documents, with their lines.
pub(crate) fn documented(page: &str) -> Vec<(usize, &str)> {
    let rows = page.lines().enumerate().filter_map(|(index, line)| {
        let (name, _) = line.strip_prefix("| `")?.split_once('`')?;
        Some((index + 1, name))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
# Unsaid: every key with its default.

# Where to listen;
# `:0` picks a free port.
listen = \"127.0.0.1:8080\"

# LINE
[line]
# `mention` | `off`
groups = \"decide\"
# A list
names = [
  \"a\",
]
";

    #[test]
    fn keys_carry_their_path_default_and_comment() {
        let keys = keys(SOURCE).unwrap();
        let names: Vec<(&str, usize)> =
            keys.iter().map(|key| (key.name.as_str(), key.line)).collect();
        assert_eq!(names, [("listen", 5), ("line.groups", 10), ("line.names", 12)]);
        assert_eq!(keys[0].default, "\"127.0.0.1:8080\"");
        assert_eq!(keys[0].meaning, "Where to listen; `:0` picks a free port.");
    }

    #[test]
    fn the_page_documents_every_key() {
        let page = render(SOURCE).unwrap();
        let names: Vec<&str> = documented(&page).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["listen", "line.groups", "line.names"]);
        assert!(
            page.contains("| `line.groups` | `\"decide\"` | `mention` \\| `off` |\n"),
            "{page}"
        );
        assert!(page.contains("| `line.names` | built in | A list |\n"), "{page}");
        assert!(page.contains("\n## line\n\nLINE\n\n| key |"), "{page}");
    }

    #[test]
    fn a_key_that_lines_cannot_show_is_an_error() {
        assert!(keys("a = 1\n\"b.c\" = 2\n").is_err());
        assert!(keys("a = [\n").is_err());
    }
}
