//! Counting what libtest reports.

use std::io::{BufRead, Write};

/// The sum of all `test result:` lines of a run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
    /// Tests that were left out.
    pub(crate) ignored: u64,
}

impl Tally {
    /// Hands every line on as it comes, and counts.
    pub(crate) fn pass_through(
        mut from: impl BufRead,
        mut to: impl Write,
    ) -> std::io::Result<Self> {
        let mut tally = Self::default();
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line)? > 0 {
            to.write_all(&line)?;
            to.flush()?;
            tally.add(&String::from_utf8_lossy(&line));
            line.clear();
        }
        Ok(tally)
    }

    /// `test result: ok. 3 passed; 0 failed; 0 ignored; …`; any other line counts nothing.
    fn add(&mut self, line: &str) {
        let Some(result) = line.trim().strip_prefix("test result: ") else { return };
        let Some((_, counts)) = result.split_once(". ") else { return };
        for count in counts.split(';') {
            let Some((number, what)) = count.trim().split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 2 tests
test a ... ok
test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests unsaid_core
test result: FAILED. 40 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.25s
test result: a line that only looks like one
";

    #[test]
    fn sums_all_results_and_passes_the_bytes_on() {
        let mut seen = Vec::new();
        let tally = Tally::pass_through(OUTPUT.as_bytes(), &mut seen).unwrap();
        assert_eq!(tally, Tally { passed: 42, failed: 3, ignored: 1 });
        assert_eq!(seen, OUTPUT.as_bytes());
    }

    #[test]
    fn bytes_that_are_no_text_go_through_unchanged() {
        let mut seen = Vec::new();
        let tally = Tally::pass_through(&b"\xff\xfe no newline"[..], &mut seen).unwrap();
        assert_eq!(tally, Tally::default());
        assert_eq!(seen, b"\xff\xfe no newline");
    }
}
