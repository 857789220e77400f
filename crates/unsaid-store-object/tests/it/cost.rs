//! What an append costs does not depend on how much was said before (H12).

use std::sync::Arc;

use tokio::task::JoinSet;
use unsaid_core::{
    domain::message::{Message, Part},
    port::history::{Commit, History as _},
};
use unsaid_store_object::{BucketStore, Options, bucket::Bucket};
use unsaid_testkit::builder::{at, deliver, line_key, message, unsend, words};

use crate::{
    decor::Counting,
    make::{quick, store_in},
};

/// Appends that are measured: several times what fits into a live object.
const MEASURED: usize = 600;

/// The message of an index, as LINE would number it.
async fn say(store: &BucketStore, index: usize) {
    let text = format!("an ordinary message of some length, number {index}, as people write them");
    let id = format!("5489{index:012}");
    let said = Message { parts: vec![Part::text(words(&text))], ..message(&id) };
    let change = deliver(said, &format!("01HZX{index:021}"));
    let now = at(1_700_000_000_000 + i64::try_from(index).unwrap());
    store.commit(&line_key("U1"), Commit::new(change, now)).await.unwrap();
    if index.is_multiple_of(20) {
        let change = unsend(&format!("{id}-unknown"));
        store.commit(&line_key("U1"), Commit::new(change, now)).await.unwrap();
    }
}

async fn fill(store: &BucketStore, from: usize, to: usize) {
    for first in (from..to).step_by(250) {
        let mut said = JoinSet::new();
        for index in first..(first + 250).min(to) {
            let store = store.clone();
            said.spawn(async move { say(&store, index).await });
        }
        said.join_all().await;
    }
}

/// Bytes of an append, on average over a few rounds of sealing.
async fn measure(counting: &Counting, store: &BucketStore, from: usize) -> f64 {
    let before = counting.bytes();
    for index in from..from + MEASURED {
        say(store, index).await;
    }
    #[expect(clippy::cast_precision_loss, reason = "an average")]
    let average = (counting.bytes() - before) as f64 / MEASURED as f64;
    average
}

#[tokio::test]
async fn h12_an_append_costs_the_same_after_fifty_thousand_messages() {
    let counting = Arc::new(Counting::default());
    let bucket = Arc::clone(&counting) as Arc<dyn Bucket>;
    let options = Options { object_bytes_max: 128 << 10, ..quick() };
    let store = store_in(&bucket, 1, options.clone());
    fill(&store, 0, 1_000).await;
    let early = measure(&counting, &store, 1_000).await;
    fill(&store, 1_000 + MEASURED, 50_000).await;
    let late = measure(&counting, &store, 50_000).await;
    println!("bytes put and got per append: {early:.0} at 1,000, {late:.0} at 50,000");
    assert!(late < early * 1.2, "{early:.0} became {late:.0}");
    let before = counting.bytes();
    let page = store.page(&line_key("U1"), None, 50).await.unwrap();
    assert_eq!((page.len(), counting.bytes() - before), (50, 0), "the newest page costs nothing");
    let restarted = store_in(&bucket, 2, options);
    say(&restarted, 60_000).await;
    let before = counting.bytes();
    say(&restarted, 60_001).await;
    assert!(counting.bytes() - before < 140 << 10, "a new process knows the segments by now");
    say(&restarted, 17).await;
    let heard = restarted.overview(&line_key("U1")).await.unwrap().unwrap().heard;
    assert_eq!(heard, 50_000 + MEASURED as u64 + 2, "what was said long ago is known");
}
