//! What a model is asked: read from the stores, newest first, and no more than is shown.

use std::collections::BTreeSet;

use tokio::time::timeout;
use unsaid_core::{
    domain::{
        conversation::log::Entry,
        id::{MediaKey, MessageId, Number},
        message::WayBack,
        prompt::{Budget, Prompt, Scene, Shown, ShownPiece, ShownTurn},
        text::Words,
    },
    port::{
        error::StoreError,
        model::{Model, ModelTurn, Piece},
    },
};

use super::{Cast, Desk, Failure, hold::Hold};
use crate::call::STORAGE_MAX;

/// Messages read at a time.
pub(super) const PAGE_MESSAGES: usize = 100;
/// What stands for a picture that is not there.
const IMAGE: &str = "[User sent an image]";

/// What was read for a turn.
pub(super) struct Reading {
    pub(super) system: Words,
    pub(super) turns: Vec<ModelTurn>,
    /// The newest message being answered.
    pub(super) question: Option<Question>,
}

/// The message that an answer is given to.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) id: MessageId,
    pub(super) way_back: Option<WayBack>,
}

/// What a model is shown of a log, and as whom.
pub(super) struct View<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) budget: Budget,
    /// The messages that are answered.
    pub(super) answering: BTreeSet<Number>,
    /// Only what is before this.
    pub(super) before: Option<Number>,
    /// Only what it heard.
    pub(super) heard: &'a (dyn Fn(&Entry) -> bool + Sync),
    /// How far back is looked for it.
    pub(super) pages_max: usize,
    /// The newest page, if it was read already.
    pub(super) newest: Option<Vec<Entry>>,
}

/// Reads what a turn is about.
pub(super) async fn read(cast: &Cast, hold: &Hold<'_>) -> Result<Reading, Failure> {
    let desk = hold.pen.desk;
    let view = View {
        scene: scene(cast, desk),
        budget: budget(&*cast.model, desk),
        answering: hold.lease.questions.clone(),
        before: Some(hold.lease.seen_through.next()),
        heard: &|_| true,
        pages_max: usize::MAX,
        newest: None,
    };
    read_view(view, hold).await
}

/// Reads what a model is shown.
pub(super) async fn read_view(view: View<'_>, hold: &Hold<'_>) -> Result<Reading, Failure> {
    in_time(hold, read_all(view, hold)).await?.ok_or(Failure::NO_CONSENT)
}

/// Reads something, within the time that storage may take (H10).
pub(super) async fn in_time<T>(
    hold: &Hold<'_>,
    read: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, Failure> {
    let Ok(read) = timeout(STORAGE_MAX, read).await else {
        return Err(Failure::STORAGE_TIMEOUT);
    };
    read.map_err(|error| {
        let turn = hold.fence().get();
        tracing::warn!(conversation = %hold.pen.key, turn, error = error.name(), "storage_read");
        Failure::STORAGE_READ
    })
}

async fn read_all(view: View<'_>, hold: &Hold<'_>) -> Result<Option<Reading>, StoreError> {
    let desk = hold.pen.desk;
    let (shown, question) = show(view, hold).await?;
    let mut turns = Vec::with_capacity(shown.turns.len());
    for turn in shown.turns {
        turns.push(match turn {
            ShownTurn::Said(words) => ModelTurn::Said(words),
            ShownTurn::Heard(pieces) => ModelTurn::Heard(with_pictures(hold, pieces).await?),
        });
    }
    // Looked at after reading: what is shown was read while consent was on (H8).
    let may_be_shown = match hold.pen.consent_of {
        None => true,
        Some(owner) => {
            desk.people.person(owner).await?.is_some_and(|person| person.consent.is_on())
        }
    };
    Ok(may_be_shown.then_some(Reading { system: shown.system, turns, question }))
}

/// Pages of the log, newest first, for as long as more could be shown.
async fn show(view: View<'_>, hold: &Hold<'_>) -> Result<(Shown, Option<Question>), StoreError> {
    let View { scene, budget, answering, mut before, heard, pages_max, mut newest } = view;
    let asked_last = answering.last().copied();
    let mut question = None;
    let mut prompt = Prompt::new(scene, budget, &answering);
    let mut pages = 0;
    while prompt.wants_more() && pages < pages_max {
        let page = match newest.take() {
            Some(newest) => newest,
            None => hold.pen.desk.history.page(hold.pen.key, before, PAGE_MESSAGES).await?,
        };
        for entry in page.iter().rev().filter(|entry| heard(entry)) {
            if Some(entry.number) == asked_last {
                let (id, way_back) = (entry.message.id.clone(), entry.way_back.clone());
                question = Some(Question { id, way_back });
            }
            prompt.offer(entry);
        }
        match page.first() {
            Some(oldest) if page.len() == PAGE_MESSAGES => before = Some(oldest.number),
            Some(_) | None => break,
        }
        pages += 1;
    }
    Ok((prompt.finish(), question))
}

fn scene<'a>(cast: &'a Cast, desk: &Desk) -> Scene<'a> {
    Scene {
        persona: cast.persona.as_str(),
        manner: cast.manner.paragraph(),
        me: &cast.me,
        now: desk.clock.now(),
        zone: &cast.zone,
        room: cast.room,
        name_of: &*cast.name_of,
    }
}

pub(super) fn budget(model: &dyn Model, desk: &Desk) -> Budget {
    let images = if model.takes_images() { desk.settings.prompt_images } else { 0 };
    Budget { tokens: desk.settings.context_tokens, images }
}

async fn with_pictures(hold: &Hold<'_>, shown: Vec<ShownPiece>) -> Result<Vec<Piece>, StoreError> {
    let mut pieces = Vec::with_capacity(shown.len());
    for piece in shown {
        pieces.push(match piece {
            ShownPiece::Text(words) => Piece::Text(words),
            ShownPiece::Image { key, mime: _ } => picture(hold, &key).await?,
        });
    }
    Ok(pieces)
}

/// A picture, or what stands for it if its message was taken back meanwhile.
async fn picture(hold: &Hold<'_>, key: &MediaKey) -> Result<Piece, StoreError> {
    let found = hold.pen.desk.media.get(hold.pen.key, key).await?;
    Ok(match found {
        Some(file) => Piece::Image { mime: file.mime, bytes: file.bytes },
        None => Piece::Text(Words::lossy(IMAGE)),
    })
}
