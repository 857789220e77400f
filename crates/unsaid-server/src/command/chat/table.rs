//! Where the talk is, and what can be done there.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use unsaid_app::answer::speech::{Heard, Speech, SpeechEnd};
use unsaid_app::answer::{Cast, Desk, Ended, Manner, Settings, answer};
use unsaid_app::call::Call;
use unsaid_app::edit::{Edit, Goes, edit};
use unsaid_app::forget::forget;
use unsaid_app::place::Place;
use unsaid_app::say::{Say, say};
use unsaid_app::sweep::sweep;
use unsaid_app::undo::{Undo, undo};
use unsaid_app::unsend::{Unsend, unsend};
use unsaid_core::domain::conversation::change::{Interrupt, Ripple};
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::{AgentId, ChatId, EditId, MessageId};
use unsaid_core::domain::message::{Audience, Author, Message, Part};
use unsaid_core::domain::prompt::Room;
use unsaid_core::domain::text::Words;
use unsaid_core::port::Store;
use unsaid_core::port::clock::Clock as _;

use super::print;
use crate::config::Config;
use crate::config::value::PersonaId;
use crate::model::Chosen;
use crate::refusal::Refusal;
use crate::system::{SystemClock, random_id};
use crate::{store, terminal, turns};

const LISTED_MAX: usize = 20;
const TURN_MAX: Duration = Duration::from_mins(5);

pub(super) struct Table {
    store: Arc<dyn Store>,
    desk: Desk,
    cast: Cast,
    persona: String,
    model: String,
    ripple: Ripple,
    undo_ms: i64,
    message_chars_max: usize,
    last_edit: Option<EditId>,
}

impl Table {
    /// Sits down with a persona.
    pub(super) async fn set(config: &Config, persona: Option<&str>) -> Result<Self, Refusal> {
        let id = match persona {
            Some(name) => PersonaId::parse(name),
            None => Some(config.line.persona.clone()),
        };
        let found = id.as_ref().and_then(|id| Some((id, config.personas.get(id)?)));
        let Some((id, persona)) = found else {
            let known: Vec<String> = config.personas.keys().map(ToString::to_string).collect();
            return Err(Refusal::new(format!(
                "there is no such persona; there are {}",
                known.join(", ")
            )));
        };
        let me =
            AgentId::from_name(&id.to_string()).map_err(|error| Refusal::new(error.to_string()))?;
        let chat = ChatId::new(format!("terminal-{me}")).map_err(|_| {
            Refusal::new(
                "the id of this persona is not of plain letters, so it cannot be talked to here",
            )
        })?;
        let chosen = Chosen::by(&config.model).await;
        let model = chosen.connect(persona.model.as_deref())?;
        let store = store::open_beside(config).await?;
        let cast = Cast {
            place: Place::terminal(chat),
            me,
            persona: Words::lossy(persona.prompt.as_str()),
            room: Room::OneToOne,
            zone: config.timezone.time_zone().clone(),
            name_of: Arc::new(name_of),
            audience: Audience::default(),
            model,
            manner: Manner::Text { listener: Arc::new(Speech::default()) },
            time_max: TURN_MAX,
        };
        Ok(Self {
            desk: turns::desk("terminal", config, &store, Settings::default())?,
            store,
            cast,
            persona: persona.name.clone(),
            model: chosen.described(),
            ripple: if config.unsend_ripple { Ripple::Withdraw } else { Ripple::Keep },
            undo_ms: i64::try_from(config.edit_undo.as_millis()).unwrap_or(i64::MAX),
            message_chars_max: config.limits.message_chars,
            last_edit: None,
        })
    }

    pub(super) fn greeting(&self) -> String {
        format!("You talk to {}. The model: {}.", self.persona, self.model)
    }

    /// Shows the newest messages.
    pub(super) async fn list(&self) -> Result<(), Refusal> {
        let page = self.store.page(self.cast.place.conversation(), None, LISTED_MAX).await;
        for entry in page.map_err(failed)? {
            print::entry(&entry, &self.persona)?;
        }
        Ok(())
    }

    pub(super) async fn say(&mut self, text: &str) -> Result<(), Refusal> {
        let Some(message) = self.message(text)? else { return Ok(()) };
        let now = SystemClock.now();
        let said = Say {
            call: self.call(),
            message,
            delivery: None,
            wants_answer: Some(now),
            way_back: None,
        };
        say(&*self.store, &self.desk.watchers, said).await.map_err(failed)?;
        self.answered().await
    }

    pub(super) async fn unsend(&mut self, number: Option<u64>) -> Result<(), Refusal> {
        let Some(entry) = self.own(number).await? else { return Ok(()) };
        let asked = Unsend { call: self.call(), id: entry.message.id, ripple: self.ripple };
        match unsend(&*self.store, &self.desk.watchers, asked).await {
            Ok(_) => {
                terminal::say(&format!("#{} is taken back and forgotten.", entry.number.get()))
            }
            Err(error) => Err(failed(error)),
        }
    }

    pub(super) async fn edit(&mut self, number: Option<u64>, text: &str) -> Result<(), Refusal> {
        let Some(entry) = self.own(number).await? else { return Ok(()) };
        let Some(message) = self.message(text)? else { return Ok(()) };
        let id = EditId::new(random_id()).map_err(failed)?;
        let asked = Edit {
            call: self.call(),
            from: entry.message.id.into(),
            with: Some((message, Some(SystemClock.now()))),
            id: id.clone(),
            undo_ms: self.undo_ms,
            interrupt: Interrupt::Yes,
            expect: None,
            goes: Goes::WhereConsentWants,
        };
        edit(&*self.store, &self.desk.watchers, asked).await.map_err(failed)?;
        self.last_edit = Some(id);
        terminal::say(&format!("#{} and everything after it is forgotten.", entry.number.get()))?;
        self.answered().await
    }

    pub(super) async fn undo(&mut self) -> Result<(), Refusal> {
        let Some(edit) = self.last_edit.take() else {
            return terminal::say("There is no edit to take back.");
        };
        let asked = Undo { call: self.call(), id: edit, interrupt: Interrupt::Yes };
        match undo(&*self.store, &self.desk.watchers, asked).await {
            Ok(_) => {
                terminal::say("The edit is taken back; this is how it was:")?;
                self.list().await
            }
            Err(error) => terminal::say(&format!("The edit stays: {error}.")),
        }
    }

    pub(super) async fn forget(&mut self) -> Result<(), Refusal> {
        let call = self.call();
        let count = forget(&*self.store, &self.desk.watchers, &call).await.map_err(failed)?;
        self.last_edit = None;
        self.sweep().await?;
        terminal::say(&format!("Everything is forgotten: {count} messages."))
    }

    /// No server may be running that would do it: what is gone is deleted, and closed windows emptied.
    pub(super) async fn sweep(&self) -> Result<(), Refusal> {
        sweep(&*self.store, SystemClock.now(), &|| false).await.map_err(failed)?;
        Ok(())
    }

    /// Lets the persona answer, and shows it as it comes. Ctrl-C stops it.
    async fn answered(&self) -> Result<(), Refusal> {
        let stop = CancellationToken::new();
        let speech = Arc::new(Speech::default());
        let (mut ear, mut shown) = (speech.listen(), false);
        let cast = Cast { manner: Manner::Text { listener: speech }, ..self.cast.clone() };
        let turn = answer(&self.desk, &cast, &stop);
        tokio::pin!(turn);
        let mut over = false;
        loop {
            tokio::select! {
                biased;
                heard = ear.next() => match heard {
                    Some(Heard::Begins(_)) => {
                        shown = true;
                        print::some(&format!("{}: ", self.persona))?;
                    }
                    Some(Heard::More(words)) => print::some(words.as_str())?,
                    Some(Heard::Ends(end)) if shown => {
                        print::some("\n")?;
                        return Self::say_how_it_ended(end);
                    }
                    Some(Heard::Ends(end)) => return Self::say_how_it_ended(end),
                    None => return Ok(()),
                },
                ended = &mut turn, if !over => match ended.map_err(failed)? {
                    Ended::NotBegun(_) => return Ok(()),
                    // the rest of it is heard next
                    Ended::Answered { .. }
                    | Ended::NotKept
                    | Ended::Silent
                    | Ended::Failed { .. }
                    | Ended::Cancelled
                    | Ended::Released
                    | Ended::NotRecorded => over = true,
                },
                interrupted = tokio::signal::ctrl_c() => {
                    interrupted.map_err(failed)?;
                    stop.cancel();
                }
            }
        }
    }

    fn say_how_it_ended(end: SpeechEnd) -> Result<(), Refusal> {
        match end {
            SpeechEnd::Kept => Ok(()),
            SpeechEnd::NotKept => terminal::say("(not kept)"),
            SpeechEnd::Failed(code) => {
                terminal::say(&format!("(no answer: {code}; unsaid doctor looks at the model)"))
            }
            SpeechEnd::Silent | SpeechEnd::Cancelled | SpeechEnd::HandedBack => {
                terminal::say("(stopped)")
            }
        }
    }

    /// A message of the person: the one with this number, or the last.
    async fn own(&self, number: Option<u64>) -> Result<Option<Entry>, Refusal> {
        let key = self.cast.place.conversation();
        let before =
            number.map(|number| unsaid_core::domain::id::Number::new(number.saturating_add(1)));
        let limit = if number.is_some() { 1 } else { LISTED_MAX };
        let page = self.store.page(key, before, limit).await.map_err(failed)?;
        let wanted = |entry: &Entry| {
            entry.message.author.is_person()
                && number.is_none_or(|number| entry.number.get() == number)
        };
        let found = page.into_iter().rev().find(wanted);
        if found.is_none() {
            terminal::say("There is no such message of yours; /list shows them.")?;
        }
        Ok(found)
    }

    fn message(&self, text: &str) -> Result<Option<Message>, Refusal> {
        let words = match Words::bounded(text, self.message_chars_max) {
            Ok(words) => words,
            Err(error) => {
                terminal::say(&format!("That cannot be said: {error}."))?;
                return Ok(None);
            }
        };
        Ok(Some(Message {
            id: MessageId::new(random_id()).map_err(failed)?,
            author: Author::Person(None),
            at: SystemClock.now(),
            reply_to: None,
            audience: Audience::default(),
            parts: vec![Part::text(words)],
        }))
    }

    fn call(&self) -> Call {
        Call::new(self.cast.place.clone(), SystemClock.now())
    }
}

fn name_of(author: &Author) -> String {
    match author {
        Author::Person(_) => "the person".to_owned(),
        Author::Agent(id) => id.to_string(),
    }
}

fn failed(error: impl std::fmt::Display) -> Refusal {
    Refusal::new(error.to_string())
}
