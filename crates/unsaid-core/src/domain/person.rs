//! Accounts: who somebody is to us, and what they agreed to.

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};

use super::{consent::Consent, id::PersonId, text::Words, time::Timestamp};

/// A person with an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// A UUID.
    pub id: PersonId,
    /// Trimmed and in lower case; unique.
    pub email: Email,
    /// What they want to be called.
    pub display_name: Words,
    /// How their password is checked.
    pub password: PasswordHash,
    /// Whether they may see counts and run the erasure job.
    pub admin: bool,
    /// When the account was made.
    pub created_at: Timestamp,
    /// Tokens made before this count for nothing.
    pub tokens_since: Timestamp,
    /// Whether their words may be kept.
    pub consent: Consent,
    /// The newest claim that erased their history.
    pub erased_at: Option<Timestamp>,
    /// Sessions they may still open beyond the free ones.
    pub paid_credits: u32,
    /// Free sessions they have used.
    pub free_used: u32,
}

/// An e-mail address as an account's name. It does not print itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

/// A text that is no e-mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an e-mail address")]
pub struct EmailError;

impl Email {
    /// Parses an address: something, `@`, something; no white space; at most 254 bytes.
    ///
    /// # Errors
    /// If it cannot be an address.
    pub fn new(text: &str) -> Result<Self, EmailError> {
        let text = text.trim().to_lowercase();
        let sides = text.split_once('@').ok_or(EmailError)?;
        let plain = !text.chars().any(|letter| letter.is_whitespace() || letter.is_control());
        let whole = !sides.0.is_empty() && !sides.1.is_empty() && !sides.1.contains('@');
        if plain && whole && text.len() <= 254 { Ok(Self(text)) } else { Err(EmailError) }
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Email(…)")
    }
}

/// A password hash in PHC form. It does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Takes the hash as the hasher wrote it.
    #[must_use]
    pub fn new(phc: impl Into<String>) -> Self {
        Self(phc.into())
    }

    /// As the hasher wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

/// A line of the consent ledger. The ledger only grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentLine {
    /// When.
    pub at: Timestamp,
    /// On or off.
    pub granted: bool,
    /// Which notice they had read.
    pub notice_version: String,
    /// Where they moved the switch.
    pub door: String,
}

/// The name of a notice in the ledger: the beginning of its digest, so that another text has another
/// name and nobody has to count.
#[must_use]
pub fn notice_version(text: &[u8]) -> String {
    Sha256::digest(text).iter().take(6).fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        write!(hex, "{byte:02x}").unwrap_or_default();
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_trimmed_and_lower_cased() {
        assert_eq!(Email::new("  Ana@Example.ORG ").unwrap().as_str(), "ana@example.org");
        for bad in
            ["", "@", "a@", "@b", "a b@c", "a@b@c", "plain", &format!("a@{}", "b".repeat(254))]
        {
            assert!(Email::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn neither_address_nor_hash_prints() {
        let shown = format!("{:?}{:?}", Email::new("a@b").unwrap(), PasswordHash::new("x9"));
        assert!(!shown.contains("a@b") && !shown.contains("x9"));
    }
}
