//! What the demo says.

use super::language::Language;
use super::memory::{Memory, Message, Question};

const REMEMBERED_MAX: usize = 3;
const QUOTE_CHARS_MAX: usize = 200;

/// The whole answer; its first sentence says what this is.
pub(super) fn answer(language: Language, memory: &Memory) -> String {
    let sentences = Sentences::of(language);
    let said = match memory.question() {
        Question::Name => match memory.name() {
            Some(name) => sentences.name.replace("{}", &name),
            None => sentences.no_name.to_owned(),
        },
        Question::Said => {
            let own = list(memory, memory.own());
            own.map_or(sentences.said_nothing.to_owned(), |own| sentences.said.replace("{}", &own))
        }
        Question::Other => {
            let heard = sentences.heard.replace("{}", &quoted(memory.last()));
            let earlier = list(memory, memory.earlier());
            let earlier = earlier
                .map_or(sentences.nothing.to_owned(), |all| sentences.remember.replace("{}", &all));
            format!("{heard}{}{earlier}", sentences.space)
        }
    };
    format!("{}{}{said}", sentences.demo, sentences.space)
}

/// The newest few, in the order in which they were said.
fn list<'a>(memory: &Memory, newest_first: impl Iterator<Item = &'a Message>) -> Option<String> {
    let mut quotes: Vec<String> = newest_first
        .take(REMEMBERED_MAX)
        .map(|message| {
            let quote = quoted(&message.text);
            let is_own = memory.is_own(message);
            if is_own { quote } else { format!("{}: {quote}", message.speaker) }
        })
        .collect();
    quotes.reverse();
    (!quotes.is_empty()).then(|| quotes.join(", "))
}

fn quoted(text: &str) -> String {
    let text = text.trim();
    let short: String = text.chars().take(QUOTE_CHARS_MAX).collect();
    let rest = if short.len() < text.len() { "…" } else { "" };
    format!("“{short}{rest}”")
}

/// One language.
struct Sentences {
    demo: &'static str,
    name: &'static str,
    no_name: &'static str,
    said: &'static str,
    said_nothing: &'static str,
    heard: &'static str,
    remember: &'static str,
    nothing: &'static str,
    space: &'static str,
}

impl Sentences {
    fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Japanese => &JAPANESE,
            Language::Spanish => &SPANISH,
        }
    }
}

const ENGLISH: Sentences = Sentences {
    demo: "This is a demo, not a language model.",
    name: "You told me that your name is {}.",
    no_name: "I remember no name of yours.",
    said: "You said: {}.",
    said_nothing: "I remember nothing that you said before.",
    heard: "I heard: {}.",
    remember: "I remember: {}.",
    nothing: "I remember nothing before that.",
    space: " ",
};

const JAPANESE: Sentences = Sentences {
    demo: "これはデモで、言語モデルではありません。",
    name: "お名前は{}だとうかがいました。",
    no_name: "お名前は覚えていません。",
    said: "こうおっしゃいました：{}。",
    said_nothing: "これより前のことは覚えていません。",
    heard: "うかがったのは{}です。",
    remember: "覚えていること：{}。",
    nothing: "その前のことは覚えていません。",
    space: "",
};

const SPANISH: Sentences = Sentences {
    demo: "Esto es una demostración, no un modelo de lenguaje.",
    name: "Me dijiste que te llamas {}.",
    no_name: "No recuerdo ningún nombre tuyo.",
    said: "Dijiste: {}.",
    said_nothing: "No recuerdo nada que hayas dicho antes.",
    heard: "Oí: {}.",
    remember: "Recuerdo: {}.",
    nothing: "No recuerdo nada anterior.",
    space: " ",
};
