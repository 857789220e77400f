//! `cargo xtask fuzz`: the fuzzer of what LINE sends, optimised, for longer than a test may take.

use std::io::BufReader;
use std::path::Path;
use std::process::Stdio;

use crate::process;
use crate::tally::Tally;

/// What is made unless told otherwise.
const INPUTS: u64 = 1_000_000;
/// The test that does it; by name, because a filter that fits nothing is no error to cargo.
const TEST: &str = "fuzz::no_body_breaks_reading";

/// `[INPUTS [SEED]]`: builds the test and lets it make so many inputs.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let (inputs, seed) = numbers(arguments)?;
    let fixed = ["test", "--package", "unsaid-line", "--profile", "fast", "--locked"];
    let mut command = process::cargo(root, &fixed);
    command.args(["--test", "it", "--", "--exact", TEST, "--nocapture"]);
    command.env("UNSAID_FUZZ_INPUTS", inputs.to_string());
    command.env("UNSAID_FUZZ_SEED", seed.to_string());
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| process::not_started("the fuzzer", &error))?;
    let output = child.stdout.take().ok_or("the fuzzer has no output")?;
    let tally = Tally::pass_through(BufReader::new(output), std::io::stdout())
        .map_err(|error| format!("output of the fuzzer was lost: {error}"))?;
    let status = child.wait().map_err(|error| format!("the fuzzer was lost: {error}"))?;
    process::judge("the fuzzer", status)?;
    if tally.passed == 1 { Ok(()) } else { Err(format!("there is no test {TEST}")) }
}

/// How many inputs, and from which seed.
fn numbers(arguments: &[String]) -> Result<(u64, u64), String> {
    let number = |text: &String| {
        text.parse::<u64>().map_err(|_| format!("{text} is no number: cargo xtask fuzz [N [SEED]]"))
    };
    match arguments {
        [] => Ok((INPUTS, 1)),
        [inputs] => Ok((number(inputs)?, 1)),
        [inputs, seed] => Ok((number(inputs)?, number(seed)?)),
        _ => Err("too many arguments: cargo xtask fuzz [N [SEED]]".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_or_refused() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            numbers(&words)
        };
        assert_eq!(read(&[]), Ok((1_000_000, 1)));
        assert_eq!(read(&["5"]), Ok((5, 1)));
        assert_eq!(read(&["5", "9"]), Ok((5, 9)));
        for wrong in [&["many"][..], &["5", "-1"], &["1", "2", "3"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
