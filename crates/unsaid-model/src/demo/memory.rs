//! Who said what, as far as the request tells.

use unsaid_core::port::model::{ModelRequest, ModelTurn, Piece};

const NAME_CHARS_MAX: usize = 40;

/// What others said, oldest first.
pub(super) struct Memory {
    messages: Vec<Message>,
}

/// One message.
pub(super) struct Message {
    pub(super) speaker: String,
    pub(super) text: String,
}

/// What the last message wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// The name of whoever asks.
    Name,
    /// What they said.
    Said,
    /// Nothing that the demo understands.
    Other,
}

impl Memory {
    pub(super) fn of(request: &ModelRequest) -> Self {
        let mut messages = Vec::new();
        for turn in &request.turns {
            match turn {
                ModelTurn::Heard(pieces) => messages.extend(read(pieces)),
                ModelTurn::Said(_) | ModelTurn::Called { .. } | ModelTurn::Results(_) => {}
            }
        }
        Self { messages }
    }

    /// The words of the last message.
    pub(super) fn last(&self) -> &str {
        self.messages.last().map_or("", |message| &message.text)
    }

    /// The messages before the last, newest first.
    pub(super) fn earlier(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().rev().skip(1)
    }

    /// Those of them that whoever spoke last said.
    pub(super) fn own(&self) -> impl Iterator<Item = &Message> {
        let speaker = self.messages.last().map_or("", |message| message.speaker.as_str());
        self.earlier().filter(move |message| message.speaker == speaker)
    }

    /// Whether this is a message of whoever spoke last.
    pub(super) fn is_own(&self, message: &Message) -> bool {
        self.messages.last().is_some_and(|last| last.speaker == message.speaker)
    }

    /// The name that whoever spoke last gave last.
    pub(super) fn name(&self) -> Option<String> {
        self.own().find_map(|message| name_in(&message.text))
    }

    pub(super) fn question(&self) -> Question {
        let text = plain(self.last());
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if name_in(self.last()).is_some() {
            return Question::Other;
        }
        let asks = text.contains(['?', '？'])
            || has(&["what", "who", "know", "remember", "何", "なに", "なん", "覚え", "知って"])
            || has(&["cual", "como", "sabes", "recuerdas", "acuerdas"]);
        if asks && has(&["my name", "who am i", "名前", "me llamo", "mi nombre"]) {
            Question::Name
        } else if has(&["did i say", "did i tell", "did i just say", "have i said", "i told you"])
            || has(&["do you remember", "と言った", "て言った", "を言った", "言ったこと", "覚えて"])
            || has(&["que dije", "te dije", "he dicho", "recuerdas", "te acuerdas"])
        {
            Question::Said
        } else {
            Question::Other
        }
    }
}

/// The messages of one turn: marked with their speakers, or all of it as one.
fn read(pieces: &[Piece]) -> Vec<Message> {
    let text: String = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(words) => words.as_str(),
            Piece::Image { .. } => "[image]",
        })
        .collect();
    if !text.starts_with("<message ") {
        return vec![Message { speaker: String::new(), text }];
    }
    // Words cannot hold a tag: `<` is escaped in them.
    text.split("<message ").filter_map(marked).collect()
}

fn marked(element: &str) -> Option<Message> {
    let (head, rest) = element.split_once('>')?;
    let (_, speaker) = head.split_once("from=\"")?;
    let (speaker, _) = speaker.split_once('"')?;
    let (words, _) = rest.split_once("</message>")?;
    let text = words.replace("&lt;", "<").replace("&amp;", "&");
    Some(Message { speaker: speaker.to_owned(), text })
}

/// Small letters without accents.
fn plain(text: &str) -> String {
    let letters = text.chars().flat_map(char::to_lowercase).map(|c| match c {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' => 'u',
        c => c,
    });
    letters.collect()
}

/// A name that somebody gives in this text.
fn name_in(text: &str) -> Option<String> {
    // Only ASCII letters change, so places in one text are places in the other.
    let small = text.to_ascii_lowercase();
    for before in ["my name is ", "me llamo ", "mi nombre es "] {
        if let Some(at) = small.find(before) {
            return clean(&text[at + before.len()..], &[]);
        }
    }
    let (_, after) = text.split_once("名前は")?;
    clean(after, &["といいます", "と言います", "と申します", "です", "だよ", "だ"])
}

/// Up to the end of the clause, without what is no name.
fn clean(text: &str, endings: &[&str]) -> Option<String> {
    let end = text.find(['.', ',', '!', '?', ';', '\n', '。', '、', '！', '？']);
    let clause = &text[..end.unwrap_or(text.len())];
    let words = [" and ", " y ", " but ", " pero "];
    let end = words.iter().filter_map(|word| clause.find(word)).min().unwrap_or(clause.len());
    // A question: 名前は何ですか？
    let asks = text[end..].starts_with(['?', '？'])
        || ["何", "なに", "なん"].iter().any(|word| clause.contains(word));
    let name = clause[..end].trim();
    let name = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let name = name.trim_matches(|c: char| c.is_whitespace() || "\"'「」“”".contains(c));
    let fits = (1..=NAME_CHARS_MAX).contains(&name.chars().count());
    (fits && !asks).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_three_languages() {
        for (text, name) in [
            ("Hi! My name is Ana, and I like tea.", Some("Ana")),
            ("my name is Ana María and you?", Some("Ana María")),
            ("私の名前は太郎です。よろしく", Some("太郎")),
            ("名前はタロウといいます", Some("タロウ")),
            ("Hola, me llamo Íñigo.", Some("Íñigo")),
            ("mi nombre es José y tengo sed", Some("José")),
            ("what is my name?", None),
            ("私の名前は何ですか？", None),
            ("¿Cómo me llamo?", None),
            ("my name is what?", None),
        ] {
            assert_eq!(name_in(text).as_deref(), name, "{text}");
        }
    }
}
