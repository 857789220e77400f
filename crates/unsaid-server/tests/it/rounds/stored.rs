use serde_json::{Value, json};

use super::company::{Company, Frames};
use crate::accounts::house::{Answer, House};

const HEADER: &str = "unsaid-stored";
const NAME: &str = "Unsaid-Stored";

fn told(frames: &Frames) -> Option<&str> {
    frames.headers.get(HEADER).map(|value| value.to_str().unwrap())
}

/// Whether an answer that went well says that what it is about is stored.
fn says(answer: &Answer) -> Option<&str> {
    assert!(answer.status < 300, "{answer:?}");
    answer.header(HEADER)
}

#[tokio::test]
async fn h7_every_answer_about_a_chat_says_whether_it_is_stored() {
    let house = House::new().await;
    for (name, consent, stored) in [("ana", true, "true"), ("bob", false, "false")] {
        let who = Company::of(&house, name, consent, &["o1"]).await;
        let in_chat = json!({ "chatId": who.chat });
        let expected = Some(stored);
        let mut frames = who.says("one").await;
        assert_eq!(told(&frames), expected, "before the first frame");
        let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
        who.answers("o1", "first").await;
        frames.rest().await;
        let mut frames = who.edits(&id, "two").await;
        assert_eq!(told(&frames), expected);
        frames.next().await;
        let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
        who.answers("o1", "second").await;
        frames.rest().await;
        assert_eq!(told(&who.watches(None).await), expected);
        for path in [
            String::new(),
            "status".to_owned(),
            "chats".to_owned(),
            format!("chats/{}/messages", who.chat),
            format!("messages/{id}/count"),
            "agents/o1/memory".to_owned(),
        ] {
            let answer = house.get(who.path(&path).trim_end_matches('/'), &who.token).await;
            assert_eq!(says(&answer), expected, "{path}");
        }
        let stopped = who.calls("POST", "messages/stop", in_chat.clone()).await;
        assert_eq!(says(&stopped), expected);
        let removed = who.calls("DELETE", &format!("messages/{id}"), in_chat.clone()).await;
        assert_eq!(says(&removed), expected);
        let undo = format!("edits/{}/undo", removed.body["editId"].as_str().unwrap());
        assert_eq!(says(&who.calls("POST", &undo, Value::Null).await), expected);
        let unsent = who.calls("POST", &format!("messages/{id}/unsend"), in_chat).await;
        assert_eq!(says(&unsent), expected);
        let unknown = who.gets("chats/x/messages").await;
        assert_eq!((unknown.status, unknown.header(HEADER)), (404, expected));
    }
    let nobody = house.call("GET", "/api/worlds/w/status").await_it().await;
    assert_eq!((nobody.status, nobody.header(HEADER)), (401, None));
}

#[tokio::test]
async fn h7_it_is_said_of_the_words_and_not_of_the_switch() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &["o1"]).await;
    let in_chat = json!({ "chatId": ana.chat });
    let first = ana.exchange("o1", "one", "first").await;
    let second = ana.exchange("o1", "two", "second").await;
    ana.switches(true).await;
    assert_eq!(says(&ana.gets("status").await), Some("true"));
    let count = ana.gets(&format!("messages/{second}/count")).await;
    assert_eq!(says(&count), Some("false"), "it was said before");
    let path = format!("messages/{second}");
    let remove = async || {
        let call = house.call("DELETE", &ana.path(&path)).bearer(&ana.token);
        call.header("idempotency-key", "k1").json(in_chat.clone()).await
    };
    let removed = remove().await;
    assert_eq!(says(&removed), Some("false"));
    let again = remove().await;
    assert_eq!((says(&again), &again.body), (Some("false"), &removed.body));
    let undo = format!("edits/{}/undo", removed.body["editId"].as_str().unwrap());
    assert_eq!(says(&ana.calls("POST", &undo, Value::Null).await), Some("false"));
    let unsent = ana.calls("POST", &format!("messages/{first}/unsend"), in_chat.clone()).await;
    assert_eq!(says(&unsent), Some("false"));
    let mut frames = ana.says("three").await;
    assert_eq!(told(&frames), Some("true"));
    ana.answers("o1", "third").await;
    frames.rest().await;
}

/// Everything that is about conversations, as the description of the API has it.
#[tokio::test]
async fn h7_no_call_about_a_conversation_is_left_out() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let document = house.call("GET", "/api/openapi.json").await_it().await.body;
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let answers = operation["responses"].as_object().unwrap().iter();
            let good = answers.filter(|(status, _)| status.starts_with('2'));
            let described = |(_, answer): (_, &Value)| answer["headers"][NAME].is_object();
            let described: Vec<bool> = good.map(described).collect();
            let tag = operation["tags"][0].as_str().unwrap();
            let is_try = path.starts_with("/api/admin/line/try");
            let is_choice = ["/api/experts", "/api/users/credits", "/api/worlds/templates"]
                .contains(&path.as_str());
            let wanted = is_try || (["session", "world"].contains(&tag) && !is_choice);
            assert!(described.iter().all(|is| *is == wanted), "{method} {path}: {described:?}");
            if !wanted {
                continue;
            }
            let call = house.call(&method.to_uppercase(), path).bearer(&token);
            let answer = if method == "get" {
                call.await_it().await
            } else {
                call.json(json!({ "nothing": "known" })).await
            };
            let expected = if is_try { "false" } else { "true" };
            assert_eq!(answer.header(HEADER), Some(expected), "{method} {path}: {answer:?}");
            asked += 1;
        }
    }
    assert!(asked > 30, "{asked}");
}
