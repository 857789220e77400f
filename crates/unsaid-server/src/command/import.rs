//! `unsaid import`: takes in what another program kept. The source stays as it is, and taking it in
//! again changes nothing.

mod agent_world;
mod together;
mod yuruppu;

use std::fmt::Display;
use std::process::ExitCode;

use crate::args::Import;
use crate::config::Config;
use crate::refusal::Refusal;
use crate::{process, store, terminal};

/// Imports, and says what was taken in and what could not be read; 1 if there was such.
///
/// # Errors
/// If source or target cannot be used.
pub fn run(config: &Config, import: &Import) -> Result<ExitCode, Refusal> {
    match import {
        Import::Yuruppu { url, endpoint } => {
            let source = yuruppu::open(url, endpoint.as_deref().unwrap_or_default())?;
            let report = process::runtime()?.block_on(async {
                let target = store::open_beside(config).await?;
                yuruppu::import(&*source, &*target).await
            })?;
            tell(&report.unread, &report)
        }
        Import::AgentWorld { path, owner } => {
            let report = agent_world::run(config, path, owner)?;
            tell(&report.unread(), &report)
        }
    }
}

fn tell(unread: &[String], report: &impl Display) -> Result<ExitCode, Refusal> {
    for line in unread {
        terminal::say(&format!("not taken in: {line}"))?;
    }
    terminal::say(&report.to_string())?;
    Ok(if unread.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
