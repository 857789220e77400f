//! Where it is asked.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use unsaid_core::domain::source::SourceKind;

use super::{
    Fault, Line,
    book::{Book, Plan},
    call::Call,
    rules::{self, not_found, refusal},
};

type Of<T> = (State<Arc<Line>>, HeaderMap, T);

pub(super) fn router(line: Arc<Line>) -> Router {
    Router::new()
        .route("/v2/bot/message/reply", post(reply))
        .route("/v2/bot/message/push", post(push))
        .route("/v2/bot/chat/loading/start", post(loading))
        .route("/v2/bot/profile/{person}", get(profile))
        .route("/v2/bot/group/{source}/member/{person}", get(member))
        .route("/v2/bot/room/{source}/member/{person}", get(member))
        .route("/v2/bot/group/{source}/summary", get(group_summary))
        .route("/v2/bot/group/{source}/members/count", get(members_count))
        .route("/v2/bot/room/{source}/members/count", get(members_count))
        .route("/v2/bot/message/{message}/content", get(content))
        .route("/v2/bot/info", get(bot_info))
        .route("/v2/bot/channel/webhook/endpoint", get(webhook_endpoint))
        .route("/v2/bot/channel/webhook/test", post(webhook_test))
        .fallback(async || not_found())
        .with_state(line)
}

impl Line {
    /// One call: who asks, whether it is to fail, what it does.
    async fn take(
        &self,
        call: Call,
        headers: &HeaderMap,
        act: impl FnOnce(&mut Book) -> Response,
    ) -> Response {
        let decided = self.decide(call, headers, act);
        // Whoever waits looks again, whether or not an answer follows.
        self.changed.send_replace(());
        match decided {
            Ok(response) => response,
            Err((fault, hanging)) => fault.happen(hanging).await,
        }
    }

    fn decide(
        &self,
        call: Call,
        headers: &HeaderMap,
        act: impl FnOnce(&mut Book) -> Response,
    ) -> Result<Response, (Fault, CancellationToken)> {
        let mut book = self.lock();
        let expected = format!("Bearer {}", self.token.expose());
        let given = headers.get(header::AUTHORIZATION).map(header::HeaderValue::as_bytes);
        if given != Some(expected.as_bytes()) {
            book.see(call, Some(401));
            let why = "Authentication failed. Confirm that the access token is valid";
            return Ok(refusal(StatusCode::UNAUTHORIZED, why));
        }
        let Some(Plan { fault, after }) = book.next_plan(call) else {
            let mut response = act(&mut book);
            book.see(call, Some(response.status().as_u16()));
            if let Ok(id) = book.request_id().try_into() {
                response.headers_mut().insert("x-line-request-id", id);
            }
            return Ok(response);
        };
        if after {
            drop(act(&mut book));
        }
        book.see(call, fault.seen_as());
        Err((fault, book.hanging()))
    }
}

async fn reply((State(line), headers, body): Of<Bytes>) -> Response {
    line.take(Call::Reply, &headers, |book| rules::reply(book, &headers, &body)).await
}

async fn push((State(line), headers, body): Of<Bytes>) -> Response {
    line.take(Call::Push, &headers, |book| rules::push(book, &headers, &body)).await
}

async fn loading((State(line), headers, body): Of<Bytes>) -> Response {
    line.take(Call::Loading, &headers, |book| rules::loading(book, &body)).await
}

async fn profile((State(line), headers, Path(person)): Of<Path<String>>) -> Response {
    let look = |book: &mut Book| {
        let name = book.names.get(&person)?;
        Some(json!({ "displayName": name.as_str(), "userId": person }))
    };
    line.take(Call::Profile, &headers, |book| found(look(book))).await
}

async fn member((State(line), headers, Path(ids)): Of<Path<(String, String)>>) -> Response {
    let look = |book: &mut Book| {
        let name = book.members.get(&ids)?;
        Some(json!({ "displayName": name.as_str(), "userId": ids.1 }))
    };
    line.take(Call::Member, &headers, |book| found(look(book))).await
}

async fn group_summary((State(line), headers, Path(group)): Of<Path<String>>) -> Response {
    let look = |book: &mut Book| {
        let place = book.places.get(&group).filter(|place| place.kind == SourceKind::Group)?;
        Some(json!({ "groupId": group, "groupName": place.name.as_str() }))
    };
    line.take(Call::GroupSummary, &headers, |book| found(look(book))).await
}

async fn members_count((State(line), headers, Path(source)): Of<Path<String>>) -> Response {
    let look = |book: &mut Book| Some(json!({ "count": book.places.get(&source)?.members }));
    line.take(Call::MembersCount, &headers, |book| found(look(book))).await
}

async fn content((State(line), headers, Path(message)): Of<Path<String>>) -> Response {
    let look = |book: &mut Book| match book.contents.get(&message) {
        None => not_found(),
        Some((kind, bytes)) => {
            ([(header::CONTENT_TYPE, kind.clone())], bytes.clone()).into_response()
        }
    };
    line.take(Call::Content, &headers, look).await
}

async fn bot_info((State(line), headers, ()): Of<()>) -> Response {
    let info = json!({
        "userId": "U00000000000000000000000000000000",
        "basicId": "@stand-in",
        "displayName": "Stand-in",
        "chatMode": "bot",
        "markAsReadMode": "auto",
    });
    line.take(Call::BotInfo, &headers, |_book| found(Some(info))).await
}

async fn webhook_endpoint((State(line), headers, ()): Of<()>) -> Response {
    let look = |book: &mut Book| {
        let webhook = book.webhook.as_ref()?;
        Some(json!({ "endpoint": webhook.endpoint, "active": webhook.active }))
    };
    line.take(Call::WebhookEndpoint, &headers, |book| found(look(book))).await
}

async fn webhook_test((State(line), headers, ()): Of<()>) -> Response {
    let look = |book: &mut Book| {
        let test = &book.webhook.as_ref()?.test;
        Some(json!({
            "success": test.success,
            "timestamp": "2026-01-17T10:30:00.000Z",
            "statusCode": test.status_code,
            "reason": test.reason,
            "detail": test.detail,
        }))
    };
    line.take(Call::WebhookTest, &headers, |book| found(look(book))).await
}

fn found(document: Option<Value>) -> Response {
    document.map_or_else(not_found, |document| Json(document).into_response())
}
