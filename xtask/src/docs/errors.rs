//! `docs/reference/errors.md`, from the one table of errors.

use super::{Page, cell, row_of};

pub(crate) const PAGE: Page =
    Page { path: "docs/reference/errors.md", source: "crates/unsaid-http/src/error.rs", render };

/// The line that opens the table; the next line that is only a brace closes it.
const TABLE: &str = "make_error_codes! {";

const HEAD: &str = "\
# Errors

<!-- Written by `cargo xtask docs` from crates/unsaid-http/src/error.rs: change it there. -->

Every error of the API has the same shape:

```json
{\"error\": \"what happened\", \"code\": \"CONSTANT\", \"message\": \"what to do\", \"details\": {}, \"request_id\": \"…\"}
```

`message` and `details` may be missing. Programs look at `code`, which never changes its meaning;
`error` and `message` are for people. The `request_id` is in the log of the server too. No error
carries words of people, SQL, paths or the answer of another server. A number under \"again after\"
is sent as `Retry-After`, in seconds, where the server knows no better one.
";

const COLUMNS: &str =
    "\n\n| code | status | error | message | again after |\n|---|---|---|---|---|\n";

/// A line of the table, or a heading between lines.
#[derive(Debug, PartialEq, Eq)]
enum Row<'a> {
    Heading(&'a str),
    Code { name: &'a str, status: &'a str, again: &'a str, texts: Vec<&'a str> },
}

fn render(source: &str) -> Result<String, String> {
    let rows = rows(source)?;
    let mut page = HEAD.to_owned();
    for row in rows {
        match row {
            Row::Heading(words) => {
                page.push_str("\n## ");
                page.push_str(&sentence(words));
                page.push_str(COLUMNS);
            }
            Row::Code { name, status, again, texts } => {
                let error = cell(texts.first().unwrap_or(&""));
                let message = cell(texts.get(1).unwrap_or(&""));
                let (status, again) = (status.to_owned(), again.to_owned());
                page.push_str(&row_of(&[format!("`{name}`"), status, error, message, again]));
            }
        }
    }
    Ok(page)
}

fn rows(source: &str) -> Result<Vec<Row<'_>>, String> {
    let mut lines = source.lines().skip_while(|line| *line != TABLE).skip(1);
    let mut rows = Vec::new();
    loop {
        let line = lines.next().ok_or("the table of error codes has no beginning or no end")?;
        match line.trim() {
            "}" => break,
            "" => {}
            words if words.starts_with("//") => {
                rows.push(Row::Heading(words.trim_start_matches('/').trim()));
            }
            code => rows.push(row(code).ok_or_else(|| format!("not one code a line: {code}"))?),
        }
    }
    match rows.first() {
        Some(Row::Heading(_)) => Ok(rows),
        Some(Row::Code { .. }) => Err("the table needs a comment as its first heading".to_owned()),
        None => Err("the table of error codes is empty".to_owned()),
    }
}

/// `NAME: 423 retry 2, "what happened", "what to do";`
fn row(line: &str) -> Option<Row<'_>> {
    let (name, rest) = line.strip_suffix(';')?.split_once(": ")?;
    let (numbers, rest) = rest.split_once(", ")?;
    let (status, again) = numbers.split_once(" retry ").unwrap_or((numbers, ""));
    let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let is_status = status.len() == 3 && status.chars().all(|c| c.is_ascii_digit());
    // every second piece lies between quotes
    let texts: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
    let is_row = is_name && is_status && (1..=2).contains(&texts.len()) && !rest.contains('\\');
    is_row.then_some(Row::Code { name, status, again, texts })
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
macro_rules! make_error_codes { () => {} }

make_error_codes! {
    // every door
    NOT_FOUND: 404, \"No such path\";
    WORLD_LOCKED: 423 retry 2, \"Agents are responding\", \"Please wait, a moment\";
}
";

    #[test]
    fn the_page_has_a_line_for_each_code() {
        let page = render(SOURCE).unwrap();
        assert!(page.contains("\n## Every door\n"), "{page}");
        assert!(page.contains("| `NOT_FOUND` | 404 | No such path | | |\n"), "{page}");
        let locked =
            "| `WORLD_LOCKED` | 423 | Agents are responding | Please wait, a moment | 2 |\n";
        assert!(page.ends_with(locked), "{page}");
    }

    #[test]
    fn a_table_that_cannot_be_read_is_an_error() {
        let broken = [
            "",
            "make_error_codes! {\n}\n",
            "make_error_codes! {\n    // a\n    X: 404, \"no end\";\n",
            "make_error_codes! {\n    X: 404, \"no heading\";\n}\n",
            "make_error_codes! {\n    // a\n    X: 404;\n}\n",
            "make_error_codes! {\n    // a\n    X: 4040, \"x\";\n}\n",
            "make_error_codes! {\n    // a\n    X: 404,\n        \"x\";\n}\n",
        ];
        for source in broken {
            assert!(render(source).is_err(), "{source}");
        }
    }
}
