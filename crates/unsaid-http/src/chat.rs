//! Talking in sessions: what the door holds for it, and how an answer is streamed.
//!
//! - `stream`: an answer as frames of the AI SDK's UI message stream.
//! - [`open_streams`]: how many of them somebody has open.

pub mod open_streams;
pub(crate) mod stream;

use std::sync::Arc;
use std::time::Duration;

use unsaid_app::logs::Logs;
use unsaid_app::session::{Experts, Speeches};
use unsaid_core::domain::conversation::change::Ripple;
use unsaid_core::domain::session::SessionTerms;
use unsaid_core::port::volatile::Volatile;

use self::open_streams::OpenStreams;

/// What sessions need.
pub struct Sessions {
    /// Where words go.
    pub logs: Logs,
    /// What is only in memory, as whoever erases sees it.
    pub volatile: Arc<dyn Volatile>,
    /// Where answers are heard.
    pub speeches: Speeches,
    /// Who can be talked to.
    pub experts: Arc<Experts>,
    /// What sessions cost.
    pub terms: SessionTerms,
    /// What happens to answers when their question is taken back.
    pub ripple: Ripple,
    /// Who listens how often.
    pub streams: OpenStreams,
    /// How long a turn may take.
    pub turn_max: Duration,
}
