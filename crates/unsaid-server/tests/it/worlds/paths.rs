//! The paths of worlds are there with and without `/api`.

use serde_json::json;

use super::owner::Owner;
use crate::accounts::house::House;

#[tokio::test]
async fn both_spellings_are_one_door() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let short = async |method: &str, path: &str| {
        house.call(method, path).bearer(&ana.token).await_it().await
    };
    let post = |path: &'static str| {
        let call = house.call("POST", path).bearer(&ana.token);
        call.header("idempotency-key", "k1").json(json!({ "name": "東京" }))
    };
    let made = post("/worlds").await;
    assert_eq!(made.status, 201, "{made:?}");
    let again = post("/api/worlds").await;
    assert_eq!((again.status, &again.body), (201, &made.body), "the same call");
    assert_eq!(short("GET", "/worlds").await.body, ana.look("").await);
    let world = "/worlds/%E6%9D%B1%E4%BA%AC";
    assert_eq!(short("GET", world).await.body, made.body);
    assert_eq!(short("GET", "/worlds/templates").await.body.as_array().unwrap().len(), 3);
    let page = short(
        "GET",
        &format!("{world}/chats/{}/messages?limit=1", made.body["currentChatId"].as_str().unwrap()),
    )
    .await;
    assert_eq!((page.status, &page.body["hasMore"]), (200, &json!(false)));
    let wrong = short("PUT", world).await;
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("GET,HEAD,PATCH,DELETE")));
    assert_eq!(short("DELETE", world).await.status, 204);
    for unknown in ["/worldsxyz", "/world", "/worlds/w/nothing", "/api/api/worlds", "/users/me"] {
        let refused = short("GET", unknown).await;
        assert_eq!(refused.refusal(), (404, "NOT_FOUND", "No such path"), "{unknown}");
    }
    assert_eq!(house.call("GET", "/worlds").await_it().await.status, 401);
}
