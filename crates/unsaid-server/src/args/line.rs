//! The commands about LINE: `line simulate`.

use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command as Clap};

use super::Command;
use crate::config::value;

/// How LINE is played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulate {
    /// Where the server is; none: where the configuration says.
    pub server: Option<String>,
    /// The ready scene instead of what is typed.
    pub play: bool,
    /// How long an answer is waited for.
    pub wait: Duration,
}

const WAIT: Duration = Duration::from_secs(30);

pub(super) fn command() -> Clap {
    let simulate = Clap::new("simulate")
        .about("Play LINE against a running server, so that the bot can be tried without LINE")
        .arg(
            Arg::new("server")
                .long("server")
                .value_name("URL")
                .help("Where the server is [default: where `listen` says]"),
        )
        .arg(
            Arg::new("play")
                .long("play")
                .action(ArgAction::SetTrue)
                .help("Play a ready scene instead of what is typed"),
        )
        .arg(
            Arg::new("wait")
                .long("wait")
                .value_name("DURATION")
                .value_parser(|text: &str| {
                    value::duration(text).ok_or("expected a duration such as 30s")
                })
                .help("How long an answer is waited for [default: 30s]"),
        );
    Clap::new("line")
        .about("Try the LINE bot without LINE")
        .subcommand_required(true)
        .subcommand(simulate)
}

pub(super) fn simulate(matches: &ArgMatches) -> (Command, &ArgMatches) {
    let (_, inner) = matches.subcommand().unwrap_or(("simulate", matches));
    let simulate = Simulate {
        server: inner.get_one::<String>("server").cloned(),
        play: inner.get_flag("play"),
        wait: inner.get_one::<Duration>("wait").copied().unwrap_or(WAIT),
    };
    (Command::LineSimulate(simulate), inner)
}
