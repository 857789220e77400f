//! What we measure, and against whom.
//!
//! Every figure that counts is a ratio of two things measured side by side in one run: machines
//! differ and are noisy. `cargo xtask bench` runs all of it, `cargo xtask bench NAME…` some.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a benchmark prints, measures time, and ends when something breaks"
)]

mod appends;
mod caller;
mod disk;
mod edits;
mod erasures;
mod exchange;
mod first_token;
mod instant;
mod length;
mod measure;
mod prompt;
mod removal;
mod scripted;
mod server;
mod start;
mod stores;
mod streams;
mod talk;
mod turn;
mod webhooks;

/// A benchmark prints its table and tells what it promises.
type Benchmark = fn() -> Vec<measure::Promise>;

fn main() -> std::process::ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let all: [(&str, Benchmark); 12] = [
        ("appends", appends::run),
        ("edits", edits::run),
        ("erasures", erasures::run),
        ("first_token", first_token::run),
        ("length", length::run),
        ("prompt", prompt::run),
        ("removal", removal::run),
        ("start", start::run),
        ("stores", stores::run),
        ("streams", streams::run),
        ("turn", turn::run),
        ("webhooks", webhooks::run),
    ];
    if let Some(unknown) = wanted.iter().find(|name| all.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        eprintln!("no benchmark is called {unknown}; there are {}", known.join(", "));
        return std::process::ExitCode::from(2);
    }
    let mut promises = Vec::new();
    for (name, run) in all {
        if wanted.is_empty() || wanted.iter().any(|wish| wish == name) {
            println!("\n## {name}\n");
            promises.extend(run());
        }
    }
    measure::print_promises(&promises)
}
