//! What is shown of a conversation is all there is.

use unsaid_core::domain::{
    conversation::{
        Conversation,
        change::{Change, Decision, Interrupt, ReplaceTail},
    },
    id::{Fence, Roster},
    message::{Audience, Author, Message, Part},
};
use unsaid_testkit::{
    builder::{
        agent_id, answer, ask, at, deliver, edit_id, holder_id, media_key, message, message_id,
        revise, unsend, words,
    },
    describe::describe,
};

#[test]
fn everything_is_shown() {
    let mut talk = Conversation::default();
    let picture = Message {
        author: Author::Person(None),
        audience: Audience { roster: Roster::new(2), only: Some(vec![agent_id("kai")]) },
        parts: vec![Part::Media { key: media_key("k1"), mime: "image/png".to_owned() }],
        ..message("m1")
    };
    let begin = Change::Begin { holder: holder_id("h1"), until: at(900) };
    let silence = Decision::Silent { reason: Some(words("no \"need\"")) };
    let replace = ReplaceTail {
        from: message_id("m3").into(),
        with: Some((Message { reply_to: Some(message_id("m1")), ..message("m4") }, Some(at(10)))),
        undo: Some((edit_id("e1"), at(800))),
        interrupt: Interrupt::No,
    };
    let changes = [
        deliver(picture, "d1"),
        ask(message("m2"), at(10)),
        begin.clone(),
        Change::Answer { fence: Fence::new(1), messages: vec![answer("r1")], last: true },
        unsend("m2"),
        ask(message("m3"), at(10)),
        begin.clone(),
        Change::Decide { fence: Fence::new(2), decision: silence },
        Change::Clear(agent_id("kai")),
        revise("m9", "later", at(7)),
        Change::ReplaceTail(replace),
        begin,
        Change::Intend { fence: Fence::new(3), message: answer("r2") },
    ];
    for change in changes {
        talk.apply(change, at(100)).expect("nothing is refused");
    }
    assert_eq!(describe(&talk), EXPECTED.trim());
    talk.apply(Change::CloseUndo, at(101)).expect("nothing is refused");
    assert!(
        describe(&talk).ends_with("closed edit e1: at 101, expired false\ncleared kai: through 4")
    );
}

const EXPECTED: &str = r#"
version 13, last number 6, last fence 3, wanted never
#1 m1: person ?, at 500, roster 2, only {kai}, Here, [media k1 (image/png)]
#3 r1: agent kai, at 500, roster 0, of turn 1, gone, Here, []
#5 m4: person ana, at 500, roster 0, reply to m1, asked in {3}, Here, ["<words of m4>"]
#6 r2: agent kai, at 500, roster 0, of turn 3, Intended, ["<words of r2>"]
lease 3: h1, until 900, seen 5, questions {5}
turn 1: began 100, answered at 100
turn 2: began 100, silent at 100
turn 3: began 100, running
taken back m2: asked in {1}
delivery d1: 100
revision of m9: by ana, at 7, since 100, ["later"]
undo e1: until 800, from 4
  held #4 m3: person ana, at 500, roster 0, asked in {2}, Here, ["<words of m3>"]
cleared kai: through 4
"#;
