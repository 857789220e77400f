//! Where LINE is played, and where the server is.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use reqwest::Url;

use crate::config::Config;
use crate::config::value::HttpUrl;
use crate::refusal::Refusal;

const NO_STAND_IN: &str = "`line.api_base` and `line.data_api_base` must be one http:// address of this machine, for \
     server and simulator alike: set both to http://127.0.0.1:9080, say, and start the server again";

/// Where the server will look for LINE.
pub(super) fn stand_in(config: &Config) -> Result<SocketAddr, Refusal> {
    let (api, data) = (here(&config.line.api_base), here(&config.line.data_api_base));
    match (api, data) {
        (Some(api), Some(data)) if api == data => Ok(api),
        _ => Err(Refusal::new(NO_STAND_IN)),
    }
}

/// An address of this machine, without a path: the stand-in has LINE's own paths.
fn here(base: &HttpUrl) -> Option<SocketAddr> {
    let url = Url::parse(&base.expose()).ok()?;
    let plain = url.scheme() == "http" && url.path() == "/" && url.username().is_empty();
    let port = url.port_or_known_default().filter(|port| plain && *port != 0)?;
    Some(SocketAddr::new(this_machine(&url)?, port))
}

/// Its address, if it is one that never leaves this machine.
pub(super) fn this_machine(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    if host == "localhost" {
        return Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let address: IpAddr = host.trim_start_matches('[').trim_end_matches(']').parse().ok()?;
    address.is_loopback().then_some(address)
}

/// Where the server is: where it was said, where it listens, or where people find it.
pub(super) fn server(config: &Config, said: Option<&str>) -> Result<Url, Refusal> {
    let base = match (said, &config.public_url) {
        (Some(said), _) => HttpUrl::parse(said).ok_or_else(|| {
            Refusal::new("`--server` is no address such as http://127.0.0.1:8080")
        })?,
        (None, Some(public)) if config.listen.port() == 0 => public.clone(),
        (None, Some(_) | None) => listening(config.listen)?,
    };
    Url::parse(&base.expose()).map_err(|_| Refusal::new("the server has no usable address"))
}

fn listening(listen: SocketAddr) -> Result<HttpUrl, Refusal> {
    let ip = match listen.ip() {
        // Whoever listens everywhere listens here.
        ip if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        ip => ip,
    };
    let address = SocketAddr::new(ip, listen.port());
    let known = HttpUrl::parse(&format!("http://{address}")).filter(|_| listen.port() != 0);
    known.ok_or_else(|| {
        Refusal::new("`listen` picks a free port: say with `--server URL` which it printed")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_address_of_this_machine_stands_in() {
        let is = |text: &str| here(&HttpUrl::parse(text).unwrap()).map(|at| at.to_string());
        assert_eq!(is("http://127.0.0.1:9080").as_deref(), Some("127.0.0.1:9080"));
        assert_eq!(is("http://localhost:9080/").as_deref(), Some("127.0.0.1:9080"));
        assert_eq!(is("http://[::1]:9080").as_deref(), Some("[::1]:9080"));
        for no in [
            "https://api.line.me",
            "https://127.0.0.1:9080",
            "http://10.0.0.1:9080",
            "http://127.0.0.1:9080/line",
            "http://127.0.0.1:0",
        ] {
            assert_eq!(is(no), None, "{no}");
        }
    }

    #[test]
    fn a_server_that_listens_everywhere_is_found_here() {
        let at = |listen: &str| listening(listen.parse().unwrap()).map(|url| url.expose());
        assert_eq!(at("0.0.0.0:8080"), Ok("http://127.0.0.1:8080".to_owned()));
        assert_eq!(at("[::]:8080"), Ok("http://127.0.0.1:8080".to_owned()));
        assert_eq!(at("10.0.0.1:80"), Ok("http://10.0.0.1:80".to_owned()));
        assert!(at("127.0.0.1:0").is_err());
    }
}
