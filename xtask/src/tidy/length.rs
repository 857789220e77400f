//! A file can be read in one sitting.

use super::{Problem, Tree};

/// Code stays under this many lines.
const CODE_LINES_MAX: usize = 400;
/// Files that hold nothing but tests may be longer, but not endless.
const TEST_LINES_MAX: usize = 800;

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.rust() {
        let most = if file.is_tests() { TEST_LINES_MAX } else { CODE_LINES_MAX };
        let lines = file.text.lines().count();
        if lines >= most {
            let what =
                format!("{lines} lines; files stay under {most}: cut it where it has a seam");
            problems.push(Problem::new(&file.path, most, what));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_named_and_tests_may_be_longer() {
        let (short, long, endless) = ("\n".repeat(399), "\n".repeat(400), "\n".repeat(800));
        let tree = Tree::of(&[
            ("a/src/short.rs", &short),
            ("a/src/long.rs", &long),
            ("a/src/tests.rs", &long),
            ("a/tests/endless.rs", &endless),
            ("docs/long.md", &long),
        ]);
        let found: Vec<String> = check(&tree).into_iter().map(|problem| problem.path).collect();
        assert_eq!(found, ["a/src/long.rs", "a/tests/endless.rs"]);
    }
}
