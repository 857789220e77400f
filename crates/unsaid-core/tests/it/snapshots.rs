//! What watchers are told of one whole afternoon, as they are told it.

use unsaid_core::domain::conversation::change::{
    Applied, Change, Event, Missing, Refusal, Ripple, Say, SendOutcome,
};

use crate::given::{Talk, remove, said};

fn line(event: &Event) -> String {
    match event {
        Event::Message { id } => format!("message {id}"),
        Event::Removed { from, count, edit, unsent } => {
            let edit = edit.as_ref().map_or_else(String::new, |edit| format!(" by {edit}"));
            let unsent = if *unsent { " (unsent)" } else { "" };
            format!("removed {count} from {from}{edit}{unsent}")
        }
        Event::Restored { edit, from, count } => {
            format!("restored {count} from {from} of {edit}")
        }
    }
}

#[test]
fn an_afternoon() {
    let mut told = Vec::new();
    let mut tell = |applied: Result<Applied, Refusal>| {
        told.extend(applied.expect("the change is made").events.iter().map(line));
    };
    let mut talk = Talk::new();
    let say = |name: &str, talk: &mut Talk| {
        let wants_answer = Some(talk.now);
        talk.change(Change::Say(Say {
            message: said(name),
            delivery: None,
            wants_answer,
            way_back: None,
        }))
    };
    tell(say("m1", &mut talk));
    let fence = talk.begins().fence;
    tell(talk.try_answer(fence, "a1"));
    tell(say("m2", &mut talk));
    let fence = talk.begins().fence;
    tell(talk.intends(fence, "a2"));
    tell(talk.settles("a2", SendOutcome::Sent));
    tell(talk.edits("m2", "m3", "e1"));
    let fence = talk.begins().fence;
    tell(talk.try_answer(fence, "a3"));
    tell(talk.undoes("e1"));
    tell(talk.change(remove("m1", Missing::Refuse, Ripple::Withdraw)));
    tell(talk.change(Change::EraseAll));
    insta::assert_snapshot!(told.join("\n"), @r"
    message m1
    message a1
    message m2
    message a2
    removed 2 from m2 by e1
    message m3
    message a3
    removed 2 from m3
    restored 2 from m2 of e1
    removed 1 from m1 (unsent)
    removed 1 from a1 (unsent)
    removed 2 from m2
    ");
}
