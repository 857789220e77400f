//! JSON once more, written to be compared with: slow, strict, and with strings as the 16-bit units
//! that the standard means, so that half a pair is nothing special until the end.

use std::ops::Range;

/// Deeper than this is not judged; the judge recurses.
const DEPTH_MAX: usize = 120;

/// What a text is.
pub(crate) enum Verdict {
    Json(Item),
    NotJson,
    TooDeep,
}

/// A value, and where it stands.
pub(crate) struct Item {
    pub(crate) value: Json,
    pub(crate) span: Range<usize>,
}

pub(crate) enum Json {
    Null,
    /// Numbers and truth.
    Other,
    Text(String),
    List(Vec<Item>),
    Object(Vec<(String, Item)>),
}

impl Json {
    /// A member of an object that names nothing twice; `null` is none.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        let found = members.iter().find(|(given, _)| given == name).map(|(_, item)| &item.value);
        found.filter(|value| !matches!(value, Self::Null))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Self::Text(text) => Some(text),
            Self::Null | Self::Other | Self::List(_) | Self::Object(_) => None,
        }
    }

    /// An object that names nothing twice.
    pub(crate) fn is_plain_object(&self) -> bool {
        let Self::Object(members) = self else { return false };
        let mut names: Vec<&String> = members.iter().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        names.len() == count
    }
}

pub(crate) fn parse(text: &str) -> Verdict {
    let mut reader = Reader { text, at: 0, depth: 0, too_deep: false };
    let item = reader.item();
    reader.space();
    match item {
        _ if reader.too_deep => Verdict::TooDeep,
        Some(item) if reader.at == text.len() => Verdict::Json(item),
        Some(_) | None => Verdict::NotJson,
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    too_deep: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn take(&mut self, wanted: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(wanted.as_bytes());
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn item(&mut self) -> Option<Item> {
        self.space();
        let start = self.at;
        let value = match self.peek()? {
            b'{' | b'[' => {
                self.depth += 1;
                self.too_deep |= self.depth > DEPTH_MAX;
                if self.too_deep {
                    return None;
                }
                let value = if self.take("{") { self.object() } else { self.list() };
                self.depth -= 1;
                value?
            }
            b'"' => Json::Text(self.string()?),
            b't' => self.take("true").then_some(Json::Other)?,
            b'f' => self.take("false").then_some(Json::Other)?,
            b'n' => self.take("null").then_some(Json::Null)?,
            _ => self.number().then_some(Json::Other)?,
        };
        Some(Item { value, span: start..self.at })
    }

    fn object(&mut self) -> Option<Json> {
        let mut members = Vec::new();
        self.space();
        if self.take("}") {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            if !self.take(":") {
                return None;
            }
            members.push((name, self.item()?));
            self.space();
            if self.take("}") {
                return Some(Json::Object(members));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn list(&mut self) -> Option<Json> {
        self.take("[");
        let mut items = Vec::new();
        self.space();
        if self.take("]") {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.item()?);
            self.space();
            if self.take("]") {
                return Some(Json::List(items));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        if !self.take("\"") {
            return None;
        }
        let mut units: Vec<u16> = Vec::new();
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let plain = rest.iter().position(|byte| *byte < b' ' || b"\"\\".contains(byte))?;
            units.extend(self.text[self.at..self.at + plain].encode_utf16());
            self.at += plain;
            match self.next()? {
                b'"' => break,
                b'\\' => units.push(self.escape()?),
                0 => units.push(0),
                _ => return None,
            }
        }
        for unit in units.iter_mut().filter(|unit| **unit == 0) {
            *unit = 0xfffd;
        }
        Some(String::from_utf16_lossy(&units))
    }

    fn escape(&mut self) -> Option<u16> {
        Some(match self.next()? {
            plain @ (b'"' | b'\\' | b'/') => u16::from(plain),
            b'b' => 8,
            b't' => 9,
            b'n' => 10,
            b'f' => 12,
            b'r' => 13,
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4)?;
                if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    return None;
                }
                self.at += 4;
                u16::from_str_radix(digits, 16).ok()?
            }
            _ => return None,
        })
    }

    fn number(&mut self) -> bool {
        self.take("-");
        let whole = self.take("0") || self.digits();
        let fraction = !self.take(".") || self.digits();
        let exponent = if self.take("e") || self.take("E") {
            let _sign = self.take("+") || self.take("-");
            self.digits()
        } else {
            true
        };
        whole && fraction && exponent
    }

    fn digits(&mut self) -> bool {
        let before = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > before
    }
}
