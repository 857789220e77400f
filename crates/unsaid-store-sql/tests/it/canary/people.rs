//! Accounts and worlds: names, addresses, prompts.

use unsaid_core::{
    domain::{
        audit::EraseReason,
        person::{Email, PasswordHash, Person},
        source::{SourceCard, SourceKind},
        world::{Agent, Chat, World},
    },
    port::{
        directory::NameCard,
        erasure::{Batch, Claim},
        people::PersonChange,
        worlds::{AgentPatch, WorldPatch},
    },
};
use unsaid_testkit::{
    builder::{
        TERMS, agent, agent_id, at, chat, chat_id, consent_line, consent_move, expert_id,
        new_session, person, person_id, say, session_key, source_id, words, world, world_key,
    },
    talk::Talk,
};

use super::{
    House,
    search::{mark, marked, marked_text},
};

/// `ana`, whose name, address and password are marked from 1 to 3.
fn marked_person() -> Person {
    Person {
        display_name: words(&mark(1)),
        email: Email::new(&format!("{}@example.org", mark(2))).unwrap(),
        password: PasswordHash::new(mark(3)),
        ..person("ana", true)
    }
}

async fn erase(house: &House, reason: EraseReason) {
    let claim = house.store.claim(&person_id("ana"), reason, at(9_000)).await.unwrap();
    assert_eq!(claim, Claim::Made);
    loop {
        match house.store.erase_batch(&person_id("ana"), 7, at(9_000)).await.unwrap() {
            Batch::More => {}
            Batch::Finished(_) => return,
            Batch::Nothing => panic!("nothing was claimed"),
        }
    }
}

#[tokio::test]
async fn h13_an_erased_account_is_in_no_file() {
    let house = House::new();
    assert!(house.store.add(marked_person(), consent_line(true, 0)).await.unwrap());
    let chat = Chat { name: words(&mark(4)), ..chat("c1", 0) };
    let agents = vec![Agent { system_prompt: words(&marked_text(5, 5_000)), ..agent("kai") }];
    let world = World { name: words(&mark(6)), ..world("ana", "w") };
    house.store.add_world(world, chat, agents).await.unwrap().unwrap();
    for number in 0..20 {
        let talk = house.talk().owned_by("ana");
        talk.make(say(marked(&format!("m{number}"), 100 + number, 700))).await;
    }
    for number in (1..=6).chain(100..120) {
        house.assert_there(number);
    }
    erase(&house, EraseReason::Account).await;
    house.sweep(0).await;
    house.assert_left(&[].into());
}

#[tokio::test]
async fn h13_history_that_was_due_is_in_no_file_and_the_account_stays() {
    let house = House::new();
    assert!(house.store.add(marked_person(), consent_line(true, 0)).await.unwrap());
    let mut session = new_session("s1", "ana", 10);
    session.expert = expert_id(&mark(7));
    house.store.open_session(session, TERMS).await.unwrap().expect("the first is free");
    let talk = Talk::new(&house.store, session_key("s1")).owned_by("ana");
    for number in 0..20 {
        talk.make(say(marked(&format!("m{number}"), 100 + number, 3_000))).await;
    }
    house.store.move_consent(&person_id("ana"), consent_move(false, 20)).await.unwrap();
    house.assert_there(7);
    house.assert_there(119);
    let later = super::MUCH_LATER;
    let claim = house.store.claim(&person_id("ana"), EraseReason::Due, at(later)).await.unwrap();
    assert_eq!(claim, Claim::Made);
    while house.store.erase_batch(&person_id("ana"), 7, at(later)).await.unwrap() == Batch::More {}
    house.assert_left(&[1, 2, 3].into());
}

#[tokio::test]
async fn h13_an_older_name_or_password_is_in_no_file() {
    let house = House::new();
    assert!(house.store.add(marked_person(), consent_line(true, 0)).await.unwrap());
    let ana = person_id("ana");
    let change = |change| house.store.change(&ana, change);
    assert!(change(PersonChange::DisplayName(words(&mark(8)))).await.unwrap());
    house.assert_left(&[2, 3, 8].into());
    let hash = PasswordHash::new(mark(9));
    assert!(change(PersonChange::Password { hash, at: at(50) }).await.unwrap());
    house.assert_left(&[2, 8, 9].into());
}

#[tokio::test]
async fn h13_what_line_called_somebody_or_a_group_is_in_no_file() {
    let house = House::new();
    let name = |number| NameCard { id: person_id("Uana"), name: number, at: at(1) };
    let source = |name| SourceCard {
        id: source_id("C1"),
        kind: SourceKind::Group,
        name,
        members: None,
        present: true,
        at: at(1),
    };
    let marked = |number| Some(words(&mark(number)));
    house.store.keep_name(name(marked(1))).await.unwrap();
    house.store.keep_source(source(marked(2))).await.unwrap();
    house.assert_left(&[1, 2].into());
    house.store.keep_name(name(marked(3))).await.unwrap();
    house.store.keep_source(source(marked(4))).await.unwrap();
    house.assert_left(&[3, 4].into());
    house.store.keep_name(name(None)).await.unwrap();
    house.store.keep_source(source(None)).await.unwrap();
    house.assert_left(&[].into());
    house.store.keep_name(name(marked(5))).await.unwrap();
    house.store.keep_source(source(marked(6))).await.unwrap();
    house.assert_left(&[5, 6].into());
    house.store.forget_name(&person_id("Uana")).await.unwrap();
    house.store.forget_source(&source_id("C1")).await.unwrap();
    house.assert_left(&[].into());
}

#[tokio::test]
async fn h13_what_a_world_was_told_is_in_no_file_after_its_deletion() {
    let house = House::new();
    assert!(house.store.add(person("ana", true), consent_line(true, 0)).await.unwrap());
    let key = world_key("ana", "w");
    let prompt = |number| words(&marked_text(number, 2_000));
    let agents = vec![Agent { system_prompt: prompt(1), ..agent("kai") }];
    let chat = |id: &str, number| Chat { name: words(&mark(number)), ..chat(id, 0) };
    let world = World { name: words(&mark(2)), ..world("ana", "w") };
    house.store.add_world(world, chat("c1", 3), agents).await.unwrap().unwrap();
    house.talk().make(say(marked("m1", 4, 600))).await;
    house.assert_left(&[1, 2, 3, 4].into());

    let patch = AgentPatch { system_prompt: Some(prompt(11)), ..AgentPatch::default() };
    house.store.change_agent(&key, &agent_id("kai"), patch).await.unwrap().unwrap();
    let patch = WorldPatch { name: Some(words(&mark(12))), ..WorldPatch::default() };
    house.store.change_world(&key, patch).await.unwrap().unwrap();
    house.assert_left(&[11, 12, 3, 4].into());

    let spare = chat("c2", 13);
    house.store.delete_chat(&key, &chat_id("c1"), spare).await.unwrap().unwrap();
    house.sweep(0).await;
    house.store.delete_agent(&key, &agent_id("kai")).await.unwrap().unwrap();
    house.assert_left(&[12, 13].into());

    let last = Agent { system_prompt: prompt(14), ..agent("mia") };
    house.store.add_agent(&key, last, 9).await.unwrap().unwrap();
    house.assert_there(14);
    house.store.delete_world(&key).await.unwrap().unwrap();
    house.assert_left(&[].into());
}
