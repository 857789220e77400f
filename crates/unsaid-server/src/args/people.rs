//! The commands about accounts: `user`, `erase`, `audit`.

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command as Clap, value_parser};

use super::Command;

/// What is to be done with an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User {
    /// Make one.
    Add {
        /// Its address.
        email: String,
        /// What they want to be called; none: the address before the `@`.
        name: Option<String>,
        /// Whether they are admin.
        admin: bool,
        /// Whether their words may be kept.
        consent: bool,
    },
    /// List them all.
    List,
    /// Make somebody an admin, or no longer.
    Admin {
        /// Whose account.
        email: String,
        /// No longer.
        off: bool,
    },
    /// Set a password.
    Password {
        /// Whose.
        email: String,
    },
    /// Give paid sessions.
    Grant {
        /// To whom.
        email: String,
        /// How many.
        sessions: u32,
    },
}

/// Whose history is erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Erase {
    /// Of everybody who is due.
    Due,
    /// Of one person, by address, id, or id on LINE.
    Person(String),
    /// Of one source on LINE.
    Source(String),
}

pub(super) fn user_command() -> Clap {
    let email = || Arg::new("email").value_name("EMAIL").required(true).help("The address");
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let add = Clap::new("add")
        .about("Make an account; the password is asked for, or read from standard input")
        .arg(email())
        .arg(Arg::new("name").long("name").value_name("NAME").help("What they want to be called"))
        .arg(switch("admin", "Make them an admin"))
        .arg(switch("consent", "They have agreed that their words are kept"));
    let sessions = Arg::new("sessions")
        .value_name("N")
        .required(true)
        .value_parser(value_parser!(u32).range(1..=1_000_000))
        .help("How many");
    Clap::new("user")
        .about("Make, list and change accounts")
        .subcommand_required(true)
        .subcommand(add)
        .subcommand(Clap::new("list").about("List all accounts"))
        .subcommand(
            Clap::new("admin")
                .about("Make somebody an admin")
                .arg(email())
                .arg(switch("off", "They are no longer one")),
        )
        .subcommand(
            Clap::new("password").about("Set a password; all their tokens end").arg(email()),
        )
        .subcommand(Clap::new("grant").about("Give paid sessions").arg(email()).arg(sessions))
}

pub(super) fn erase_command() -> Clap {
    Clap::new("erase")
        .about("Erase history, for good")
        .arg(
            Arg::new("due")
                .long("due")
                .action(ArgAction::SetTrue)
                .help("Of everybody whose time is over, as the server does by itself"),
        )
        .arg(Arg::new("user").long("user").value_name("EMAIL|UUID|LINE-USER-ID").help(
            "Of one person, now; account and consent stay. On LINE also what they said in groups",
        ))
        .arg(
            Arg::new("source")
                .long("source")
                .value_name("ID")
                .help("Of one source on LINE, now: a person, a group or a room, with its files"),
        )
        .group(ArgGroup::new("whose").args(["due", "user", "source"]).required(true))
}

pub(super) fn audit_command() -> Clap {
    Clap::new("audit")
        .about("The record of erasures")
        .subcommand_required(true)
        .subcommand(Clap::new("verify").about("Check that no line of it was changed"))
}

pub(super) fn user(matches: &ArgMatches) -> (Command, &ArgMatches) {
    let (name, inner) = matches.subcommand().unwrap_or(("list", matches));
    let text = |name: &str| inner.get_one::<String>(name).cloned();
    let email = || text("email").unwrap_or_default();
    let user = match name {
        "add" => User::Add {
            email: email(),
            name: text("name"),
            admin: inner.get_flag("admin"),
            consent: inner.get_flag("consent"),
        },
        "admin" => User::Admin { email: email(), off: inner.get_flag("off") },
        "password" => User::Password { email: email() },
        "grant" => User::Grant {
            email: email(),
            sessions: inner.get_one::<u32>("sessions").copied().unwrap_or_default(),
        },
        _ => User::List,
    };
    (Command::User(user), inner)
}

pub(super) fn erase(matches: &ArgMatches) -> (Command, &ArgMatches) {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let erase = match (text("user"), text("source")) {
        (Some(person), _) => Erase::Person(person),
        (None, Some(source)) => Erase::Source(source),
        (None, None) => Erase::Due,
    };
    (Command::Erase(erase), matches)
}

pub(super) fn audit(matches: &ArgMatches) -> (Command, &ArgMatches) {
    let (_, inner) = matches.subcommand().unwrap_or(("verify", matches));
    (Command::AuditVerify, inner)
}
