//! Names made of many parts, from which nobody can tell the parts.

use sha2::{Digest as _, Sha256};
use unsaid_core::domain::secret::SecretKey;

/// What may stand in an address as it is.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Names with the installation's key in them: without it nobody can try whether they stand for words
/// that they guess, also after those were erased.
#[derive(Debug)]
pub(super) struct Keyed(pub(super) SecretKey);

impl Keyed {
    /// The same parts have the same name, as long as the installation has its key.
    pub(super) fn name(&self, parts: &[&str], letters: usize) -> String {
        // Of the digest again, so that nobody can go on from it.
        let keyed = Sha256::new().chain_update(self.0.expose()).chain_update(digest(parts));
        spelled(&keyed.finalize(), letters)
    }
}

/// The same parts have the same name everywhere. Not for words.
pub(super) fn plain_name(parts: &[&str], letters: usize) -> String {
    spelled(&digest(parts), letters)
}

fn digest(parts: &[&str]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().into()
}

fn spelled(bytes: &[u8], letters: usize) -> String {
    bytes.iter().take(letters).map(|byte| char::from(LETTERS[usize::from(byte & 63)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_parts_apart_and_nothing_about_them_without_the_key() {
        let (one, other) = (Keyed(SecretKey::new([1; 32])), Keyed(SecretKey::new([2; 32])));
        assert_eq!(one.name(&["ab", "c"], 32), one.name(&["ab", "c"], 32));
        assert_ne!(one.name(&["ab", "c"], 32), one.name(&["a", "bc"], 32));
        assert_ne!(one.name(&["yes"], 32), other.name(&["yes"], 32));
        assert_ne!(one.name(&["yes"], 32), plain_name(&["yes"], 32));
        assert_eq!(one.name(&["yes"], 10).len(), 10);
    }
}
