//! People and places with ids that look like LINE's.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use unsaid_core::domain::id::{IdError, PersonId, SourceId};

/// Somebody on LINE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Who.
    pub id: PersonId,
    /// What they are called.
    pub name: String,
}

impl Person {
    /// The same seed and name give the same person again.
    #[must_use]
    pub fn named(seed: &str, name: &str) -> Self {
        Self { id: known_id(PersonId::new(line_id('U', seed, name))), name: name.to_owned() }
    }
}

/// The one group there is for a seed.
#[must_use]
pub fn group(seed: &str) -> SourceId {
    known_id(SourceId::new(line_id('C', seed, "the group")))
}

/// An id that is made here and cannot be wrong.
///
/// # Panics
/// If it is.
#[expect(clippy::expect_used, reason = "ids of letters and digits that are made here")]
pub fn known_id<T>(id: Result<T, IdError>) -> T {
    id.expect("an id of letters and digits")
}

/// A letter and 32 hexadecimal digits, as LINE has them.
fn line_id(kind: char, seed: &str, name: &str) -> String {
    let digest = Sha256::digest(format!("unsaid line simulate\n{seed}\n{name}"));
    let mut id = String::from(kind);
    for byte in digest.iter().take(16) {
        write!(id, "{byte:02x}").unwrap_or_default();
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_id_that_looks_like_one_of_line() {
        let kim = Person::named("", "Kim");
        assert_eq!(kim, Person::named("", "Kim"));
        assert_ne!(kim, Person::named("", "Noa"));
        assert_ne!(kim.id, Person::named("another scene", "Kim").id);
        assert_eq!(kim.id.as_str().len(), 33);
    }
}
