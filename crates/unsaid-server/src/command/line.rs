//! `unsaid line simulate`: plays LINE against a running server, so that the bot can be tried without.
//!
//! It signs webhooks as LINE does, and is the LINE that the server calls: what the bot says is shown.
//!
//! - `order`: what was typed. `stage`: who is where, and what they do there. `play`: a ready scene.
//! - `server`: where webhooks go, and what the server counts. `address`: where everybody is.
//!
//! What LINE would send, and who there is, stands in [`crate::as_line`].

mod address;
mod order;
mod play;
mod server;
mod stage;

use std::process::ExitCode;

use unsaid_line::client::AccessToken;
use unsaid_line::signature::ChannelSecret;
use unsaid_line::stand_in::StandIn;

use self::order::Order;
use self::server::Server;
use self::stage::Stage;
use super::chat::{prompt, typed};
use crate::args::line::Simulate;
use crate::config::Config;
use crate::refusal::{Refusal, said};
use crate::{process, terminal};

const HELP: &str = "\
Say something (@bot mentions the bot), or:
  /as NAME        be somebody else
  /group          speak in the group; the bot joins it the first time
  /alone          speak with the bot alone
  /unsend [N]     take message N back (without N: your last one here)
  /edit N TEXT    change message N; LINE has that in groups only
  /sticker        send a sticker
  /image [FILE]   send a picture
  /follow         add the bot as a friend
  /list           show your messages with their numbers
  /quit           leave; what the server keeps stays";

/// Plays until the person leaves, or the scene is over. Ends with 1 if something of the scene did not
/// arrive, or was never answered.
///
/// # Errors
/// If the configuration has no stand-in, or the server cannot be reached or does not take webhooks.
pub fn simulate(config: &Config, asked: &Simulate) -> Result<ExitCode, Refusal> {
    let Some(credentials) = &config.line.credentials else {
        return Err(Refusal::new(
            "the LINE door is closed: set `line.channel_secret` and `line.channel_access_token`, \
             for server and simulator alike; without LINE any text will do",
        ));
    };
    let here = address::stand_in(config)?;
    let target = address::server(config, asked.server.as_deref())?;
    process::runtime()?.block_on(async {
        let token = AccessToken::new(credentials.channel_access_token.expose());
        let line = StandIn::start(here, token).await.map_err(|error| {
            let why = said(&error);
            Refusal::new(format!("cannot stand in for LINE on {here} (`line.api_base`): {why}"))
        })?;
        let secret = ChannelSecret::new(credentials.channel_secret.expose());
        let server = Server::reach(target, secret).await?;
        terminal::say(&format!(
            "The server takes webhooks at {}. LINE is played on {}.",
            server.webhook(),
            line.base()
        ))?;
        let groups = config.line.groups;
        if asked.play {
            return play::play(Stage::new(line, server, groups, asked.wait, play::seed())).await;
        }
        let mut stage = Stage::new(line, server, groups, asked.wait, String::new());
        terminal::say(&format!(
            "You are {}. Type /help for what you can do.",
            stage.whereabouts()
        ))?;
        talk(&mut stage).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Does what is typed, and shows what the bot says in between.
async fn talk(stage: &mut Stage) -> Result<(), Refusal> {
    let mut lines = typed();
    loop {
        prompt()?;
        let line = loop {
            tokio::select! {
                line = lines.recv() => break line,
                late = stage.overhear() => late?,
            }
        };
        let Some(line) = line else { return Ok(()) };
        match Order::read(&line) {
            Order::Nothing => {}
            Order::Quit => return Ok(()),
            Order::Help => terminal::say(HELP)?,
            Order::List => stage.list()?,
            Order::Say(text) => stage.say(text).await?,
            Order::As(name) => stage.become_person(name)?,
            Order::Group => stage.enter_group().await?,
            Order::Alone => stage.leave_group()?,
            Order::Unsend(number) => stage.unsend(number).await?,
            Order::Edit(number, text) => stage.edit(number, text).await?,
            Order::Sticker => stage.sticker().await?,
            Order::Image(file) => stage.image(file).await?,
            Order::Follow => stage.follow().await?,
            Order::Unknown => terminal::say("There is no such command; /help lists them.")?,
        }
    }
}
