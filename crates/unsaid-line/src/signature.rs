//! Whether a call comes from LINE: `x-line-signature` is the standard Base64 of the HMAC-SHA256 of
//! the raw bytes under the channel's secret.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// What LINE and we share. It never prints itself.
#[derive(Clone)]
pub struct ChannelSecret(Hmac<Sha256>);

impl ChannelSecret {
    /// Takes the secret as LINE's console shows it.
    #[must_use]
    #[expect(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "it cannot happen: HMAC takes keys of any length"
    )]
    pub fn new(secret: &str) -> Self {
        Self(Hmac::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length"))
    }
}

impl fmt::Debug for ChannelSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChannelSecret")
    }
}

/// The signature of a body, as LINE would send it.
#[must_use]
pub fn sign(secret: &ChannelSecret, body: &[u8]) -> String {
    STANDARD.encode(secret.0.clone().chain_update(body).finalize().into_bytes())
}

/// Whether a body was signed with the secret. `signatures` are all values of the header: none, or
/// more than one, is as bad as a wrong one. The comparison takes the same time whatever differs.
#[must_use]
pub fn is_signed(secret: &ChannelSecret, signatures: &[&[u8]], body: &[u8]) -> bool {
    let [signature] = signatures else { return false };
    let Ok(claimed) = STANDARD.decode(signature) else { return false };
    secret.0.clone().chain_update(body).verify_slice(&claimed).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"destination":"U8e742f61d673b39c7fff3cecb7536ef0","events":[]}"#;
    const SIGNATURE: &str = "GhRKmvmHys4Pi8DxkF4+EayaH0OqtJtaZxgTD9fMDLs=";

    fn secret() -> ChannelSecret {
        ChannelSecret::new("8c570fa6dd201bb328f1c1eac23a96d8")
    }

    #[test]
    fn the_known_answer_is_given_and_taken() {
        assert_eq!(sign(&secret(), BODY), SIGNATURE);
        assert!(is_signed(&secret(), &[SIGNATURE.as_bytes()], BODY));
    }

    #[test]
    fn another_body_another_secret_and_other_bytes_are_refused() {
        let signature = SIGNATURE.as_bytes();
        assert!(!is_signed(&ChannelSecret::new("8c570fa6"), &[signature], BODY));
        assert!(!is_signed(&secret(), &[signature], &BODY[1..]));
        assert!(!is_signed(&secret(), &[signature], &[BODY, b"\n"].concat()));
        for place in 0..signature.len() {
            let mut other = signature.to_vec();
            other[place] = if other[place] == b'A' { b'B' } else { b'A' };
            assert!(!is_signed(&secret(), &[&other], BODY), "byte {place}");
        }
    }

    #[test]
    fn a_header_that_is_missing_doubled_or_no_base64_is_refused() {
        let signature = SIGNATURE.as_bytes();
        let joined = format!("{SIGNATURE}, {SIGNATURE}");
        let spaced = format!(" {SIGNATURE}");
        let unpadded = SIGNATURE.trim_end_matches('=');
        let refused: [&[&[u8]]; 9] = [
            &[],
            &[signature, signature],
            &[signature, b"x"],
            &[b""],
            &[b"="],
            &[joined.as_bytes()],
            &[spaced.as_bytes()],
            &[unpadded.as_bytes()],
            &[b"\xff\xfe"],
        ];
        for signatures in refused {
            assert!(!is_signed(&secret(), signatures, BODY), "{signatures:?}");
        }
    }

    #[test]
    fn a_part_of_a_signature_is_refused() {
        let whole = STANDARD.decode(SIGNATURE).unwrap();
        for length in 0..whole.len() {
            let part = STANDARD.encode(&whole[..length]);
            assert!(!is_signed(&secret(), &[part.as_bytes()], BODY), "{length} bytes");
        }
    }

    #[test]
    fn the_secret_does_not_print_itself() {
        assert_eq!(format!("{:?}", secret()), "ChannelSecret");
    }
}
