//! `unsaid`: see [`unsaid_server`].

use std::process::ExitCode;

fn main() -> ExitCode {
    unsaid_server::run(std::env::args_os(), std::env::vars_os())
}
