//! Secrets and ended sign-ins.

use std::sync::Arc;

use unsaid_core::{
    domain::{id::SignInId, secret::SecretKey},
    port::Store,
};

use crate::builder::at;

fn sign_in(text: &str) -> SignInId {
    SignInId::new(text).expect("the text is an id")
}

/// Of several that make a secret at once, all get the same; another name is another secret.
pub async fn a_secret_is_made_once(store: Arc<dyn Store>) {
    let mut asking = tokio::task::JoinSet::new();
    for n in 0..8 {
        let store = Arc::clone(&store);
        asking.spawn(async move { store.secret("tokens", SecretKey::new([n; 32])).await });
    }
    let mut got = Vec::new();
    for answer in asking.join_all().await {
        got.push(answer.expect("the store answers"));
    }
    assert!(got.iter().all(|one| *one == got[0]));
    let later = store.secret("tokens", SecretKey::new([99; 32])).await;
    assert_eq!(later.expect("the store answers"), got[0]);
    let other = SecretKey::new([99; 32]);
    let made = store.secret("other", other.clone()).await.expect("the store answers");
    assert_eq!(made, other);
}

/// An ended sign-in is known as such until it may be forgotten.
pub async fn an_ended_sign_in_is_remembered(store: Arc<dyn Store>) {
    let (one, other) = (sign_in("one"), sign_in("other"));
    for again in 0..2 {
        store.end_sign_in(&one, at(100 + again)).await.expect("the store answers");
    }
    assert!(store.is_sign_in_ended(&one).await.expect("the store answers"));
    assert!(!store.is_sign_in_ended(&other).await.expect("the store answers"));
    assert_eq!(store.forget_sign_ins(at(99)).await.expect("the store answers"), 0);
    assert!(store.is_sign_in_ended(&one).await.expect("the store answers"));
    assert_eq!(store.forget_sign_ins(at(100)).await.expect("the store answers"), 1);
    assert!(!store.is_sign_in_ended(&one).await.expect("the store answers"));
}
