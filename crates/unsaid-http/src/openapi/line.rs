//! `POST /line/webhook` belongs to the server's LINE door, which is beside this one; it is described
//! here by hand.

use serde_json::{Value, json};

/// Where LINE delivers to.
pub(super) const PATH: &str = "/line/webhook";

pub(super) fn webhook() -> Value {
    json!({ "post": {
        "tags": ["line"],
        "operationId": "line_webhook",
        "summary": "Takes what LINE delivers.",
        "description": "There only if LINE's credentials are set. The signature is over the raw body.",
        "security": [{}],
        "parameters": [{
            "name": "X-Line-Signature", "in": "header", "required": true,
            "description": "HMAC-SHA256 of the body with the channel secret, in Base64.",
            "schema": { "type": "string" },
        }],
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": {
                "type": "object",
                "properties": {
                    "destination": { "type": "string" },
                    "events": { "type": "array", "items": { "type": "object" } },
                },
                "required": ["events"],
            } } },
        },
        "responses": {
            "200": {
                "description": "Kept, and answered in time",
                "content": { "application/json": { "schema": { "type": "object" } } },
            },
            "400": { "description": "VALIDATION_ERROR" },
            "401": { "description": "INVALID_SIGNATURE" },
            "404": { "description": "NOT_FOUND" },
            "408": { "description": "BODY_TOO_SLOW" },
            "413": { "description": "BODY_TOO_LARGE" },
            "500": { "description": "INTERNAL" },
            "503": { "description": "STORAGE_UNAVAILABLE" },
        },
    } })
}
