//! A database that is gone for a while, all of it: not even who calls can be looked up.

use serde_json::{Value, json};
use tempfile::tempdir;

use super::world::{Visitor, serve};
use crate::erasing::base::Base;
use crate::people::{Told, call};
use crate::postgres::{Between, Database};
use crate::wait::until;

fn noted(visitor: &Visitor) -> Vec<Value> {
    visitor.gets("/w/edit-errors").as_array().unwrap().clone()
}

#[test]
fn edits_that_failed_while_the_database_was_gone_are_listed_when_it_is_back() {
    let (dir, mut database) = (tempdir().unwrap(), Database::new());
    let between = Between::new(database.server());
    database.address = database.through(between.address);
    let base = Base::Postgres(database);
    let server = serve(dir.path(), &base, &[], &[]);
    let [ana, ben] = ["ana", "ben"].map(|name| Visitor::new(server.address, name, false));
    let id = ana.says("marzipan");
    let path = format!("/w/messages/{id}");
    let edit = json!({ "chatId": ana.chat, "newContent": "nougat", "stream": false });
    let in_chat = json!({ "chatId": ana.chat });
    let code = "STORAGE_UNAVAILABLE";
    let fails = |told: &Told| assert_eq!((told.status, &told.body["code"]), (503, &json!(code)));
    between.cut();
    fails(&ana.call("PUT", &path, &edit));
    fails(&ana.call("DELETE", &path, &in_chat));
    fails(&ben.call("DELETE", &path, &in_chat));
    let nobody = "authorization: Bearer nonsense\r\n";
    let refused = call(server.address, "PUT", &format!("/api/worlds{path}"), nobody, &edit);
    assert_eq!(refused.status, 401, "{}", refused.body);
    between.mend();
    let status = || ana.call("GET", "/w/edit-errors", &Value::Null).status.to_string();
    until(status, |status| status == "200");
    let listed = noted(&ana);
    assert_eq!(listed.len(), 2, "{listed:?}");
    for error in &listed {
        let told = [&error["messageId"], &error["chatId"], &error["code"]];
        assert_eq!(told, [&json!(id), &json!(ana.chat), &json!(code)]);
        assert_eq!(error.as_object().unwrap().len(), 5, "ids and no words: {error}");
    }
    assert_eq!(noted(&ben).len(), 1, "everybody has their own");
    let edited = ana.call("PUT", &path, &edit);
    assert_eq!((edited.status, &edited.body["removal"]["success"]), (200, &json!(true)));
    assert_eq!(noted(&ana).len(), 2, "only what failed");
}
