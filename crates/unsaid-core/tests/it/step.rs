//! Random changes. Ids come from small pools, so that they meet; every text is its own.

use proptest::{collection::vec, option, prelude::*};
use unsaid_core::domain::{
    conversation::{
        Conversation,
        change::{
            Change, Cut, Decision, Interrupt, Missing, Remove, ReplaceTail, Revise, Ripple, Say,
            SendOutcome,
        },
        log::Sending,
    },
    id::{EditId, Fence, HolderId, MessageId, PersonId},
    message::{Author, Message},
    text::Words,
    time::Timestamp,
};

use crate::given;

const PEOPLES_IDS: u8 = 8;
const AGENTS_IDS: u8 = 4;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// One change, as yet without the circumstances that it meets.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// Milliseconds since the step before; clocks may stand still, and go back a little.
    pub(crate) pause_ms: i64,
    verb: Verb,
}

/// A message, whoever said it.
#[derive(Debug, Clone, Copy)]
enum Pick {
    /// One that was never there.
    Fresh,
    /// One of a few: below `PEOPLES_IDS` a person's, else an agent's.
    Pool(u8),
    /// A person's that can be read, counted from the newest.
    Live(u8),
    /// Anybody's that an undo would bring back.
    Lost(u8),
}

#[derive(Debug, Clone)]
enum Verb {
    Say { pick: Pick, delivery: Option<u8>, wants_in_ms: Option<i64>, way_back: Option<bool> },
    Fill { pick: Pick },
    Begin { lease_ms: i64 },
    Renew { back: u64, lease_ms: i64 },
    Intend { back: u64, pick: Pick },
    Settle { pick: Option<Pick>, outcome: SendOutcome },
    Answer { back: u64, picks: Vec<Pick>, last: bool },
    Decide { back: u64, silent: bool },
    Release { back: u64 },
    Stop,
    Forget(Forget),
}

#[derive(Debug, Clone)]
enum Forget {
    Revise {
        pick: Pick,
        known: bool,
        at_ms: i64,
        ripple: Ripple,
    },
    Remove {
        pick: Pick,
        missing: Missing,
        ripple: Ripple,
    },
    ReplaceTail {
        from: Pick,
        after: bool,
        with: Option<Pick>,
        undo_ms: Option<i64>,
        interrupt: Interrupt,
    },
    Restore {
        back: usize,
        interrupt: Interrupt,
        or_nothing: bool,
    },
    CloseUndo,
    Clear,
    EraseAuthor {
        person: u8,
        ripple: Ripple,
    },
    EraseAll,
    Expire,
}

/// What a step meets.
pub(crate) struct Circumstances<'a> {
    pub(crate) index: usize,
    pub(crate) now: Timestamp,
    pub(crate) state: &'a Conversation,
    /// All edits made so far.
    pub(crate) edits: &'a [EditId],
}

/// Sequences of steps.
pub(crate) fn steps(length_max: usize) -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 1..length_max)
}

impl Step {
    /// The change it means in its circumstances.
    pub(crate) fn change(&self, met: &Circumstances<'_>) -> Change {
        let now = met.now;
        let text = format!("step {}.", met.index);
        let fence = |back: &u64| Fence::new((met.state.last_fence.get() + 1).saturating_sub(*back));
        match &self.verb {
            Verb::Say { pick, delivery, wants_in_ms, way_back } => Change::Say(Say {
                message: message(&id(met, *pick), &text),
                delivery: delivery.map(|n| given::delivery(&format!("d{n}"))),
                wants_answer: wants_in_ms.map(|ms| now.plus_millis(ms)),
                way_back: way_back.map(|token| given::way_back(&format!("w{}", met.index), token)),
            }),
            Verb::Fill { pick } => Change::Fill { id: id(met, *pick), parts: given::parts(&text) },
            Verb::Begin { lease_ms } => Change::Begin {
                holder: HolderId::new("h").unwrap(),
                until: now.plus_millis(*lease_ms),
            },
            Verb::Renew { back, lease_ms } => {
                Change::Renew { fence: fence(back), until: now.plus_millis(*lease_ms) }
            }
            Verb::Intend { back, pick } => Change::Intend {
                fence: fence(back),
                message: answer(&answer_id(met, *pick, 0), &text),
            },
            Verb::Settle { pick, outcome } => {
                Change::Settle { id: to_settle(met, *pick), outcome: *outcome }
            }
            Verb::Answer { back, picks, last } => {
                let messages = picks.iter().enumerate();
                let messages = messages
                    .map(|(n, pick)| answer(&answer_id(met, *pick, n), &format!("{text}{n}.")))
                    .collect();
                Change::Answer { fence: fence(back), messages, last: *last }
            }
            Verb::Decide { back, silent } => {
                Change::Decide { fence: fence(back), decision: decision(*silent, text) }
            }
            Verb::Release { back } => Change::Release { fence: fence(back) },
            Verb::Stop => Change::Stop,
            Verb::Forget(forget) => forget.change(met, &text),
        }
    }
}

impl Forget {
    fn change(&self, met: &Circumstances<'_>, text: &str) -> Change {
        let now = met.now;
        match self {
            Forget::Revise { pick, known, at_ms, ripple } => Change::Revise(Revise {
                id: id(met, *pick),
                by: speaker(&id(met, *pick)).filter(|_| *known),
                parts: given::parts(text),
                at: given::at(*at_ms),
                ripple: *ripple,
            }),
            Forget::Remove { pick, missing, ripple } => {
                Change::Remove(Remove { id: id(met, *pick), missing: *missing, ripple: *ripple })
            }
            Forget::ReplaceTail { from, after, with, undo_ms, interrupt } => {
                let edit = given::edit(&format!("e{}", met.index));
                Change::ReplaceTail(ReplaceTail {
                    from: cut(met, *from, *after),
                    with: with.map(|pick| (message(&id(met, pick), text), Some(now))),
                    undo: undo_ms.map(|ms| (edit, now.plus_millis(ms))),
                    interrupt: *interrupt,
                })
            }
            Forget::Restore { back, interrupt, or_nothing } => {
                let edit = met.edits.iter().rev().nth(*back).cloned();
                let edit = edit.unwrap_or_else(|| given::edit("nobody-made-this"));
                Change::Restore { edit, interrupt: *interrupt, or_nothing: *or_nothing }
            }
            Forget::CloseUndo => Change::CloseUndo,
            Forget::Clear => Change::Clear(given::agent("bot")),
            Forget::EraseAuthor { person, ripple } => {
                let person = given::person(&format!("p{person}"));
                Change::EraseAuthor { person, ripple: *ripple }
            }
            Forget::EraseAll => Change::EraseAll,
            Forget::Expire => Change::Expire,
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let pause_ms = prop_oneof![
        30 => Just(0),
        12 => 1..2_000_i64,
        1 => Just(-5),
        2 => Just(40_000),
        1 => Just(700_000),
        1 => Just(DAY_MS),
        1 => Just(8 * DAY_MS),
    ];
    (pause_ms, verb()).prop_map(|(pause_ms, verb)| Step { pause_ms, verb })
}

fn verb() -> impl Strategy<Value = Verb> {
    let delivery = option::weighted(0.4, 0..20_u8);
    let wants = option::weighted(0.8, prop_oneof![4 => Just(0_i64), 1 => Just(1_500)]);
    let way_back = option::weighted(0.6, any::<bool>());
    let say = (spoken(), delivery, wants, way_back).prop_map(
        |(pick, delivery, wants_in_ms, way_back)| Verb::Say {
            pick,
            delivery,
            wants_in_ms,
            way_back,
        },
    );
    prop_oneof![
        60 => say,
        4 => meant().prop_map(|pick| Verb::Fill { pick }),
        90 => turn_verb(),
        60 => forget().prop_map(Verb::Forget),
    ]
}

fn forget() -> impl Strategy<Value = Forget> {
    let restore = (prop_oneof![4 => Just(0_usize), 1 => 1..3_usize], interrupt(), any::<bool>());
    let restore = restore.prop_map(|(back, interrupt, or_nothing)| Forget::Restore {
        back,
        interrupt,
        or_nothing,
    });
    let erase_author = (0..2_u8, ripple());
    prop_oneof![
        10 => revise(),
        14 => remove(),
        12 => replace_tail(),
        12 => restore,
        2 => Just(Forget::CloseUndo),
        1 => Just(Forget::Clear),
        2 => erase_author.prop_map(|(person, ripple)| Forget::EraseAuthor { person, ripple }),
        1 => Just(Forget::EraseAll),
        2 => Just(Forget::Expire),
    ]
}

fn turn_verb() -> impl Strategy<Value = Verb> {
    let outcome =
        prop::sample::select(vec![SendOutcome::Sent, SendOutcome::Failed, SendOutcome::Unknown]);
    let lease_ms = prop_oneof![1 => Just(1_i64), 6 => Just(30_000)];
    let answers = vec(answering(), 0..3);
    prop_oneof![
        12 => lease_ms.clone().prop_map(|lease_ms| Verb::Begin { lease_ms }),
        1 => (back(), lease_ms).prop_map(|(back, lease_ms)| Verb::Renew { back, lease_ms }),
        6 => (back(), answering()).prop_map(|(back, pick)| Verb::Intend { back, pick }),
        5 => (option::weighted(0.1, meant()), outcome)
            .prop_map(|(pick, outcome)| Verb::Settle { pick, outcome }),
        8 => (back(), answers, any::<bool>())
            .prop_map(|(back, picks, last)| Verb::Answer { back, picks, last }),
        4 => (back(), any::<bool>()).prop_map(|(back, silent)| Verb::Decide { back, silent }),
        1 => back().prop_map(|back| Verb::Release { back }),
        1 => Just(Verb::Stop),
    ]
}

fn revise() -> impl Strategy<Value = Forget> {
    (meant(), any::<bool>(), 0..5_i64, ripple())
        .prop_map(|(pick, known, at_ms, ripple)| Forget::Revise { pick, known, at_ms, ripple })
}

fn remove() -> impl Strategy<Value = Forget> {
    let missing = prop::sample::select(vec![Missing::Remember, Missing::Refuse]);
    (meant(), missing, ripple()).prop_map(|(pick, missing, ripple)| Forget::Remove {
        pick,
        missing,
        ripple,
    })
}

fn replace_tail() -> impl Strategy<Value = Forget> {
    let undo_ms = option::weighted(0.9, prop_oneof![1 => Just(10_i64), 4 => Just(600_000)]);
    let with = option::weighted(0.7, prop_oneof![2 => spoken(), 1 => meant()]);
    let after = prop::bool::weighted(0.2);
    (meant(), after, with, undo_ms, interrupt()).prop_map(
        |(from, after, with, undo_ms, interrupt)| Forget::ReplaceTail {
            from,
            after,
            with,
            undo_ms,
            interrupt,
        },
    )
}

/// What is said is new mostly, and known or overtaken sometimes.
fn spoken() -> impl Strategy<Value = Pick> {
    prop_oneof![3 => Just(Pick::Fresh), 2 => pool()]
}

/// Answers are new mostly.
fn answering() -> impl Strategy<Value = Pick> {
    prop_oneof![8 => Just(Pick::Fresh), 1 => pool()]
}

/// What is taken back or edited can be read mostly.
fn meant() -> impl Strategy<Value = Pick> {
    prop_oneof![10 => (0..8_u8).prop_map(Pick::Live), 3 => pool(), 1 => (0..4_u8).prop_map(Pick::Lost)]
}

fn pool() -> impl Strategy<Value = Pick> {
    let both = PEOPLES_IDS + AGENTS_IDS;
    prop_oneof![3 => 0..PEOPLES_IDS, 1 => PEOPLES_IDS..both].prop_map(Pick::Pool)
}

/// The newest fence mostly, an older one sometimes, or one that was never given.
fn back() -> impl Strategy<Value = u64> {
    prop_oneof![12 => Just(1_u64), 1 => Just(0_u64), 1 => 2..5_u64]
}

fn ripple() -> impl Strategy<Value = Ripple> {
    prop::sample::select(vec![Ripple::Withdraw, Ripple::Keep])
}

fn interrupt() -> impl Strategy<Value = Interrupt> {
    prop::sample::select(vec![Interrupt::Yes, Interrupt::No])
}

fn id(met: &Circumstances<'_>, pick: Pick) -> MessageId {
    let found = match pick {
        Pick::Fresh => None,
        Pick::Pool(n) if n < PEOPLES_IDS => Some(given::id(&format!("m{n}"))),
        Pick::Pool(n) => Some(given::id(&format!("a{n}"))),
        Pick::Live(n) => {
            let log = met.state.log.iter().rev();
            let live: Vec<_> = log.filter(|entry| entry.message.author.is_person()).collect();
            nth(&live, n).map(|entry| entry.message.id.clone())
        }
        Pick::Lost(n) => {
            let lost = met.state.undo.as_ref().map_or(&[][..], |undo| &undo.entries);
            nth(lost, n).map(|entry| entry.message.id.clone())
        }
    };
    found.unwrap_or_else(|| given::id(&format!("m{}", 100 + met.index)))
}

/// From a message on, or after it; after everything if it is not there.
fn cut(met: &Circumstances<'_>, pick: Pick, after: bool) -> Cut {
    let (id, state) = (id(met, pick), met.state);
    if after {
        Cut::After(state.log.by_id(&id).map_or(state.last_number, |entry| entry.number))
    } else {
        Cut::At(id)
    }
}

/// One of them, whatever the number.
fn nth<T>(all: &[T], n: u8) -> Option<&T> {
    all.get(usize::from(n) % all.len().max(1))
}

fn answer_id(met: &Circumstances<'_>, pick: Pick, place: usize) -> MessageId {
    match pick {
        Pick::Fresh => given::id(&format!("a{}-{place}", 100 + met.index)),
        Pick::Pool(_) | Pick::Live(_) | Pick::Lost(_) => id(met, pick),
    }
}

/// Whose message an id is: an agent's, or one of three people's, of whom one is unknown.
fn author(id: &MessageId) -> Author {
    match id.as_str().strip_prefix('m').and_then(|digits| digits.parse::<usize>().ok()) {
        Some(n) => Author::Person((n % 3 != 2).then(|| given::person(&format!("p{}", n % 3)))),
        None => Author::Agent(given::agent("bot")),
    }
}

fn speaker(id: &MessageId) -> Option<PersonId> {
    match author(id) {
        Author::Person(person) => person,
        Author::Agent(_) => None,
    }
}

fn message(id: &MessageId, text: &str) -> Message {
    Message { parts: given::parts(text), ..given::by(author(id), id.as_str()) }
}

fn answer(id: &MessageId, text: &str) -> Message {
    Message { parts: given::parts(text), ..given::answered(id.as_str()) }
}

fn decision(silent: bool, text: String) -> Decision {
    if silent {
        Decision::Silent { reason: Some(Words::new(text).unwrap()) }
    } else {
        Decision::Failed { code: "model".to_owned() }
    }
}

/// The answer that is on its way, if there is one.
fn to_settle(met: &Circumstances<'_>, pick: Option<Pick>) -> MessageId {
    let intended = met.state.log.iter().find(|entry| entry.sending == Sending::Intended);
    let intended = intended.map(|entry| entry.message.id.clone());
    let picked = pick.map(|pick| id(met, pick));
    picked.or(intended).unwrap_or_else(|| id(met, Pick::Pool(0)))
}
