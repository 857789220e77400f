//! Which names objects may have: what every bucket can hold, and holds alike.

use super::BucketError;

/// The clouds take 1,024 bytes, and the place takes some of them for its prefix.
const NAME_BYTES_MAX: usize = 800;

/// The pieces of a name; there is at least one.
pub(super) fn pieces(name: &str) -> Result<Vec<&str>, BucketError> {
    let pieces: Vec<&str> = name.split('/').collect();
    if name.len() <= NAME_BYTES_MAX && pieces.iter().all(|piece| is_piece(piece)) {
        Ok(pieces)
    } else {
        Err(not_allowed())
    }
}

/// What the names of a list begin with: nothing, or pieces that each end with `/`.
pub(super) fn beginning(prefix: &str) -> Result<String, BucketError> {
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    if prefix.is_empty() {
        return Ok(String::new());
    }
    pieces(prefix)?;
    Ok(format!("{prefix}/"))
}

/// The name itself may tell of a person.
pub(super) fn not_allowed() -> BucketError {
    BucketError::refused("object name not allowed")
}

fn is_piece(piece: &str) -> bool {
    !matches!(piece, "" | "." | "..") && !piece.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_pieces() {
        for name in ["a", "history/U1", "a/b c/日本", "a/..b", "%2e", "…", "a\\b"] {
            assert_eq!(pieces(name).map(|pieces| pieces.join("/")), Ok(name.to_owned()));
        }
        let long = "x".repeat(NAME_BYTES_MAX + 1);
        for name in ["", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a\nb", "a\0", &long] {
            assert!(pieces(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_list_begins_with_whole_pieces() {
        assert_eq!(beginning(""), Ok(String::new()));
        assert_eq!(beginning("history"), Ok("history/".to_owned()));
        assert_eq!(beginning("a/b/"), Ok("a/b/".to_owned()));
        assert!(beginning("a//").is_err());
    }
}
