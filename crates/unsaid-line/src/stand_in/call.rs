//! What can be asked of it.

/// One kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// Answering with a reply token.
    Reply,
    /// Saying something unasked.
    Push,
    /// The loading animation.
    Loading,
    /// What a friend is called.
    Profile,
    /// What a member of a group or room is called.
    Member,
    /// What a group is called.
    GroupSummary,
    /// How many are in a group or room.
    MembersCount,
    /// What was sent with a message.
    Content,
    /// Who the bot is.
    BotInfo,
    /// Where events are delivered to.
    WebhookEndpoint,
    /// Whether that works.
    WebhookTest,
}

/// A call that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Its kind.
    pub call: Call,
    /// What was answered; nothing if the answer was to be lost.
    pub status: Option<u16>,
}
