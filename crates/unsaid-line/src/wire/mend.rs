//! Makes a body readable that one odd character would make unreadable as a whole.
//!
//! JSON lets a string hold half of a surrogate pair, and phones send such; Rust's strings cannot hold
//! it, some stores cannot hold U+0000, and a name cut in the middle is no UTF-8. Each becomes U+FFFD.
//! Nothing else is touched: what is not JSON stays so.

use std::{borrow::Cow, ops::Range};

const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;
/// A backslash, `u` and four digits.
const ESCAPE_BYTES: usize = 6;

/// The body as text, mended.
#[must_use]
pub fn mend(body: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(body);
    let faults = faults(text.as_bytes());
    if faults.is_empty() { text } else { Cow::Owned(replace(&text, &faults)) }
}

fn replace(text: &str, faults: &[Range<usize>]) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut done = 0;
    for fault in faults {
        mended.push_str(&text[done..fault.start]);
        mended.push(REPLACEMENT);
        done = fault.end;
    }
    mended.push_str(&text[done..]);
    mended
}

/// Where something has to be replaced, in order. Every fault is ASCII, so its ends are the ends of
/// characters.
fn faults(text: &[u8]) -> Vec<Range<usize>> {
    let mut faults = Vec::new();
    let mut in_string = false;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => in_string = !in_string,
            0 if in_string => faults.push(at..at + 1),
            b'\\' if in_string => {
                let escape = Escape::read(&text[at..]);
                if let Escape::Unreadable = escape {
                    faults.push(at..at + ESCAPE_BYTES);
                }
                at += escape.bytes();
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    faults
}

/// What a backslash begins.
enum Escape {
    /// One character, or something that is not JSON.
    Short,
    /// A character by its number.
    Unit,
    /// Two halves that belong together.
    Pair,
    /// U+0000, or a half without its other half.
    Unreadable,
}

impl Escape {
    fn read(text: &[u8]) -> Self {
        match (unit(text), text.get(ESCAPE_BYTES..).and_then(unit)) {
            (None, _) => Self::Short,
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => Self::Pair,
            (Some(0 | 0xd800..=0xdfff), _) => Self::Unreadable,
            (Some(_), _) => Self::Unit,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Short => 2,
            Self::Unit | Self::Unreadable => ESCAPE_BYTES,
            Self::Pair => 2 * ESCAPE_BYTES,
        }
    }
}

/// The number of an escape like `\u30c6` at the beginning.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.get(..ESCAPE_BYTES)?.strip_prefix(br"\u")?;
    digits.iter().try_fold(0, |number, digit| Some(number * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_is_left_alone() {
        for body in [
            "",
            "{}",
            r#"{"a":"\u30c6\uD83D\uDE00 \n \" \\u0000 \\ud800 \\"}"#,
            r#"["😀", "é", "\ud83d\ude00\ud83d\ude00"]"#,
            "\0 \\ud800",
        ] {
            let mended = mend(body.as_bytes());
            assert_eq!(mended, body);
            assert!(matches!(mended, Cow::Borrowed(_)), "{body} was copied");
        }
    }

    #[test]
    fn halves_of_pairs_and_u0000_are_replaced() {
        for (body, mended) in [
            (r#""\ud800""#, "\"\u{fffd}\""),
            (r#""\uDfFf""#, "\"\u{fffd}\""),
            (r#""a\udbffz""#, "\"a\u{fffd}z\""),
            (r#""\ude00\ud83d""#, "\"\u{fffd}\u{fffd}\""),
            (r#""\ud83d\ud83d\ude00""#, "\"\u{fffd}\\ud83d\\ude00\""),
            (r#""\ud83d\ude00\ude00""#, "\"\\ud83d\\ude00\u{fffd}\""),
            (r#""\ud83d\n""#, "\"\u{fffd}\\n\""),
            (r#""\ud83d\u0041""#, "\"\u{fffd}\\u0041\""),
            (r#""\\\ud83d""#, "\"\\\\\u{fffd}\""),
            (r#""\u0000a\u0000""#, "\"\u{fffd}a\u{fffd}\""),
            (r#"{"\udc00":1}"#, "{\"\u{fffd}\":1}"),
            ("\"a\0b\"", "\"a\u{fffd}b\""),
        ] {
            assert_eq!(mend(body.as_bytes()), mended, "{body}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced_and_hide_nothing() {
        assert_eq!(mend(b"\"\xff\""), "\"\u{fffd}\"");
        // cut in the middle of a character: the quote that follows still ends the string
        assert_eq!(mend(b"\"\xe3\x81\""), "\"\u{fffd}\"");
        assert_eq!(mend(b"\"\xf0\x9f\x98\\ud800\""), "\"\u{fffd}\u{fffd}\"");
        // half of a pair as bytes
        assert_eq!(mend(b"\"\xed\xa0\x80\""), "\"\u{fffd}\u{fffd}\u{fffd}\"");
    }

    #[test]
    fn what_is_not_json_stays_so() {
        for body in [r#""\u12"#, r#""\ud8"#, r#""\"#, r#""\uzzzz""#, r#""\u+123""#, "\\u0000"] {
            assert_eq!(mend(body.as_bytes()), body);
        }
    }
}
