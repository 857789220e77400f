//! Worlds that are ready made: with agents, and prompts for them.

use std::sync::LazyLock;

use serde::Deserialize;
use unsaid_core::domain::{
    id::{AgentId, Roster},
    text::Words,
    world::Agent,
};

static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    // The file is part of the program, and a test reads it.
    serde_json::from_str(include_str!("template/templates.json")).unwrap_or_default()
});

/// A world that is ready made.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Its name for programs.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it is good for.
    pub description: String,
    agents: Vec<Role>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Role {
    id: AgentId,
    name: Words,
    system_prompt: Words,
    auto_reply: bool,
}

/// All of them.
#[must_use]
pub fn templates() -> &'static [Template] {
    &TEMPLATES
}

/// One of them.
#[must_use]
pub fn template(id: &str) -> Option<&'static Template> {
    templates().iter().find(|template| template.id == id)
}

impl Template {
    /// Its agents, new in a world.
    #[must_use]
    pub fn agents(&self) -> Vec<Agent> {
        let agents = self.agents.iter().map(|role| Agent {
            id: role.id.clone(),
            name: role.name.clone(),
            system_prompt: role.system_prompt.clone(),
            provider: None,
            model: None,
            auto_reply: role.auto_reply,
            joined: Roster::ZERO,
        });
        agents.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_are_built_in_with_agents_of_their_own() {
        let ids: Vec<&str> = templates().iter().map(|template| template.id.as_str()).collect();
        assert_eq!(ids, ["writing-pair", "panel", "tutor"]);
        for template in templates() {
            assert!(!template.description.is_empty(), "{}", template.id);
            let agents = template.agents();
            assert!(!agents.is_empty(), "{}", template.id);
            assert!(agents.iter().any(|agent| agent.auto_reply), "somebody answers");
            for agent in agents {
                assert_eq!(AgentId::from_name(agent.name.as_str()), Ok(agent.id));
                assert!(!agent.system_prompt.as_str().is_empty());
            }
        }
        assert!(template("nothing").is_none());
    }
}
