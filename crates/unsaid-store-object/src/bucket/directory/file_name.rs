//! A piece of a name as the name of a file, and back.
//!
//! Letters, digits, `-`, `_`, `=` and inner dots stay as they are, so a plain copy of a bucket can be
//! read. Everything else becomes `%XX`. So nothing that belongs to an object begins with a dot, and
//! two pieces never share a file.

use std::fmt::Write as _;

/// The file for a piece.
pub(super) fn encode(piece: &str) -> String {
    let mut name = String::with_capacity(piece.len());
    for (place, byte) in piece.bytes().enumerate() {
        if is_plain(byte) || (byte == b'.' && place > 0) {
            name.push(char::from(byte));
        } else {
            // a string takes everything
            write!(name, "%{byte:02X}").unwrap_or_default();
        }
    }
    name
}

/// The piece of a file, if it is one of ours.
pub(super) fn decode(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    let piece = String::from_utf8(bytes).ok()?;
    // only as we would write it ourselves
    (encode(&piece) == name).then_some(piece)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_files_belong_together() {
        let cases = [
            ("U4af4980629", "U4af4980629"),
            ("a.jsonl", "a.jsonl"),
            ("..", "%2E."),
            (".unsaid", "%2Eunsaid"),
            ("a b%", "a%20b%25"),
            ("é", "%C3%A9"),
            ("a\\b", "a%5Cb"),
        ];
        for (piece, file) in cases {
            assert_eq!(encode(piece), file);
            assert_eq!(decode(file).as_deref(), Some(piece));
        }
    }

    #[test]
    fn files_of_others_are_nobodys() {
        for file in [".DS_Store", "a b", "%zz", "%4", "%41", "a%2f", "%FF", ".unsaid", "é"] {
            assert_eq!(decode(file), None, "{file}");
        }
    }
}
