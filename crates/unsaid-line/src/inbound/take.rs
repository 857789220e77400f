//! One event takes effect, through a use case.

use unsaid_app::{
    call::{Call, Once},
    place::Place,
    revise::{Revise, ReviseError, Revised, revise},
    say::{Said as SaidNow, Say, SayError, say},
    stop::{Reach, StopError, stop},
    unsend::{Unsend, UnsendError, Unsent, unsend},
};
use unsaid_core::{
    domain::{
        conversation::log::Entry,
        id::MessageId,
        message::{Audience, Author, Message, Part, WayBack},
        source::SourceKind,
        text::Words,
        time::Timestamp,
    },
    port::error::StoreError,
};

use super::{
    Groups, Inbound,
    measured::{self, Storage},
};
use crate::{
    errand::{Errand, Where},
    picture::PENDING_MIME,
    wire::{Content, Heard, Mode, Said, What},
};

/// Messages among which somebody is looked for who spoke since.
const NEWEST_LOOKED_AT: usize = 20;

/// What an event did, and what can wait until LINE has its answer.
pub(super) struct Effect {
    pub(super) taken: Taken,
    pub(super) errands: Vec<Errand>,
}

/// Whether it did anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// It did, or need not.
    Now,
    /// It had done so before.
    Before,
    /// The history does not do such things.
    Refused,
}

/// Storage failed.
pub(super) struct Broken {
    pub(super) what: Storage,
    pub(super) error: StoreError,
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self { what: Storage::Write, error }
    }
}

impl Inbound {
    pub(super) async fn take(&self, heard: &Heard, now: Timestamp) -> Result<Effect, Broken> {
        let place = Where { id: heard.source.id.clone(), kind: heard.source.kind, at: now };
        let (taken, errands) = match &heard.what {
            What::Said(said) => return self.said(heard, said, place).await,
            What::Unsent { id } => (self.unsent(heard, id, now).await?, Vec::new()),
            What::Edited { id, text } => (self.edited(heard, id, text, now).await?, Vec::new()),
            What::Arrived => (Taken::Now, vec![Errand::Arrived { place }]),
            What::Left if self.is_back_since(heard).await? => (Taken::Before, Vec::new()),
            What::Left => (self.left(heard, now).await?, vec![Errand::Left { place }]),
            What::MembersChanged => (Taken::Now, vec![Errand::MembersChanged { place }]),
        };
        Ok(Effect { taken, errands })
    }

    async fn said(&self, heard: &Heard, said: &Said, place: Where) -> Result<Effect, Broken> {
        let now = place.at;
        let call = call(heard, now);
        let key = call.place.conversation().clone();
        let wants_answer = self.wants_answer(heard, said, now);
        let way_back = wants_answer.map(|_| WayBack {
            token: said.token.clone(),
            delivery: said.answer_under.clone(),
            received_at: now,
        });
        let (message, delivery) = (message(heard, said, now), heard.delivery.clone());
        let command = Say { call, message, delivery, wants_answer, way_back };
        let (taken, is_new) = match say(&*self.history, &self.watchers, command).await {
            Ok(Once::Made(SaidNow::Stored { .. })) => (Taken::Now, true),
            Ok(Once::Made(SaidNow::TakenBack | SaidNow::NotStored)) => (Taken::Now, false),
            Ok(Once::Made(SaidNow::Known) | Once::Repeated(_)) => (Taken::Before, false),
            Err(error @ (SayError::KeyReused | SayError::NoSuchPlace)) => {
                (refused(heard, &error), false)
            }
            Err(SayError::Broken(error)) => return Err(error.into()),
        };
        if let Some(at) = wants_answer.filter(|_| is_new) {
            self.wake.at(&key, at);
        }
        let mut errands =
            vec![Errand::Spoke { place: place.clone(), person: heard.person.clone() }];
        if is_new && is_picture(said) || self.is_still_promised(heard, said, taken).await? {
            errands.push(Errand::Picture { place, message: said.id.clone() });
        }
        Ok(Effect { taken, errands })
    }

    /// From when on an answer is wanted, if one is.
    fn wants_answer(&self, heard: &Heard, said: &Said, now: Timestamp) -> Option<Timestamp> {
        let millis =
            |duration: std::time::Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        let may_speak = match heard.mode {
            Mode::Active => true,
            Mode::Standby => false,
        };
        let at = heard.at.unwrap_or(now);
        let is_fresh = now <= at.plus_millis(millis(self.settings.answer_within));
        let is_called = match (heard.source.kind, self.settings.groups) {
            (SourceKind::Person, _) | (_, Groups::Decide) => true,
            (SourceKind::Group | SourceKind::Room, Groups::Mention) => said.mentions_us,
            (SourceKind::Group | SourceKind::Room, Groups::Off) => false,
        };
        let wanted = may_speak && is_fresh && is_called;
        wanted.then(|| now.plus_millis(millis(self.settings.debounce)))
    }

    /// A picture whose message came before, but whose errand may have been lost with that answer.
    async fn is_still_promised(
        &self,
        heard: &Heard,
        said: &Said,
        taken: Taken,
    ) -> Result<bool, Broken> {
        if taken != Taken::Before || !is_picture(said) {
            return Ok(false);
        }
        let place = Place::line(heard.source.id.clone());
        let found = self.history.find(place.conversation(), &said.id).await;
        let found = found.map_err(|error| Broken { what: Storage::Read, error })?;
        Ok(found.is_some_and(|entry| entry.message.parts.iter().any(is_promise)))
    }

    async fn unsent(&self, heard: &Heard, id: &MessageId, now: Timestamp) -> Result<Taken, Broken> {
        let call = call(heard, now);
        let is_known = match self.history.find(call.place.conversation(), id).await {
            Ok(found) => found.is_some(),
            // it only decides what is logged: whoever takes something back does not wait for that
            Err(error) => {
                Storage::Read.failed(heard, error.name());
                true
            }
        };
        let command = Unsend { call, id: id.clone(), ripple: self.settings.ripple };
        match unsend(&*self.history, &self.watchers, command).await {
            Ok(Once::Made(Unsent { before: true, .. }) | Once::Repeated(_)) => Ok(Taken::Before),
            Ok(Once::Made(Unsent { before: false, .. })) => {
                if !is_known {
                    measured::unknown_unsend(heard, id);
                }
                Ok(Taken::Now)
            }
            Err(UnsendError::Broken(error)) => Err(error.into()),
            Err(
                error @ (UnsendError::NotFound | UnsendError::NotAPersons | UnsendError::KeyReused),
            ) => Ok(refused(heard, &error)),
        }
    }

    async fn edited(
        &self,
        heard: &Heard,
        id: &MessageId,
        text: &Words,
        now: Timestamp,
    ) -> Result<Taken, Broken> {
        let command = Revise {
            call: call(heard, now),
            id: id.clone(),
            by: heard.person.clone(),
            parts: vec![Part::text(text.clone())],
            at: heard.at.unwrap_or(now),
            ripple: self.settings.ripple,
        };
        match revise(&*self.history, &self.watchers, command).await {
            Ok(Once::Made(
                Revised::Done | Revised::Waits | Revised::TakenBack | Revised::NotStored,
            )) => Ok(Taken::Now),
            Ok(Once::Made(Revised::Older) | Once::Repeated(_)) => Ok(Taken::Before),
            Err(ReviseError::Broken(error)) => Err(error.into()),
            Err(error @ (ReviseError::NotAPersons | ReviseError::KeyReused)) => {
                Ok(refused(heard, &error))
            }
        }
    }

    /// Whether somebody spoke after the bot was blocked or left. Then it is old news, late or again:
    /// there is nothing to stop, and the bot is not gone.
    async fn is_back_since(&self, heard: &Heard) -> Result<bool, Broken> {
        let Some(left_at) = heard.at else { return Ok(false) };
        let place = Place::line(heard.source.id.clone());
        let newest = self.history.page(place.conversation(), None, NEWEST_LOOKED_AT).await;
        let newest = newest.map_err(|error| Broken { what: Storage::Read, error })?;
        let spoke_later =
            |entry: &Entry| entry.message.author.is_person() && entry.message.at > left_at;
        Ok(newest.iter().any(spoke_later))
    }

    async fn left(&self, heard: &Heard, now: Timestamp) -> Result<Taken, Broken> {
        match stop(&*self.history, &self.watchers, call(heard, now), Reach::AlsoOwed).await {
            Ok(Once::Made(_) | Once::Repeated(_)) => Ok(Taken::Now),
            Err(StopError::Broken(error)) => Err(error.into()),
            Err(error @ StopError::KeyReused) => Ok(refused(heard, &error)),
        }
    }
}

fn call(heard: &Heard, now: Timestamp) -> Call {
    Call::new(Place::line(heard.source.id.clone()), now)
}

fn message(heard: &Heard, said: &Said, now: Timestamp) -> Message {
    let part = match &said.content {
        Content::Text(words) => Part::text(words.clone()),
        Content::Picture { key } => Part::Media { key: key.clone(), mime: PENDING_MIME.to_owned() },
    };
    Message {
        id: said.id.clone(),
        author: Author::Person(heard.person.clone()),
        at: heard.at.unwrap_or(now),
        reply_to: said.quotes.clone(),
        audience: Audience::default(),
        parts: vec![part],
    }
}

fn is_picture(said: &Said) -> bool {
    match said.content {
        Content::Text(_) => false,
        Content::Picture { .. } => true,
    }
}

fn is_promise(part: &Part) -> bool {
    match part {
        Part::Media { mime, .. } => mime == PENDING_MIME,
        Part::Text { .. } | Part::Original { .. } => false,
    }
}

fn refused(heard: &Heard, why: &dyn std::error::Error) -> Taken {
    measured::refused(heard, &why.to_string());
    Taken::Refused
}
