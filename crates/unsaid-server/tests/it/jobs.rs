//! What a server does by itself once it runs.

use tempfile::tempdir;
use unsaid_server::store::sqlite;
use unsaid_testkit::builder::{consent_line, consent_move, person, person_id};

use crate::running::{Running, get};
use crate::wait::until;

#[test]
fn who_is_due_is_erased_at_start() {
    let dir = tempdir().unwrap();
    let data_dir = dir.path().join("unsaid-data");
    std::fs::create_dir(&data_dir).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = sqlite::open(&sqlite::file(&data_dir)).unwrap();
        assert!(store.add(person("ana", true), consent_line(true, 0)).await.unwrap());
        // withdrawn in 1970: due for long
        store.move_consent(&person_id("ana"), consent_move(false, 2_000)).await.unwrap().unwrap();
    });
    let (_server, address) = Running::serve(dir.path());
    let erased = r#"unsaid_erasures_total{outcome="erased"} 1"#;
    let printed = until(|| get(address, "/metrics"), |printed| printed.contains(erased));
    assert!(printed.contains(r#"unsaid_erasures_total{outcome="failed"} 0"#), "{printed}");
}
