//! The command line. Every key of the configuration is also a flag, made from the defaults.

mod export;
pub mod line;
pub mod people;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command as Clap};

use crate::config::known::{self, Entry, known};
use crate::refusal::Refusal;

/// What was asked.
#[derive(Debug, PartialEq, Eq)]
pub struct Args {
    /// What to do.
    pub command: Command,
    /// The file named by `--config`.
    pub config_file: Option<PathBuf>,
    /// Keys given as flags, with their values.
    pub flags: Vec<(String, String)>,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Start the server.
    Serve,
    /// Bring the database to this version.
    Migrate,
    /// Print the configuration.
    Config {
        /// The commented defaults instead of what is in effect.
        default: bool,
    },
    /// Look for what is wrong.
    Doctor,
    /// Talk to a persona in the terminal.
    Chat {
        /// Which; none: the one that answers on LINE.
        persona: Option<String>,
    },
    /// Make, list or change accounts.
    User(people::User),
    /// Erase history.
    Erase(people::Erase),
    /// Print everything held on one person.
    Export {
        /// Whose: an address, an account's id, or an id of LINE.
        whose: String,
    },
    /// Check the audit.
    AuditVerify,
    /// Play LINE against a running server.
    LineSimulate(line::Simulate),
    /// Take in what another program kept.
    Import(Import),
}

/// Whose history is taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// A bucket of the LINE bot `yuruppu`.
    Yuruppu {
        /// Where it is.
        url: String,
        /// Another endpoint for it.
        endpoint: Option<String>,
    },
    /// The worlds of `agent-world`.
    AgentWorld {
        /// Its database, or its directory.
        path: PathBuf,
        /// The address of the account to which they belong from now on.
        owner: String,
    },
}

/// Why there is no command to run.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// Help or version was asked for; here it is.
    Answered(String),
    /// The command line is wrong.
    Wrong(Refusal),
}

/// Reads the command line, the program's name first.
///
/// # Errors
/// [`Stop`] if there is nothing more to do.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Args, Stop> {
    let matches = clap().try_get_matches_from(arguments).map_err(|error| stopped(&error))?;
    let (command, inner) = match matches.subcommand() {
        Some(("migrate", inner)) => (Command::Migrate, inner),
        Some(("config", inner)) => (Command::Config { default: inner.get_flag("default") }, inner),
        Some(("doctor", inner)) => (Command::Doctor, inner),
        Some(("import", inner)) => import(inner),
        Some(("line", inner)) => line::simulate(inner),
        Some(("user", inner)) => people::user(inner),
        Some(("erase", inner)) => people::erase(inner),
        Some(("export", inner)) => export::export(inner),
        Some(("audit", inner)) => people::audit(inner),
        Some(("chat", inner)) => {
            (Command::Chat { persona: inner.get_one::<String>("persona").cloned() }, inner)
        }
        Some((_, inner)) => (Command::Serve, inner),
        None => (Command::Serve, &matches),
    };
    let config_file = inner.get_one::<PathBuf>("config").cloned();
    Ok(Args { command, config_file, flags: flags(inner) })
}

fn import(matches: &ArgMatches) -> (Command, &ArgMatches) {
    let (source, inner) = matches.subcommand().unwrap_or(("yuruppu", matches));
    let text = |name: &str| inner.get_one::<String>(name).cloned();
    let import = if source == "agent-world" {
        let path = inner.get_one::<PathBuf>("path").cloned().unwrap_or_default();
        Import::AgentWorld { path, owner: text("owner").unwrap_or_default() }
    } else {
        Import::Yuruppu { url: text("url").unwrap_or_default(), endpoint: text("endpoint") }
    };
    (Command::Import(import), inner)
}

fn flags(matches: &ArgMatches) -> Vec<(String, String)> {
    let given = known().iter().filter_map(|entry| {
        let value = matches.get_one::<String>(&entry.key)?;
        Some((entry.key.clone(), value.clone()))
    });
    given.collect()
}

fn clap() -> Clap {
    Clap::new("unsaid")
        .about("A self-hosted chat backend in which people own the history")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand(Clap::new("serve").about("Start the server (the default command)"))
        .subcommand(
            Clap::new("chat").about("Talk to a persona in the terminal, on the local data").arg(
                Arg::new("persona").value_name("PERSONA").help("Who answers [default: companion]"),
            ),
        )
        .subcommand(Clap::new("migrate").about("Bring the database to this version"))
        .subcommand(
            Clap::new("config").about("Print the effective configuration, secrets masked").arg(
                Arg::new("default")
                    .long("default")
                    .action(ArgAction::SetTrue)
                    .help("Print the commented defaults instead"),
            ),
        )
        .subcommand(Clap::new("doctor").about("Say what is wrong and how to mend it"))
        .subcommand(line::command())
        .subcommand(people::user_command())
        .subcommand(people::erase_command())
        .subcommand(export::command())
        .subcommand(people::audit_command())
        .subcommand(import_command())
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("PATH")
                .global(true)
                .value_parser(ValueParser::path_buf())
                .help("The configuration file [default: unsaid.toml, if there is one]"),
        )
        .args(known().iter().map(flag))
        .max_term_width(100)
}

fn import_command() -> Clap {
    let yuruppu = Clap::new("yuruppu")
        .about("The bucket of the LINE bot of that name; again and again without harm")
        .arg(
            Arg::new("url")
                .value_name("URL")
                .required(true)
                .help("Where it is: gs://bucket/prefix, s3://bucket/prefix or file:///dir"),
        )
        .arg(
            Arg::new("endpoint")
                .long("endpoint")
                .value_name("URL")
                .help("Another endpoint for that bucket: an emulator, MinIO and the like"),
        );
    let agent_world = Clap::new("agent-world")
        .about("Worlds, agents, chats and memories of the program of that name, as one log a chat")
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .value_parser(ValueParser::path_buf())
                .help("Its database, its directory, or one world's directory"),
        )
        .arg(
            Arg::new("owner")
                .long("owner")
                .value_name("EMAIL")
                .required(true)
                .help("The address of the account that gets them"),
        );
    Clap::new("import")
        .about("Take in what another program kept; the source stays as it is")
        .subcommand_required(true)
        .subcommand(yuruppu)
        .subcommand(agent_world)
}

fn flag(entry: &'static Entry) -> Arg {
    let arg = Arg::new(entry.key.as_str())
        .long(entry.key.as_str())
        .value_name(entry.kind.placeholder())
        .global(true)
        .help(entry.comment.as_str())
        .help_heading("Configuration")
        // A table of texts: they belong into a file, the flags are there for completeness.
        .hide(entry.key.starts_with(known::PERSONAS));
    match &entry.dashed {
        Some(dashed) => arg.alias(dashed.as_str()),
        None => arg,
    }
}

fn stopped(error: &clap::Error) -> Stop {
    let text = error.render().to_string();
    if !error.use_stderr() {
        return Stop::Answered(text);
    }
    if error.kind() == ErrorKind::UnknownArgument {
        return Stop::Wrong(Refusal::new(unknown_argument(error)));
    }
    if let (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    {
        // clap names them on lines of their own.
        let what = missing.join(", ");
        return Stop::Wrong(Refusal::new(format!("missing: {what}; see unsaid --help")));
    }
    let first = text.lines().next().unwrap_or_default();
    let what = first.strip_prefix("error: ").unwrap_or(first);
    Stop::Wrong(Refusal::new(format!("{what}; see unsaid --help")))
}

fn unknown_argument(error: &clap::Error) -> String {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(given)) if given.starts_with("--") => {
            let name = given.trim_start_matches('-');
            let name = name.split('=').next().unwrap_or(name);
            let nearest = known::nearest(&name.replace('-', "_"));
            format!("unknown flag `--{name}`; the nearest known one is `--{nearest}`")
        }
        _ => "unknown argument; see unsaid --help".to_owned(),
    }
}

#[cfg(test)]
mod tests;
