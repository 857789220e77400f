//! The ways of one letter.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use unsaid_core::{
    domain::{
        conversation::{change::SendOutcome, key::ConversationKey},
        id::{DeliveryId, SourceId},
        message::ReplyToken,
    },
    port::messenger::Letter,
};
use uuid::Uuid;

use super::{Outbox, SENT_TOTAL, TOKEN_MS, split::split};
use crate::client::LineError;

/// The name under which LINE takes whatever a delivery caused, once.
#[must_use]
pub fn retry_key(delivery: &DeliveryId) -> Uuid {
    named(delivery.as_str())
}

fn named(name: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes())
}

/// One letter, and the time it has.
pub(super) struct Delivery<'a> {
    outbox: &'a Outbox,
    letter: &'a Letter,
    ends: Instant,
}

/// A way to get there.
#[derive(Debug, Clone, Copy)]
enum Way<'a> {
    Reply(&'a ReplyToken),
    Push(Uuid),
}

impl Way<'_> {
    fn name(self) -> &'static str {
        match self {
            Self::Reply(_) => "reply",
            Self::Push(_) => "push",
        }
    }
}

/// What became of a letter on one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// LINE has it.
    Sent,
    /// LINE may have it, so no other way is open.
    Lost,
    /// LINE certainly does not have it.
    Not,
}

/// What to do after an attempt that failed.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Again { after: Duration },
    Over(Fate),
}

impl<'a> Delivery<'a> {
    pub(super) fn new(outbox: &'a Outbox, letter: &'a Letter, ends: Instant) -> Self {
        Self { outbox, letter, ends }
    }

    /// Goes one way, and the other if that certainly failed.
    pub(super) async fn run(&self) -> SendOutcome {
        let ConversationKey::Line(to) = &self.letter.conversation else {
            return self.impossible("not a conversation on LINE");
        };
        let Some(texts) = split(self.letter.text.as_str()) else {
            return self.impossible("nothing that LINE takes");
        };
        let ways: Vec<Way<'_>> = [self.reply(), self.push()].into_iter().flatten().collect();
        if ways.is_empty() {
            count("none", "failed");
        }
        for way in ways {
            match self.go(way, to, &texts).await {
                Fate::Sent => return SendOutcome::Sent,
                Fate::Lost => return SendOutcome::Unknown,
                Fate::Not => {}
            }
        }
        SendOutcome::Failed
    }

    fn reply(&self) -> Option<Way<'a>> {
        let token = self.letter.way_back.as_ref()?.token.as_ref()?;
        self.token_is_fresh().then_some(Way::Reply(token))
    }

    fn push(&self) -> Option<Way<'a>> {
        let key = match &self.letter.way_back {
            Some(way_back) => retry_key(&way_back.delivery),
            // No delivery, no name of it: the answer's own is as good.
            None => named(&format!("{} {}", self.letter.conversation, self.letter.id)),
        };
        self.outbox.options.push.then_some(Way::Push(key))
    }

    /// Tries one way until it is clear, or has been tried enough.
    async fn go(&self, way: Way<'_>, to: &SourceId, texts: &[&str]) -> Fate {
        let mut so_far = SoFar::default();
        let fate = loop {
            let Some(within) = self.time_for(way) else { break so_far.given_up() };
            let client = &self.outbox.client;
            let answer = match way {
                Way::Reply(token) => client.reply(token, texts, within).await,
                Way::Push(key) => client.push(to, texts, key, within).await,
            };
            let Err(error) = answer else { break Fate::Sent };
            self.log(way, error);
            match so_far.after(way, error, self.outbox.options.times.pause) {
                Next::Again { after } if self.has_time_after(after) => sleep(after).await,
                Next::Again { .. } => break so_far.given_up(),
                Next::Over(fate) => break fate,
            }
        };
        count(
            way.name(),
            match fate {
                Fate::Sent => "sent",
                Fate::Lost => "unknown",
                Fate::Not => "failed",
            },
        );
        fate
    }

    /// How long the next call may take; none if it may not begin.
    fn time_for(&self, way: Way<'_>) -> Option<Duration> {
        let is_open = match way {
            Way::Reply(_) => self.token_is_fresh(),
            Way::Push(_) => true,
        };
        let left = self.ends.saturating_duration_since(Instant::now());
        let times = &self.outbox.options.times;
        (is_open && left >= times.least).then(|| left.min(times.attempt))
    }

    fn has_time_after(&self, wait: Duration) -> bool {
        let left = self.ends.saturating_duration_since(Instant::now());
        left.checked_sub(wait).is_some_and(|left| left >= self.outbox.options.times.least)
    }

    fn token_is_fresh(&self) -> bool {
        let Some(way_back) = &self.letter.way_back else { return false };
        self.outbox.clock.now() <= way_back.received_at.plus_millis(TOKEN_MS)
    }

    fn log(&self, way: Way<'_>, error: LineError) {
        let Letter { conversation, turn, .. } = self.letter;
        let (turn, way, status) = (turn.get(), way.name(), error.status());
        tracing::warn!(%conversation, turn, way, error = error.name(), status, "line_send");
    }

    fn impossible(&self, why: &'static str) -> SendOutcome {
        let Letter { conversation, turn, .. } = self.letter;
        tracing::error!(%conversation, turn = turn.get(), why, "a letter that cannot be sent");
        count("none", "failed");
        SendOutcome::Failed
    }
}

/// What is known after the attempts so far.
#[derive(Debug, Default)]
struct SoFar {
    /// An answer was lost, so that nothing is certain any more.
    lost: bool,
    /// LINE was given the time it asked for.
    waited: bool,
}

impl SoFar {
    fn after(&mut self, way: Way<'_>, error: LineError, pause: Duration) -> Next {
        if let (Way::Push(_), Some(409)) = (way, error.status()) {
            // LINE has something of this name: this letter, if it may have come before. Otherwise
            // an earlier answer to the same question, of a turn that was cancelled meanwhile.
            return Next::Over(if self.lost { Fate::Sent } else { Fate::Lost });
        }
        if !error.is_certain() {
            let before = std::mem::replace(&mut self.lost, true);
            return if before { Next::Over(Fate::Lost) } else { Next::Again { after: pause } };
        }
        match error.retry_after() {
            Some(after) if error.status() == Some(429) && !self.waited => {
                self.waited = true;
                Next::Again { after }
            }
            Some(_) | None => Next::Over(self.given_up()),
        }
    }

    fn given_up(&self) -> Fate {
        if self.lost { Fate::Lost } else { Fate::Not }
    }
}

fn count(way: &'static str, outcome: &'static str) {
    metrics::counter!(SENT_TOTAL, "way" => way, "outcome" => outcome).increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messenger::SendTimes;

    const PAUSE: Duration = Duration::from_millis(1);

    fn limited(retry_after: Option<Duration>) -> LineError {
        LineError::Refused { status: 429, token: false, retry_after }
    }

    #[test]
    fn line_is_given_the_time_it_asks_for_once() {
        let week = Duration::from_hours(7 * 24);
        let mut so_far = SoFar::default();
        let push = Way::Push(Uuid::nil());
        assert_eq!(so_far.after(push, limited(None), PAUSE), Next::Over(Fate::Not));
        assert_eq!(so_far.after(push, limited(Some(week)), PAUSE), Next::Again { after: week });
        assert_eq!(so_far.after(push, limited(Some(week)), PAUSE), Next::Over(Fate::Not));
    }

    #[test]
    fn after_a_lost_answer_nothing_is_certain() {
        let token = ReplyToken::new("token");
        for way in [Way::Reply(&token), Way::Push(Uuid::nil())] {
            for error in [LineError::Unreachable, limited(None), LineError::TimedOut] {
                let mut so_far = SoFar::default();
                let next = so_far.after(way, LineError::Cut, PAUSE);
                assert_eq!(next, Next::Again { after: PAUSE });
                assert_eq!(so_far.after(way, error, PAUSE), Next::Over(Fate::Lost));
            }
        }
    }

    #[test]
    fn the_longest_way_fits_into_the_time_of_a_turn() {
        let times = SendTimes::default();
        // A letter has 25 seconds; the last answer is read for a moment.
        assert!(times.whole + Duration::from_secs(2) < Duration::from_secs(25));
        assert!(times.attempt * 3 + times.pause <= times.whole);
    }
}
