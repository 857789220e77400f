//! Looking at Rust without being fooled by comments and strings.

/// The same text with comments and the inside of strings and characters replaced by spaces, so
/// that lines and columns stay where they are.
pub(super) fn code_only(text: &str) -> String {
    let mut scan = Scan { chars: text.chars().collect(), at: 0, code: String::new() };
    while let Some(current) = scan.peek(0) {
        match (current, scan.peek(1)) {
            ('/', Some('/')) => scan.blank_line(),
            ('/', Some('*')) => scan.blank_block(),
            ('"', _) => scan.blank_string(),
            ('\'', _) => scan.blank_character(),
            _ if scan.blank_raw_string() => {}
            _ => scan.keep(),
        }
    }
    scan.code
}

/// The numbers, from 1, of the lines inside `#[cfg(test)]` blocks.
pub(super) fn test_lines(code: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    // depth of open braces, and the depth outside the test block that we are in
    let (mut depth, mut outside) = (0_usize, None);
    let mut announced = false;
    for (index, line) in code.lines().enumerate() {
        announced |= outside.is_none() && line.contains("#[cfg(") && has_word(line, "test");
        for character in line.chars() {
            match character {
                '{' => {
                    if announced && outside.is_none() {
                        outside = Some(depth);
                        announced = false;
                    }
                    depth += 1;
                }
                '}' => {
                    depth = depth.saturating_sub(1);
                    if outside == Some(depth) {
                        outside = None;
                        lines.push(index + 1);
                    }
                }
                // `#[cfg(test)] mod tests;` has no block here
                ';' if outside.is_none() => announced = false,
                _ => {}
            }
        }
        if outside.is_some() {
            lines.push(index + 1);
        }
    }
    lines
}

/// Whether `word` stands in `line` as a whole identifier.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    word_places(line, word).next().is_some()
}

/// Where `word` stands in `line` as a whole identifier, in bytes.
pub(super) fn word_places<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = line[..*at].chars().next_back();
        let after = line[*at + word.len()..].chars().next();
        !before.is_some_and(is_identifier) && !after.is_some_and(is_identifier)
    })
}

/// Whether an identifier may hold this character.
pub(super) fn is_identifier(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

struct Scan {
    chars: Vec<char>,
    at: usize,
    code: String,
}

impl Scan {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn keep(&mut self) {
        self.code.extend(self.peek(0));
        self.at += 1;
    }

    fn blank(&mut self) {
        self.code.extend(self.peek(0).map(|c| if c == '\n' { c } else { ' ' }));
        self.at += 1;
    }

    fn blank_line(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.blank();
        }
    }

    fn blank_block(&mut self) {
        let mut depth = 0;
        while self.peek(0).is_some() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                _ => {
                    self.blank();
                    continue;
                }
            }
            self.blank();
            self.blank();
            if depth == 0 {
                return;
            }
        }
    }

    fn blank_string(&mut self) {
        self.keep();
        while let Some(current) = self.peek(0) {
            match current {
                '"' => return self.keep(),
                '\\' => {
                    self.blank();
                    self.blank();
                }
                _ => self.blank(),
            }
        }
    }

    /// `'a'` and `'\n'`, but not the lifetime `'a`.
    fn blank_character(&mut self) {
        self.keep();
        if self.peek(0) == Some('\\') {
            self.blank();
            self.blank();
            while self.peek(0).is_some_and(|c| c != '\'') {
                self.blank();
            }
            self.keep();
        } else if self.peek(1) == Some('\'') {
            self.blank();
            self.keep();
        }
    }

    /// `r"…"`, `r#"…"#`, `br"…"`; false when this is none.
    fn blank_raw_string(&mut self) -> bool {
        if self.code.chars().next_back().is_some_and(is_identifier) {
            return false;
        }
        let prefix = match (self.peek(0), self.peek(1)) {
            (Some('r'), _) => 1,
            (Some('b' | 'c'), Some('r')) => 2,
            _ => return false,
        };
        let hashes = self.chars[self.at + prefix..].iter().take_while(|c| **c == '#').count();
        if self.peek(prefix + hashes) != Some('"') {
            return false;
        }
        for _ in 0..=prefix + hashes {
            self.keep();
        }
        while self.peek(0).is_some() {
            let closes =
                self.peek(0) == Some('"') && (1..=hashes).all(|n| self.peek(n) == Some('#'));
            if closes {
                for _ in 0..=hashes {
                    self.keep();
                }
                return true;
            }
            self.blank();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked_and_code_stays() {
        let cases = [
            ("a // b", "a     "),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x\"y") + g"#, r#"f("    ") + g"#),
            ("r#\"x\"y\"# z", "r#\"   \"# z"),
            ("br\"x\" z", "br\" \" z"),
            ("for x in 'a'..='z' {}", "for x in ' '..=' ' {}"),
            (r"'\'' 'b", r"'  ' 'b"),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
            ("\"one\ntwo\" three", "\"   \n   \" three"),
            ("bar\"x\"", "bar\" \""),
        ];
        for (text, code) in cases {
            assert_eq!(code_only(text), code, "{text}");
        }
    }

    #[test]
    fn every_line_stays_where_it_is() {
        let text = include_str!("rust_text.rs");
        assert_eq!(code_only(text).lines().count(), text.lines().count());
    }

    #[test]
    fn test_blocks_are_found_by_their_braces() {
        let code = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        assert_eq!(test_lines(code), [3, 4, 5]);
        assert!(test_lines("#[cfg(test)]\nmod tests;\nfn c() {\n}\n").is_empty());
        assert_eq!(test_lines("#[cfg(all(test, unix))]\nmod tests {\n}\n"), [2, 3]);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("use crate::port::x", "port"));
        assert!(!has_word("use crate::report::x", "port"));
        assert!(!has_word("portable", "port"));
    }
}
