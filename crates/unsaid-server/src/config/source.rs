//! Where settings come from, and the way from there to a [`Config`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::error::Error;
use super::layers::Settings;
use super::{Config, resolve};
use crate::refusal::said;

const FILE: &str = "unsaid.toml";

/// Everything a configuration is made from; a test makes its own.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file that was named; it must exist.
    pub named_file: Option<PathBuf>,
    /// The file that is read if it exists and none was named.
    pub usual_file: Option<PathBuf>,
    /// The environment.
    pub environment: BTreeMap<String, OsString>,
    /// Keys and values of the command line.
    pub flags: Vec<(String, String)>,
}

/// A configuration and how it came about.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What is in effect, as types.
    pub config: Config,
    /// What is in effect, as it was given.
    pub settings: Settings,
    /// What is odd but no reason to stop.
    pub warnings: Vec<String>,
    /// The file that was read.
    pub file: Option<PathBuf>,
}

impl Sources {
    /// Those of a running process.
    pub fn of_process(
        named_file: Option<PathBuf>,
        environment: impl Iterator<Item = (OsString, OsString)>,
        flags: Vec<(String, String)>,
    ) -> Self {
        // A name that is no text cannot be one of ours.
        let named = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value));
        let environment = environment.filter_map(named).collect();
        Self { named_file, usual_file: Some(PathBuf::from(FILE)), environment, flags }
    }
}

/// Reads all layers and resolves them.
///
/// # Errors
/// The first thing that is wrong, in one sentence.
pub fn load(sources: &Sources) -> Result<Loaded, Error> {
    let mut settings = Settings::defaults();
    let file = file(sources)?;
    if let Some((path, text)) = &file {
        settings.put_file(path, text)?;
    }
    let warnings = settings.put_environment(&sources.environment)?;
    settings.put_flags(&sources.flags)?;
    let config = resolve::resolve(settings.clone(), &sources.environment)?;
    Ok(Loaded { config, settings, warnings, file: file.map(|(path, _)| path) })
}

fn file(sources: &Sources) -> Result<Option<(PathBuf, String)>, Error> {
    let (path, must_exist) = match (&sources.named_file, &sources.usual_file) {
        (Some(named), _) => (named, true),
        (None, Some(usual)) => (usual, false),
        (None, None) => return Ok(None),
    };
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some((path.clone(), text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => Ok(None),
        Err(error) => Err(Error::Unreadable { path: path.clone(), why: said(&error) }),
    }
}
