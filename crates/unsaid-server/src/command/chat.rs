//! `unsaid chat`: a conversation with a persona in the terminal, on the local data.
//!
//! - `order`: what was typed. `table`: where the talk is, and what can be done there.
//! - `print`: how messages are shown.

mod order;
mod print;
mod table;

use std::io::{self, BufRead as _};
use std::process::ExitCode;
use std::thread;

use tokio::sync::mpsc::{self, Receiver};

use self::order::Order;
pub(super) use self::print::prompt;
use self::table::Table;
use crate::config::Config;
use crate::refusal::Refusal;
use crate::{process, terminal};

/// How many lines may be typed ahead.
const LINES_AHEAD_MAX: usize = 16;
const HELP: &str = "\
Say something, or:
  /unsend [N]     take message N back (without N: your last one), and what was answered to it
  /edit [N] TEXT  say something else instead of message N; everything after it is forgotten
  /undo           take the last edit back
  /forget         forget this whole conversation
  /list           show the last messages with their numbers
  /quit           leave; the conversation stays";

/// Talks until the person leaves.
///
/// # Errors
/// If the persona is not known, or data or model cannot be used.
pub fn run(config: &Config, persona: Option<&str>) -> Result<ExitCode, Refusal> {
    process::runtime()?.block_on(async {
        let mut table = Table::set(config, persona).await?;
        table.sweep().await?;
        terminal::say(&table.greeting())?;
        terminal::say("Type /help for what you can do.")?;
        table.list().await?;
        let mut lines = typed();
        loop {
            prompt()?;
            let Some(line) = lines.recv().await else { break };
            match Order::read(&line) {
                Order::Nothing => {}
                Order::Quit => break,
                Order::Help => terminal::say(HELP)?,
                Order::List => table.list().await?,
                Order::Say(text) => table.say(text).await?,
                Order::Unsend(number) => table.unsend(number).await?,
                Order::Edit(number, text) => table.edit(number, text).await?,
                Order::Undo => table.undo().await?,
                Order::Forget => table.forget().await?,
                Order::Unknown => terminal::say("There is no such command; /help lists them.")?,
            }
        }
        table.sweep().await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Lines as they are typed. The thread ends with the process: nobody can be stopped from typing.
pub(super) fn typed() -> Receiver<String> {
    let (sender, lines) = mpsc::channel(LINES_AHEAD_MAX);
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
