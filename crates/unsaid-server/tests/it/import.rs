//! Taking in what another program kept.

mod agent_world;

use std::fs;
use std::path::Path;

use tempfile::tempdir;
use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::message::Part;
use unsaid_core::port::Store;
use unsaid_server::store::sqlite;
use unsaid_testkit::builder::{line_key, media_key};
use unsaid_testkit::describe::describe;

use crate::running::{Running, contents, run};

const SHAPES: &[u8] = include_bytes!("../../../unsaid-store-object/golden/found-every-shape.jsonl");
const PICTURE: &[u8] = b"\x89PNG not really";

/// A bucket as the seed product left it: every shape in one source, an ordinary talk in another.
fn write_source(dir: &Path) -> String {
    fs::create_dir_all(dir.join("history")).unwrap();
    fs::create_dir_all(dir.join("media/Uana")).unwrap();
    fs::write(dir.join("history/Cgolden"), SHAPES).unwrap();
    let talk = r#"{"role":"user","messageId":"1","userId":"Uben","parts":[{"type":"text","text":"ramen"}],"timestamp":"2026-01-05T10:00:00.000Z"}
{"role":"assistant","modelName":"gemini-2.5-flash","parts":[{"type":"text","text":"tasty"}],"timestamp":"2026-01-05T10:00:01.25Z"}
"#;
    fs::write(dir.join("history/Uben"), talk).unwrap();
    fs::write(dir.join("media/Uana/photo-1.jpg"), PICTURE).unwrap();
    format!("file://{}", dir.display())
}

fn whole(store: &dyn Store, source: &str) -> Conversation {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.whole(&line_key(source))).unwrap().unwrap()
}

/// What our fields cannot say is kept as the line it was.
fn original_of(conversation: &Conversation, text: &str) -> Option<String> {
    let said = |part: &Part| matches!(part, Part::Text { text: said } if said.as_str() == text);
    let entry = conversation.log.iter().find(|entry| entry.message.parts.iter().any(said))?;
    entry.message.parts.iter().find_map(|part| match part {
        Part::Original { line } => Some(line.as_str().to_owned()),
        Part::Text { .. } | Part::Media { .. } => None,
    })
}

#[test]
fn a_bucket_of_the_seed_product_is_taken_in_whole_and_twice_without_change() {
    let (dir, from) = (tempdir().unwrap(), tempdir().unwrap());
    let url = write_source(from.path());
    let before = contents(from.path());
    let first = run(dir.path(), &["import", "yuruppu", &url]);
    assert!(contents(from.path()) == before, "the source was changed");
    insta::assert_snapshot!(first.stdout);
    assert_eq!(first.code, Some(1), "lines that cannot be read are worth an exit code");

    let file = sqlite::file(&dir.path().join("unsaid-data"));
    let store = sqlite::open(&file).unwrap();
    let (golden, ben) = (whole(&*store, "Cgolden"), whole(&*store, "Uben"));
    let texts = String::from_utf8_lossy(SHAPES);
    let line = texts.lines().find(|line| line.contains("a field from the future")).unwrap();
    assert_eq!(original_of(&golden, "a field from the future").as_deref(), Some(line));
    assert_eq!(original_of(&ben, "ramen"), None, "our fields say all of it");
    assert!(original_of(&ben, "tasty").unwrap().contains("gemini-2.5-flash"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let key = golden.log.iter().find_map(|entry| entry.message.media().next().cloned()).unwrap();
    let picture = runtime.block_on(store.get(&line_key("Cgolden"), &key)).unwrap().unwrap();
    assert_eq!((picture.bytes.as_slice(), picture.mime.as_str()), (PICTURE, "image/jpeg"));
    assert_ne!(key, media_key("nothing"));

    let described = |conversation: &Conversation| describe(conversation);
    let shown = (described(&golden), described(&ben));
    drop(store);
    let again = run(dir.path(), &["import", "yuruppu", &url]);
    assert!(again.stdout.contains(" 0 messages and 0 files taken in"), "{}", again.stdout);
    let store = sqlite::open(&file).unwrap();
    assert_eq!((described(&whole(&*store, "Cgolden")), described(&whole(&*store, "Uben"))), shown);
}

#[test]
fn it_works_beside_a_running_server() {
    let (dir, from) = (tempdir().unwrap(), tempdir().unwrap());
    let url = write_source(from.path());
    let (_server, _) = Running::serve(dir.path());
    let ended = run(dir.path(), &["import", "yuruppu", &url]);
    assert!(ended.stdout.contains("2 sources: "), "{ended:?}");
}

#[test]
fn from_bucket_to_bucket() {
    let (dir, from) = (tempdir().unwrap(), tempdir().unwrap());
    let url = write_source(from.path());
    let to = format!("file://{}/bucket", dir.path().display());
    let ended = run(dir.path(), &["import", "yuruppu", &url, "--history", &to]);
    assert!(ended.stdout.contains("2 sources: "), "{ended:?}");
    let kept = fs::read_to_string(dir.path().join("bucket/history/Uben")).unwrap();
    let original = fs::read_to_string(from.path().join("history/Uben")).unwrap();
    assert_eq!(kept.split_once('\n').unwrap().1, original, "byte for byte below our own line");
    let again = run(dir.path(), &["import", "yuruppu", &url, "--history", &to]);
    assert!(again.stdout.contains(" 0 messages and 0 files taken in"), "{}", again.stdout);
}

#[test]
fn a_source_that_is_no_bucket_is_refused() {
    let dir = tempdir().unwrap();
    let ended = run(dir.path(), &["import", "yuruppu", "ftp://bucket"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let ended = run(dir.path(), &["import"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(contents(dir.path()).is_empty());
}
