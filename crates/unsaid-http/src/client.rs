//! The network address of whoever calls, also behind proxies that we trust.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr};

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::state::AppState;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The other end of a connection; whoever serves the door puts it into every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// An address, or a network of them, that may say for whom it calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustedNetwork {
    bits: u128,
    mask: u128,
}

/// Whoever calls, as text to count by. Of an IPv6 address the network counts: people have many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientAddress(pub String);

impl TrustedNetwork {
    /// The network of which the first so many bits are those of the address.
    #[must_use]
    pub fn new(address: IpAddr, prefix_bits: u8) -> Self {
        // IPv4 addresses are the last 32 bits of mapped ones.
        let before = if address.is_ipv4() { 96 } else { 0 };
        let free = 128_u32.saturating_sub(before + u32::from(prefix_bits));
        let mask = u128::MAX.checked_shl(free).unwrap_or(0);
        Self { bits: bits(address) & mask, mask }
    }

    fn contains(self, address: IpAddr) -> bool {
        bits(address) & self.mask == self.bits
    }
}

impl FromRequestParts<AppState> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<Peer>().map(|Peer(address)| address.to_canonical());
        let client = peer.map(|peer| client(peer, &parts.headers, &state.accounts.trusted_proxies));
        Ok(Self(client.map_or_else(|| "unknown".to_owned(), countable)))
    }
}

/// The last of those it came through that we do not trust: nobody else could have written that.
fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[TrustedNetwork]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    if !is_trusted(peer) {
        return peer;
    }
    let lines = headers.get_all(FORWARDED_FOR).iter();
    let through: Vec<&str> = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .collect();
    let mut last = peer;
    for text in through.into_iter().rev() {
        let Some(address) = forwarded(text) else { return last };
        last = address;
        if !is_trusted(address) {
            return address;
        }
    }
    last
}

/// An address, perhaps with a port.
fn forwarded(text: &str) -> Option<IpAddr> {
    let bare = text.trim_start_matches('[').split(']').next().unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok();
    let address = address.or_else(|| Some(text.parse::<std::net::SocketAddr>().ok()?.ip()));
    address.map(|address| address.to_canonical())
}

fn countable(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
        }
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

#[cfg(test)]
mod tests;
