//! The types of a configuration: each has one way in, and what is in is right.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::http::Uri;
use jiff::tz::TimeZone;

use super::mask::{MASK, masked_url};

const DURATION_DAYS_MAX: u64 = 36_500;
const PERSONA_ID_CHARS_MAX: usize = 64;

/// A text that never prints itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes it in.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for whoever needs it to sign or send.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// An address on the web: `http` or `https`, a host, perhaps a path; no query.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpUrl(Uri);

impl HttpUrl {
    /// Reads it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.trim_end_matches('/').parse().ok()?;
        let scheme = uri.scheme_str().is_some_and(|scheme| scheme == "http" || scheme == "https");
        let host = uri.host().is_some_and(|host| !host.is_empty());
        (scheme && host && uri.query().is_none()).then_some(Self(uri))
    }

    /// The host, with the port if one is named.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.0.host().unwrap_or_default();
        match self.0.port_u16() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// As text; it may hold a password.
    #[must_use]
    pub fn expose(&self) -> String {
        self.0.to_string().trim_end_matches('/').to_owned()
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&masked_url(&self.expose()))
    }
}

impl fmt::Debug for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An address or a network of them: `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix_bits: u8,
}

impl Network {
    /// Reads it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let bits_max = if address.is_ipv4() { 32 } else { 128 };
        let prefix_bits = prefix.map_or(Some(bits_max), |prefix| prefix.parse().ok())?;
        (prefix_bits <= bits_max).then_some(Self { address, prefix_bits })
    }

    /// The address, and how many of its bits count.
    #[must_use]
    pub fn parts(self) -> (IpAddr, u8) {
        (self.address, self.prefix_bits)
    }
}

/// The id of a persona: 1 to 64 letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PersonaId(String);

impl PersonaId {
    /// Reads it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=PERSONA_ID_CHARS_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        fits.then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for PersonaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A time zone of the compiled-in database.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone(TimeZone);

impl Zone {
    /// Reads its name, such as `Asia/Tokyo`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        TimeZone::get(name).ok().map(Self)
    }

    /// For the calendar.
    #[must_use]
    pub fn time_zone(&self) -> &TimeZone {
        &self.0
    }
}

/// Reads `30d`, `24h`, `10m`, `90s`, `250ms`.
#[must_use]
pub fn duration(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit_at);
    let number: u64 = number.parse().ok()?;
    let unit_millis: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let duration = Duration::from_millis(number.checked_mul(unit_millis)?);
    (duration <= Duration::from_secs(DURATION_DAYS_MAX * 86_400)).then_some(duration)
}

/// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` and `:8080`; the last two mean this
/// machine only: nobody opens a door to the world by leaving something out.
#[must_use]
pub fn listen_address(text: &str) -> Option<SocketAddr> {
    let this_machine = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':'));
    match this_machine {
        Some(port) => Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().ok()?))),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests;
