//! `cargo xtask docs`: the reference pages that are written from the code.
//!
//! Each page is a function from a source to Markdown. Tidy calls the same functions and compares.

pub(crate) mod config;
pub(crate) mod errors;

use std::path::Path;

/// A page of the reference.
pub(crate) struct Page {
    /// Where it is.
    pub(crate) path: &'static str,
    /// What it is written from.
    pub(crate) source: &'static str,
    /// How.
    pub(crate) render: fn(&str) -> Result<String, String>,
}

/// All of them. A new page is a file under `docs/` here and a line in this list.
pub(crate) const PAGES: &[Page] = &[config::PAGE, errors::PAGE];

/// Writes every page anew.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    for page in PAGES {
        let source = std::fs::read_to_string(root.join(page.source))
            .map_err(|error| format!("{} cannot be read: {error}", page.source))?;
        let text = (page.render)(&source).map_err(|why| format!("{}: {why}", page.source))?;
        std::fs::write(root.join(page.path), text)
            .map_err(|error| format!("{} cannot be written: {error}", page.path))?;
        println!("wrote {}", page.path);
    }
    Ok(())
}

/// A row of a Markdown table; an empty cell is one space wide.
fn row_of(cells: &[String]) -> String {
    let mut row = String::from("|");
    for cell in cells {
        row.push(' ');
        row.push_str(cell);
        row.push_str(if cell.is_empty() { "|" } else { " |" });
    }
    row.push('\n');
    row
}

/// A cell of a Markdown table: one line, and no bar that ends it early.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
