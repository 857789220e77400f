//! Whether the bucket for LINE conversations can be used, and lets go of what is taken back.
//!
//! To find out, a small object of no meaning is written and deleted again.

use async_trait::async_trait;

use super::{Check, Finding, problem};
use crate::config::Config;
use crate::store::bucket;

pub(super) struct Bucket;

#[async_trait]
impl Check for Bucket {
    fn name(&self) -> &'static str {
        "history"
    }

    async fn look(&self, config: &Config) -> Finding {
        let Some(history) = &config.history else {
            return Finding::Well("LINE conversations are in the database".to_owned());
        };
        let opened = match bucket::open(history) {
            Ok(opened) => opened,
            Err(refusal) => return problem(refusal.to_string(), "correct it, or unset `history`"),
        };
        let objections = bucket::objections(history, &opened).await;
        if objections.is_empty() {
            let lasting = if history.accept_delay {
                "; what it keeps of old versions is accepted (history_accept_delay)"
            } else {
                ", and nothing is kept of what is taken back"
            };
            return Finding::Well(format!("the bucket does conditional writes{lasting}"));
        }
        let sentences: Vec<String> = objections.iter().map(ToString::to_string).collect();
        problem(sentences.join("; "), "as said, or unset `history`")
    }
}
