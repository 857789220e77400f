//! What a process knows of conversations that it did not touch.

use std::{sync::Arc, time::Duration};

use unsaid_core::{
    domain::conversation::change::Change,
    port::history::{Commit, History as _},
};
use unsaid_store_object::bucket::Bucket;
use unsaid_testkit::builder::{ask, at, holder_id, line_key, message, say};

use crate::{
    decor::Counting,
    make::{quick, store_in},
};

#[tokio::test(start_paused = true)]
async fn a_wish_told_to_another_process_is_found() {
    let counting = Arc::new(Counting::default());
    let bucket = Arc::clone(&counting) as Arc<dyn Bucket>;
    let (one, two) = (store_in(&bucket, 1, quick()), store_in(&bucket, 2, quick()));
    for index in 0..50 {
        let commit = Commit::new(say(message("m1")), at(1_000));
        one.commit(&line_key(&format!("U{index}")), commit).await.unwrap();
    }
    assert_eq!(two.wanting(at(9_999), 10).await.unwrap(), []);
    one.commit(&line_key("U7"), Commit::new(ask(message("m2"), at(2_000)), at(1_000)))
        .await
        .unwrap();
    let before = counting.bytes();
    assert_eq!(two.wanting(at(9_999), 10).await.unwrap(), [], "not yet looked again");
    assert_eq!(counting.bytes(), before, "and nothing was read for that");
    tokio::time::sleep(Duration::from_secs(31)).await; // waits: for the next look
    assert_eq!(two.wanting(at(9_999), 10).await.unwrap(), [line_key("U7")]);
    assert!(counting.bytes() - before < 2_000, "only what changed was read");
    let begin = Change::Begin { holder: holder_id("h1"), until: at(5_000) };
    two.commit(&line_key("U7"), Commit::new(begin, at(2_000))).await.unwrap();
    assert_eq!(two.wanting(at(4_999), 10).await.unwrap(), []);
    assert_eq!(store_in(&bucket, 3, quick()).release_turns(at(3_000)).await.unwrap(), 1);
    tokio::time::sleep(Duration::from_secs(31)).await; // waits: for the next look
    assert_eq!(two.wanting(at(3_000), 10).await.unwrap(), [line_key("U7")]);
}
