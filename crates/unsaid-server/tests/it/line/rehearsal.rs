//! Trying the bot without LINE: on the same path, in memory only, each admin alone.

use std::net::SocketAddr;

use serde_json::{Value, json};

use super::event::person;
use super::house::{House, thought};
use super::keeper::Keeper;
use super::thinker::{Asked, Deed, reply, skip};
use crate::people::{PASSWORD, call};
use crate::wait::until;

const TRY: &str = "/api/admin/line/try";
/// Tests look often.
const PATIENT: [(&str, &str); 3] = [
    ("line.debounce", "0ms"),
    ("limits.reads_per_min", "100000"),
    ("limits.writes_per_min", "100000"),
];

/// An admin who tries.
struct Tester {
    address: SocketAddr,
    token: String,
}

impl Tester {
    /// A new one.
    fn of(house: &House, email: &str) -> Self {
        let tester = Self::without_rights(house, email);
        assert_eq!(house.command(&["user", "admin", email], "").code, Some(0));
        tester
    }

    /// Somebody who is no admin.
    fn without_rights(house: &House, email: &str) -> Self {
        let added = house.command(&["user", "add", email], &format!("{PASSWORD}\n"));
        assert_eq!(added.code, Some(0), "{added:?}");
        let proof = json!({ "email": email, "password": PASSWORD });
        let told = call(house.address, "POST", "/api/auth/login", "", &proof);
        assert_eq!(told.status, 200, "{}", told.body);
        let token = told.body["token"].as_str().unwrap().to_owned();
        Self { address: house.address, token }
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        self.call_with(method, path, "", body)
    }

    fn call_with(&self, method: &str, path: &str, header: &str, body: &Value) -> (u16, Value) {
        let headers = format!("authorization: Bearer {}\r\n{header}", self.token);
        let told = call(self.address, method, path, &headers, body);
        (told.status, told.body)
    }

    fn try_saying(&self, place: &str, body: &Value) -> (u16, Value) {
        self.call("POST", &format!("{TRY}/{place}/messages"), body)
    }

    /// Says something; the id of the message.
    fn say(&self, place: &str, body: &Value) -> String {
        let (status, said) = self.try_saying(place, body);
        assert_eq!(status, 201, "{said}");
        assert!(said["created_at"].as_str().unwrap().ends_with('Z'), "{said}");
        said["id"].as_str().unwrap().to_owned()
    }

    fn unsend(&self, place: &str, id: &str) -> (u16, Value) {
        self.call("POST", &format!("{TRY}/{place}/messages/{id}/unsend"), &Value::Null)
    }

    fn begin_anew(&self, place: &str) {
        let forgotten = self.call("DELETE", &format!("{TRY}/{place}"), &Value::Null);
        assert_eq!(forgotten, (204, Value::Null));
    }

    fn show(&self, place: &str) -> Value {
        let (status, shown) = self.call("GET", &format!("{TRY}/{place}"), &Value::Null);
        assert_eq!(status, 200, "{shown}");
        shown
    }

    /// Waits until so many turns are over and none is to come.
    fn until_decided(&self, place: &str, turns: usize) -> Value {
        let is_over = |text: &str| {
            let shown: Value = serde_json::from_str(text).unwrap();
            let over = shown["turns"].as_array().unwrap().len();
            assert!(over <= turns, "{text}");
            over == turns && shown["answering"] == json!(false)
        };
        let shown = until(|| self.show(place).to_string(), is_over);
        serde_json::from_str(&shown).unwrap()
    }
}

fn empty(place: &str) -> Value {
    json!({ "place": place, "stored": false, "answering": false, "messages": [], "turns": [] })
}

/// Who said what.
fn heard(shown: &Value) -> Vec<(&str, &str, &str)> {
    let messages = shown["messages"].as_array().unwrap().iter();
    messages
        .map(|message| {
            let of = |field: &str| message[field].as_str().unwrap();
            (of("from"), of("name"), of("text"))
        })
        .collect()
}

fn decisions(shown: &Value) -> Vec<&str> {
    let turns = shown["turns"].as_array().unwrap().iter();
    turns.map(|turn| turn["decision"].as_str().unwrap()).collect()
}

fn house(script: impl Fn(&Asked) -> Deed + Send + Sync + 'static) -> House {
    House::with(Keeper::Sqlite, script, &PATIENT)
}

#[test]
fn only_admins_try_and_only_what_can_be_said() {
    let house = house(|_| reply("nothing is asked here"));
    let admin = Tester::of(&house, "admin@example.org");
    let ana = Tester::without_rights(&house, "ana@example.org");
    let hello = json!({ "text": "hello" });
    for (method, path, body) in [
        ("GET", format!("{TRY}/person"), &Value::Null),
        ("POST", format!("{TRY}/person/messages"), &hello),
        ("POST", format!("{TRY}/person/messages/1/unsend"), &Value::Null),
        ("DELETE", format!("{TRY}/person"), &Value::Null),
    ] {
        let nobody = call(house.address, method, &path, "", body);
        let code = &nobody.body["code"];
        assert_eq!((nobody.status, code), (401, &json!("UNAUTHENTICATED")), "{path}");
        let forbidden = ana.call(method, &path, body);
        assert_eq!((forbidden.0, &forbidden.1["code"]), (403, &json!("FORBIDDEN")), "{path}");
        let elsewhere = admin.call(method, &path.replace("person", "room"), body);
        assert_eq!((elsewhere.0, &elsewhere.1["code"]), (404, &json!("NOT_FOUND")), "{path}");
    }
    let unknown = admin.unsend("person", "1");
    assert_eq!((unknown.0, &unknown.1["code"]), (404, &json!("MESSAGE_NOT_FOUND")));
    let (long, name) = ("😀".repeat(2_501), "n".repeat(41));
    for body in [
        json!({}),
        json!({ "text": "" }),
        json!({ "text": long }),
        json!({ "text": "a\u{0}" }),
        json!({ "text": 1 }),
        json!({ "text": "hello", "name": "" }),
        json!({ "text": "hello", "name": "  " }),
        json!({ "text": "hello", "name": name }),
        json!({ "text": "hello", "mention": "yes" }),
        json!({ "text": "hello", "to": "Kim" }),
    ] {
        let (status, refused) = admin.try_saying("group", &body);
        assert_eq!((status, &refused["code"]), (400, &json!("VALIDATION_ERROR")), "{body}");
    }
    for place in ["person", "group"] {
        assert_eq!(admin.show(place), empty(place));
        admin.begin_anew(place);
    }
    assert_eq!(house.thinker.asked().len(), 0);
    house.end();
}

#[test]
fn a_person_is_answered_and_nothing_is_kept() {
    let mut house = house(|asked| reply(thought(asked.nth)));
    let mut admin = Tester::of(&house, "admin@example.org");
    let words = "persimmons-are-ripe";
    for private in [words, "Wilhelmina"] {
        house.keep_private(private);
    }
    let id = admin.say("person", &json!({ "text": words, "name": " Wilhelmina " }));
    let shown = admin.until_decided("person", 1);
    let persona = shown["messages"][1]["name"].as_str().unwrap();
    let answer = thought(0);
    assert_eq!(heard(&shown), [("person", "Wilhelmina", words), ("bot", persona, &answer)]);
    assert!(!persona.is_empty());
    assert_eq!(shown["messages"][0]["id"], json!(id));
    let turn = shown["turns"][0].as_object().unwrap();
    assert_eq!(
        (&turn["id"], &turn["decision"], &turn["code"]),
        (&json!(1), &json!("answered"), &Value::Null)
    );
    assert!(turn["began_at"].as_str() <= turn["ended_at"].as_str() && turn.len() == 5, "{turn:?}");
    assert_eq!(shown.as_object().unwrap().len(), 5, "{shown}");
    let asked = house.thinker.until_asked(1).words;
    assert!(asked.contains(words) && asked.contains("Wilhelmina"), "{asked}");
    // Somebody else's name from now on, of the same person.
    admin.say("person", &json!({ "text": "and medlars?" }));
    admin.until_decided("person", 2);
    let asked = house.thinker.until_asked(2).words;
    assert!(asked.contains("from=\"Kim\"") && !asked.contains("Wilhelmina"), "{asked}");

    let (status, sources) = admin.call("GET", "/api/admin/line/sources", &Value::Null);
    assert_eq!((status, sources), (200, json!({ "sources": [], "has_more": false })));
    assert_eq!(house.said(), Vec::<String>::new(), "LINE itself hears nothing");
    for canary in [words, "Wilhelmina", &answer, "medlars"] {
        assert_eq!(house.places_of(canary.as_bytes()), Vec::<String>::new(), "{canary}");
    }
    house.restart();
    admin.address = house.address;
    assert_eq!(admin.show("person"), empty("person"));
    house.end();
}

#[test]
fn a_group_hears_several_people_and_silence() {
    let house = house(|asked| {
        if asked.words.contains("among us") {
            skip("they talk to each other")
        } else {
            reply("yes?")
        }
    });
    let admin = Tester::of(&house, "admin@example.org");
    admin.say("group", &json!({ "text": "is anybody there", "name": "Ada" }));
    admin.until_decided("group", 1);
    admin.say("group", &json!({ "text": "this stays among us", "name": "Ben" }));
    let shown = admin.until_decided("group", 2);
    assert_eq!(decisions(&shown), ["silent", "answered"]);
    let names: Vec<&str> = heard(&shown).iter().map(|(_, name, _)| *name).collect();
    assert_eq!((names[0], names[2], names.len()), ("Ada", "Ben", 3));
    assert!(!shown.to_string().contains("each other"), "{shown}");
    let asked = house.thinker.until_asked(2).words;
    assert!(asked.contains("from=\"Ada\"") && asked.contains("from=\"Ben\""), "{asked}");
    assert!(asked.contains("group chat"), "{asked}");
    assert_eq!(admin.show("person"), empty("person"));
    house.end();
}

#[test]
fn h4_what_is_taken_back_is_in_no_prompt() {
    let house = house(|asked| reply(thought(asked.nth)));
    let admin = Tester::of(&house, "admin@example.org");
    let id = admin.say("person", &json!({ "text": "my name is Rosalind" }));
    admin.until_decided("person", 1);
    let unsent = admin.unsend("person", &id);
    assert_eq!(unsent, (200, json!({ "id": id, "status": "unsent" })));
    let shown = admin.show("person");
    assert_eq!(shown["messages"], json!([]), "the answer went with its question");
    assert_eq!(admin.unsend("person", &id).0, 404);
    admin.say("person", &json!({ "text": "what is my name" }));
    let shown = admin.until_decided("person", 2);
    let answer = &heard(&shown)[1];
    assert_eq!((answer.0, answer.2), ("bot", thought(1).as_str()));
    let asked = house.thinker.until_asked(2).words;
    assert!(asked.contains("what is my name") && !asked.contains("Rosalind"), "{asked}");
    assert!(!asked.contains(&thought(0)), "{asked}");
    // What the bot said cannot be taken back, and nobody takes back a message of another place.
    let said = shown["messages"][1]["id"].as_str().unwrap();
    assert_eq!(admin.unsend("person", said).0, 404);
    let asked_in = shown["messages"][0]["id"].as_str().unwrap();
    assert_eq!(admin.unsend("group", asked_in).0, 404);
    house.end();
}

#[test]
fn h5_a_question_that_is_taken_back_while_it_is_thought_about_is_not_answered() {
    let house = house(|asked| reply(thought(asked.nth)));
    let admin = Tester::of(&house, "admin@example.org");
    house.thinker.hold();
    let id = admin.say("group", &json!({ "text": "my name is Rosalind" }));
    house.thinker.until_asked(1);
    assert_eq!(admin.show("group")["answering"], json!(true));
    assert_eq!(admin.unsend("group", &id).0, 200);
    house.thinker.release();
    let shown = admin.until_decided("group", 1);
    assert_eq!((decisions(&shown), heard(&shown)), (vec!["cancelled"], vec![]));
    house.end();
}

#[test]
fn h8_what_is_forgotten_while_it_is_thought_about_is_not_answered() {
    let house = house(|asked| reply(thought(asked.nth)));
    let admin = Tester::of(&house, "admin@example.org");
    house.thinker.hold();
    admin.say("person", &json!({ "text": "persimmons are ripe", "name": "Wilhelmina" }));
    house.thinker.until_asked(1);
    admin.begin_anew("person");
    assert_eq!(admin.show("person"), empty("person"));
    admin.say("person", &json!({ "text": "medlars are not" }));
    house.thinker.until_asked(2);
    house.thinker.release();
    let shown = admin.until_decided("person", 1);
    assert_eq!((heard(&shown)[0].2, heard(&shown)[1].2), ("medlars are not", &*thought(1)));
    assert_eq!((heard(&shown).len(), decisions(&shown)), (2, vec!["answered"]));
    let asked = house.thinker.until_asked(2).words;
    assert!(!asked.contains("persimmons") && !asked.contains("Wilhelmina"), "{asked}");
    house.end();
}

#[test]
fn a_mention_is_marked_as_line_marks_it() {
    let flags = [&PATIENT[..], &[("line.groups", "mention")]].concat();
    let house = House::with(Keeper::Sqlite, |asked| reply(thought(asked.nth)), &flags);
    let admin = Tester::of(&house, "admin@example.org");
    admin.say("group", &json!({ "text": "@bot is only a word here", "mention": false }));
    let shown = admin.show("group");
    assert_eq!((decisions(&shown), &shown["answering"]), (vec![], &json!(false)));
    admin.say("group", &json!({ "text": "and you?", "mention": true }));
    let shown = admin.until_decided("group", 1);
    let texts: Vec<&str> = heard(&shown).iter().map(|(_, _, text)| *text).collect();
    assert_eq!(texts, ["@bot is only a word here", "and you?", &thought(0)]);
    admin.say("person", &json!({ "text": "nobody needs to be mentioned here" }));
    assert_eq!(decisions(&admin.until_decided("person", 1)), ["answered"]);
    house.end();
}

#[test]
fn h9_every_admin_is_alone_and_begins_anew_alone() {
    let house = house(|asked| reply(thought(asked.nth)));
    let (ana, ben) = (Tester::of(&house, "ana@example.org"), Tester::of(&house, "ben@example.org"));
    let id = ana.say("group", &json!({ "text": "persimmons are ripe" }));
    ana.until_decided("group", 1);
    assert_eq!(ben.show("group"), empty("group"));
    assert_eq!(ben.unsend("group", &id).0, 404);
    ben.say("group", &json!({ "text": "medlars are not" }));
    ben.until_decided("group", 1);
    let asked = house.thinker.until_asked(2).words;
    assert!(asked.contains("medlars") && !asked.contains("persimmons"), "{asked}");
    ana.begin_anew("group");
    assert_eq!(ana.show("group"), empty("group"));
    assert_eq!(heard(&ben.show("group")).len(), 2);
    ana.say("group", &json!({ "text": "quinces" }));
    ana.until_decided("group", 1);
    let asked = house.thinker.until_asked(3).words;
    assert!(asked.contains("quinces") && !asked.contains("persimmons"), "{asked}");
    // Whoever has everything of theirs erased has this erased.
    let (status, erased) = ana.call("POST", "/api/users/me/erase", &Value::Null);
    assert_eq!(status, 200, "{erased}");
    assert_eq!((ana.show("group"), heard(&ben.show("group")).len()), (empty("group"), 2));
    house.end();
}

#[test]
fn h9_people_on_line_and_a_rehearsal_do_not_meet() {
    let house = house(|asked| reply(thought(asked.nth)));
    let admin = Tester::of(&house, "admin@example.org");
    let (ana, spoken) = ("U4af4980629a1b2c3d4e5f60718293a4b", "medlars are not");
    house.thinker.hold();
    house.say(&person(ana), "m1", "persimmons are ripe");
    admin.say("person", &json!({ "text": spoken }));
    house.thinker.until_asked(2);
    house.thinker.release();
    let on_line = house.next_said();
    let shown = admin.until_decided("person", 1);
    let rehearsed = heard(&shown)[1].2.to_owned();
    assert_ne!(on_line, rehearsed);
    assert_eq!(house.said(), [on_line.as_str()]);
    for asked in house.thinker.asked() {
        assert_ne!(asked.words.contains("persimmons"), asked.words.contains("medlars"));
    }
    let (_, sources) = admin.call("GET", "/api/admin/line/sources", &Value::Null);
    let sources = sources["sources"].as_array().unwrap();
    assert_eq!((sources.len(), &sources[0]["id"]), (1, &json!(ana)));
    assert!(!house.places_of(on_line.as_bytes()).is_empty(), "what is kept can be found");
    for canary in [spoken, &rehearsed] {
        assert_eq!(house.places_of(canary.as_bytes()), Vec::<String>::new(), "{canary}");
    }
    house.end();
}

#[test]
fn h3_a_call_with_a_key_says_it_once() {
    let house = house(|asked| reply(thought(asked.nth)));
    let admin = Tester::of(&house, "admin@example.org");
    let say = |text: &str| {
        let (path, key) = (format!("{TRY}/person/messages"), "idempotency-key: k1\r\n");
        admin.call_with("POST", &path, key, &json!({ "text": text }))
    };
    let (first, again) = (say("once"), say("once"));
    assert_eq!((first.0, &first), (201, &again));
    assert_eq!(say("twice").0, 422);
    assert_eq!(heard(&admin.until_decided("person", 1)).len(), 2);
    house.end();
}

/// Without LINE and without a model: the demo answers.
#[test]
fn the_bot_is_tried_where_line_is_closed() {
    let house = House::closed(&PATIENT);
    let admin = Tester::of(&house, "admin@example.org");
    admin.say("person", &json!({ "text": "My name is Rosalind." }));
    admin.until_decided("person", 1);
    admin.say("person", &json!({ "text": "What is my name?" }));
    let shown = admin.until_decided("person", 2);
    let heard = heard(&shown);
    assert_eq!((heard.len(), decisions(&shown)), (4, vec!["answered", "answered"]));
    assert!(heard[3].2.contains("Rosalind"), "{heard:?}");
    admin.say("group", &json!({ "text": "Fine with me. (not for you)", "name": "Noa" }));
    assert_eq!(decisions(&admin.until_decided("group", 1)), ["silent"]);
    assert_eq!(house.places_of(b"Rosalind"), Vec::<String>::new());
    house.end();
}
