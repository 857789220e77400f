//! H12: what a change costs does not depend on the length of the conversation. Each engine counts
//! in a measure of its own that is the same on every machine.

use unsaid_core::domain::{
    conversation::{
        change::{Change, EndedTurn, Interrupt, Outcome, SendOutcome},
        key::ConversationKey,
    },
    id::{EditId, Fence, HolderId, SourceId},
    time::Timestamp,
};
use unsaid_core::port::history::SourceReport;
use unsaid_testkit::builder::{
    answer, ask_by_way, chat_key, edit, line_key, message, message_id, revise, source_id, unsend,
};

const SHORT_ROUNDS: u64 = 10;
/// Turns that are looked at.
pub(crate) const TURNS: usize = 5;
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_000);
const LATER: Timestamp = Timestamp::from_millis(2_000);

/// An engine that counts.
pub(crate) trait Meter {
    /// Makes a change at [`NOW`] that is not refused; what it cost.
    async fn make(&self, key: &ConversationKey, change: Change) -> (u64, Outcome);

    /// Looks at the first source on LINE after one; what it cost.
    async fn list(&self, after: Option<&SourceId>) -> (u64, Vec<SourceReport>);

    /// Looks at the newest turns of a conversation; what it cost.
    async fn turns(&self, key: &ConversationKey) -> (u64, Vec<EndedTurn>);

    /// A conversation was filled much faster than people talk: time for what engines do meanwhile.
    async fn rest(&self);
}

/// Fails if a change costs much more after so many rounds of questions and answers.
pub(crate) async fn assert_flat(meter: &impl Meter, rounds: u64) {
    let short = costs(meter, &chat_key("short"), SHORT_ROUNDS).await;
    let long = costs(meter, &chat_key("long"), rounds).await;
    for ((name, short), (_, long)) in short.iter().zip(&long) {
        assert!(*short > 0, "{name} was not counted");
        assert!(*long <= short + short / 2, "{name}: {short} when short, {long} when long");
    }
}

/// Fails if listing a source or its turns costs much more after so many rounds there.
pub(crate) async fn assert_list_flat(meter: &impl Meter, rounds: u64) {
    let (mut costs, mut costs_of_turns) = (Vec::new(), Vec::new());
    let mut after = None;
    for (name, rounds) in [("U-short", SHORT_ROUNDS), ("V-long", rounds)] {
        talk(meter, &line_key(name), rounds).await;
        meter.rest().await;
        let (cost, page) = meter.list(after.as_ref()).await;
        assert_eq!(page.first().map(|source| source.messages), Some(2 * rounds));
        after = Some(source_id(name));
        costs.push(cost);
        let (cost, turns) = meter.turns(&line_key(name)).await;
        assert_eq!(turns.len(), TURNS);
        costs_of_turns.push(cost);
    }
    for costs in [costs, costs_of_turns] {
        assert!(costs[0] > 0, "it was not counted");
        assert!(costs[1] <= costs[0] + costs[0] / 2, "{costs:?}");
    }
}

async fn talk(meter: &impl Meter, key: &ConversationKey, rounds: u64) {
    for round in 0..rounds {
        meter.make(key, ask_by_way(message(&format!("q{round}")), NOW)).await;
        let (_, fence) = begin(meter, key).await;
        let messages = vec![answer(&format!("a{round}"))];
        meter.make(key, Change::Answer { fence, messages, last: true }).await;
    }
}

/// Fills a conversation with questions and answers, then counts one change of each kind.
async fn costs(meter: &impl Meter, key: &ConversationKey, rounds: u64) -> Vec<(&'static str, u64)> {
    talk(meter, key, rounds).await;
    meter.rest().await;
    let mut costs = vec![("say", meter.make(key, ask_by_way(message("q"), NOW)).await.0)];
    let (cost, fence) = begin(meter, key).await;
    costs.push(("begin", cost));
    let last = format!("q{}", rounds - 1);
    let undo = Change::Restore {
        edit: EditId::new("e1").expect("an id"),
        interrupt: Interrupt::No,
        or_nothing: false,
    };
    let changes = [
        ("intend", Change::Intend { fence, message: answer("a") }),
        ("settle", Change::Settle { id: message_id("a"), outcome: SendOutcome::Sent }),
        ("revise", revise("q", "other words", LATER)),
        ("unsend", unsend("q")),
        ("edit of the last", edit(&last, message("new"), "e1", LATER)),
        ("undo", undo),
        ("unsend of the first", unsend("q0")),
        ("expire", Change::Expire),
    ];
    for (name, change) in changes {
        costs.push((name, meter.make(key, change).await.0));
    }
    costs
}

async fn begin(meter: &impl Meter, key: &ConversationKey) -> (u64, Fence) {
    let holder = HolderId::new("h").expect("an id");
    match meter.make(key, Change::Begin { holder, until: LATER }).await {
        (cost, Outcome::Began(lease)) => (cost, lease.fence),
        (_, other) => panic!("{other:?}"),
    }
}
