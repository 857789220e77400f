use axum::http::HeaderValue;

use super::*;

fn networks() -> [TrustedNetwork; 2] {
    let network = |address: &str, bits| TrustedNetwork::new(address.parse().unwrap(), bits);
    [network("10.0.0.0", 8), network("fd00::1", 128)]
}

fn seen(peer: &str, forwarded: &[&str]) -> String {
    let mut headers = HeaderMap::new();
    for line in forwarded {
        headers.append(FORWARDED_FOR, HeaderValue::from_str(line).unwrap());
    }
    let peer: IpAddr = peer.parse().unwrap();
    client(peer.to_canonical(), &headers, &networks()).to_string()
}

#[test]
fn a_stranger_cannot_say_for_whom_it_calls() {
    assert_eq!(seen("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
    assert_eq!(seen("fd00::2", &["198.51.100.7"]), "fd00::2");
}

#[test]
fn a_trusted_proxy_says_for_whom_it_calls() {
    assert_eq!(seen("10.1.2.3", &["198.51.100.7"]), "198.51.100.7");
    assert_eq!(seen("::ffff:10.1.2.3", &["198.51.100.7"]), "198.51.100.7");
    assert_eq!(seen("fd00::1", &["2001:db8::5"]), "2001:db8::5");
    assert_eq!(seen("10.1.2.3", &["198.51.100.7:1234"]), "198.51.100.7");
    assert_eq!(seen("10.1.2.3", &["[2001:db8::5]:1234"]), "2001:db8::5");
}

#[test]
fn what_was_written_before_a_trusted_proxy_is_not_believed() {
    assert_eq!(seen("10.1.2.3", &["1.1.1.1, 198.51.100.7, 10.9.9.9"]), "198.51.100.7");
    assert_eq!(seen("10.1.2.3", &["1.1.1.1", "198.51.100.7"]), "198.51.100.7");
    assert_eq!(seen("10.1.2.3", &["198.51.100.7, nonsense, 10.9.9.9"]), "10.9.9.9");
    assert_eq!(seen("10.1.2.3", &[]), "10.1.2.3");
}

#[test]
fn networks_count_their_bits() {
    let all = TrustedNetwork::new("0.0.0.0".parse().unwrap(), 0);
    assert!(all.contains("203.0.113.9".parse().unwrap()));
    assert!(!all.contains("2001:db8::1".parse().unwrap()));
    let everything = TrustedNetwork::new("::".parse().unwrap(), 0);
    assert!(everything.contains("2001:db8::1".parse().unwrap()));
    let one = TrustedNetwork::new("10.0.0.1".parse().unwrap(), 32);
    assert!(!one.contains("10.0.0.2".parse().unwrap()));
}

#[test]
fn of_an_ipv6_address_the_network_counts() {
    assert_eq!(countable("2001:db8:1:2:3:4:5:6".parse().unwrap()), "2001:db8:1:2::");
    assert_eq!(countable("192.0.2.1".parse().unwrap()), "192.0.2.1");
}
