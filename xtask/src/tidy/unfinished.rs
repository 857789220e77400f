//! Nothing is landed half done: no skipped test, no placeholder, no debugging print.

use super::rust_text::{has_word, word_places};
use super::{Problem, Tree};

/// Macros that mark unfinished work.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.rust() {
        for (index, line) in file.code.lines().enumerate() {
            let mut report = |what: String| {
                problems.push(Problem::new(&file.path, index + 1, what));
            };
            if ignores_a_test(line) {
                report("a test is run or it is deleted: no #[ignore]".to_owned());
            }
            for name in MACROS.iter().filter(|name| calls_macro(line, name)) {
                report(format!("`{name}!` is for your own desk, not for the house"));
            }
        }
    }
    problems
}

/// `#[ignore]`, `#[ignore = "…"]`, `#[cfg_attr(…, ignore)]`.
fn ignores_a_test(line: &str) -> bool {
    line.contains("#[ignore") || (line.contains("#[cfg_attr") && has_word(line, "ignore"))
}

fn calls_macro(line: &str, name: &str) -> bool {
    word_places(line, name).any(|at| line[at + name.len()..].starts_with('!'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_work_is_found_with_its_line() {
        let lines = [
            "#[ignore]",
            "#[ignore = \"slow\"]",
            "#[cfg_attr(windows, ignore)]",
            "    todo!()",
            "    unimplemented!(\"later\")",
            "    let x = dbg!(y);",
        ];
        let tree = Tree::of(&[("a/src/lib.rs", &lines.join("\n"))]);
        let found: Vec<usize> = check(&tree).into_iter().map(|problem| problem.line).collect();
        assert_eq!(found, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn talking_about_it_is_allowed() {
        let text = "// todo! later\nlet todo = \"dbg!\";\nif todo != x {}\nlet ignore = 1;\n";
        assert_eq!(check(&Tree::of(&[("a/src/lib.rs", text)])), []);
    }
}
