//! Who answers in a world: decided from what was said, by whom, and who is there. A pure function.
//!
//! A person without a mention speaks to everybody who answers by itself, or to the main agent alone; a
//! mention at the start of a line speaks to those who are mentioned. An agent speaks to another only by
//! such a mention. What stands elsewhere in a line, in code, or names nobody, is no mention.

use super::{
    id::AgentId,
    message::Author,
    world::{Agent, World},
};

/// Words that may stand before a mention at the start of a line.
const GREETINGS: [&str; 4] = ["hi", "hey", "hello", "to"];
/// Lines between two fences of these are code.
const FENCES: [char; 2] = ['`', '~'];
/// A fence has at least so many of them.
const FENCE_LENGTH_MIN: usize = 3;
/// Code without fences begins in this column.
const CODE_COLUMN: usize = 4;

/// The agents that answer a message, in the order in which they do.
#[must_use]
pub fn responders(world: &World, agents: &[Agent], author: &Author, text: &str) -> Vec<AgentId> {
    let mentioned = mentions(agents, text);
    match author {
        Author::Agent(speaker) => mentioned.into_iter().filter(|id| id != speaker).collect(),
        Author::Person(_) if !mentioned.is_empty() => mentioned,
        Author::Person(_) => unmentioned(world, agents),
    }
}

/// Those who answer when nobody is mentioned, in the order in which they joined.
fn unmentioned(world: &World, agents: &[Agent]) -> Vec<AgentId> {
    let main = world.main_agent.as_ref().filter(|id| agents.iter().any(|agent| agent.id == **id));
    match main {
        Some(main) => vec![main.clone()],
        None => {
            agents.iter().filter(|agent| agent.auto_reply).map(|agent| agent.id.clone()).collect()
        }
    }
}

/// The agents that are mentioned at the start of a line, each once, in the order of the text.
#[must_use]
pub fn mentions(agents: &[Agent], text: &str) -> Vec<AgentId> {
    let mut found: Vec<AgentId> = Vec::new();
    let mut code: Option<Fence> = None;
    // Whether the line before belongs to a paragraph: an indented one goes on with it, and is no code.
    let mut is_paragraph = false;
    for line in text.lines() {
        if code.is_none() && !is_paragraph && is_indented(line) {
            continue;
        }
        let line = line.trim_start();
        is_paragraph = false;
        match (&code, Fence::of(line)) {
            (Some(opened), Some(fence)) if fence.closes(opened) => code = None,
            (Some(_), _) => {}
            (None, Some(fence)) if fence.opens() => code = Some(fence),
            (None, _) => {
                is_paragraph = !line.is_empty();
                for id in at_the_start(agents, line) {
                    if !found.contains(&id) {
                        found.push(id);
                    }
                }
            }
        }
    }
    found
}

/// Whether a line is so far to the right that it is code, unless it goes on with a paragraph.
fn is_indented(line: &str) -> bool {
    let blank = line.chars().take_while(|letter| matches!(letter, ' ' | '\t'));
    let columns = blank.fold(0, |column, letter| match letter {
        '\t' => column - column % CODE_COLUMN + CODE_COLUMN,
        _ => column + 1,
    });
    columns >= CODE_COLUMN
}

/// A line that may begin or end code, read as `CommonMark` does.
struct Fence<'a> {
    mark: char,
    length: usize,
    after: &'a str,
}

impl<'a> Fence<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let mark = line.chars().next().filter(|first| FENCES.contains(first))?;
        let after = line.trim_start_matches(mark);
        // Both marks are one byte long.
        let length = line.len() - after.len();
        (length >= FENCE_LENGTH_MIN).then_some(Self { mark, length, after })
    }

    /// Code in the middle of a line may begin the same way, but its end is there too.
    fn opens(&self) -> bool {
        self.mark == '~' || !self.after.contains(self.mark)
    }

    fn closes(&self, opened: &Self) -> bool {
        self.mark == opened.mark && self.length >= opened.length && self.after.trim().is_empty()
    }
}

/// The mentions with which a line begins, one after another.
fn at_the_start(agents: &[Agent], line: &str) -> Vec<AgentId> {
    let mut rest = after_greeting(line);
    let mut found = Vec::new();
    while let Some(name) = rest.strip_prefix('@') {
        let Some((agent, after)) = longest(agents, name) else { break };
        found.push(agent.id.clone());
        rest = after.trim_start_matches(|letter: char| letter.is_whitespace() || is_mark(letter));
    }
    found
}

/// What follows a greeting, or the whole line if there is none.
fn after_greeting(line: &str) -> &str {
    GREETINGS
        .into_iter()
        .find_map(|greeting| {
            let rest = without_prefix(line, greeting)?;
            let mention = rest.trim_start_matches(is_mark).trim_start();
            (mention.len() < rest.len() && mention.starts_with('@')).then_some(mention)
        })
        .unwrap_or(line)
}

/// The agent whose id or name stands here, the longest if several do, and what follows it. Where one
/// agent is called as another is named, the id counts: no two have the same.
fn longest<'a, 'b>(agents: &'a [Agent], text: &'b str) -> Option<(&'a Agent, &'b str)> {
    let ids = agents.iter().map(|agent| (agent, agent.id.as_str()));
    let called = ids.chain(agents.iter().map(|agent| (agent, agent.name.as_str().trim())));
    called
        .filter(|(_, name)| !name.is_empty())
        .filter_map(|(agent, name)| Some((agent, without_prefix(text, name)?)))
        .filter(|(_, after)| ends_here(after))
        .min_by_key(|(_, after)| after.len())
}

/// Whether a name is over before this: `@ann` does not mean `@anna`, nor `@ann-marie`.
fn ends_here(after: &str) -> bool {
    let mut letters = after.chars();
    match (letters.next(), letters.next()) {
        (Some('-' | '_'), Some(next)) | (Some(next), _) => !next.is_alphanumeric(),
        (None, _) => true,
    }
}

/// What follows a prefix, in whatever case it is written.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let mut wanted = prefix.chars().flat_map(char::to_lowercase);
    let mut letters = text.chars();
    while let Some(first) = wanted.next() {
        let mut lowered = letters.next()?.to_lowercase();
        if lowered.next() != Some(first) || lowered.any(|letter| wanted.next() != Some(letter)) {
            return None;
        }
    }
    Some(letters.as_str())
}

/// Punctuation that may stand around a mention.
fn is_mark(letter: char) -> bool {
    matches!(letter, ',' | ';' | ':' | '.' | '!' | '?' | '、' | '，' | '。' | '！' | '？' | '：')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        id::{PersonId, Roster, WorldId},
        text::Words,
        time::Timestamp,
    };

    fn agent(name: &str, auto_reply: bool) -> Agent {
        Agent {
            id: AgentId::from_name(name).unwrap(),
            name: Words::lossy(name),
            system_prompt: Words::lossy(""),
            provider: None,
            model: None,
            auto_reply,
            joined: Roster::ZERO,
        }
    }

    fn agents() -> [Agent; 5] {
        [
            agent("o1", true),
            agent("a1", true),
            agent("a10", false),
            agent("Ann Marie", true),
            agent("花子", false),
        ]
    }

    fn world(main: Option<&str>) -> World {
        World {
            owner: PersonId::new("ana").unwrap(),
            id: WorldId::from_name("w").unwrap(),
            name: Words::lossy("w"),
            turn_limit: 5,
            main_agent: main.map(|name| AgentId::from_name(name).unwrap()),
            current_chat: None,
            roster: Roster::ZERO,
            created_at: Timestamp::ZERO,
        }
    }

    fn answer(main: Option<&str>, author: &Author, text: &str) -> String {
        let ids = responders(&world(main), &agents(), author, text);
        ids.iter().map(AgentId::as_str).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_person_speaks_to_whom_they_mention() {
        let everybody = "o1 a1 ann-marie";
        let cases = [
            ("hello all", everybody),
            ("@a1 hello", "a1"),
            ("@A1, hello", "a1"),
            ("  @a1: hello", "a1"),
            ("@a10 hello", "a10"),
            ("@a1", "a1"),
            ("@a1? @o1! both of you", "a1 o1"),
            ("@a1 tell @o1 that", "a1"),
            ("hi @a1", "a1"),
            ("Hey, @o1!", "o1"),
            ("hello @Ann Marie, how are you", "ann-marie"),
            ("@ann-marie hello", "ann-marie"),
            ("to @a1: this", "a1"),
            ("first line\n@o1 second", "o1"),
            ("@o1 one\n@a1 two\n@o1 three", "o1 a1"),
            ("@花子、こんにちは", "花子"),
            // elsewhere, of nobody, in code
            ("ask @a1", everybody),
            ("tomorrow @a1", everybody),
            ("@nobody hello", everybody),
            ("@a1x hello", everybody),
            ("@a1-x hello", everybody),
            ("mail@a1", everybody),
            ("`@a1` is how you call it", everybody),
            ("```\n@a1 in code\n```", everybody),
            ("```\n@a1\n```\n@o1 after it", "o1"),
            ("~~~\n```\n@a1\n~~~", everybody),
            ("````\n```\n@a1\n```\n````\n@o1 after it", "o1"),
            ("```rust\n@a1\n``` no end\n@a1\n```\n@o1 after it", "o1"),
            ("```js``` is nice\n@o1 hi", "o1"),
            ("```\n@a1 in code without end", everybody),
            ("    @a1 in code", everybody),
            ("\t@a1 in code\n@o1 after it", "o1"),
            ("text\n\n  \t@a1 in code", everybody),
            ("text\n    @a1 in the same paragraph", "a1"),
            ("```\n```\n    @a1 in code", everybody),
            ("   @a1 not far enough", "a1"),
            ("@ a1", everybody),
            ("@", everybody),
        ];
        for (text, expected) in cases {
            assert_eq!(answer(None, &Author::Person(None), text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_main_agent_answers_alone_if_nobody_is_mentioned() {
        let person = Author::Person(None);
        assert_eq!(answer(Some("a10"), &person, "hello"), "a10");
        assert_eq!(answer(Some("a10"), &person, "@o1 hello"), "o1");
        assert_eq!(answer(Some("gone"), &person, "hello"), "o1 a1 ann-marie");
    }

    #[test]
    fn an_id_counts_more_than_a_name_that_is_the_same() {
        let named_as_another = Agent { name: Words::lossy("a1"), ..agent("x", true) };
        let agents = [named_as_another, agent("a1", true)];
        let to = |text: &str| {
            let person = Author::Person(None);
            responders(&world(None), &agents, &person, text)
        };
        assert_eq!(to("@a1 hello"), [agents[1].id.clone()]);
        assert_eq!(to("@x hello"), [agents[0].id.clone()]);
    }

    #[test]
    fn an_agent_speaks_to_another_only_by_a_mention() {
        let speaker = Author::Agent(AgentId::from_name("a1").unwrap());
        assert_eq!(answer(None, &speaker, "hello all"), "");
        assert_eq!(answer(Some("o1"), &speaker, "hello"), "");
        assert_eq!(answer(None, &speaker, "@o1 what do you think"), "o1");
        assert_eq!(answer(None, &speaker, "@a1 note to myself"), "");
        assert_eq!(answer(None, &speaker, "as I said to @o1"), "");
    }
}
