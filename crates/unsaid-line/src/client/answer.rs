//! What LINE tells. Fields that we do not use are not read, and unknown ones do not matter.

use serde::Deserialize;
use unsaid_core::domain::text::Words;

/// Longer names are cut: LINE allows far less.
const NAME_CHARS_MAX: usize = 100;

/// A person, as LINE shows them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// What they are called; none if the name is empty.
    #[serde(deserialize_with = "name")]
    pub display_name: Option<Words>,
}

/// A group, as LINE shows it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupSummary {
    /// What it is called; none if the name is empty.
    #[serde(deserialize_with = "name")]
    pub group_name: Option<Words>,
}

/// The bot itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BotInfo {
    /// Its user id: what webhooks name as their destination.
    pub user_id: String,
    /// The id by which people find it.
    pub basic_id: String,
    /// What it is called.
    pub display_name: String,
}

/// Where LINE delivers events to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WebhookEndpoint {
    /// The address.
    pub endpoint: String,
    /// Whether LINE uses it.
    pub active: bool,
}

/// What LINE saw when it called the webhook.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookTest {
    /// Whether it went well.
    #[serde(default)]
    pub success: bool,
    /// The status of our answer; zero or less if there was none.
    pub status_code: i32,
    /// In LINE's words, what went wrong.
    #[serde(default)]
    pub reason: String,
    /// In LINE's words, more of it.
    #[serde(default)]
    pub detail: String,
}

/// How many are there.
#[derive(Debug, Deserialize)]
pub(super) struct MembersCount {
    pub(super) count: u32,
}

fn name<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Words>, D::Error> {
    let text = String::deserialize(from)?;
    let name: String = text.trim().chars().take(NAME_CHARS_MAX).collect();
    Ok((!name.is_empty()).then(|| Words::lossy(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str) -> Option<String> {
        let text = serde_json::json!({ "displayName": name, "userId": "U1", "new": [1] });
        let profile: Profile = serde_json::from_value(text).unwrap();
        profile.display_name.map(String::from)
    }

    #[test]
    fn a_bot_is_known_without_what_nobody_asks_about() {
        let text = serde_json::json!({ "userId": "U1", "basicId": "@1", "displayName": "Kai" });
        let bot: BotInfo = serde_json::from_value(text).unwrap();
        assert_eq!([bot.user_id, bot.basic_id, bot.display_name], ["U1", "@1", "Kai"]);
    }

    #[test]
    fn a_name_is_trimmed_bounded_and_never_empty() {
        assert_eq!(read(" Ana\n"), Some("Ana".to_owned()));
        assert_eq!(read(" \u{3000} "), None);
        assert_eq!(read(&"あ".repeat(500)), Some("あ".repeat(NAME_CHARS_MAX)));
        assert_eq!(read("a\0b"), Some("a\u{fffd}b".to_owned()));
    }
}
