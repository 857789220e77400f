use super::*;

#[test]
fn durations() {
    let cases = [
        ("250ms", Some(250)),
        ("90s", Some(90_000)),
        ("10m", Some(600_000)),
        ("24h", Some(86_400_000)),
        ("30d", Some(2_592_000_000)),
        ("0s", Some(0)),
        ("", None),
        ("30", None),
        ("d", None),
        ("-1s", None),
        ("1.5s", None),
        ("1 s", None),
        ("1h30m", None),
        ("36501d", None),
        ("99999999999999999999s", None),
        ("9999999999999999999d", None),
    ];
    for (text, millis) in cases {
        assert_eq!(duration(text), millis.map(Duration::from_millis), "{text}");
    }
}

#[test]
fn listen_addresses() {
    let cases = [
        ("127.0.0.1:8080", Some("127.0.0.1:8080")),
        ("0.0.0.0:80", Some("0.0.0.0:80")),
        ("[::1]:8080", Some("[::1]:8080")),
        (":0", Some("127.0.0.1:0")),
        ("localhost:8080", Some("127.0.0.1:8080")),
        ("8080", None),
        ("example.org:80", None),
        ("127.0.0.1", None),
        (":99999", None),
    ];
    for (text, address) in cases {
        assert_eq!(listen_address(text).map(|a| a.to_string()).as_deref(), address, "{text}");
    }
}

#[test]
fn web_addresses() {
    for good in ["http://localhost:11434/v1", "https://chat.example.org/"] {
        assert!(HttpUrl::parse(good).is_some(), "{good}");
    }
    for bad in ["chat.example.org", "ftp://a", "https://", "https://a?b=c", "/path", "a b"] {
        assert!(HttpUrl::parse(bad).is_none(), "{bad}");
    }
    let url = HttpUrl::parse("http://me:secret@localhost:11434/v1/").unwrap();
    assert_eq!(url.host(), "localhost:11434");
    assert_eq!(format!("{url} {url:?}").matches("secret").count(), 0);
    assert_eq!(url.expose(), "http://me:secret@localhost:11434/v1");
}

#[test]
fn networks() {
    for good in ["10.0.0.0/8", "127.0.0.1", "::1", "fd00::/8", "0.0.0.0/0"] {
        assert!(Network::parse(good).is_some(), "{good}");
    }
    for bad in ["", "10.0.0.0/33", "10.0.0", "::/129", "10.0.0.0/", "localhost"] {
        assert!(Network::parse(bad).is_none(), "{bad}");
    }
}

#[test]
fn zones_are_compiled_in() {
    for good in ["UTC", "Asia/Tokyo", "America/Mexico_City"] {
        assert!(Zone::parse(good).is_some(), "{good}");
    }
    assert!(Zone::parse("Mars/Olympus").is_none());
}

#[test]
fn secrets_do_not_print() {
    let secret = Secret::new("words");
    assert_eq!(format!("{secret} {secret:?}"), "*** ***");
    assert_eq!(secret.expose(), "words");
}
