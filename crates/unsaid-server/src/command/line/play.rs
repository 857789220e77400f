//! A ready scene: what is taken back is forgotten, and a bot in a group can hold its tongue.

use std::process::ExitCode;

use super::stage::Stage;
use crate::refusal::Refusal;
use crate::system::random_id;
use crate::terminal;

/// New people and a new group for every scene: it begins with nothing remembered.
pub(super) fn seed() -> String {
    random_id()
}

/// Plays it; ends with 1 if a webhook was not taken or an answer never came.
pub(super) async fn play(mut stage: Stage) -> Result<ExitCode, Refusal> {
    terminal::say("\n-- Kim is alone with the bot, says a name and takes it back")?;
    stage.follow().await?;
    stage.say("My name is Rosalind.").await?;
    stage.say("What is my name?").await?;
    stage.unsend(Some(1)).await?;
    stage.say("What is my name?").await?;
    terminal::say("\n-- Kim and Noa are in a group with the bot")?;
    stage.enter_group().await?;
    stage.say("Lunch at noon?").await?;
    stage.become_person("Noa")?;
    stage.say("Fine with me, Kim. (not for you)").await?;
    if stage.went_wrong() {
        terminal::say("\nNot everything went as it should.")?;
        return Ok(ExitCode::FAILURE);
    }
    terminal::say("\nThe scene is over.")?;
    Ok(ExitCode::SUCCESS)
}
