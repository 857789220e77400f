//! What a model is asked: read from the stores, newest first, and no more than is shown.

use tokio::time::timeout;
use unsaid_core::{
    domain::{
        id::{MediaKey, MessageId, Number},
        message::WayBack,
        prompt::{Budget, Prompt, Scene, Shown, ShownPiece, ShownTurn},
        text::Words,
    },
    port::{
        error::StoreError,
        model::{ModelTurn, Piece},
    },
};

use super::{Cast, Desk, Failure, STORAGE_MAX, hold::Hold};

/// Messages read at a time.
const PAGE_MESSAGES: usize = 100;
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

/// Reads what a turn is about, within the time that storage may take (H10).
pub(super) async fn read(cast: &Cast, hold: &Hold<'_>) -> Result<Reading, Failure> {
    let Ok(read) = timeout(STORAGE_MAX, read_all(cast, hold)).await else {
        return Err(Failure::STORAGE_TIMEOUT);
    };
    match read {
        Ok(Some(reading)) => Ok(reading),
        Ok(None) => Err(Failure::NO_CONSENT),
        Err(error) => {
            let turn = hold.fence().get();
            tracing::warn!(conversation = %hold.pen.key, turn, error = error.name(), "storage_read");
            Err(Failure::STORAGE_READ)
        }
    }
}

async fn read_all(cast: &Cast, hold: &Hold<'_>) -> Result<Option<Reading>, StoreError> {
    let desk = hold.pen.desk;
    let (shown, question) = show(cast, hold).await?;
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
async fn show(cast: &Cast, hold: &Hold<'_>) -> Result<(Shown, Option<Question>), StoreError> {
    let desk = hold.pen.desk;
    let lease = &hold.lease;
    let newest = lease.questions.last().copied();
    let mut question = None;
    let mut prompt = Prompt::new(scene(cast, desk), budget(cast, desk), &lease.questions);
    let mut before: Number = lease.seen_through.next();
    while prompt.wants_more() {
        let page = desk.history.page(hold.pen.key, Some(before), PAGE_MESSAGES).await?;
        for entry in page.iter().rev() {
            if Some(entry.number) == newest {
                let (id, way_back) = (entry.message.id.clone(), entry.way_back.clone());
                question = Some(Question { id, way_back });
            }
            prompt.offer(entry);
        }
        match page.first() {
            Some(oldest) if page.len() == PAGE_MESSAGES => before = oldest.number,
            Some(_) | None => break,
        }
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

fn budget(cast: &Cast, desk: &Desk) -> Budget {
    let images = if cast.model.takes_images() { desk.settings.prompt_images } else { 0 };
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
