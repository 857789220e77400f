//! Whether the model is there, takes the key, and knows its name.

use async_trait::async_trait;

use super::{Check, Finding, problem};
use crate::config::Config;
use crate::model::Chosen;

pub(super) struct Model;

#[async_trait]
impl Check for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    async fn look(&self, config: &Config) -> Finding {
        let probed = Chosen::by(&config.model).await.look().await;
        if probed.is_good() {
            Finding::Well(probed.to_string())
        } else {
            problem(probed.to_string(), "as said, or choose another with `model.provider`")
        }
    }
}
