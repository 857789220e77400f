//! Chat completions, as `OpenAI` and a hundred other servers speak them.

mod decoder;
mod request;

use serde_json::Value;
use unsaid_core::port::model::ModelRequest;

use crate::remote::{self, Decoder, Place};

/// The wire format, towards one server.
#[derive(Debug)]
pub(crate) struct Wire {
    server: Server,
}

/// What a server takes beyond what all of them take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    /// It keeps answers unless told not to.
    OpenAi,
    /// It refuses fields that it does not know.
    Strict,
    /// Anything else.
    Other,
}

impl Wire {
    pub(crate) fn towards(host: &str) -> Self {
        let is_of = |domain: &str| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let server = if is_of("api.openai.com") {
            Server::OpenAi
        } else if is_of("mistral.ai") {
            Server::Strict
        } else {
            Server::Other
        };
        Self { server }
    }
}

impl remote::Wire for Wire {
    fn place(&self, _model: &str) -> Place {
        Place::path(&["chat", "completions"])
    }

    fn body(&self, model: &str, request: &ModelRequest) -> Value {
        let mut body = request::body(model, request);
        // Not in every request: servers exist that refuse what they do not know.
        if self.server == Server::OpenAi {
            body["store"] = false.into();
        }
        if self.server != Server::Strict {
            body["stream_options"] = serde_json::json!({"include_usage": true});
        }
        body
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::<decoder::OpenAi>::default()
    }
}

/// The names in a list of models.
pub(crate) fn model_names(models: &Value) -> Option<Vec<String>> {
    let list = models["data"].as_array()?;
    Some(list.iter().filter_map(|model| model["id"].as_str().map(str::to_owned)).collect())
}

/// The first model of a list that can talk.
pub(crate) fn first_chat_model(models: &Value) -> Option<String> {
    model_names(models)?.into_iter().find(|name| !name.contains("embed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_openai_is_asked_not_to_store() {
        let server = |host: &str| Wire::towards(host).server;
        assert_eq!(server("api.openai.com"), Server::OpenAi);
        assert_eq!(server("eu.api.openai.com"), Server::OpenAi);
        assert_eq!(server("api.openai.com.example"), Server::Other);
        assert_eq!(server("notapi.openai.com"), Server::Other);
        assert_eq!(server("127.0.0.1"), Server::Other);
        assert_eq!(server("api.mistral.ai"), Server::Strict);
    }
}
