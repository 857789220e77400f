//! Worlds that are ready made.

use axum::Json;
use serde::Serialize;
use unsaid_app::world::template::{Template, templates};
use utoipa::ToSchema;

use crate::auth::SignedIn;

#[derive(Serialize, ToSchema)]
#[schema(as = Template)]
pub(crate) struct TemplateLine {
    id: &'static str,
    name: &'static str,
    description: &'static str,
}

/// Worlds that are ready made, with agents.
#[utoipa::path(
    get, path = "/api/worlds/templates", operation_id = "world_templates", tag = "world",
    responses(
        (status = 200, description = "All of them", body = Vec<TemplateLine>),
    ),
)]
pub(crate) async fn list(_caller: SignedIn) -> Json<Vec<TemplateLine>> {
    let line = |template: &'static Template| TemplateLine {
        id: &template.id,
        name: &template.name,
        description: &template.description,
    };
    Json(templates().iter().map(line).collect())
}
