//! Worlds that are ready made.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use unsaid_app::world::template::Template;
use utoipa::ToSchema;

use crate::auth::SignedIn;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = Template)]
pub(crate) struct TemplateLine {
    id: &'static str,
    name: &'static str,
    description: String,
}

/// Worlds that are ready made, with agents.
#[utoipa::path(
    get, path = "/api/worlds/templates", operation_id = "world_templates", tag = "world",
    responses(
        (status = 200, description = "All of them", body = Vec<TemplateLine>),
    ),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    _caller: SignedIn,
) -> Json<Vec<TemplateLine>> {
    let line = |template: &Template| TemplateLine {
        id: template.id,
        name: template.name,
        description: template.description.clone(),
    };
    Json(state.worlds.templates.iter().map(line).collect())
}
