//! Streams as they come over the wire.

use serde_json::Value;

/// One frame that came whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// Its number, if it is one that lasts.
    pub(super) id: Option<u64>,
    pub(super) data: Value,
}

impl Frame {
    pub(super) fn kind(&self) -> &str {
        self.data["type"].as_str().unwrap()
    }

    /// The message it tells of, if it tells of one.
    pub(super) fn message(&self) -> Option<&str> {
        let is_message = self.kind() == "message";
        is_message.then(|| self.data["data"]["messageId"].as_str().unwrap())
    }

    pub(super) fn content(&self) -> &str {
        self.data["data"]["content"].as_str().unwrap_or_default()
    }
}

/// What came whole; neither comments nor what was cut.
pub(super) fn frames(text: &str) -> Vec<Frame> {
    let whole = text.rfind("\n\n").map_or("", |end| &text[..end]);
    whole.split("\n\n").filter_map(frame).collect()
}

/// Those of them that last.
pub(super) fn lasting(text: &str) -> Vec<Frame> {
    frames(text).into_iter().filter(|frame| frame.id.is_some()).collect()
}

fn frame(text: &str) -> Option<Frame> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let data = serde_json::from_str(field("data: ")?).unwrap();
    Some(Frame { id: field("id: ").map(|id| id.parse().unwrap()), data })
}
