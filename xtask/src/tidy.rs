//! `cargo xtask tidy`: the conventions of the house, as tests.
//!
//! Each rule is a file of its own under `tidy/`, and a function from the [`Tree`] to the problems
//! that it found. A new rule is a new file and a line in [`RULES`].

mod arrows;
mod contract;
mod hygiene;
mod length;
mod licences;
mod names;
mod reference;
mod rust_text;
mod sleeps;
mod spdx;
mod tree;
mod unfinished;

use std::fmt;
use std::path::Path;

pub(crate) use tree::{File, Tree};

/// A rule looks at the whole tree.
type Rule = fn(&Tree) -> Vec<Problem>;

const RULES: &[(&str, Rule)] = &[
    ("arrows", arrows::check),
    ("length", length::check),
    ("names", names::check),
    ("unfinished", unfinished::check),
    ("sleeps", sleeps::check),
    ("contract", contract::check),
    ("reference", reference::check),
    ("licences", licences::check),
    ("hygiene", hygiene::check),
];

/// Something to mend, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    path: String,
    line: usize,
    what: String,
}

impl Problem {
    /// Lines are counted from 1, as editors do.
    pub(crate) fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Checks all rules and lists every problem.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::load(root)?;
    let mut count = 0;
    for (name, rule) in RULES {
        for problem in rule(&tree) {
            println!("{problem} [{name}]");
            count += 1;
        }
    }
    match count {
        0 => {
            println!("{} files keep {} rules", tree.files.len(), RULES.len());
            Ok(())
        }
        1 => Err("tidy found 1 problem".to_owned()),
        _ => Err(format!("tidy found {count} problems")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_prints_as_editors_read_it() {
        let problem = Problem::new("crates/a/src/lib.rs", 7, "too long");
        assert_eq!(problem.to_string(), "crates/a/src/lib.rs:7: too long");
    }
}
