//! Another server than the cloud's own: a compatible one, or a stand-in.

use std::net::IpAddr;

use http::Uri;
use http::uri::Scheme;

use super::PlaceError;

/// An address without anything after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// Without a `/` at the end.
    pub(super) address: String,
    /// Whether it is this machine.
    pub(super) is_loopback: bool,
    /// Whether the connection is not encrypted.
    pub(super) is_plain: bool,
}

impl Endpoint {
    /// Reads it; what people say goes unencrypted only where no stranger can listen.
    pub(super) fn parse(text: &str) -> Result<Self, PlaceError> {
        let uri: Uri = text.parse().map_err(|_| PlaceError::Endpoint)?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err(PlaceError::Endpoint);
        };
        let is_plain = *scheme == Scheme::HTTP;
        let is_address = (is_plain || *scheme == Scheme::HTTPS)
            && uri.path_and_query().is_none_or(|rest| rest == "/")
            // a name and password would end up in messages
            && !authority.as_str().contains('@')
            && !authority.host().is_empty();
        if !is_address {
            return Err(PlaceError::Endpoint);
        }
        let is_loopback = is_loopback(authority.host());
        if is_plain && !is_loopback && !is_near(authority.host()) {
            return Err(PlaceError::Plaintext);
        }
        let address = format!("{scheme}://{authority}");
        Ok(Self { address, is_loopback, is_plain })
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether it is in a private network: an address of one, or a name without a dot, as containers
/// call each other.
fn is_near(host: &str) -> bool {
    match host.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(IpAddr::V4(address)) => address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_unique_local(),
        Err(_) => !host.contains('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_addresses() {
        let cases = [
            ("http://127.0.0.1:9000", "http://127.0.0.1:9000", true, true),
            ("http://localhost:9000/", "http://localhost:9000", true, true),
            ("http://[::1]:9000", "http://[::1]:9000", true, true),
            ("http://minio:9000", "http://minio:9000", false, true),
            ("http://10.0.0.1:9000", "http://10.0.0.1:9000", false, true),
            ("https://minio.example:9000/", "https://minio.example:9000", false, false),
        ];
        for (text, address, is_loopback, is_plain) in cases {
            let expected = Endpoint { address: address.to_owned(), is_loopback, is_plain };
            assert_eq!(Endpoint::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_endpoint_is_refused() {
        for text in ["", "minio", "ftp://x", "http://", "https://a:b@host", "https://host/path"] {
            assert_eq!(Endpoint::parse(text), Err(PlaceError::Endpoint), "{text}");
        }
        for text in ["http://minio.example:9000", "http://8.8.8.8", "http://127.0.0.1.example"] {
            assert_eq!(Endpoint::parse(text), Err(PlaceError::Plaintext), "{text}");
        }
    }
}
