//! Seed 003's eighth edge case where the file is there and cannot be written.

use serde_json::{Value, json};
use tempfile::tempdir;

use super::world::{Server, Visitor, serve};
use crate::disk::Fault;
use crate::erasing::base::Base;

const WORDS: &str = "marzipan";
const NEW_WORDS: &str = "nougat";

/// Edits and removes while no write succeeds: it is said so, nothing is removed, and once the cause is
/// gone the same call is made again.
fn removes_nothing(server: &Server, ana: &Visitor, fault: &str, expected: (u16, &str)) {
    let ana = ana.in_new_chat();
    let id = ana.says(&format!("@o1 {WORDS}"));
    let before = ana.messages();
    assert_eq!(before.as_array().unwrap().len(), 2);
    let path = format!("/w/messages/{id}");
    let edit = json!({ "chatId": ana.chat, "newContent": NEW_WORDS, "stream": false });
    let in_chat = json!({ "chatId": ana.chat });
    let noted = |ana: &Visitor| ana.gets("/w/edit-errors").as_array().unwrap().clone();
    let noted_before = noted(&ana).len();
    let broken = Fault::inject(&server.running, fault);
    for (method, body) in [("PUT", &edit), ("DELETE", &in_chat)] {
        let failed = ana.call(method, &path, body);
        let told = format!("{method} with {fault}: {} {}", failed.head, failed.body);
        assert_eq!(
            (failed.status, &failed.body["code"]),
            (expected.0, &json!(expected.1)),
            "{told}"
        );
        assert_eq!(failed.head.contains("retry-after: "), expected.0 == 503, "{told}");
        assert_eq!(ana.messages(), before, "{told}");
    }
    let listed = noted(&ana);
    assert_eq!(listed.len(), noted_before + 2, "{listed:?}");
    for error in &listed[noted_before..] {
        let told = [&error["messageId"], &error["chatId"], &error["code"]];
        assert_eq!(told, [&json!(id), &json!(ana.chat), &json!(expected.1)]);
        assert_eq!(error.as_object().unwrap().len(), 5, "ids and no words: {error}");
    }
    broken.end();
    let edited = ana.call("PUT", &path, &edit);
    assert_eq!(edited.status, 200, "{fault}: {}", edited.body);
    assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 2, "{fault}");
    let shown: Vec<Value> = ana
        .messages()
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].clone())
        .collect();
    assert_eq!(shown, [NEW_WORDS], "{fault}");
}

#[test]
fn edge_8_a_file_that_cannot_be_written_loses_nothing_and_the_same_call_can_be_made_again() {
    let (dir, base) = (tempdir().unwrap(), Base::sqlite());
    let server = serve(dir.path(), &base, &[], &[]);
    let ana = Visitor::new(server.address, "ana", false);
    for (fault, expected) in [
        ("pwrite64:error=EROFS", (503, "STORAGE_UNAVAILABLE")),
        ("pwrite64:error=EACCES", (503, "STORAGE_UNAVAILABLE")),
        ("pwrite64:error=EPERM", (503, "STORAGE_UNAVAILABLE")),
        ("pwrite64:error=ENOSPC", (507, "STORAGE_FULL")),
    ] {
        removes_nothing(&server, &ana, fault, expected);
    }
}
