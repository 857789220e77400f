use super::*;

fn parsed(line: &str) -> Result<Args, Stop> {
    parse(line.split_whitespace().map(OsString::from))
}

fn flags_of(line: &str) -> Vec<(String, String)> {
    parsed(line).unwrap().flags
}

#[test]
fn the_command_line_is_well_formed() {
    clap().debug_assert();
}

#[test]
fn serve_is_the_default() {
    assert_eq!(parsed("unsaid").unwrap().command, Command::Serve);
    assert_eq!(parsed("unsaid serve").unwrap().command, Command::Serve);
    assert_eq!(parsed("unsaid config").unwrap().command, Command::Config { default: false });
    assert_eq!(
        parsed("unsaid config --default").unwrap().command,
        Command::Config { default: true }
    );
}

#[test]
fn every_key_is_a_flag_before_and_after_the_command() {
    let given = vec![("line.channel_secret".to_owned(), "s".to_owned())];
    assert_eq!(flags_of("unsaid --line.channel_secret s"), given);
    assert_eq!(flags_of("unsaid --line.channel-secret=s doctor"), given);
    assert_eq!(flags_of("unsaid doctor --line.channel-secret s"), given);
    for entry in known() {
        let line = format!("unsaid serve --{} x", entry.key);
        assert_eq!(flags_of(&line), [(entry.key.clone(), "x".to_owned())]);
    }
}

#[test]
fn the_simulator_is_told_whom_to_play_against() {
    let simulate = |line| {
        let command = parsed(line).unwrap().command;
        let Command::LineSimulate(simulate) = command else { panic!("{command:?}") };
        simulate
    };
    let usual = simulate("unsaid line simulate");
    assert_eq!((usual.server.as_deref(), usual.play), (None, false));
    let told = simulate("unsaid line simulate --play --server http://127.0.0.1:1 --wait 3s");
    assert_eq!((told.server.as_deref(), told.play), (Some("http://127.0.0.1:1"), true));
    assert_eq!(told.wait, std::time::Duration::from_secs(3));
    for wrong in ["unsaid line", "unsaid line simulate --wait 3"] {
        assert!(matches!(parsed(wrong), Err(Stop::Wrong(_) | Stop::Answered(_))), "{wrong}");
    }
}

#[test]
fn an_import_names_its_source_and_worlds_their_owner() {
    let import = |line| {
        let command = parsed(line).unwrap().command;
        let Command::Import(import) = command else { panic!("{command:?}") };
        import
    };
    let (path, owner) = (PathBuf::from("a/b"), "ana@example.org".to_owned());
    let told = import("unsaid import agent-world a/b --owner ana@example.org");
    assert_eq!(told, Import::AgentWorld { path, owner });
    let told = import("unsaid import yuruppu file:///x");
    assert_eq!(told, Import::Yuruppu { url: "file:///x".to_owned(), endpoint: None });
    for wrong in ["unsaid import agent-world a/b", "unsaid import agent-world --owner a@b.c"] {
        assert!(matches!(parsed(wrong), Err(Stop::Wrong(_))), "{wrong}");
    }
}

#[test]
fn the_file_can_be_named() {
    let args = parsed("unsaid config --config /etc/unsaid.toml").unwrap();
    assert_eq!(args.config_file, Some(PathBuf::from("/etc/unsaid.toml")));
}

#[test]
fn an_unknown_flag_names_the_nearest() {
    let cases = [
        ("unsaid --lisen x", "unknown flag `--lisen`; the nearest known one is `--listen`"),
        (
            "unsaid serve --line.channel-secrt=x",
            "unknown flag `--line.channel-secrt`; the nearest known one is `--line.channel_secret`",
        ),
    ];
    for (line, sentence) in cases {
        assert_eq!(parsed(line), Err(Stop::Wrong(Refusal::new(sentence))));
    }
}

#[test]
fn a_wrong_command_is_one_sentence() {
    let Err(Stop::Wrong(refusal)) = parsed("unsaid srve") else { panic!("accepted") };
    assert_eq!(refusal.to_string(), "unrecognized subcommand 'srve'; see unsaid --help");
    let Err(Stop::Wrong(refusal)) = parsed("unsaid --listen") else { panic!("accepted") };
    assert_eq!(refusal.to_string().lines().count(), 1);
}

#[test]
fn what_is_missing_is_named() {
    let cases: [(&str, &[&str]); 3] = [
        ("unsaid erase", &["--due", "--user", "--source"]),
        ("unsaid export", &["--user"]),
        ("unsaid import agent-world a/b", &["--owner"]),
    ];
    for (line, flags) in cases {
        let Err(Stop::Wrong(refusal)) = parsed(line) else { panic!("accepted: {line}") };
        let sentence = refusal.to_string();
        assert_eq!(sentence.lines().count(), 1, "{sentence}");
        for flag in flags {
            assert!(sentence.contains(flag), "{line}: {sentence}");
        }
    }
}

#[test]
fn help_lists_the_configuration() {
    let Err(Stop::Answered(help)) = parsed("unsaid --help") else { panic!("no help") };
    assert!(help.contains("--line.channel_secret"));
    assert!(!help.contains("--personas"));
}
