//! Which of three languages a message is in.

/// A language the demo speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Japanese,
    Spanish,
}

/// One of these is enough.
const SPANISH: &[&str] = &[
    "hola",
    "qué",
    "cómo",
    "gracias",
    "llamo",
    "nombre",
    "soy",
    "estoy",
    "está",
    "estás",
    "pero",
    "dije",
    "recuerdas",
    "acuerdas",
    "usted",
    "buenos",
    "buenas",
    "cuál",
    "dónde",
    "también",
];
/// These are short, and other languages have some of them: it takes two.
const SPANISH_TOO: &[&str] = &[
    "el", "los", "las", "un", "una", "de", "del", "que", "mi", "yo", "tu", "por", "para", "con",
    "muy", "como", "gusta", "quiero",
];

impl Language {
    /// English, unless something speaks for another.
    pub(super) fn of(text: &str) -> Self {
        if text.chars().any(is_japanese) {
            return Self::Japanese;
        }
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric());
        let weight: usize = words
            .map(|word| {
                2 * usize::from(SPANISH.contains(&word)) + usize::from(SPANISH_TOO.contains(&word))
            })
            .sum();
        if text.contains(['¿', '¡', 'ñ']) || weight >= 2 { Self::Spanish } else { Self::English }
    }
}

/// Kana and kanji.
fn is_japanese(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ff66}'..='\u{ff9f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_languages_are_told_apart() {
        for (text, language) in [
            ("hello, my name is Ana", Language::English),
            ("", Language::English),
            ("No, me too! La la.", Language::English),
            ("私の名前は太郎です", Language::Japanese),
            ("コーヒー please", Language::Japanese),
            ("¿y eso?", Language::Spanish),
            ("Hola", Language::Spanish),
            ("me gusta el mar", Language::Spanish),
            ("mañana", Language::Spanish),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }
}
