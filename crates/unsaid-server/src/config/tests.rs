//! Layers over layers; the process's own environment is never touched.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;

use super::*;

type Pairs<'a> = &'a [(&'a str, &'a str)];

/// Loads a file of this text, this environment and these flags.
fn loaded(file: &str, environment: Pairs<'_>, flags: Pairs<'_>) -> Result<Loaded, Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("unsaid.toml");
    fs::write(&path, file).unwrap();
    load(&Sources {
        named_file: Some(path),
        usual_file: None,
        environment: environment.iter().map(|(a, b)| ((*a).to_owned(), b.into())).collect(),
        flags: flags.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
    })
}

/// The sentence about what is wrong, the temporary directory left out.
fn wrong(file: &str, environment: Pairs<'_>, flags: Pairs<'_>) -> String {
    let sentence = loaded(file, environment, flags).unwrap_err().to_string();
    let words = sentence.split(' ').map(|word| match word.rsplit_once('/') {
        Some((_, name)) if word.starts_with('/') => name,
        Some(_) | None => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn nothing_set_is_a_whole_configuration() {
    let Loaded { config, warnings, .. } = load(&Sources::default()).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.data_dir, PathBuf::from("unsaid-data"));
    assert!(matches!(config.database, Database::Sqlite));
    assert!(config.line.credentials.is_none() && config.model.api_key.is_none());
    let ids: Vec<String> = config.personas.keys().map(ToString::to_string).collect();
    assert_eq!(ids, ["companion", "counsellor", "helper"]);
    assert!(warnings.is_empty());
}

#[test]
fn flags_over_environment_over_file_over_defaults() {
    let cases: [(&str, Pairs<'_>, Pairs<'_>, &str); 5] = [
        ("", &[], &[], "24h"),
        ("erase.interval = \"1h\"", &[], &[], "1h"),
        ("[erase]\ninterval = \"1h\"", &[("UNSAID_ERASE__INTERVAL", "2h")], &[], "2h"),
        (
            "erase.interval = \"1h\"",
            &[("UNSAID_ERASE__INTERVAL", "2h")],
            &[("erase.interval", "3h")],
            "3h",
        ),
        ("erase.interval = \"1h\"", &[("UNSAID_ERASE__INTERVAL", "")], &[], "1h"),
    ];
    for (file, environment, flags, expected) in cases {
        let config = loaded(file, environment, flags).unwrap().config;
        assert_eq!(Some(config.erase_interval), value::duration(expected), "{file}");
    }
}

#[test]
fn every_kind_of_value_can_come_from_everywhere() {
    let file = "trusted_proxies = [\"10.0.0.0/8\"]\nmodel.tool_steps = 7\nline.push = false";
    let variables: Pairs<'_> = &[
        ("UNSAID_TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
        ("UNSAID_MODEL__TOOL_STEPS", "8"),
        ("UNSAID_LINE__PUSH", "false"),
    ];
    let config = loaded(file, &[], &[]).unwrap().config;
    assert_eq!(
        (config.trusted_proxies.len(), config.model.tool_steps, config.line.push),
        (1, 7, false)
    );
    let config = loaded("", variables, &[]).unwrap().config;
    assert_eq!(
        (config.trusted_proxies.len(), config.model.tool_steps, config.line.push),
        (2, 8, false)
    );
}

#[test]
fn an_unknown_key_names_the_nearest() {
    insta::assert_snapshot!(wrong("lissten = \":0\"", &[], &[]), @"unknown key `lissten` in unsaid.toml; the nearest known one is `listen`");
    insta::assert_snapshot!(wrong("[line]\nchanel_secret = \"s\"", &[], &[]), @"unknown key `line.chanel_secret` in unsaid.toml; the nearest known one is `line.channel_secret`");
    insta::assert_snapshot!(wrong("[lines]\npush = true", &[], &[]), @"unknown key `lines.push` in unsaid.toml; the nearest known one is `line.push`");
    insta::assert_snapshot!(wrong("[logs]", &[], &[]), @"unknown key `logs` in unsaid.toml; the nearest known one is `log`");
    insta::assert_snapshot!(wrong("[personas.mine]\npromt = \"x\"", &[], &[]), @"unknown key `personas.mine.promt` in unsaid.toml; the nearest known one is `personas.mine.prompt`");
    insta::assert_snapshot!(wrong("", &[], &[("lissten", "x")]), @"unknown key `lissten` among the flags; the nearest known one is `listen`");
}

#[test]
fn an_unknown_variable_is_a_warning() {
    let environment: Pairs<'_> = &[
        ("UNSAID_LINE_CHANNEL_SECRET", "s3cret"),
        ("UNSAID_SERVICE_HOST", "10.0.0.1"),
        ("LISTEN", "elsewhere"),
    ];
    let warnings = loaded("", environment, &[]).unwrap().warnings;
    insta::assert_snapshot!(warnings.join("\n"), @"
    unknown environment variable UNSAID_LINE_CHANNEL_SECRET; the nearest known one is UNSAID_LINE__CHANNEL_SECRET
    unknown environment variable UNSAID_SERVICE_HOST; the nearest known one is UNSAID_PUBLIC_URL
    ");
}

#[test]
fn a_wrong_value_is_told_with_its_key_and_origin() {
    let cases: [(&str, Pairs<'_>, Pairs<'_>); 16] = [
        ("listen = 8080", &[], &[]),
        ("listen = \"s3cret\"", &[], &[]),
        ("", &[("UNSAID_LISTEN", "s3cret")], &[]),
        ("", &[], &[("limits.body_bytes", "s3cret")]),
        ("limits.body_bytes = 0", &[], &[]),
        ("line = \"s3cret\"", &[], &[]),
        ("line.push = \"s3cret\"", &[], &[]),
        ("line.persona = \"s3cret\"", &[], &[]),
        ("line.loading_seconds = 61", &[], &[]),
        ("line.debounce = \"s3cret\"", &[], &[]),
        ("erase.interval = \"0s\"", &[], &[]),
        ("database = \"mysql://s3cret\"", &[], &[]),
        ("log = \"unsaid=s3cret\"", &[], &[]),
        ("timezone = \"s3cret\"", &[], &[]),
        ("trusted_proxies = [\"s3cret\"]", &[], &[]),
        ("[personas.\"my id\"]\nprompt = \"s3cret\"", &[], &[]),
    ];
    let sentences = cases.map(|(file, environment, flags)| wrong(file, environment, flags));
    insta::assert_snapshot!(sentences.join("\n"), @"
    `listen` in unsaid.toml must be a text
    `listen` in unsaid.toml must be an address such as 127.0.0.1:8080
    `listen` from the environment (UNSAID_LISTEN) must be an address such as 127.0.0.1:8080
    `limits.body_bytes` among the flags must be a whole number
    `limits.body_bytes` in unsaid.toml must be a whole number from 1 on
    `line` in unsaid.toml must be a table
    `line.push` in unsaid.toml must be true or false
    `line.persona` in unsaid.toml must be the id of a persona
    `line.loading_seconds` in unsaid.toml must be a whole number from 5 to 60
    `line.debounce` in unsaid.toml must be a duration such as 30d, 24h, 90s or 250ms
    `erase.interval` in unsaid.toml must be a duration such as 30d, 24h, 90s or 250ms, above zero
    `database` in unsaid.toml must be empty or postgres://…
    `log` in unsaid.toml must be a filter such as info,unsaid_http=debug
    `timezone` in unsaid.toml must be a time zone such as Asia/Tokyo
    `trusted_proxies` in unsaid.toml must be a list of addresses or networks such as 10.0.0.0/8
    `personas` in unsaid.toml must be a table by id: 1 to 64 letters, digits, `_` and `-`
    ");
    assert!(!sentences.concat().contains("s3cret"));
}

#[test]
fn a_misspelt_level_is_no_filter() {
    for text in
        ["inof", "unsaid_http", "unsaid_http=debug,inof", "inof, unsaid=info", "unsaid=inof"]
    {
        let refused = wrong(&format!("log = \"{text}\""), &[], &[]);
        let sentence = "`log` in unsaid.toml must be a filter such as info,unsaid_http=debug";
        assert_eq!(refused, sentence, "{text}");
    }
    for text in ["info", "DEBUG", "off", "warn,unsaid_http=debug,", "unsaid=trace", ""] {
        assert!(loaded(&format!("log = \"{text}\""), &[], &[]).is_ok(), "{text}");
    }
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let cases = [
        "line.channel_secret = \"s3cret\"",
        "line.loading_seconds = 7",
        "model.api_key = \"s3cret\"",
        "[personas.mine]\nname = \"Mine\"",
    ];
    let sentences = cases.map(|file| wrong(file, &[], &[]));
    insta::assert_snapshot!(sentences.join("\n"), @"
    `line.channel_secret` and `line.channel_access_token` must be set together
    `line.loading_seconds` must be a multiple of 5: LINE takes no other
    `model.api_key` needs `model.provider`: auto cannot tell whose key it is
    `personas.mine.prompt` is not set
    ");
    assert!(!sentences.concat().contains("s3cret"));
}

#[test]
fn the_life_of_tokens_can_be_shortened_one_key_at_a_time() {
    for (key, value) in [("token_ttl", "5s"), ("session_cap", "5s"), ("refresh_below", "2h")] {
        let flags = [(format!("auth.{key}"), value.to_owned())].into();
        let loaded = load(&Sources { flags, ..Sources::default() });
        assert!(loaded.is_ok(), "{key}: {:?}", loaded.err());
    }
}

#[test]
fn a_broken_file_is_told_by_its_line_and_not_quoted() {
    insta::assert_snapshot!(wrong("listen = \":0\"\nmodel.api_key = s3cret\n", &[], &[]), @"unsaid.toml is not valid TOML at line 2: string values must be quoted, expected literal string");
    let missing = Sources { named_file: Some("missing.toml".into()), ..Sources::default() };
    insta::assert_snapshot!(load(&missing).unwrap_err(), @"cannot read missing.toml: no such file or directory");
    let usual = Sources { usual_file: Some("missing.toml".into()), ..Sources::default() };
    assert!(load(&usual).unwrap().file.is_none());
}

#[test]
fn a_variable_that_is_no_text_is_refused() {
    let environment = [("UNSAID_DATA_DIR".to_owned(), OsString::from_vec(vec![0xff]))];
    let sources = Sources { environment: environment.into(), ..Sources::default() };
    insta::assert_snapshot!(load(&sources).unwrap_err(), @"`data_dir` from the environment (UNSAID_DATA_DIR) must be written in UTF-8");
}

#[test]
fn personas_are_changed_added_and_left_out() {
    let file = "
        [personas.companion]
        name = \"Mia\"
        [personas.helper]
        prompt = \"\"
        [personas.Mine-1]
        prompt = \"be brief\"
    ";
    let environment: Pairs<'_> = &[("UNSAID_PERSONAS__COUNSELLOR__MODEL", "small")];
    let personas = loaded(file, environment, &[]).unwrap().config.personas;
    let shown: Vec<String> = personas
        .iter()
        .map(|(id, persona)| format!("{id}: {} {:?}", persona.name, persona.model))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    Mine-1: Mine-1 None
    companion: Mia None
    counsellor: Counsellor Some("small")
    "#);
}

#[test]
fn keys_of_providers_are_read_from_their_customary_names() {
    type Key<'a> = Option<(Provider, &'a str)>;
    let keys: Pairs<'_> = &[("ANTHROPIC_API_KEY", "a"), ("GEMINI_API_KEY", "g")];
    let cases: [(&str, Pairs<'_>, Key<'_>); 7] = [
        ("", &[], None),
        ("", keys, Some((Provider::Gemini, "g"))),
        ("model.provider = \"anthropic\"", keys, Some((Provider::Anthropic, "a"))),
        ("model.provider = \"openai\"", keys, None),
        ("model.provider = \"demo\"", keys, None),
        ("model.base_url = \"http://localhost:11434/v1\"", keys, None),
        (
            "model.provider = \"gemini\"\nmodel.api_key = \"mine\"",
            keys,
            Some((Provider::Gemini, "mine")),
        ),
    ];
    for (file, environment, expected) in cases {
        let key = loaded(file, environment, &[]).unwrap().config.model.api_key;
        let key = key.as_ref().map(|key| (key.provider, key.secret.expose()));
        assert_eq!(key, expected, "{file}");
    }
}

#[test]
fn what_is_shown_can_be_read_again_and_holds_no_secret() {
    let file = "
        database = \"postgres://me:s3cret@db/unsaid\"
        line.channel_secret = \"s3cret\"
        line.channel_access_token = \"s3cret\"
        model.base_url = \"https://me:s3cret@models.example.org/v1\"
    ";
    let loaded = loaded(file, &[("OPENAI_API_KEY", "s3cret")], &[]).unwrap();
    let shown = show::effective(&loaded);
    assert!(!shown.contains("s3cret"), "{shown}");
    assert!(!format!("{:?}", loaded.config).contains("s3cret"));
    let secrets: Vec<&str> = shown.lines().filter(|line| line.contains("***")).collect();
    insta::assert_snapshot!(secrets.join("\n"), @r#"
    database = "postgres://***@db/unsaid"
    channel_access_token = "***"
    channel_secret = "***"
    api_key = "***"
    base_url = "https://***@models.example.org/v1"
    "#);
    let again = self::loaded(&shown, &[], &[]).unwrap();
    assert_eq!(show::effective(&again), shown);
}
