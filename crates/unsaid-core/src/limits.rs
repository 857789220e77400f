//! Every limit of the product, in one place.

/// The limits of one installation; `limits.*` of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Largest LINE webhook body.
    pub line_body_bytes: usize,
    /// Largest body of any other call.
    pub body_bytes: usize,
    /// Longest message, in Unicode code points.
    pub message_chars: usize,
    /// Largest image, video or file kept.
    pub media_bytes: usize,
    /// Agents in one world.
    pub agents_per_world: usize,
    /// Model calls that one message may cause.
    pub calls_per_round: usize,
    /// Most rows in one page of any list.
    pub page_size: usize,
    /// Open event streams of one person.
    pub streams_per_person: usize,
    /// Sign-in attempts on one account in 15 minutes.
    pub logins_per_15min_account: usize,
    /// Sign-in attempts from one address in 15 minutes.
    pub logins_per_15min_address: usize,
    /// Sign-ups from one address in an hour.
    pub registrations_per_hour_address: usize,
    /// Passwords hashed at the same time.
    pub password_hashes_at_once: usize,
    /// Passwords waiting to be hashed.
    pub password_hashes_waiting: usize,
    /// Changes one person may make in a minute.
    pub writes_per_min: usize,
    /// Reads one person may make in a minute.
    pub reads_per_min: usize,
    /// Messages of one conversation kept in memory for people without consent.
    pub volatile_messages: usize,
    /// Bytes of all such conversations together.
    pub volatile_bytes: usize,
    /// How long such a conversation lives without being touched, in milliseconds.
    pub volatile_ttl_ms: i64,
    /// Size at which a JSONL object is sealed.
    pub object_bytes: usize,
    /// Images in one prompt.
    pub prompt_images: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_body_bytes: 1 << 20,
            body_bytes: 1 << 20,
            message_chars: 20_000,
            media_bytes: 10 << 20,
            agents_per_world: 1_000,
            calls_per_round: 50,
            page_size: 100,
            streams_per_person: 10,
            logins_per_15min_account: 10,
            logins_per_15min_address: 50,
            registrations_per_hour_address: 20,
            password_hashes_at_once: 2,
            password_hashes_waiting: 20,
            writes_per_min: 60,
            reads_per_min: 300,
            volatile_messages: 200,
            volatile_bytes: 256 << 20,
            volatile_ttl_ms: 24 * 60 * 60 * 1_000,
            object_bytes: 1 << 20,
            prompt_images: 10,
        }
    }
}
