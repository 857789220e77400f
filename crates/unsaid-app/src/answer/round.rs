//! A round: the agents of a world answer a person one after the other, and each other if they are
//! mentioned. It is one turn, so whatever takes it back takes back all that is still to come (H5);
//! each answer is committed when it is whole.
//!
//! - `order`: whose turn it is. `speaker`: one agent that is asked. `mouth`: what is passed on while it
//!   speaks.

mod mouth;
mod order;
mod speaker;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use jiff::tz::TimeZone;
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Decision},
            log::Entry,
            turn::Lease,
        },
        hearing::Hearers,
        id::{AgentId, Fence, MessageId},
        routing::responders,
        text::Words,
        world::{Agent, World},
    },
    port::{
        error::StoreError,
        model::Model,
        worlds::{WorldKey, Worlds},
    },
};

use self::{
    order::{Next, Order},
    speaker::Speaker,
};
use super::{
    Ended, Failure, ReadCalls, Stopped,
    hold::Hold,
    reading::{PAGE_MESSAGES, in_time},
    voices::Voices,
};
use crate::place::Place;

/// What the server adds to the prompt of every agent.
const MANNER: &str = include_str!("round/manner.txt");
/// The only tool of an agent.
const SKIP: &str = "skip";
/// How far back an agent's memory is looked for, a page being a hundred messages: others may have
/// said very much that it did not hear.
const PAGES_MAX: usize = 10;
/// Messages read at a time when a round is taken up again.
const ANSWERS_MAX: usize = 500;

/// Knows what thinks for an agent.
pub trait Minds: Send + Sync {
    /// Its model; `None` if what it wants is not there.
    fn mind(&self, agent: &Agent) -> Option<Arc<dyn Model>>;
}

/// A world whose agents answer in one of its chats.
#[derive(Clone)]
pub struct Round {
    /// The chat, and whose it is.
    pub place: Place,
    /// The world.
    pub world: WorldKey,
    /// Its settings, as they are now.
    pub worlds: Arc<dyn Worlds>,
    /// What thinks.
    pub minds: Arc<dyn Minds>,
    /// How the person is called.
    pub person: String,
    /// Where time is local.
    pub zone: TimeZone,
    /// `limits.calls_per_round`.
    pub calls_max: usize,
    /// How long one call may take.
    pub call_max: Duration,
    /// Finds a call that a model wrote as text.
    pub read_calls: ReadCalls,
    /// Who listens.
    pub voices: Voices,
}

impl Round {
    pub(super) fn time_max(&self) -> Duration {
        self.call_max.saturating_mul(u32::try_from(self.calls_max).unwrap_or(u32::MAX))
    }
}

/// Who is there, read again before each call: agents come, go and forget.
struct Company {
    world: World,
    hearers: Hearers,
}

/// What came of asking one agent.
enum Spoke {
    /// It answered, and the round goes on.
    Said(Box<Entry>),
    /// It answered last.
    Last(MessageId),
    /// It answered, and nobody wants that kept.
    NotKept,
    /// It chose silence.
    Nothing(Words),
    /// It failed; others may not.
    Failed(Failure),
}

/// How a round went so far.
#[derive(Default)]
struct Tally {
    answered: Option<MessageId>,
    reason: Option<Words>,
    failed: Option<Failure>,
}

pub(super) async fn run(round: &Round, hold: &Hold<'_>) -> Result<Ended, Stopped> {
    let key = hold.pen.key;
    let (first, newest) = tokio::try_join!(company(round, hold), newest_page(hold))?;
    let questions = questions(hold, &newest).await?;
    let earlier = hold.unless_over(in_time(hold, answers_so_far(hold, &questions))).await??;
    let asked: Vec<&Entry> = questions.iter().collect();
    let mut order =
        Order::after(&asked, &earlier, |entry| answering(&first.world, &first.hearers, entry));
    let answered = earlier.last().map(|answer| answer.message.id.clone());
    let mut tally = Tally { answered, ..Tally::default() };
    let (mut first, mut newest) = (Some(first), Some(newest));
    if order.is_over() && tally.answered.is_none() {
        round.voices.nobody(key);
    }
    loop {
        let Company { world, hearers } = match first.take() {
            Some(company) => company,
            None => company(round, hold).await?,
        };
        let each_max = usize::try_from(world.turn_limit).unwrap_or(usize::MAX);
        let (id, owed) = match order.next(each_max, round.calls_max) {
            Next::Nobody => break,
            Next::TooOften(agent) => {
                round.voices.limit(key, agent);
                continue;
            }
            Next::Speak(agent, owed) => (agent, owed),
        };
        // Who left meanwhile is not asked.
        let Some(agent) = hearers.agents.iter().find(|agent| agent.id == id) else { continue };
        let (world, hearers, newest) = (&world, &hearers, newest.take());
        let speaker = Speaker { round, hold, world, hearers, agent, owed, newest };
        match speaker.speak(order.is_over()).await? {
            Spoke::Said(entry) => {
                let id = entry.message.id.clone();
                order.ask(answering(world, hearers, &entry), entry.number, &id);
                tally.answered = Some(id);
            }
            Spoke::Last(id) => return Ok(Ended::Answered { id, known: true }),
            Spoke::NotKept => {
                let end = Change::Decide { fence: hold.fence(), decision: Decision::Answered };
                return Ok(Ended::NotKept.if_written(hold.pen.end(end).await));
            }
            Spoke::Nothing(reason) => tally.reason = Some(reason),
            Spoke::Failed(failure) => tally.failed = Some(failure),
        }
    }
    tally.end(hold).await
}

impl Tally {
    /// Ends a round in which nobody knew that they spoke last.
    async fn end(self, hold: &Hold<'_>) -> Result<Ended, Stopped> {
        let fence = hold.fence();
        let (decision, ended) = match (self.answered, self.failed) {
            (Some(id), _) => (Decision::Answered, Ended::Answered { id, known: true }),
            (None, Some(failure)) => return Err(failure.into()),
            (None, None) => (Decision::Silent { reason: self.reason }, Ended::Silent),
        };
        Ok(ended.if_written(hold.pen.end(Change::Decide { fence, decision }).await))
    }
}

/// Who is asked next in a round that may run elsewhere, as far as that can be told from what was said:
/// what it was asked, and all that came after.
pub(crate) fn next_speaker(
    world: &World,
    agents: &[Agent],
    turn: &Lease,
    said: &[Entry],
) -> Option<AgentId> {
    let heard = || said.iter().filter(|entry| entry.is_heard());
    let questions: Vec<&Entry> =
        heard().filter(|entry| turn.questions.contains(&entry.number)).collect();
    let rounds: BTreeSet<Fence> =
        questions.iter().flat_map(|question| question.asked_in.iter().copied()).collect();
    let answers = heard().filter(|entry| entry.turn.is_some_and(|turn| rounds.contains(&turn)));
    let mut order = Order::after(&questions, answers, |entry| {
        responders(world, agents, &entry.message.author, &entry.message.text())
    });
    match order.next(usize::MAX, usize::MAX) {
        Next::Speak(agent, _) => Some(agent),
        Next::Nobody | Next::TooOften(_) => None,
    }
}

/// Who answers an entry: of those who heard it.
fn answering(world: &World, hearers: &Hearers, entry: &Entry) -> Vec<AgentId> {
    let text = entry.message.text();
    let hearing = hearers.of(entry);
    let agents = responders(world, &hearers.agents, &entry.message.author, &text);
    agents.into_iter().filter(|agent| hearing.contains(agent)).collect()
}

/// What was said last; most often that is all there is to read.
async fn newest_page(hold: &Hold<'_>) -> Result<Vec<Entry>, Stopped> {
    let read = hold.pen.desk.history.page(hold.pen.key, None, PAGE_MESSAGES);
    Ok(hold.unless_over(in_time(hold, read)).await??)
}

/// What the turn was asked; older than the newest page only if very much was said since.
async fn questions(hold: &Hold<'_>, newest: &[Entry]) -> Result<Vec<Entry>, Stopped> {
    let read = async {
        let mut questions = Vec::with_capacity(hold.lease.questions.len());
        for number in &hold.lease.questions {
            if let Some(entry) = newest.iter().find(|entry| entry.number == *number) {
                questions.push(entry.clone());
                continue;
            }
            let found = hold.pen.desk.history.page(hold.pen.key, Some(number.next()), 1).await?;
            questions.extend(found.into_iter().filter(|entry| entry.number == *number));
        }
        Ok(questions)
    };
    Ok(hold.unless_over(in_time(hold, read)).await??)
}

/// What was answered before this round was taken up again.
async fn answers_so_far(hold: &Hold<'_>, asked: &[Entry]) -> Result<Vec<Entry>, StoreError> {
    let is_new = asked.iter().all(|question| question.asked_in.len() <= 1);
    let Some(first) = asked.first().filter(|_| !is_new) else { return Ok(Vec::new()) };
    let (history, key) = (&hold.pen.desk.history, hold.pen.key);
    let after = history.entries_after(key, first.number, ANSWERS_MAX).await?;
    let is_answer = |entry: &Entry| {
        let turn = entry.turn.filter(|turn| *turn != hold.fence());
        turn.is_some_and(|turn| asked.iter().any(|question| question.asked_in.contains(&turn)))
    };
    Ok(after.into_iter().filter(|entry| entry.is_heard() && is_answer(entry)).collect())
}

async fn company(round: &Round, hold: &Hold<'_>) -> Result<Company, Stopped> {
    let read = async {
        let (world, agents, cleared) = tokio::try_join!(
            round.worlds.world(&round.world),
            round.worlds.agents(&round.world),
            hold.pen.desk.history.cleared(hold.pen.key),
        )?;
        Ok::<_, StoreError>(
            world
                .zip(agents.ok())
                .map(|(world, agents)| Company { world, hearers: Hearers { agents, cleared } }),
        )
    };
    // A world that is gone has taken its chats along, and every turn in them.
    hold.unless_over(in_time(hold, read)).await??.ok_or(Stopped::Lost)
}

#[cfg(test)]
mod tests {
    use unsaid_core::domain::{
        conversation::Conversation,
        id::{HolderId, Number},
        message::{Author, Message, Part},
    };
    use unsaid_testkit::builder::{agent, agent_id, answer, ask, at, message, words, world};

    use super::*;

    /// Who answered, and what.
    type Answers<'a> = &'a [(&'a str, &'a str)];

    /// A log in which `ana` has said something and agents answered, with the running turn.
    fn said(question: &str, answers: Answers<'_>) -> (Vec<Entry>, Lease) {
        let mut log = Conversation::default();
        let parts = |text: &str| vec![Part::text(words(text))];
        let asked = Message { parts: parts(question), ..message("q") };
        log.apply(ask(asked, at(0)), at(0)).unwrap();
        let holder = HolderId::new("elsewhere").unwrap();
        log.apply(Change::Begin { holder, until: at(30_000) }, at(0)).unwrap();
        let turn = log.turn.clone().expect("it began");
        for (nth, (name, text)) in answers.iter().enumerate() {
            let author = Author::Agent(agent_id(name));
            let message = Message { author, parts: parts(text), ..answer(&format!("r{nth}")) };
            let messages = vec![message];
            let change = Change::Answer { fence: turn.fence, messages, last: false };
            log.apply(change, at(1)).unwrap();
        }
        (log.log.from(Number::ZERO).cloned().collect(), turn)
    }

    #[test]
    fn whose_turn_it_is_can_be_told_from_what_was_said() {
        let agents = [agent("o1"), agent("a1"), agent("b1")];
        let cases: [(&str, Answers<'_>, Option<&str>); 6] = [
            ("hello", &[], Some("o1")),
            ("hello", &[("o1", "hi")], Some("a1")),
            ("hello", &[("o1", "hi"), ("a1", "hi"), ("b1", "hi")], None),
            ("@o1 begin", &[("o1", "@a1 what do you say?")], Some("a1")),
            ("@o1 begin", &[("o1", "@a1 and you?"), ("a1", "@o1 fine")], Some("o1")),
            ("@o1 begin", &[("o1", "no")], None),
        ];
        for (question, answers, expected) in cases {
            let (said, turn) = said(question, answers);
            let next = next_speaker(&world("ana", "w"), &agents, &turn, &said);
            assert_eq!(next, expected.map(agent_id), "{question} {answers:?}");
        }
    }
}
