//! `export`.

use clap::{Arg, ArgMatches, Command as Clap};

use super::Command;

pub(super) fn command() -> Clap {
    Clap::new("export").about("Everything held on one person, JSON Lines on standard output").arg(
        Arg::new("user")
            .long("user")
            .value_name("EMAIL|UUID|LINE-USER-ID")
            .required(true)
            .help("Whose"),
    )
}

pub(super) fn export(matches: &ArgMatches) -> (Command, &ArgMatches) {
    let whose = matches.get_one::<String>("user").cloned().unwrap_or_default();
    (Command::Export { whose }, matches)
}
