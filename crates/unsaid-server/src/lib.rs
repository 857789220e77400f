//! The binary `unsaid`: what is behind its command line.
//!
//! - [`args`]: the command line; every key of the configuration is also a flag
//! - [`config`]: flags over environment over file over defaults, resolved into types
//! - [`command`]: one file per command
//! - [`wire`]: builds the house from the configuration, one straight list
//! - [`lifecycle`]: signals, the end, and everything that runs until then
//! - [`accounts`]: what accounts need
//! - [`housekeeping`]: what the server does by itself
//! - [`door`]: doors beside the API; [`as_line`]: what LINE would send, for those who play it
//! - [`rehearsal`]: a place to try the bot without LINE
//! - [`listen`]: the socket and its connections
//! - [`data_dir`]: the data directory, one server at a time
//! - [`store`]: where things are kept, as the commands see it
//! - [`model`]: which model answers; [`turns`]: who lets it, and where
//! - [`system`]: the true clock and true chance
//! - [`log`], [`measure`], [`process`], [`terminal`]: what is said, counted, guarded, printed

pub mod accounts;
pub mod args;
pub mod as_line;
pub mod command;
pub mod config;
pub mod data_dir;
pub mod door;
pub mod housekeeping;
pub mod lifecycle;
pub mod listen;
pub mod log;
pub mod measure;
pub mod model;
pub mod process;
pub mod refusal;
pub mod rehearsal;
pub mod sessions;
pub mod store;
pub mod system;
pub mod terminal;
pub mod turns;
pub mod wire;
pub mod worlds;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Args, Command};
use config::{Loaded, Sources};
use refusal::Refusal;

/// Runs one command and says how it ended: 0 well, 1 a check failed, 2 refused.
pub fn run(
    arguments: impl Iterator<Item = OsString>,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> ExitCode {
    process::forbid_core_dumps();
    let ended = match args::parse(arguments) {
        Ok(args) => dispatch(args, environment),
        Err(args::Stop::Answered(text)) => terminal::say(&text).map(|()| ExitCode::SUCCESS),
        Err(args::Stop::Wrong(refusal)) => Err(refusal),
    };
    ended.unwrap_or_else(|refusal| {
        terminal::complain(&refusal);
        ExitCode::from(2)
    })
}

fn dispatch(
    args: Args,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Result<ExitCode, Refusal> {
    let sources = Sources::of_process(args.config_file, environment, args.flags);
    match args.command {
        Command::Serve => command::serve::run(logged(config::load(&sources)?)?.config),
        Command::Migrate => command::migrate::run(&logged(config::load(&sources)?)?.config),
        Command::Config { default: true } => command::config::print_default(),
        Command::Config { default: false } => command::config::print(&config::load(&sources)?),
        Command::Doctor => command::doctor::run(config::load(&sources)),
        Command::Chat { persona } => {
            let mut loaded = config::load(&sources)?;
            loaded.config.log.quieten();
            command::chat::run(&logged(loaded)?.config, persona.as_deref())
        }
        Command::User(user) => {
            let mut loaded = config::load(&sources)?;
            loaded.config.log.quieten();
            command::user::run(&logged(loaded)?.config, user)
        }
        Command::Erase(whose) => {
            command::erase::run(&logged(config::load(&sources)?)?.config, &whose)
        }
        Command::Export { whose } => {
            let mut loaded = config::load(&sources)?;
            loaded.config.log.quieten();
            command::export::run(&logged(loaded)?.config, &whose)
        }
        Command::AuditVerify => command::audit::verify(&logged(config::load(&sources)?)?.config),
        Command::LineSimulate(simulate) => {
            let mut loaded = config::load(&sources)?;
            loaded.config.log.quieten();
            command::line::simulate(&logged(loaded)?.config, &simulate)
        }
        Command::Import(import) => {
            command::import::run(&logged(config::load(&sources)?)?.config, &import)
        }
    }
}

/// From here on there is a log; what the configuration has to say comes first.
fn logged(loaded: Loaded) -> Result<Loaded, Refusal> {
    log::start(&loaded.config.log)?;
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    Ok(loaded)
}
