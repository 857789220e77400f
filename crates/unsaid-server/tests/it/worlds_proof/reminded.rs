//! Edits that failed are known after a restart and at other servers, as long as there is their world.

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::world::{Visitor, serve};
use crate::disk::Fault;
use crate::erasing::base::Base;
use crate::people::call;
use crate::postgres::{Between, Database};
use crate::wait::until;

fn noted(visitor: &Visitor) -> Value {
    visitor.gets("/w/edit-errors")
}

/// An edit and a removal that fail.
fn fails_twice(visitor: &Visitor, id: &str, status: u16) {
    let path = format!("/w/messages/{id}");
    let edit = json!({ "chatId": visitor.chat, "newContent": "nougat", "stream": false });
    for (method, body) in [("PUT", &edit), ("DELETE", &json!({ "chatId": visitor.chat }))] {
        let failed = visitor.call(method, &path, body);
        assert_eq!(failed.status, status, "{method}: {}", failed.body);
    }
}

/// Deletes the world, and makes another one of its name.
fn begins_anew(visitor: &Visitor) {
    assert_eq!(visitor.call("DELETE", "/w", &Value::Null).status, 204);
    assert_eq!(visitor.call("POST", "", &json!({ "name": "w" })).status, 201);
}

#[test]
fn edits_that_failed_are_listed_after_a_restart_until_their_world_is_deleted() {
    let (dir, base) = (tempdir().unwrap(), Base::sqlite());
    let start = || serve(dir.path(), &base, &[], &[]);
    let mut server = start();
    let mut ana = Visitor::new(server.address, "ana", false);
    let id = ana.says("marzipan");
    let full = Fault::inject(&server.running, "pwrite64:error=ENOSPC");
    fails_twice(&ana, &id, 507);
    full.end();
    let listed = noted(&ana);
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
    for end in [Signal::TERM, Signal::KILL] {
        server.running.signal(end);
        server.running.end();
        server = start();
        ana = ana.at(server.address);
        assert_eq!(noted(&ana), listed, "after {end:?}");
    }
    assert_eq!(ana.messages()[0]["messageId"], json!(id), "nothing was removed");
    begins_anew(&ana);
    assert_eq!(noted(&ana), json!([]));
    server.running.signal(Signal::KILL);
    server.running.end();
    server = start();
    assert_eq!(noted(&ana.at(server.address)), json!([]));
}

/// A server that loses its database for a while, and one that does not.
#[test]
fn edits_that_failed_at_one_server_are_listed_at_another_once_storage_is_back() {
    let (dir, mut database) = (tempdir().unwrap(), Database::new());
    let between = Between::new(database.server());
    let direct = database.address.clone();
    database.address = database.through(between.address);
    let mut base = Base::Postgres(database);
    let here = serve(dir.path(), &base, &[], &[]);
    if let Base::Postgres(database) = &mut base {
        database.address = direct;
    }
    let elsewhere = serve(dir.path(), &base, &[], &[]);
    let [ben, ana] = ["ben", "ana"].map(|name| Visitor::new(here.address, name, false));
    ben.switches(false);
    let ids = [&ben, &ana].map(|visitor| visitor.says("marzipan"));
    between.cut();
    fails_twice(&ben, &ids[0], 503);
    fails_twice(&ana, &ids[1], 503);
    let [ben_there, ana_there] = [&ben, &ana].map(|visitor| visitor.at(elsewhere.address));
    assert_eq!(noted(&ana_there), json!([]), "it cannot be known there yet");
    between.mend();
    let count = || noted(&ana_there).as_array().unwrap().len().to_string();
    until(count, |count| count == "2");
    let status = || ana.call("GET", "/w/edit-errors", &Value::Null).status.to_string();
    until(status, |status| status == "200");
    let listed = noted(&ana_there);
    assert_eq!(noted(&ana), listed, "each once");
    assert_eq!(listed[1]["messageId"], json!(ids[1]));
    // Ben's failed before Ana's. Without consent they are where his words are.
    assert_eq!(noted(&ben).as_array().map(Vec::len), Some(2));
    assert_eq!(noted(&ben_there), json!([]));

    here.running.signal(Signal::KILL);
    here.running.end();
    let here = serve(dir.path(), &base, &[], &[]);
    let ana = ana.at(here.address);
    assert_eq!(noted(&ana), listed);
    let name = listed[0]["id"].as_str().unwrap();
    assert_eq!(places_of(&base, name), ["failed_edit"]);
    let erased =
        call(here.address, "POST", "/api/users/me/erase", &ana.headers, &Value::Null).status;
    assert_eq!(erased, 200);
    assert_eq!([noted(&ana), noted(&ana_there)], [json!([]), json!([])]);
    assert_eq!(places_of(&base, name), [""; 0]);
    begins_anew(&ana_there);
    assert_eq!([noted(&ana), noted(&ana_there)], [json!([]), json!([])]);
}

fn places_of(base: &Base, text: &str) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(base.places_of(text))
}
