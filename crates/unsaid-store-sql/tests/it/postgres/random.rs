//! Random changes, compared with the specification.

use super::database::fresh;

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_random_sequences_give_what_the_specification_gives() {
    let made = fresh().await;
    unsaid_testkit::random::random_run(made.store, 0..10_000).await;
}
