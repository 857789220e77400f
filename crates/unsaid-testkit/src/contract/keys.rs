//! Idempotency keys.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        audit::EraseReason,
        conversation::change::{Change, Refusal},
        id::Version,
    },
    port::{Store, erasure::Batch, history::Committed, keys::KeyUse},
};

use crate::{
    builder::{at, consent_line, cut, idempotency_key, key_use, message, person, person_id, say},
    talk::Talk,
};

async fn join(store: &Arc<dyn Store>, id: &str, consent: bool) {
    let added = store.add(person(id, consent), consent_line(consent, 0)).await;
    assert!(added.expect("the store answers"));
}

/// The same key takes effect once; the use of before comes back, whatever is asked now.
pub async fn h3_the_same_key_takes_effect_once(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    let key = key_use("ana", "k1", 1_000);
    let first = talk.change(say(message("m1"))).once(key.clone());
    assert!(matches!(talk.commit(first).await, Committed::Applied(..)));
    let other = KeyUse { body_digest: [9; 32], status: 500, ids: vec![], ..key.clone() };
    let again = talk.change(say(message("m2"))).once(other);
    assert_eq!(talk.commit(again).await, Committed::Repeated(key));
    assert_eq!(talk.heard().await, ["m1"]);
}

/// A key is a person's, for a call: others may use the same.
pub async fn a_key_belongs_to_a_person_and_a_call(store: Arc<dyn Store>) {
    join(&store, "ana", true).await;
    join(&store, "ben", true).await;
    let key = key_use("ana", "k1", 1_000);
    assert_eq!(store.remember(key.clone()).await.expect("the store answers"), None);
    let others = [
        KeyUse { person: person_id("ben"), ..key.clone() },
        KeyUse { scope: "DELETE /worlds/w".to_owned(), ..key.clone() },
        KeyUse { key: idempotency_key("k2"), ..key.clone() },
    ];
    for other in others {
        assert_eq!(store.remember(other).await.expect("the store answers"), None);
    }
    let again = KeyUse { body_digest: [9; 32], at: at(5_000), ..key.clone() };
    assert_eq!(store.remember(again).await.expect("the store answers"), Some(key));
}

/// Looking is not using.
pub async fn looking_a_key_up_does_not_use_it(store: Arc<dyn Store>) {
    join(&store, "ana", true).await;
    let key = key_use("ana", "k1", 1_000);
    for _ in 0..2 {
        assert_eq!(store.used(&key).await.expect("the store answers"), None);
    }
    assert_eq!(store.remember(key.clone()).await.expect("the store answers"), None);
    let asked = KeyUse { body_digest: [9; 32], status: 500, ids: vec![], ..key.clone() };
    assert_eq!(store.used(&asked).await.expect("the store answers"), Some(key));
}

/// A call that was refused may be tried again with its key.
pub async fn a_refused_change_does_not_use_its_key(store: Arc<dyn Store>) {
    join(&store, "ana", false).await;
    let talk = Talk::chat(&store);
    let key = key_use("ana", "k1", 1_000);
    let refused = talk.change(cut("m1")).once(key.clone());
    assert_eq!(talk.commit(refused).await, Committed::Refused(Refusal::NotFound));
    let refused = talk.change(say(message("m1"))).once(key.clone());
    let refused = refused.with_consent_of(person_id("ana"));
    assert_eq!(talk.commit(refused).await, Committed::Refused(Refusal::NoConsent));
    assert!(matches!(
        talk.commit(talk.change(say(message("m1"))).once(key.clone())).await,
        Committed::Applied(..)
    ));
    assert_eq!(store.remember(key.clone()).await.expect("the store answers"), Some(key));
}

/// A repeat is answered before anything else is looked at.
pub async fn a_repeat_comes_before_consent_and_version(store: Arc<dyn Store>) {
    join(&store, "ana", false).await;
    let talk = Talk::chat(&store);
    let key = key_use("ana", "k1", 1_000);
    store.remember(key.clone()).await.expect("the store answers");
    let commit = talk
        .change(say(message("m1")))
        .once(key.clone())
        .with_consent_of(person_id("ana"))
        .expecting(Version::new(77));
    assert_eq!(talk.commit(commit).await, Committed::Repeated(key));
}

/// Consent is looked at before the version, and the version before the change.
pub async fn consent_comes_before_version_and_version_before_change(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    let wrong = Version::new(77);
    let commit = talk.change(cut("m1")).expecting(wrong);
    let both = commit.clone().with_consent_of(person_id("ana"));
    assert_eq!(talk.commit(both).await, Committed::Refused(Refusal::NoConsent));
    assert_eq!(talk.commit(commit).await, Committed::Refused(Refusal::VersionConflict));
}

/// A change that had nothing to do uses its key: its answer can be given again.
pub async fn a_change_without_effect_uses_its_key(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    let key = key_use("ana", "k1", 1_000);
    let stop = talk.change(Change::Stop).once(key.clone());
    assert!(matches!(talk.commit(stop.clone()).await, Committed::Applied(..)));
    assert_eq!(talk.commit(stop).await, Committed::Repeated(key));
}

/// What may only come after a key comes no more once everything was erased, whatever the version is.
pub async fn h8_a_change_after_a_key_is_refused_once_that_is_forgotten(store: Arc<dyn Store>) {
    join(&store, "ana", true).await;
    let talk = Talk::chat(&store).owned_by("ana");
    let key = |name: &str| key_use("ana", name, 1_000);
    let after = |id: &str, name| {
        let say = talk.change(say(message(id))).with_consent_of(person_id("ana"));
        talk.commit(say.once(key(id)).after(key(name)))
    };
    let no = Committed::Refused(Refusal::VersionConflict);
    assert_eq!(after("m1", "k1").await, no, "it was never used");
    store.remember(key("k1")).await.expect("the store answers");
    assert!(matches!(after("m1", "k1").await, Committed::Applied(..)));
    assert!(matches!(after("m2", "m1").await, Committed::Applied(..)));
    assert!(matches!(after("m2", "none").await, Committed::Repeated(_)));
    let ana = person_id("ana");
    store.claim(&ana, EraseReason::Now, at(3_000)).await.expect("the store answers");
    for name in ["k1", "m2"] {
        assert_eq!(after("m3", name).await, no, "{name} is forgotten");
    }
    assert!(talk.heard().await.is_empty());
}

/// Keys are forgotten when they are old, and not before.
pub async fn old_keys_are_forgotten(store: Arc<dyn Store>) {
    join(&store, "ana", true).await;
    for (name, when) in [("k1", 100), ("k2", 200), ("k3", 300)] {
        store.remember(key_use("ana", name, when)).await.expect("the store answers");
    }
    assert_eq!(store.forget_before(at(200)).await.expect("the store answers"), 1);
    assert_eq!(store.forget_before(at(200)).await.expect("the store answers"), 0);
    let again = store.remember(key_use("ana", "k2", 400)).await.expect("the store answers");
    assert_eq!(again, Some(key_use("ana", "k2", 200)));
    let fresh = store.remember(key_use("ana", "k1", 400)).await.expect("the store answers");
    assert_eq!(fresh, None);
}

/// Of the same call made several times at once, one takes effect.
pub async fn h3_of_repeated_calls_at_once_one_takes_effect(store: Arc<dyn Store>) {
    join(&store, "ana", true).await;
    let mut calls = tokio::task::JoinSet::new();
    for call in 0..8 {
        let talk = Talk::chat(&store);
        calls.spawn(async move {
            let change = say(message(&format!("m{call}")));
            talk.commit(talk.change(change).once(key_use("ana", "k1", 1_000))).await
        });
    }
    let committed = calls.join_all().await;
    let made = committed.iter().filter(|one| matches!(one, Committed::Applied(..))).count();
    assert_eq!(made, 1, "{committed:?}");
    assert_eq!(Talk::chat(&store).heard().await.len(), 1);
}

/// With the account its keys go, also those that come while it goes; afterwards none is remembered.
pub async fn h13_of_an_account_that_is_gone_no_key_is_remembered(store: Arc<dyn Store>) {
    let key = |name| key_use("ana", name, 1_000);
    let remembers = async |name| {
        store.remember(key(name)).await.expect("the store answers");
        store.used(&key(name)).await.expect("the store answers").is_some()
    };
    assert!(!remembers("k0").await, "there is no account yet");
    join(&store, "ana", true).await;
    assert!(remembers("k1").await);
    let ana = person_id("ana");
    store.claim(&ana, EraseReason::Account, at(3_000)).await.expect("the store answers");
    assert!(!remembers("k2").await);
    let talk = Talk::chat(&store);
    talk.commit(talk.change(Change::Stop).once(key("k3"))).await;
    let batch = || store.erase_batch(&ana, 1_000, at(3_000));
    while batch().await.expect("the store answers") == Batch::More {}
    for name in ["k1", "k2", "k3"] {
        assert_eq!(store.used(&key(name)).await.expect("the store answers"), None, "{name}");
    }
    assert!(!remembers("k4").await);
}
