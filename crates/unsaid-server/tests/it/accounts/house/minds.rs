//! What thinks for the agents of a house.

use std::sync::Arc;
use std::time::Duration;

use unsaid_app::answer::{Desk, Minds};
use unsaid_core::domain::world::Agent;
use unsaid_core::port::Store;
use unsaid_core::port::model::Model;
use unsaid_server::worlds::{self, Agents};
use unsaid_testkit::model::DrivenModel;

use super::Plan;

/// Every agent of every world thinks with the same model.
struct OneMind(Arc<DrivenModel>);

impl Minds for OneMind {
    fn mind(&self, agent: &Agent) -> Option<Arc<dyn Model>> {
        agent.provider.is_none().then(|| Arc::clone(&self.0) as _)
    }
}

/// The worlds of a house.
pub(super) fn agents(
    store: &Arc<dyn Store>,
    desk: &Desk,
    model: &Arc<DrivenModel>,
    plan: &Plan,
) -> Agents {
    let terms = worlds::Terms {
        zone: plan.zone.clone(),
        calls_max: plan.limits.calls_per_round,
        call_max: Duration::from_mins(2),
        undo: plan.undo,
        ..worlds::Terms::of(&plan.config())
    };
    Agents::new(store, desk, Arc::new(OneMind(Arc::clone(model))), terms)
}
