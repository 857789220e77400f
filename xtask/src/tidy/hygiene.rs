//! Text is plain: no tabs, no carriage returns, no trailing space, and nobody's home directory.

use super::{Problem, Tree};

/// Beginnings of paths that exist on one machine only; in halves, so that this file passes.
const MACHINE_PATHS: &[&str] =
    &[concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Use", "rs/")];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files.iter().filter(|file| is_ours(&file.path)) {
        for (index, line) in file.text.split('\n').enumerate() {
            problems.extend(
                faults(line).into_iter().map(|what| Problem::new(&file.path, index + 1, what)),
            );
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            let last = file.text.lines().count();
            problems.push(Problem::new(&file.path, last, "no newline at the end"));
        }
    }
    problems
}

/// Files of others are kept as they were found, and what a build wrote as it wrote it.
fn is_ours(path: &str) -> bool {
    !path.contains("/golden/") && !path.starts_with("web/dist/")
}

fn faults(line: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    if line.contains('\t') {
        found.push("tab");
    }
    if line.ends_with('\r') {
        found.push("carriage return at the end of the line");
    } else if line.ends_with([' ', '\t']) {
        found.push("space at the end of the line");
    }
    if MACHINE_PATHS.iter().any(|path| begins_a_path(line, path)) {
        found.push("a path of somebody's machine");
    }
    found
}

/// The middle of an address or of a longer path is something else.
fn begins_a_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-}~".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String)> {
        let problems = check(&Tree::of(&[("docs/a.md", text)]));
        problems.into_iter().map(|problem| (problem.line, problem.what)).collect()
    }

    #[test]
    fn each_fault_is_found_with_its_line() {
        let cases = [
            ("a\n\tb\n", "tab", 2),
            ("a\r\n", "carriage return at the end of the line", 1),
            ("a\nb \n", "space at the end of the line", 2),
            ("a\nb", "no newline at the end", 2),
        ];
        for (text, what, line) in cases {
            assert_eq!(found(text), [(line, what.to_owned())], "{text:?}");
        }
        for path in MACHINE_PATHS {
            let what = "a path of somebody's machine".to_owned();
            assert_eq!(found(&format!("see {path}me/x\n")), [(1, what)]);
        }
    }

    #[test]
    fn plain_text_passes() {
        assert!(found("a\n\n  b\n").is_empty());
        assert!(found("").is_empty());
        assert!(found(&format!("https://example.com{}x\n", MACHINE_PATHS[0])).is_empty());
    }
}
