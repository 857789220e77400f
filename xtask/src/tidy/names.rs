//! Names that say nothing attract everything.

use super::rust_text::is_identifier;
use super::{File, Problem, Tree};

/// Drawers into which anything fits.
const FORBIDDEN: &[&str] =
    &["utils", "util", "common", "helpers", "helper", "types", "manager", "misc"];
/// Where such names count: sources, not prose.
const SOURCES: &[&str] = &["rs", "sql", "ts", "svelte"];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in &tree.files {
        let (stem, extension) = file.path.rsplit_once('.').unwrap_or((&file.path, ""));
        if !SOURCES.contains(&extension) {
            continue;
        }
        if file.path.ends_with("/mod.rs") {
            let what = "no mod.rs: `foo.rs` stands beside `foo/`";
            problems.push(Problem::new(&file.path, 1, what));
        }
        problems.extend(
            stem.split('/').filter_map(forbidden_part).map(|word| says_nothing(file, 1, word)),
        );
        problems.extend(modules(file));
    }
    problems
}

/// Modules written inside a file; those with a file of their own are named by it.
fn modules(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in file.code.lines().enumerate() {
        let mut words = line.split(|c| !is_identifier(c)).skip_while(|word| *word != "mod");
        let name = words.nth(1).unwrap_or_default();
        if line.contains('{')
            && let Some(word) = forbidden_part(name)
        {
            problems.push(says_nothing(file, index + 1, word));
        }
    }
    problems
}

/// `event_types` is as empty as `types`.
fn forbidden_part(name: &str) -> Option<&str> {
    name.split(['_', '-']).find(|part| FORBIDDEN.contains(part))
}

fn says_nothing(file: &File, line: usize, word: &str) -> Problem {
    Problem::new(&file.path, line, format!("`{word}` says nothing: name it after what it holds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_names_are_refused_in_every_place() {
        let refused = [
            ("crates/unsaid-utils/src/lib.rs", ""),
            ("a/src/helpers/id.rs", ""),
            ("a/src/common.rs", ""),
            ("a/src/event_types.rs", ""),
            ("web/src/util.ts", ""),
            ("a/src/lib.rs", "\npub(crate) mod misc {\n}\n"),
            ("a/src/log/mod.rs", ""),
        ];
        for file in refused {
            assert_eq!(check(&Tree::of(&[file])).len(), 1, "{}", file.0);
        }
        let inline = check(&Tree::of(&[refused[5]]));
        assert_eq!(inline[0].line, 2);
    }

    #[test]
    fn names_that_say_something_pass() {
        let tree = Tree::of(&[
            ("a/src/content_type.rs", "mod inner {}\nuse x::types;\n// mod util {\n"),
            ("a/src/mod_rs.rs", ""),
            ("docs/guide/common-questions.md", ""),
        ]);
        assert_eq!(check(&tree), []);
    }
}
