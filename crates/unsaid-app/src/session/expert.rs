//! Who can be talked to in a session: the personas, as experts.

use std::{collections::BTreeMap, sync::Arc};

use unsaid_core::{
    domain::{
        id::{AgentId, ExpertId},
        text::Words,
    },
    port::model::Model,
};

/// Somebody who answers in sessions.
#[derive(Clone)]
pub struct Expert {
    /// As sessions name it.
    pub id: ExpertId,
    /// As the author of what it says. Two experts may share it: no session has both.
    pub author: AgentId,
    /// What people see.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// What it is told about itself.
    pub prompt: Words,
    /// What thinks.
    pub model: Arc<dyn Model>,
}

/// All of them, by id, and who answers if nobody is chosen.
pub struct Experts {
    by_id: BTreeMap<ExpertId, Expert>,
    usual: ExpertId,
}

impl Experts {
    /// These, and the usual one.
    #[must_use]
    pub fn new(experts: impl IntoIterator<Item = Expert>, usual: ExpertId) -> Self {
        let by_id = experts.into_iter().map(|expert| (expert.id.clone(), expert)).collect();
        Self { by_id, usual }
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: &ExpertId) -> Option<&Expert> {
        self.by_id.get(id)
    }

    /// Who answers if nobody is chosen.
    #[must_use]
    pub fn usual(&self) -> &ExpertId {
        &self.usual
    }

    /// Everybody.
    pub fn iter(&self) -> impl Iterator<Item = &Expert> {
        self.by_id.values()
    }
}
