use super::*;

struct Counting;

impl Chance for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for (byte, n) in bytes.iter_mut().zip(1..) {
            *byte = n;
        }
    }
}

fn hasher(at_once: usize, waiting: usize) -> Argon2id {
    Argon2id::new(Arc::new(Counting), at_once, waiting)
}

fn password(text: &str) -> Password {
    Password::new(text).unwrap()
}

#[tokio::test]
async fn a_password_matches_its_own_hash_alone() {
    let hasher = hasher(2, 20);
    let hash = hasher.hash(password("correct horse")).await.unwrap();
    assert!(hash.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.as_str());
    let matches =
        async |typed: &str| hasher.matches(password(typed), Some(hash.clone())).await.unwrap();
    assert!(matches("correct horse").await);
    assert!(!matches("correct Horse").await);
    assert!(!matches("correct horse ").await);
}

#[tokio::test]
async fn nobodys_password_is_looked_at_and_matches_nothing() {
    let cost = |phc: &str| phc.split('$').take(4).collect::<Vec<_>>().join("$");
    let hash = hash(&password("correct horse"), &[7; SALT_BYTES]).unwrap();
    assert_eq!(cost(NOBODYS), cost(hash.as_str()), "it must take as long");
    phc::PasswordHash::new(NOBODYS).unwrap();
    let hasher = hasher(1, 0);
    for none in [None, Some(PasswordHash::new("!"))] {
        assert!(!hasher.matches(password("correct horse"), none).await.unwrap());
    }
}

#[tokio::test]
async fn only_so_many_wait() {
    let hasher = hasher(1, 2);
    let held = Arc::clone(&hasher.at_once).acquire_owned().await.unwrap();
    let mut waiting: Vec<_> = Vec::new();
    // one place is for the one being hashed, two are for those who wait
    for _ in 0..3 {
        let mut asked = Box::pin(hasher.hash(password("12345678")));
        let polled = futures_poll(asked.as_mut()).await;
        assert!(polled.is_none(), "it waits");
        waiting.push(asked);
    }
    let one_more = hasher.hash(password("12345678")).await;
    assert_eq!(one_more, Err(PasswordsError::Busy));
    // somebody who gives up makes room
    waiting.pop();
    let mut asked = Box::pin(hasher.hash(password("12345678")));
    assert!(futures_poll(asked.as_mut()).await.is_none());
    waiting.push(asked);
    drop(held);
    for asked in waiting {
        assert!(asked.await.is_ok());
    }
}

/// Asks a future once.
async fn futures_poll<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        std::task::Poll::Ready(done) => std::task::Poll::Ready(Some(done)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}
