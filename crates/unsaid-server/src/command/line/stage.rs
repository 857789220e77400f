//! Who is where, and what they do there.

use std::path::Path;
use std::time::Duration;
use std::{fs, mem};

use tokio::time::{Instant, sleep, timeout};
use unsaid_core::domain::id::{MessageId, PersonId, SourceId};
use unsaid_core::domain::source::SourceKind;
use unsaid_core::port::clock::Clock as _;
use unsaid_line::stand_in::{Sent, StandIn, What};

use super::server::{Server, Turns};
use crate::as_line::people::{Person, group, known_id};
use crate::as_line::{Deed, Source, Spoken, body};
use crate::config::LineGroups;
use crate::refusal::{Refusal, said};
use crate::system::SystemClock;
use crate::terminal;

const FIRST_PERSON: &str = "Kim";
const GROUP_NAME: &str = "The simulated group";
/// How often the server is asked whether a turn has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
/// How long the end of a turn is waited for whose answer is here.
const SETTLED_WITHIN: Duration = Duration::from_secs(2);
/// One grey pixel.
const PICTURE: &[u8] =
    b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\xdach\x00\x00\x00\x82\x00\x81\xdaE\x08;\
    \x00\x00\x00\x00IEND\xaeB`\x82";

/// See the module.
pub(super) struct Stage {
    line: StandIn,
    server: Server,
    groups: LineGroups,
    wait: Duration,
    /// The same seed gives everybody the same id again.
    seed: String,
    person: Person,
    /// Who has spoken in the group.
    members: Vec<PersonId>,
    in_group: bool,
    bot_joined: bool,
    messages: Vec<Message>,
    went_wrong: bool,
}

/// Something that was sent, in the order of its number.
struct Message {
    id: MessageId,
    by: Person,
    source: Source,
    text: Option<String>,
    unsent: bool,
}

impl Stage {
    pub(super) fn new(
        line: StandIn,
        server: Server,
        groups: LineGroups,
        wait: Duration,
        seed: String,
    ) -> Self {
        let person = Person::named(&seed, FIRST_PERSON);
        line.know_person(&person.id, &person.name);
        Self {
            line,
            server,
            groups,
            wait,
            seed,
            person,
            members: Vec::new(),
            in_group: false,
            bot_joined: false,
            messages: Vec::new(),
            went_wrong: false,
        }
    }

    /// Whether a webhook was not taken, or an answer never came.
    pub(super) fn went_wrong(&self) -> bool {
        self.went_wrong
    }

    pub(super) fn whereabouts(&self) -> String {
        let place = if self.in_group { "in the group" } else { "alone with the bot" };
        format!("{}, {place}", self.person.name)
    }

    pub(super) fn become_person(&mut self, name: &str) -> Result<(), Refusal> {
        self.person = Person::named(&self.seed, name);
        self.line.know_person(&self.person.id, name);
        terminal::say(&format!("You are {}.", self.whereabouts()))
    }

    pub(super) async fn enter_group(&mut self) -> Result<(), Refusal> {
        self.in_group = true;
        let group = self.source();
        self.line.know_place(&group.id, group.kind, GROUP_NAME, self.member_count());
        if !mem::replace(&mut self.bot_joined, true) {
            self.deliver(Deed::Join, None, "the bot joins the group").await?;
        }
        terminal::say(&format!("You are {}.", self.whereabouts()))
    }

    pub(super) fn leave_group(&mut self) -> Result<(), Refusal> {
        self.in_group = false;
        terminal::say(&format!("You are {}.", self.whereabouts()))
    }

    pub(super) async fn say(&mut self, text: &str) -> Result<(), Refusal> {
        let id = self.note(Some(text));
        let shown = format!("#{} {}: {text}", self.messages.len(), self.person.name);
        let spoken = Spoken::typed(text);
        self.speak(Deed::Text { id: &id, text: &spoken }, &shown, spoken.mentions()).await
    }

    pub(super) async fn sticker(&mut self) -> Result<(), Refusal> {
        let id = self.note(None);
        let shown = format!("#{} {}: [a sticker]", self.messages.len(), self.person.name);
        self.speak(Deed::Sticker { id: &id }, &shown, false).await
    }

    pub(super) async fn image(&mut self, file: Option<&str>) -> Result<(), Refusal> {
        let bytes = match file.map(fs::read) {
            None => PICTURE.to_vec(),
            Some(Ok(bytes)) => bytes,
            Some(Err(error)) => {
                return terminal::say(&format!("That file cannot be read: {}.", said(&error)));
            }
        };
        let id = self.note(None);
        self.line.put_content(&id, content_type(file), bytes);
        let shown = format!("#{} {}: [a picture]", self.messages.len(), self.person.name);
        self.speak(Deed::Image { id: &id }, &shown, false).await
    }

    pub(super) async fn follow(&mut self) -> Result<(), Refusal> {
        if self.in_group {
            return terminal::say("The bot is added as a friend in the chat alone: /alone first.");
        }
        let shown = format!("{} adds the bot as a friend", self.person.name);
        self.deliver(Deed::Follow, Some(self.source()), &shown).await?;
        Ok(())
    }

    pub(super) async fn unsend(&mut self, number: Option<usize>) -> Result<(), Refusal> {
        let Some(index) = self.own(number) else {
            return terminal::say("There is no such message of yours; /list shows them.");
        };
        let (id, source) = (self.messages[index].id.clone(), self.messages[index].source.clone());
        self.messages[index].unsent = true;
        let shown = format!("{} unsends #{}", self.person.name, index + 1);
        self.deliver(Deed::Unsend { id: &id }, Some(source), &shown).await?;
        Ok(())
    }

    pub(super) async fn edit(&mut self, number: usize, text: &str) -> Result<(), Refusal> {
        let Some(index) = self.own(Some(number)) else {
            return terminal::say("There is no such message of yours; /list shows them.");
        };
        let message = &mut self.messages[index];
        if message.source.kind == SourceKind::Person {
            return terminal::say("LINE tells bots about edits in groups only.");
        }
        if message.text.is_none() {
            return terminal::say("Only texts can be edited.");
        }
        message.text = Some(text.to_owned());
        let (id, source) = (message.id.clone(), message.source.clone());
        let shown = format!("{} edits #{number}: {text}", self.person.name);
        self.deliver(Deed::Edit { id: &id, text: &Spoken::typed(text) }, Some(source), &shown)
            .await?;
        Ok(())
    }

    pub(super) fn list(&self) -> Result<(), Refusal> {
        let own = self.messages.iter().enumerate().filter(|(_, message)| message.by == self.person);
        let mut none = true;
        for (index, message) in own {
            none = false;
            let place = match message.source.kind {
                SourceKind::Person => "alone",
                SourceKind::Group | SourceKind::Room => "group",
            };
            let text = message.text.as_deref().unwrap_or("[a sticker or picture]");
            let text = if message.unsent { "(unsent)" } else { text };
            terminal::say(&format!("#{} {place}: {text}", index + 1))?;
        }
        if none { terminal::say("You have sent nothing yet.") } else { Ok(()) }
    }

    /// Shows the next thing that the bot says by itself, or late.
    pub(super) async fn overhear(&self) -> Result<(), Refusal> {
        let sent = self.line.next_sent().await;
        self.show(&sent)
    }

    /// Says something, and shows what the bot says to it.
    async fn speak(&mut self, deed: Deed<'_>, shown: &str, called: bool) -> Result<(), Refusal> {
        let source = self.source();
        if self.in_group && !self.members.contains(&self.person.id) {
            self.members.push(self.person.id.clone());
            self.line.know_member(&source.id, &self.person.id, &self.person.name);
            self.line.know_place(&source.id, source.kind, GROUP_NAME, self.member_count());
        }
        let before = self.server.turns().await;
        if !self.deliver(deed, Some(source.clone()), shown).await? {
            return Ok(());
        }
        let setting = match self.groups {
            LineGroups::Decide => None,
            LineGroups::Mention => (!called).then_some("mention"),
            LineGroups::Off => Some("off"),
        };
        match setting.filter(|_| self.in_group) {
            Some(setting) => {
                aside(&format!("(the bot is not asked: `line.groups` is `{setting}`)"))
            }
            None => self.hear(&source, before).await,
        }
    }

    /// Waits until the bot has spoken here, or will not.
    async fn hear(&mut self, source: &Source, before: Option<Turns>) -> Result<(), Refusal> {
        let ends = Instant::now() + self.wait;
        while Instant::now() < ends {
            if let Ok(sent) = timeout(BETWEEN_LOOKS, self.line.next_sent()).await {
                self.show(&sent)?;
                if sent.to == source.id.as_str() && !sent.what.texts().is_empty() {
                    self.settle(before).await;
                    return Ok(());
                }
                continue;
            }
            let (Some(before), Some(now)) = (before, self.server.turns().await) else { continue };
            if now.silent > before.silent {
                return aside("(the bot stays silent: it has decided so)");
            }
            if now.failed > before.failed {
                self.went_wrong = true;
                return aside("(the bot stays silent: its turn failed; the server's log says why)");
            }
        }
        self.went_wrong = true;
        let waited = self.wait.as_secs();
        aside(&format!("(the bot stays silent: nothing came within {waited} s)"))?;
        if self.line.seen().is_empty() {
            let base = self.line.base();
            aside(&format!(
                "(the server has never called {base}: is that its `line.api_base`, too?)"
            ))?;
        }
        Ok(())
    }

    /// Lets the turn end whose answer is here, so that what comes next finds it recorded.
    async fn settle(&self, before: Option<Turns>) {
        let ends = Instant::now() + SETTLED_WITHIN;
        while Instant::now() < ends {
            let (Some(before), Some(now)) = (before, self.server.turns().await) else { return };
            if now.ended > before.ended {
                return;
            }
            // waits: the server counts and sends nothing about it
            sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Delivers an event; whether it was taken.
    async fn deliver(
        &mut self,
        deed: Deed<'_>,
        by: Option<Source>,
        shown: &str,
    ) -> Result<bool, Refusal> {
        let person = by.as_ref().map(|_| self.person.id.clone());
        let source = by.unwrap_or_else(|| self.source());
        let token = match deed {
            Deed::Unsend { .. } => None,
            Deed::Text { .. }
            | Deed::Sticker { .. }
            | Deed::Image { .. }
            | Deed::Edit { .. }
            | Deed::Follow
            | Deed::Join => Some(self.line.issue_reply_token(&source.id)),
        };
        let body = body(deed, &source, person.as_ref(), token.as_ref(), SystemClock.now());
        let status = self.server.deliver(&body).await;
        let status_text = status.map_or("---".to_owned(), |status| status.to_string());
        terminal::say(&format!("[{status_text}] {shown}"))?;
        match status {
            Some(200) => return Ok(true),
            Some(_) => aside("(the server did not take it; LINE would deliver it again)")?,
            None => aside("(the server cannot be reached; LINE would deliver it again)")?,
        }
        self.went_wrong = true;
        Ok(false)
    }

    fn show(&self, sent: &Sent) -> Result<(), Refusal> {
        let elsewhere = if sent.to == self.source().id.as_str() { "" } else { " (elsewhere)" };
        let way = match &sent.what {
            What::Reply { .. } => "",
            What::Push { .. } => " (pushed)",
            What::Loading { .. } => return aside("(the bot is thinking …)"),
        };
        for text in sent.what.texts() {
            aside(&format!("bot{elsewhere}{way}: {}", text.as_str()))?;
        }
        Ok(())
    }

    /// A new message of the person, here and now.
    fn note(&mut self, text: Option<&str>) -> MessageId {
        let number = self.messages.len() + 1;
        let id = format!("{}{number:05}", SystemClock.now().as_millis());
        let id = known_id(MessageId::new(id));
        self.messages.push(Message {
            id: id.clone(),
            by: self.person.clone(),
            source: self.source(),
            text: text.map(str::to_owned),
            unsent: false,
        });
        id
    }

    /// A message of the person that is still there: the one with this number, or the last one here.
    fn own(&self, number: Option<usize>) -> Option<usize> {
        let here = self.source();
        self.messages.iter().enumerate().rev().find_map(|(index, message)| {
            let wanted = match number {
                Some(number) => number == index + 1,
                None => message.source == here,
            };
            (wanted && !message.unsent && message.by == self.person).then_some(index)
        })
    }

    fn source(&self) -> Source {
        if self.in_group {
            Source { id: group(&self.seed), kind: SourceKind::Group }
        } else {
            let id = known_id(SourceId::new(self.person.id.as_str()));
            Source { id, kind: SourceKind::Person }
        }
    }

    fn member_count(&self) -> u32 {
        u32::try_from(self.members.len().max(1)).unwrap_or(u32::MAX)
    }
}

/// A line that belongs to what stands above it.
fn aside(text: &str) -> Result<(), Refusal> {
    terminal::say(&format!("      {}", text.replace('\n', "\n      ")))
}

/// By the name alone: the server looks at the bytes anyway.
fn content_type(file: Option<&str>) -> &'static str {
    let ending = file.and_then(|file| Path::new(file).extension()?.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some(_) | None => "image/png",
    }
}
