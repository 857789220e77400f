//! Worlds under other settings than ours.

use serde_json::json;
use tempfile::tempdir;

use super::world::{Visitor, serve};
use crate::erasing::base::Base;

/// Takes back a question that was answered; what is left of the answer.
fn left_of_an_answer(setting: &[&str]) -> (usize, Vec<String>) {
    let (dir, base) = (tempdir().unwrap(), Base::sqlite());
    let server = serve(dir.path(), &base, setting, &[]);
    let ana = Visitor::new(server.address, "ana", false);
    let id = ana.says("@o1 my name is Rosebud");
    let answer = ana.messages()[1].clone();
    assert!(answer["content"].as_str().unwrap().contains("Rosebud"), "{answer}");
    let path = format!("/w/messages/{id}/unsend");
    let mut withdrawn = Vec::new();
    for _ in 0..2 {
        let unsent = ana.call("POST", &path, &json!({ "chatId": ana.chat }));
        assert_eq!((unsent.status, &unsent.body["messageId"]), (200, &json!(id)));
        withdrawn.push(unsent.body["withdrawn"].as_array().unwrap().len());
    }
    assert_eq!(withdrawn[0], withdrawn[1], "again is the same");
    let left = ana.messages();
    let left = left.as_array().unwrap().iter();
    let left: Vec<String> =
        left.map(|message| message["messageId"].as_str().unwrap().to_owned()).collect();
    assert!(!left.contains(&id), "what was taken back is gone");
    assert_eq!(ana.memory().as_array().unwrap().len(), left.len());
    let id = answer["messageId"].as_str().unwrap().to_owned();
    (withdrawn[0], left.into_iter().filter(|left| *left == id).collect())
}

#[test]
fn h4_without_ripple_answers_stay_when_their_question_is_taken_back() {
    let (withdrawn, left) = left_of_an_answer(&["--unsend.ripple", "false"]);
    assert_eq!((withdrawn, left.len()), (0, 1));
    let (withdrawn, left) = left_of_an_answer(&[]);
    assert_eq!((withdrawn, left.len()), (1, 0), "with it they go");
}
