//! A test that sleeps is slow on a quick machine and wrong on a slow one.

use super::rust_text::{test_lines, word_places};
use super::{File, Problem, Tree};

const SLEEPS: &[&str] = &["sleep", "sleep_until", "sleep_ms"];
/// The comment that allows it, on the same line or the one above.
const REASON: &str = "// waits:";
/// A crate that holds nothing but tests.
const TESTKIT: &str = "crates/unsaid-testkit/";

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust().flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Problem> {
    let all = file.is_tests() || file.path.starts_with(TESTKIT);
    let inside = if all { Vec::new() } else { test_lines(&file.code) };
    let text: Vec<&str> = file.text.lines().collect();
    let mut problems = Vec::new();
    for (index, line) in file.code.lines().enumerate() {
        let above = index.checked_sub(1).and_then(|above| text.get(above));
        let counts = all || inside.contains(&(index + 1));
        if counts
            && sleeps(line)
            && !has_reason(text[index])
            && !above.is_some_and(|l| has_reason(l))
        {
            let what = "wait for what you want to see, or say why not: `// waits: reason`";
            problems.push(Problem::new(&file.path, index + 1, what));
        }
    }
    problems
}

/// A call of a sleeping function; not a method of that name, and not its definition.
fn sleeps(line: &str) -> bool {
    SLEEPS.iter().any(|name| {
        word_places(line, name).any(|at| {
            let before = line[..at].trim_end();
            line[at + name.len()..].starts_with('(')
                && !before.ends_with('.')
                && !before.ends_with("fn")
        })
    })
}

/// The mark alone is no reason.
fn has_reason(line: &str) -> bool {
    line.split_once(REASON).is_some_and(|(_, reason)| !reason.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let found = check(&Tree::of(&[(path, text)]));
        found.into_iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn sleeping_needs_a_reason() {
        let text = "thread::sleep(x);\ntokio::time::sleep(x).await;\nsleep_until(x);\n\
                    // waits:\nsleep(x);\n";
        assert_eq!(lines("a/tests/kill.rs", text), [1, 2, 3, 5]);
        let text = "// waits: the kernel has no event for it\nsleep(x);\n\
                    sleep(x); // waits: as above\n";
        assert!(lines("a/tests/kill.rs", text).is_empty());
    }

    #[test]
    fn only_tests_are_looked_at() {
        let text = "fn a() { sleep(x); }\n#[cfg(test)]\nmod tests {\n  fn b() { sleep(x); }\n}\n";
        assert_eq!(lines("a/src/worker.rs", text), [4]);
        assert_eq!(lines("crates/unsaid-testkit/src/clock.rs", "sleep(x);"), [1]);
        assert!(lines("a/tests/x.rs", "clock.sleep(x);\nfn sleep(x: u8) {}\n").is_empty());
    }
}
