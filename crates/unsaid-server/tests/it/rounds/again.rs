use serde_json::{Value, json};
use unsaid_testkit::model::text;

use super::company::{Company, Frames};
use crate::accounts::house::{Answer, House};

impl Company<'_> {
    async fn keyed(&self, (method, path): (&str, &str), key: &str, body: Value) -> Answer {
        let call = self.house.call(method, &self.path(path)).bearer(&self.token);
        call.header("idempotency-key", key).json(body).await
    }

    async fn keyed_stream(&self, (method, path): (&str, &str), key: &str, body: Value) -> Frames {
        let call = self.house.call(method, &self.path(path)).bearer(&self.token);
        Frames::of(call.header("idempotency-key", key).stream(body).await)
    }
}

/// On both sides of consent.
async fn on_both_sides(check: impl AsyncFn(&Company<'_>)) {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        check(&Company::of(&house, name, consent, &["o1"]).await).await;
    }
}

#[tokio::test]
async fn the_same_words_under_the_same_key_are_said_once() {
    on_both_sides(async |ana| {
        let body = json!({ "message": "hello" });
        let post = ("POST", "messages");
        let mut first = ana.keyed_stream(post, "k1", body.clone()).await;
        let said = first.next().await;
        let (_, asked) = ana.asked().await;
        // While the round runs a repeat attaches to it.
        let mut second = ana.keyed_stream(post, "k1", body.clone()).await;
        assert_eq!(second.next().await, said);
        asked.answer([text("Hi")]);
        let (first, second) = (first.rest().await, second.rest().await);
        assert_eq!(first.last().map(String::as_str), Some("idle"));
        assert!(second.contains(&"o1: Hi".to_owned()), "{second:?}");
        assert_eq!(second.last().map(String::as_str), Some("idle"));
        // Afterwards it replays it.
        let third = ana.keyed_stream(post, "k1", body.clone()).await.rest().await;
        assert_eq!(third, ["human: hello", "o1: Hi", "idle"]);
        let whole = json!({ "message": "hello", "stream": false });
        let reused = ana.keyed(post, "k1", whole.clone()).await;
        assert_eq!((reused.status, reused.refusal().1), (422, "IDEMPOTENCY_KEY_REUSED"));
        assert!(ana.house.asks.lock().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_repeat_is_answered_from_the_log_as_it_is_now() {
    on_both_sides(async |ana| {
        let body = json!({ "message": "rosebud", "stream": false });
        let post = ("POST", "messages");
        let (first, ()) =
            tokio::join!(ana.keyed(post, "k1", body.clone()), ana.answers("o1", "rosebud!"));
        let again = ana.keyed(post, "k1", body.clone()).await;
        assert_eq!((again.status, &again.body), (200, &first.body));
        let id = first.body["messageId"].as_str().unwrap();
        let unsent = json!({ "chatId": ana.chat });
        ana.calls("POST", &format!("messages/{id}/unsend"), unsent).await;
        let again = ana.keyed(post, "k1", body).await;
        assert_eq!((&again.body["messageId"], &again.body["messages"]), (&json!(id), &json!([])));
        assert!(!again.body.to_string().contains("rosebud"));
    })
    .await;
}

#[tokio::test]
async fn an_edit_a_removal_and_an_undo_take_effect_once() {
    on_both_sides(async |ana| {
        let id = ana.exchange("o1", "one", "first").await;
        let path = format!("messages/{id}");
        let body = json!({ "chatId": ana.chat, "newContent": "other", "stream": false });
        let put = ("PUT", path.as_str());
        let (edited, ()) =
            tokio::join!(ana.keyed(put, "k1", body.clone()), ana.answers("o1", "second"));
        assert_eq!(edited.status, 200, "{edited:?}");
        assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 2);
        let again = ana.keyed(put, "k1", body).await;
        assert_eq!((again.status, &again.body), (200, &edited.body));
        let id = edited.body["messageId"].as_str().unwrap();
        let path = format!("messages/{id}");
        let delete = ("DELETE", path.as_str());
        let body = json!({ "chatId": ana.chat });
        let removed = ana.keyed(delete, "k2", body.clone()).await;
        assert_eq!(removed.status, 200, "{removed:?}");
        let again = ana.keyed(delete, "k2", body).await;
        assert_eq!((again.status, &again.body), (200, &removed.body));
        let path = format!("edits/{}/undo", removed.body["editId"].as_str().unwrap());
        let undo = ("POST", path.as_str());
        let undone = ana.keyed(undo, "k3", Value::Null).await;
        assert_eq!(undone.status, 200, "{undone:?}");
        let again = ana.keyed(undo, "k3", Value::Null).await;
        assert_eq!((again.status, &again.body), (200, &undone.body));
        assert!(ana.house.asks.lock().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_repeat_tells_its_own_round_and_no_other() {
    on_both_sides(async |ana| {
        let (post, body) = (("POST", "messages"), json!({ "message": "one" }));
        let mut first = ana.keyed_stream(post, "k1", body.clone()).await;
        let id = first.next().await["data"]["messageId"].as_str().unwrap().to_owned();
        ana.answers("o1", "first").await;
        first.rest().await;
        ana.exchange("o1", "two", "second").await;
        let mut third = ana.says("three").await;
        let (_, asked) = ana.asked().await;
        asked.say(text("thi"));
        third.until("o1> thi").await;
        // Others talk on, and even now somebody speaks.
        let again = ana.keyed_stream(post, "k1", body).await.rest().await;
        assert_eq!(again, ["human: one", "o1: first", "idle"]);
        asked.answer([text("rd")]);
        third.rest().await;

        let path = format!("messages/{id}");
        let (put, body) =
            (("PUT", path.as_str()), json!({ "chatId": ana.chat, "newContent": "other" }));
        let mut edited = ana.keyed_stream(put, "k2", body.clone()).await;
        ana.answers("o1", "fine").await;
        edited.rest().await;
        ana.exchange("o1", "two", "second").await;
        let again = ana.keyed_stream(put, "k2", body).await.rest().await;
        assert_eq!(again, ["removed 6", "human: other", "o1: fine", "idle"]);
    })
    .await;
}

#[tokio::test]
async fn a_repeat_of_an_edit_that_was_undone_says_so() {
    on_both_sides(async |ana| {
        let id = ana.exchange("o1", "one", "first").await;
        let path = format!("messages/{id}");
        let (put, body) =
            (("PUT", path.as_str()), json!({ "chatId": ana.chat, "newContent": "other" }));
        let mut edited = ana.keyed_stream(put, "k1", body.clone()).await;
        let edit = edited.next().await["data"]["editId"].as_str().unwrap().to_owned();
        ana.answers("o1", "fine").await;
        edited.rest().await;
        let undone = ana.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
        assert_eq!(undone.status, 200, "{undone:?}");
        let again = ana.keyed_stream(put, "k1", body).await.rest().await;
        assert_eq!(again, ["removed 2", "restored 2", "idle"]);
    })
    .await;
}

#[tokio::test]
async fn a_stop_under_the_same_key_stops_one_round_only() {
    on_both_sides(async |ana| {
        let (stop, body) = (("POST", "messages/stop"), json!({ "chatId": ana.chat }));
        let mut frames = ana.says("one").await;
        let (_, asked) = ana.asked().await;
        let stopped = ana.keyed(stop, "k1", body.clone()).await;
        assert_eq!((stopped.status, &stopped.body["stopped"]), (200, &json!(true)));
        asked.cancelled().await;
        frames.rest().await;
        let mut frames = ana.says("two").await;
        let (_, asked) = ana.asked().await;
        let again = ana.keyed(stop, "k1", body).await;
        assert_eq!((again.status, &again.body), (200, &stopped.body));
        asked.answer([text("second")]);
        let told = frames.rest().await;
        assert!(told.contains(&"o1: second".to_owned()), "{told:?}");
        let call = ana.house.call("POST", &ana.path("messages/stop")).bearer(&ana.token);
        let other = format!(" {}", json!({ "chatId": ana.chat }));
        let reused = call.header("idempotency-key", "k1").raw("application/json", &other).await;
        assert_eq!((reused.status, reused.refusal().1), (422, "IDEMPOTENCY_KEY_REUSED"));
    })
    .await;
}

#[tokio::test]
async fn the_key_of_an_unsend_stands_for_one_call() {
    on_both_sides(async |ana| {
        let id = ana.exchange("o1", "one", "first").await;
        let path = format!("messages/{id}/unsend");
        let (unsend, body) = (("POST", path.as_str()), json!({ "chatId": ana.chat }));
        let gone = ana.keyed(unsend, "k1", body.clone()).await;
        assert_eq!(gone.status, 200, "{gone:?}");
        let again = ana.keyed(unsend, "k1", body.clone()).await;
        assert_eq!((again.status, &again.body), (200, &gone.body));
        let call = ana.house.call("POST", &ana.path(&path)).bearer(&ana.token);
        let reused =
            call.header("idempotency-key", "k1").raw("application/json", &format!(" {body}")).await;
        assert_eq!((reused.status, reused.refusal().1), (422, "IDEMPOTENCY_KEY_REUSED"));
    })
    .await;
}

#[tokio::test]
async fn a_repeat_is_answered_from_the_chat_in_which_it_was_said() {
    on_both_sides(async |ana| {
        let body = json!({ "message": "one", "stream": false });
        let post = ("POST", "messages");
        let (first, ()) =
            tokio::join!(ana.keyed(post, "k1", body.clone()), ana.answers("o1", "first"));
        let made = ana.calls("POST", "chats", Value::Null).await.body;
        let other = format!("setChat/{}", made["id"].as_str().unwrap());
        assert_eq!(ana.calls("POST", &other, Value::Null).await.status, 200);
        let again = ana.keyed(post, "k1", body.clone()).await;
        assert_eq!((again.status, &again.body), (200, &first.body));
        // Also while session mode is off: nothing is said.
        let off = json!({ "currentChatId": null });
        let switched = ana.house.call("PATCH", "/api/worlds/w").bearer(&ana.token).json(off).await;
        assert_eq!(switched.status, 200, "{switched:?}");
        let again = ana.keyed(post, "k1", body).await;
        assert_eq!((again.status, &again.body), (200, &first.body));
        assert!(ana.house.asks.lock().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_repeated_edit_or_undo_is_answered_while_session_mode_is_off() {
    on_both_sides(async |ana| {
        let id = ana.exchange("o1", "one", "first").await;
        let body = json!({ "chatId": ana.chat, "newContent": "two", "stream": false });
        let path = format!("messages/{id}");
        let put = ("PUT", path.as_str());
        let (edited, ()) =
            tokio::join!(ana.keyed(put, "k1", body.clone()), ana.answers("o1", "second"));
        let undo = format!("edits/{}/undo", edited.body["removal"]["editId"].as_str().unwrap());
        let undone = ana.keyed(("POST", &undo), "k2", Value::Null).await;
        assert_eq!(undone.status, 200, "{undone:?}");
        let off = json!({ "currentChatId": null });
        ana.house.call("PATCH", "/api/worlds/w").bearer(&ana.token).json(off).await;
        let again = ana.keyed(put, "k1", body).await;
        assert_eq!((again.status, &again.body["removal"]), (200, &edited.body["removal"]));
        let again = ana.keyed(("POST", &undo), "k2", Value::Null).await;
        assert_eq!((again.status, again.body), (200, undone.body));
    })
    .await;
}
