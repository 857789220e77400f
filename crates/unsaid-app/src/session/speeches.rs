//! The answers that are being spoken in sessions of this process, so that whoever listens finds them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use unsaid_core::domain::{
    id::{ExpertId, MessageId, SessionId},
    session::Session,
    text::Words,
};

use crate::answer::speech::{Ear, Listener, Speech, SpeechEnd};

/// See the module. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Speeches {
    open: Arc<Mutex<Open>>,
}

type Open = HashMap<SessionId, Taken>;

/// A room that somebody has taken.
#[derive(Debug, Default)]
struct Taken {
    speech: Arc<Speech>,
    /// Whether something was said that wants an answer here.
    is_asked: bool,
    /// Who is asked. A session that ends before they begin may have forgotten it.
    expert: Option<ExpertId>,
}

/// Room for one answer, taken before anything is said. Dropping it gives the room back.
#[derive(Debug)]
pub struct Room {
    speeches: Speeches,
    session: SessionId,
    speech: Arc<Speech>,
    is_asked: bool,
}

/// Speaks in the name of a turn. Its end, however it comes, closes the room.
pub(super) struct Speaker {
    speeches: Speeches,
    session: SessionId,
    speech: Arc<Speech>,
}

impl Speeches {
    /// Takes the room for the next answer of a session; `None` while one is being given here.
    #[must_use]
    pub fn enter(&self, session: &Session) -> Option<Room> {
        let Session { id, expert, .. } = session;
        let mut open = self.lock();
        if open.contains_key(id) {
            return None;
        }
        let speech = Arc::new(Speech::default());
        let taken = Taken { speech: Arc::clone(&speech), is_asked: false, expert: expert.clone() };
        open.insert(id.clone(), taken);
        Some(Room { speeches: self.clone(), session: id.clone(), speech, is_asked: false })
    }

    /// Who was asked when the room was taken.
    pub(super) fn expert(&self, session: &SessionId) -> Option<ExpertId> {
        self.lock().get(session).and_then(|taken| taken.expert.clone())
    }

    /// Hears the answer that is being given here, from its beginning.
    #[must_use]
    pub fn listen(&self, session: &SessionId) -> Option<Ear> {
        self.lock().get(session).map(|taken| taken.speech.listen())
    }

    /// Speaks for a turn, in the room that was taken for it or in a new one.
    pub(super) fn speaker(&self, session: &SessionId) -> Speaker {
        let mut open = self.lock();
        let speech = Arc::clone(&open.entry(session.clone()).or_default().speech);
        Speaker { speeches: self.clone(), session: session.clone(), speech }
    }

    /// Nobody is owed an answer: what was asked was taken back before anybody spoke.
    pub(super) fn give_up(&self, session: &SessionId) {
        let mut open = self.lock();
        if open.get(session).is_some_and(|taken| taken.is_asked) {
            open.remove(session);
        }
    }

    fn close(&self, session: &SessionId, speech: &Arc<Speech>) {
        let mut open = self.lock();
        if open.get(session).is_some_and(|taken| Arc::ptr_eq(&taken.speech, speech)) {
            open.remove(session);
        }
    }

    /// Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Room {
    /// Something was said that will be answered: the room is the turn's from now on.
    #[must_use]
    pub fn listen(mut self) -> Ear {
        self.is_asked = true;
        if let Some(taken) = self.speeches.lock().get_mut(&self.session)
            && Arc::ptr_eq(&taken.speech, &self.speech)
        {
            taken.is_asked = true;
        }
        self.speech.listen()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if !self.is_asked {
            self.speeches.close(&self.session, &self.speech);
        }
    }
}

impl Listener for Speaker {
    fn begins(&self, id: &MessageId) {
        self.speech.begins(id);
    }

    fn more(&self, words: &Words) {
        self.speech.more(words);
    }

    fn ends(&self, end: SpeechEnd) {
        // Whoever hears the end may ask again at once.
        self.speeches.close(&self.session, &self.speech);
        self.speech.ends(end);
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.speeches.close(&self.session, &self.speech);
    }
}
