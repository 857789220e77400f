//! Where a bucket is, as an operator writes it down: `gs://bucket/prefix`, `s3://bucket/prefix`,
//! `file:///dir`, or `memory:` to try things out.

mod endpoint;
mod open;

use std::path::PathBuf;

use self::endpoint::Endpoint;
use super::name;

pub use open::{Opened, Options};

/// Buckets have shorter names everywhere.
const BUCKET_CHARS_MAX: usize = 222;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Gcs(Remote),
    S3(Remote),
    Directory(PathBuf),
    Memory,
}

/// A bucket of somebody else's.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Remote {
    bucket: String,
    /// Pieces, without a `/` at the end; may be empty.
    prefix: String,
    /// Another server than the cloud's own.
    endpoint: Option<Endpoint>,
}

/// Why a place cannot be used; each is a sentence for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// Not one of the kinds there are.
    #[error("history is none of gs://bucket/prefix, s3://bucket/prefix, file:///dir, memory:")]
    Unknown,
    /// The name of the bucket.
    #[error("history names no bucket that could exist")]
    Bucket,
    /// What comes after the bucket.
    #[error("the prefix in history has an empty piece, a dot piece or a control character")]
    Prefix,
    /// A directory that depends on where we stand.
    #[error("history needs an absolute directory: file:///dir")]
    Relative,
    /// An endpoint that is no address.
    #[error("history_endpoint is no address like https://host:port")]
    Endpoint,
    /// Words would cross a network in the clear.
    #[error("history_endpoint must be https:// unless it is in a private network")]
    Plaintext,
    /// An endpoint for something that is not far away.
    #[error("history_endpoint is for gs:// and s3:// only")]
    EndpointOfNothing,
    /// The library does not take them.
    #[error("the credentials for the bucket cannot be used: check {0}")]
    Credentials(&'static str),
    /// A directory that cannot be made or used.
    #[error("the directory of history cannot be used: {0}")]
    Directory(String),
}

impl Place {
    /// Reads what stands in `history` and `history_endpoint`; an empty endpoint is none.
    ///
    /// # Errors
    ///
    /// A sentence about what is wrong in them.
    pub fn parse(history: &str, endpoint: &str) -> Result<Self, PlaceError> {
        let endpoint = if endpoint.is_empty() { None } else { Some(Endpoint::parse(endpoint)?) };
        if let Some(rest) = history.strip_prefix("gs://") {
            return Ok(Self(Kind::Gcs(Remote::parse(rest, endpoint)?)));
        }
        if let Some(rest) = history.strip_prefix("s3://") {
            return Ok(Self(Kind::S3(Remote::parse(rest, endpoint)?)));
        }
        if endpoint.is_some() {
            return Err(PlaceError::EndpointOfNothing);
        }
        match history.strip_prefix("file://") {
            Some(path) if path.starts_with('/') => Ok(Self(Kind::Directory(PathBuf::from(path)))),
            Some(_) => Err(PlaceError::Relative),
            None if history == "memory:" => Ok(Self(Kind::Memory)),
            None => Err(PlaceError::Unknown),
        }
    }

    /// Whether what is kept there survives this process.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        match &self.0 {
            Kind::Gcs(_) | Kind::S3(_) | Kind::Directory(_) => true,
            Kind::Memory => false,
        }
    }
}

impl Remote {
    fn parse(rest: &str, endpoint: Option<Endpoint>) -> Result<Self, PlaceError> {
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let is_name = !bucket.is_empty()
            && bucket.len() <= BUCKET_CHARS_MAX
            && bucket.chars().all(is_plain)
            && !bucket.starts_with('.');
        if !is_name {
            return Err(PlaceError::Bucket);
        }
        let prefix = name::beginning(prefix).map_err(|_| PlaceError::Prefix)?;
        let prefix = prefix.trim_end_matches('/').to_owned();
        Ok(Self { bucket: bucket.to_owned(), prefix, endpoint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(bucket: &str, prefix: &str) -> Remote {
        Remote { bucket: bucket.to_owned(), prefix: prefix.to_owned(), endpoint: None }
    }

    #[test]
    fn places_are_read() {
        let cases = [
            ("gs://words", Kind::Gcs(remote("words", ""))),
            ("gs://words/", Kind::Gcs(remote("words", ""))),
            ("gs://my-words.example/a/b/", Kind::Gcs(remote("my-words.example", "a/b"))),
            ("s3://words/line", Kind::S3(remote("words", "line"))),
            ("file:///var/lib/words", Kind::Directory(PathBuf::from("/var/lib/words"))),
            ("memory:", Kind::Memory),
        ];
        for (text, expected) in cases {
            assert_eq!(Place::parse(text, ""), Ok(Place(expected)), "{text}");
        }
    }

    #[test]
    fn what_is_no_place_is_refused() {
        let cases = [
            ("", PlaceError::Unknown),
            ("words", PlaceError::Unknown),
            ("http://words", PlaceError::Unknown),
            ("gs://", PlaceError::Bucket),
            ("s3:///prefix", PlaceError::Bucket),
            ("s3://a b", PlaceError::Bucket),
            ("s3://key:secret@words", PlaceError::Bucket),
            ("gs://words//a", PlaceError::Prefix),
            ("gs://words/../other", PlaceError::Prefix),
            ("file://dir", PlaceError::Relative),
        ];
        for (text, expected) in cases {
            assert_eq!(Place::parse(text, ""), Err(expected), "{text}");
        }
        let endpoint = "http://127.0.0.1:9000";
        assert_eq!(Place::parse("file:///dir", endpoint), Err(PlaceError::EndpointOfNothing));
        assert!(Place::parse("s3://words", endpoint).is_ok());
    }
}
