//! One agent that is asked, shown what it heard, and heard to the end.

use tokio::time::timeout;
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Refusal},
            log::Entry,
        },
        hearing::{Hearers, audience_of_agent},
        id::MessageId,
        message::{Author, Message, Part},
        prompt::{Room, Scene},
        routing::responders,
        text::Words,
        world::{Agent, World},
    },
    port::model::{Model, ModelRequest, ToolChoice},
};

use super::{MANNER, PAGES_MAX, Round, SKIP, Spoke, mouth::Mouth, order::Owed};
use crate::{
    answer::{
        Failure, Stopped,
        hold::Hold,
        new_message_id,
        reading::{View, budget, in_time, read_view},
        speech::SpeechEnd,
        step::{self, Step},
        voices::Voice,
    },
    tool::Wish,
};

/// One agent that is asked.
pub(super) struct Speaker<'a> {
    pub(super) round: &'a Round,
    pub(super) hold: &'a Hold<'a>,
    pub(super) world: &'a World,
    pub(super) hearers: &'a Hearers,
    pub(super) agent: &'a Agent,
    /// What it answers.
    pub(super) owed: Owed,
    /// The newest page of the log, if it was just read.
    pub(super) newest: Option<Vec<Entry>>,
}

impl Speaker<'_> {
    /// Asks it, and keeps what it says.
    pub(super) async fn speak(mut self, is_last: bool) -> Result<Spoke, Stopped> {
        let (round, desk) = (self.round, self.hold.pen.desk);
        let newest = self.newest.take();
        let id = new_message_id(&*desk.chance);
        let (key, fence) = (self.hold.pen.key, self.hold.fence());
        let voice = round.voices.begin(key, &self.agent.id, &id, fence);
        let Some(model) = round.minds.mind(self.agent) else {
            voice.ends(SpeechEnd::Failed(Failure::MODEL_UNKNOWN.0));
            return Ok(Spoke::Failed(Failure::MODEL_UNKNOWN));
        };
        let request = self.hold.unless_over(self.request(&*model, newest)).await?;
        let request = match request {
            Ok(request) => request,
            Err(failure) => {
                voice.ends(SpeechEnd::Failed(failure.0));
                return Err(failure.into());
            }
        };
        let words = self.hold.unless_over(self.think(&*model, request, &voice)).await?;
        match words {
            Ok(Wish::Reply { message }) => self.keep(voice, id, message, is_last).await,
            Ok(Wish::Skip { reason }) => {
                voice.ends(SpeechEnd::Silent);
                Ok(Spoke::Nothing(reason))
            }
            Err(failure) => {
                let (turn, code) = (self.hold.fence().get(), failure.0);
                tracing::warn!(conversation = %self.hold.pen.key, turn, code, "agent failed");
                voice.ends(SpeechEnd::Failed(code));
                Ok(Spoke::Failed(failure))
            }
        }
    }

    async fn request(
        &self,
        model: &dyn Model,
        newest: Option<Vec<Entry>>,
    ) -> Result<ModelRequest, Failure> {
        let desk = self.hold.pen.desk;
        let name_of = |author: &Author| self.name_of(author);
        let agents = u32::try_from(self.hearers.agents.len()).unwrap_or(u32::MAX);
        let lease = &self.hold.lease;
        let view = View {
            scene: Scene {
                persona: self.agent.system_prompt.as_str(),
                manner: MANNER,
                me: &self.agent.id,
                now: desk.clock.now(),
                zone: &self.round.zone,
                room: Room::World { agents },
                name_of: &name_of,
            },
            budget: budget(model, desk),
            answering: self.owed.keys().copied().collect(),
            before: None,
            heard: &|entry| lease.has_read(entry) && self.hearers.remembers(self.agent, entry),
            pages_max: PAGES_MAX,
            newest,
        };
        let reading = read_view(view, self.hold).await?;
        Ok(ModelRequest {
            system: reading.system,
            turns: reading.turns,
            tools: desk.tools.spec(SKIP).into_iter().collect(),
            choice: ToolChoice::Free,
        })
    }

    fn name_of(&self, author: &Author) -> String {
        match author {
            Author::Person(_) => self.round.person.clone(),
            Author::Agent(id) => {
                let agent = self.hearers.agents.iter().find(|agent| agent.id == *id);
                agent.map_or_else(|| id.to_string(), |agent| agent.name.as_str().to_owned())
            }
        }
    }

    /// Words or silence, whole.
    async fn think(
        &self,
        model: &dyn Model,
        request: ModelRequest,
        voice: &Voice<'_>,
    ) -> Result<Wish, Failure> {
        let tools = request.tools.clone();
        let mut mouth = Mouth::new(voice);
        let asked = step::ask(model, request, |words| mouth.more(words));
        let Ok(asked) = timeout(self.round.call_max, asked).await else {
            return Err(Failure::TURN_TIMEOUT);
        };
        let Step { text, mut calls, echo: _ } = asked?;
        let mut text = text;
        if calls.is_empty()
            && let Some(written) = (self.round.read_calls)(&text, &tools)
        {
            (text, calls) = (String::new(), written);
        }
        if !text.trim().is_empty() {
            mouth.open();
            return Ok(Wish::Reply { message: Words::lossy(text) });
        }
        let call = calls.first().ok_or(Failure::MODEL_EMPTY)?;
        let wish = self.hold.pen.desk.tools.read(call).map_err(|_| Failure::MODEL_GARBLED)?;
        if let Wish::Reply { message } = &wish {
            voice.more(message);
        }
        Ok(wish)
    }

    async fn keep(
        &self,
        voice: Voice<'_>,
        id: MessageId,
        words: Words,
        is_last: bool,
    ) -> Result<Spoke, Stopped> {
        let (hold, agents) = (self.hold, &self.hearers.agents);
        let author = Author::Agent(self.agent.id.clone());
        let ends = is_last && responders(self.world, agents, &author, words.as_str()).is_empty();
        let message = Message {
            id: id.clone(),
            author,
            at: hold.pen.desk.clock.now(),
            reply_to: self.owed.values().next_back().cloned(),
            audience: audience_of_agent(self.world, agents, &self.agent.id, words.as_str()),
            parts: vec![Part::text(words)],
        };
        let fence = hold.fence();
        let change = Change::Answer { fence, messages: vec![message], last: ends };
        match hold.pen.append(change, &id).await {
            Ok(Ok(())) => {}
            Ok(Err(Refusal::NoConsent)) => {
                voice.ends(SpeechEnd::NotKept);
                return Ok(Spoke::NotKept);
            }
            Ok(Err(Refusal::StaleFence)) => return Err(Stopped::Lost),
            Ok(Err(refusal)) => {
                tracing::error!(conversation = %hold.pen.key, turn = fence.get(), %refusal, "out of contract");
                voice.ends(SpeechEnd::Failed(Failure::STORAGE_WRITE.0));
                return Err(Failure::STORAGE_WRITE.into());
            }
            Err(error) => {
                let (key, error) = (hold.pen.key, error.name());
                tracing::warn!(conversation = %key, turn = fence.get(), error, "storage_write");
                voice.ends(SpeechEnd::Failed(Failure::STORAGE_WRITE.0));
                return Err(Failure::STORAGE_WRITE.into());
            }
        }
        voice.ends(SpeechEnd::Kept);
        if ends {
            return Ok(Spoke::Last(id));
        }
        let kept = in_time(hold, hold.pen.desk.history.find(hold.pen.key, &id)).await?;
        // Taken back already: so is the turn.
        kept.map(Box::new).map(Spoke::Said).ok_or(Stopped::Lost)
    }
}
