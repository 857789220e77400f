//! `unsaid doctor`: looks for what is wrong and says how to mend it. Changes nothing, and works
//! beside a running server.
//!
//! A check is a file of its own here and a line in `checks`.

mod bucket;
mod data_directory;
mod database;
mod line;
mod listen_address;
mod model;

use std::process::ExitCode;

use async_trait::async_trait;

use crate::config::{Config, Error, Loaded};
use crate::refusal::Refusal;
use crate::{process, terminal};

/// One thing to look at.
#[async_trait]
trait Check {
    /// What is looked at.
    fn name(&self) -> &'static str;

    /// Looks at it, changing nothing.
    async fn look(&self, config: &Config) -> Finding;
}

/// What was seen.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    Well(String),
    Problem { what: String, mend: String },
}

/// All checks that need a configuration, in the order in which things stand on each other.
fn checks() -> Vec<Box<dyn Check>> {
    vec![
        Box::new(data_directory::DataDirectory),
        Box::new(database::Database),
        Box::new(bucket::Bucket),
        Box::new(model::Model),
        Box::new(line::Line),
        Box::new(listen_address::ListenAddress),
    ]
}

/// Prints a line per check; 1 if anything is wrong.
///
/// # Errors
/// If it cannot look or print.
pub fn run(loaded: Result<Loaded, Error>) -> Result<ExitCode, Refusal> {
    let runtime = process::runtime()?;
    let mut well = report("configuration", &configuration(&loaded))?;
    if let Ok(loaded) = loaded {
        for check in checks() {
            let finding = runtime.block_on(check.look(&loaded.config));
            well &= report(check.name(), &finding)?;
        }
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn configuration(loaded: &Result<Loaded, Error>) -> Finding {
    match loaded {
        Err(error) => problem(error.to_string(), "unsaid config --default prints every key"),
        Ok(Loaded { warnings, file, .. }) => {
            let read = match file {
                Some(file) => format!("read from {}", file.display()),
                None => "no file, the defaults count".to_owned(),
            };
            // An unknown variable may be somebody else's: worth saying, not wrong.
            Finding::Well([vec![read], warnings.clone()].concat().join("; "))
        }
    }
}

fn problem(what: impl Into<String>, mend: impl Into<String>) -> Finding {
    Finding::Problem { what: what.into(), mend: mend.into() }
}

/// Prints the line; whether all is well.
fn report(name: &str, finding: &Finding) -> Result<bool, Refusal> {
    match finding {
        Finding::Well(how) => {
            terminal::say(&format!("ok       {name}: {how}"))?;
            Ok(true)
        }
        Finding::Problem { what, mend } => {
            terminal::say(&format!("problem  {name}: {what} (mend: {mend})"))?;
            Ok(false)
        }
    }
}
