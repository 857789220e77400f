//! How a turn is taken back.

use serde_json::{Value, json};

use super::super::world::{Stream, Visitor};
use crate::people::call;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Edit,
    Remove,
    Unsend,
    Stop,
    /// The question stands in an edit, which is undone.
    Undo,
    /// The chat goes with everything in it.
    DeleteChat,
    /// Everything that was ever said goes.
    Erase,
    /// From now on nothing is kept. What is just being said is said to its end, and then it is nowhere.
    Withdraw,
}

impl Way {
    /// All that end the turn themselves.
    pub(super) const ENDING: [Self; 7] = [
        Self::Edit,
        Self::Remove,
        Self::Unsend,
        Self::Stop,
        Self::Undo,
        Self::DeleteChat,
        Self::Erase,
    ];

    /// Asks the question, in a chat in which this was said.
    pub(super) fn asks(self, visitor: &Visitor, begun: &str, words: &str) -> Stream {
        if self == Self::Undo { visitor.asks_instead(begun, words) } else { visitor.asks(words) }
    }

    /// Takes it back, whoever answers; what it was.
    pub(super) fn takes_back(self, visitor: &Visitor, asked: &Stream) -> String {
        let (frames, chat) = (asked.frames(), &visitor.chat);
        let id = frames.iter().find_map(|frame| frame.message()).expect("the question was told");
        let edit = frames.iter().find_map(|frame| frame.data["data"]["editId"].as_str());
        let in_chat = json!({ "chatId": chat });
        let with = json!({ "chatId": chat, "newContent": "something else", "stream": false });
        let path = format!("/w/messages/{id}");
        let done = match self {
            Self::Edit => visitor.call("PUT", &format!("{path}?interrupt=true"), &with),
            Self::Remove => visitor.call("DELETE", &format!("{path}?interrupt=true"), &in_chat),
            Self::Unsend => visitor.call("POST", &format!("{path}/unsend"), &in_chat),
            Self::Stop => visitor.call("POST", "/w/messages/stop", &in_chat),
            Self::Undo => {
                let undo = format!("/w/edits/{}/undo?interrupt=true", edit.expect("it is an edit"));
                visitor.call("POST", &undo, &Value::Null)
            }
            Self::DeleteChat => visitor.call("DELETE", &format!("/w/chats/{chat}"), &Value::Null),
            Self::Erase => {
                let path = "/api/users/me/erase";
                call(visitor.address, "POST", path, &visitor.headers, &Value::Null)
            }
            Self::Withdraw => {
                visitor.switches(false);
                return id.to_owned();
            }
        };
        let status = if self == Self::DeleteChat { 204 } else { 200 };
        assert_eq!(done.status, status, "{self:?}: {}", done.body);
        id.to_owned()
    }
}
