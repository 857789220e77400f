//! Licence expressions: `MIT OR (Apache-2.0 AND ISC)`, `A WITH exception`, and the old `A/B`.

/// Whether the expression can be satisfied by licences from `allowed`; `Err` if it cannot be read.
pub(super) fn is_allowed(expression: &str, allowed: &[String]) -> Result<bool, String> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut parser = Parser { words: spaced.split_whitespace().collect(), at: 0, allowed };
    let verdict = parser.any_of()?;
    match parser.peek() {
        None => Ok(verdict),
        Some(word) => Err(format!("`{word}` is not expected in `{expression}`")),
    }
}

struct Parser<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [String],
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    /// `OR` binds weakest.
    fn any_of(&mut self) -> Result<bool, String> {
        let mut verdict = self.all_of()?;
        while self.take("OR") {
            verdict |= self.all_of()?;
        }
        Ok(verdict)
    }

    fn all_of(&mut self) -> Result<bool, String> {
        let mut verdict = self.one()?;
        while self.take("AND") {
            verdict &= self.one()?;
        }
        Ok(verdict)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let verdict = self.any_of()?;
            return if self.take(")") { Ok(verdict) } else { Err("a bracket is open".to_owned()) };
        }
        let mut name = match self.peek() {
            Some(word) if !["OR", "AND", "WITH", ")"].contains(&word) => word.to_owned(),
            _ => return Err("a licence is missing".to_owned()),
        };
        self.at += 1;
        if self.take("WITH") {
            let exception = self.peek().ok_or("an exception is missing")?;
            self.at += 1;
            name = format!("{name} WITH {exception}");
        }
        Ok(self.allowed.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(expression: &str) -> Result<bool, String> {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        is_allowed(expression, &allowed)
    }

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        let cases = [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("MIT OR GPL-3.0-only", true),
            ("GPL-3.0-only/MIT", true),
            ("MIT AND GPL-3.0-only", false),
            ("MIT AND ISC", true),
            ("GPL-3.0-only OR MIT AND ISC", true),
            ("(GPL-3.0-only OR MIT) AND ISC", true),
            ("GPL-3.0-only AND (MIT OR ISC)", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
        ];
        for (expression, expected) in cases {
            assert_eq!(verdict(expression), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn nonsense_is_not_allowed() {
        for expression in ["", "MIT OR", "(MIT", "MIT ISC", "OR MIT", "MIT)", "MIT WITH"] {
            assert!(verdict(expression).is_err(), "{expression}");
        }
    }
}
