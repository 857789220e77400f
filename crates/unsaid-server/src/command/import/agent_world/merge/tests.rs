//! Memories and what they say together.

use unsaid_testkit::builder::{agent_id, at, message_id, words};

use super::*;

fn by(speaker: &str, text: &str, when: i64, id: &str) -> Heard {
    let speaker = match speaker {
        "human" => Speaker::Person,
        agent => Speaker::Agent(agent_id(agent)),
    };
    let id = (!id.is_empty()).then(|| message_id(id));
    let (words, at, trace) = (words(text), at(when), format!("{text} {when}"));
    Heard { speaker, words, at, is_timed: true, id, reply_to: None, trace }
}

fn memory(agent: &str, heard: &[Heard]) -> Memory {
    Memory { agent: agent_id(agent), heard: heard.to_vec() }
}

/// `speaker: text [ids] → hearers`, one line each.
fn told(memories: &[Memory]) -> Vec<String> {
    let line = |message: Merged| {
        let speaker = match &message.speaker {
            Speaker::Person => "human",
            Speaker::Agent(agent) => agent.as_str(),
        };
        let ids: Vec<&str> = message.ids.iter().map(MessageId::as_str).collect();
        let heard_by: Vec<&str> = message.heard_by.iter().map(AgentId::as_str).collect();
        let (text, ids, heard_by) = (message.words.as_str(), ids.join(","), heard_by.join(","));
        format!("{speaker}: {text} [{ids}] → {heard_by}")
    };
    merge(memories).into_iter().map(line).collect()
}

#[test]
fn copies_with_one_id_are_one_message_whoever_holds_them() {
    let a = memory("a", &[by("human", "hi", 1, "m1"), by("a", "hello", 2, "m2")]);
    // passed on a moment later, under the same id
    let b = memory("b", &[by("human", "hi", 1, "m1"), by("a", "hello", 90_000, "m2")]);
    assert_eq!(told(&[a, b]), ["human: hi [m1] → a,b", "a: hello [m2] → a,b"]);
}

#[test]
fn copies_with_differing_ids_are_one_message_and_the_speakers_own_id_comes_first() {
    let a = memory("a", &[by("human", "hi", 1, "x1"), by("b", "hello", 2_300, "x2")]);
    let b = memory("b", &[by("human", "hi", 1, "y1"), by("b", "hello", 2_000, "y2")]);
    let c = memory("c", &[by("human", "hi", 1, ""), by("b", "hello", 2_300, "z2")]);
    assert_eq!(told(&[a, b, c]), ["human: hi [x1,y1] → a,b,c", "b: hello [y2,x2,z2] → a,b,c"],);
}

#[test]
fn what_a_memory_holds_twice_was_said_twice() {
    let yes = || by("human", "yes", 1, "");
    let a = memory("a", &[yes(), yes()]);
    let b = memory("b", &[yes(), yes()]);
    assert_eq!(told(&[a, b]), ["human: yes [] → a,b"; 2]);
    let a = memory("a", &[by("human", "yes", 1, "m1"), by("human", "yes", 1, "m2")]);
    let b = memory("b", &[by("human", "yes", 1, "n1")]);
    assert_eq!(told(&[a, b]), ["human: yes [m1,n1] → a,b", "human: yes [m2] → a"]);
    let twice = memory("a", &[by("human", "yes", 1, "m1"), by("human", "yes", 1, "m1")]);
    assert_eq!(told(&[twice]), ["human: yes [m1] → a"], "the same id is the same message");
}

#[test]
fn an_agent_that_says_the_same_again_soon_is_not_merged_with_itself() {
    let own = memory("a", &[by("a", "ok", 1_000, "m1"), by("a", "ok", 3_000, "m2")]);
    let heard = memory("b", &[by("a", "ok", 3_050, "other")]);
    assert_eq!(told(&[own, heard]), ["a: ok [m1] → a", "a: ok [m2,other] → a,b"]);
}

#[test]
fn one_id_with_different_words_is_two_messages() {
    let a = memory("a", &[by("human", "hi", 1, "m1")]);
    let b = memory("b", &[by("human", "ho", 1, "m1")]);
    assert_eq!(told(&[a, b]), ["human: hi [m1] → a", "human: ho [m1] → b"]);
}

#[test]
fn people_who_say_the_same_at_another_time_say_it_again() {
    let a = memory("a", &[by("human", "hi", 1, "")]);
    let b = memory("b", &[by("human", "hi", 2, "")]);
    assert_eq!(told(&[a, b]), ["human: hi [] → a", "human: hi [] → b"]);
}

#[test]
fn a_copy_without_a_time_belongs_to_the_nearest_that_says_the_same() {
    let untimed = |text: &str, near: i64| Heard { is_timed: false, ..by("human", text, near, "") };
    let a = memory("a", &[by("human", "hi", 10, ""), by("human", "hi", 90_000, "")]);
    let b = memory("b", &[untimed("hi", 0), untimed("hi", 0), untimed("ho", 0)]);
    let merged = merge(&[a, b]);
    let times: Vec<i64> = merged.iter().map(|message| message.at.as_millis()).collect();
    assert_eq!(times, [10, 90_000, 0]);
    assert_eq!(merged.iter().map(|message| message.heard_by.len()).collect::<Vec<_>>(), [2, 2, 1]);
}

#[test]
fn equal_times_keep_the_order_of_every_memory() {
    let a = memory("a", &[by("human", "q", 5, "1"), by("a", "z", 5, "2"), by("b", "y", 5, "3")]);
    let b =
        memory("b", &[by("human", "q", 5, "1"), by("b", "y", 5, "3"), by("human", "x", 5, "4")]);
    let c =
        memory("c", &[by("human", "q", 5, "1"), by("human", "x", 5, "4"), by("c", "w", 5, "5")]);
    let texts: Vec<String> =
        merge(&[a, b, c]).iter().map(|message| message.words.as_str().to_owned()).collect();
    assert_eq!(texts, ["q", "z", "y", "x", "w"]);
}

#[test]
fn agents_that_speak_at_once_do_not_delay_what_was_said_before_others() {
    let q = || by("human", "q", 0, "1");
    let (a, b) = (|| by("a", "first", 10, "2"), || by("b", "second", 11, "3"));
    let next = || by("human", "next", 90_000, "5");
    let memories = [
        memory("a", &[q(), a(), b(), next()]),
        memory("b", &[q(), b(), a(), next()]),
        memory("c", &[q(), by("c", "third", 50_000, "4"), next()]),
    ];
    let ids: Vec<String> =
        merge(&memories).iter().map(|message| message.ids[0].as_str().to_owned()).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5"]);
}

#[test]
fn thousands_of_messages_in_many_memories_are_merged() {
    let heard = |id: bool| {
        let one = |n: i64| {
            let (speaker, text) = if n % 2 == 0 { ("human", "q") } else { ("a", "ok") };
            by(speaker, text, n / 7, if id { format!("m{n}") } else { String::new() }.as_str())
        };
        (0..5_000).map(one).collect::<Vec<_>>()
    };
    let memories: Vec<Memory> =
        ["a", "b", "c", "d"].iter().map(|agent| memory(agent, &heard(*agent == "a"))).collect();
    let merged = merge(&memories);
    assert_eq!(merged.len(), 5_000);
    for (n, message) in merged.iter().enumerate() {
        assert_eq!(message.ids, [message_id(&format!("m{n}"))]);
        assert_eq!(message.heard_by.len(), 4);
    }
}

#[test]
fn thousands_of_equal_words_without_times_are_merged_at_once() {
    let heard = |spread: i64| {
        let one = |n: i64| Heard { is_timed: false, ..by("human", "ok", n * spread, "") };
        (0..20_000).map(one).collect::<Vec<_>>()
    };
    for spread in [0, 1] {
        let memories = ["a", "b", "c"].map(|agent| memory(agent, &heard(spread)));
        let merged = merge(&memories);
        assert_eq!(merged.len(), 20_000);
        assert!(merged.iter().all(|message| message.heard_by.len() == 3), "{spread}");
    }
}
