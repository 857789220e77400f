//! Worlds that are ready made, with agents from the personas of this installation.

use std::collections::BTreeSet;

use unsaid_core::domain::{
    id::{AgentId, Roster},
    text::Words,
    world::{Agent, HUMAN},
};

/// The name of an agent has at most so many characters.
const NAME_CHARS_MAX: usize = 100;

const SCRIPTS: [Script; 3] = [
    Script {
        id: "one-to-one",
        name: "One to one",
        about: "Somebody to talk to",
        roles: &["companion"],
        who_answers: WhoAnswers::Everybody,
    },
    Script {
        id: "pair",
        name: "Pair",
        about: "One answers, the other when called with @",
        roles: &["helper", "counsellor"],
        who_answers: WhoAnswers::TheFirst,
    },
    Script {
        id: "panel",
        name: "Panel",
        about: "All of them answer, one after the other",
        roles: &["companion", "helper", "counsellor"],
        who_answers: WhoAnswers::Everybody,
    },
];

/// A world before anybody plays in it.
struct Script {
    id: &'static str,
    name: &'static str,
    about: &'static str,
    /// Ids of personas.
    roles: &'static [&'static str],
    who_answers: WhoAnswers,
}

/// Who answers without being mentioned.
#[derive(Clone, Copy)]
enum WhoAnswers {
    Everybody,
    TheFirst,
}

/// Somebody whom the operator has written, as agents are made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Persona {
    /// As the configuration calls it.
    pub id: AgentId,
    /// What people see.
    pub name: String,
    /// What it is told to be.
    pub prompt: Words,
    /// If not the installation's.
    pub model: Option<String>,
}

/// A world that is ready made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its name for programs.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// What it is good for, and who is in it.
    pub description: String,
    /// Its agents, new in a world.
    pub agents: Vec<Agent>,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates(Vec<Template>);

impl Templates {
    /// Played by those personas that they name; what nobody plays is left out. If that leaves nothing,
    /// the operator has personas of their own: these play, in the order in which they come, in all
    /// that are not too large for them.
    #[must_use]
    pub fn played_by(personas: &[Persona]) -> Self {
        let named = SCRIPTS.iter().filter_map(|script| script.played_by(&script.cast(personas)));
        let named: Vec<Template> = named.collect();
        if !named.is_empty() {
            return Self(named);
        }
        let own = personas.iter().filter(|persona| persona.id.as_str() != HUMAN);
        let own: Vec<&Persona> = own.collect();
        let played = SCRIPTS.iter().filter_map(|script| {
            let cast = own.get(..script.roles.len())?;
            script.played_by(cast)
        });
        Self(played.collect())
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Template> {
        self.iter().find(|template| template.id == id)
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Template> {
        self.0.iter()
    }
}

impl Script {
    /// The personas that it names, as far as there are.
    fn cast<'a>(&self, personas: &'a [Persona]) -> Vec<&'a Persona> {
        let find = |role: &&str| personas.iter().find(|persona| persona.id.as_str() == *role);
        self.roles.iter().filter_map(find).collect()
    }

    fn played_by(&self, cast: &[&Persona]) -> Option<Template> {
        let mut agents: Vec<Agent> = Vec::with_capacity(cast.len());
        let mut taken = BTreeSet::new();
        for persona in cast {
            let auto_reply = match self.who_answers {
                WhoAnswers::Everybody => true,
                WhoAnswers::TheFirst => agents.is_empty(),
            };
            let agent = agent(persona, auto_reply);
            if taken.insert(agent.id.clone()) {
                agents.push(agent);
            }
        }
        let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        let description = format!("{}: {}", self.about, names.join(", "));
        let is_played = !agents.is_empty();
        is_played.then_some(Template { id: self.id, name: self.name, description, agents })
    }
}

fn agent(persona: &Persona, auto_reply: bool) -> Agent {
    let name: String = persona.name.trim().chars().take(NAME_CHARS_MAX).collect();
    Agent {
        id: persona.id.clone(),
        name: Words::lossy(name),
        system_prompt: persona.prompt.clone(),
        provider: None,
        model: persona.model.clone(),
        auto_reply,
        joined: Roster::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn persona(id: &str) -> Persona {
        Persona {
            id: AgentId::from_name(id).unwrap(),
            name: format!("The {id}"),
            prompt: Words::lossy(format!("You are {id}.")),
            model: (id == "helper").then(|| "small".to_owned()),
        }
    }

    /// Templates, who is in them, and an asterisk at those who answer.
    fn shown(ids: &[&str]) -> Vec<String> {
        let personas: Vec<Persona> = ids.iter().map(|id| persona(id)).collect();
        let templates = Templates::played_by(&personas);
        let agent =
            |agent: &Agent| format!("{}{}", agent.id, if agent.auto_reply { "*" } else { "" });
        let template = |template: &Template| {
            let agents: Vec<String> = template.agents.iter().map(agent).collect();
            format!("{}: {}", template.id, agents.join(" "))
        };
        templates.iter().map(template).collect()
    }

    #[test]
    fn they_are_played_by_the_personas_they_name() {
        assert_eq!(
            shown(&["counsellor", "helper", "mine", "companion"]),
            [
                "one-to-one: companion*",
                "pair: helper* counsellor",
                "panel: companion* helper* counsellor*"
            ]
        );
    }

    #[test]
    fn what_nobody_plays_is_left_out_and_somebody_always_answers() {
        assert_eq!(shown(&["mine", "counsellor"]), ["pair: counsellor*", "panel: counsellor*"]);
        assert_eq!(shown(&["companion"]), ["one-to-one: companion*", "panel: companion*"]);
    }

    #[test]
    fn personas_of_their_own_play_in_their_order() {
        let all = shown(&["zoe", "ann", "bob", "eve"]);
        assert_eq!(all, ["one-to-one: zoe*", "pair: zoe* ann", "panel: zoe* ann* bob*"]);
        assert_eq!(shown(&["zoe", "ann"]), ["one-to-one: zoe*", "pair: zoe* ann"]);
        assert_eq!(shown(&["zoe"]), ["one-to-one: zoe*"]);
        assert_eq!(shown(&["human", "zoe"]), ["one-to-one: zoe*"], "no agent is a person");
    }

    #[test]
    fn an_agent_is_what_the_operator_wrote() {
        let mut personas = vec![persona("helper"), persona("counsellor")];
        personas[1].name = "京".repeat(101);
        let templates = Templates::played_by(&personas);
        let pair = templates.get("pair").unwrap();
        let [helper, counsellor] = &pair.agents[..] else { panic!("{pair:?}") };
        assert_eq!(helper.name.as_str(), "The helper");
        assert_eq!(helper.system_prompt.as_str(), "You are helper.");
        assert_eq!((helper.model.as_deref(), helper.provider.as_deref()), (Some("small"), None));
        assert_eq!(counsellor.name.as_str(), "京".repeat(100));
        let about = "One answers, the other when called with @: The helper, ";
        assert!(pair.description.starts_with(about), "{}", pair.description);
        assert!(templates.get("nothing").is_none());
    }
}
