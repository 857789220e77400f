//! The address under which people reach this installation.

use axum::http::{HeaderMap, Uri, header};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicAddress {
    base: String,
    is_secure: bool,
    /// What browsers call the places our page may come from.
    origins: Vec<String>,
}

impl PublicAddress {
    /// An address such as `https://chat.example.org`.
    #[must_use]
    pub fn new(address: &Uri) -> Self {
        let is_secure = address.scheme_str() == Some("https");
        let base = address.to_string().trim_end_matches('/').to_owned();
        Self { base, is_secure, origins: vec![origin(address)] }
    }

    /// The page may come from here too.
    #[must_use]
    pub fn also(mut self, address: &Uri) -> Self {
        self.origins.push(origin(address));
        self
    }

    /// Whether people come over TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// A link to a path, which begins with a slash.
    #[must_use]
    pub fn link(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Whether a call comes from our own page.
    #[must_use]
    pub fn is_origin_of(&self, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (given.next(), given.next()) else { return false };
        self.origins.iter().any(|ours| ours.as_bytes() == origin.as_bytes())
    }
}

/// Scheme, host and port as browsers write them: in lower case, without the usual port.
fn origin(address: &Uri) -> String {
    let scheme = address.scheme_str().unwrap_or("http");
    let host = address.host().unwrap_or_default().to_lowercase();
    match (scheme, address.port_u16()) {
        ("http", Some(80)) | ("https", Some(443)) | (_, None) => format!("{scheme}://{host}"),
        (_, Some(port)) => format!("{scheme}://{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn from(origins: &[&'static str]) -> HeaderMap {
        let lines = origins.iter().map(|text| (header::ORIGIN, HeaderValue::from_static(text)));
        lines.collect()
    }

    #[test]
    fn an_origin_is_compared_as_browsers_write_it() {
        for (address, origin) in [
            ("https://Chat.example.org/", "https://chat.example.org"),
            ("https://chat.example.org:443/below", "https://chat.example.org"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:80", "http://[::1]"),
        ] {
            let public = PublicAddress::new(&address.parse().unwrap());
            assert!(public.is_origin_of(&from(&[origin])), "{address}");
        }
    }

    #[test]
    fn another_origin_is_not_ours() {
        let public = PublicAddress::new(&"https://chat.example.org".parse().unwrap());
        let others: [&[&str]; 6] = [
            &[],
            &["null"],
            &["http://chat.example.org"],
            &["https://chat.example.org:444"],
            &["https://evil.example"],
            &["https://chat.example.org", "https://evil.example"],
        ];
        for other in others {
            assert!(!public.is_origin_of(&from(other)), "{other:?}");
        }
    }
}
