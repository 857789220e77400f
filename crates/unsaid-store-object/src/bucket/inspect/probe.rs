//! Whether conditions are kept, tried out with two small objects.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use unsaid_core::port::clock::Chance;

use super::Finding;
use crate::bucket::{Bucket, BucketError, Expect, Found, Put, Version, retry};

const TIME_MAX: Duration = Duration::from_secs(10);
const CLEAN_TIME_MAX: Duration = Duration::from_secs(5);
/// Not of the same length, so that no bucket takes one for the other.
const CONTENTS: [&str; 2] = ["a probe", "another probe"];

/// Writes, looks what is refused, and takes everything away again.
pub(super) async fn probe(bucket: &dyn Bucket, chance: &dyn Chance) -> Option<Finding> {
    let deadline = Instant::now() + TIME_MAX;
    let names = [0, 1].map(|_| format!("probe/{}", random_word(chance)));
    let tried = try_conditions(bucket, chance, deadline, &names).await;
    let mut cleaned = Ok(());
    for name in &names {
        // its own time, because what went before may have used up all
        let deadline = Instant::now() + CLEAN_TIME_MAX;
        let deleted = retry(chance, deadline, || bucket.delete(name)).await;
        cleaned = cleaned.and(deleted);
    }
    match tried.and_then(|keeps| cleaned.map(|()| keeps)) {
        Ok(true) => None,
        Ok(false) => Some(Finding::IgnoresConditions),
        Err(error) => Some(Finding::Unusable(error)),
    }
}

/// Each object is written as seldom as can be: some buckets take one write a second.
async fn try_conditions(
    bucket: &dyn Bucket,
    chance: &dyn Chance,
    deadline: Instant,
    names: &[String; 2],
) -> Result<bool, BucketError> {
    let [first, second] = names;
    let put = |name: &str, text: &'static str, expect: Expect| {
        let name = name.to_owned();
        // the names are new: whatever a try that got lost has done, it was ours
        retry_put(bucket, chance, deadline, name, Bytes::from(text), expect)
    };
    let Put::Done(version) = put(first, CONTENTS[0], Expect::Absent).await? else {
        return Ok(false);
    };
    let Put::Done(other) = put(second, CONTENTS[1], Expect::Absent).await? else {
        return Ok(false);
    };
    let refused = [
        put(first, CONTENTS[1], Expect::Absent).await?,
        put(first, CONTENTS[1], Expect::Version(other)).await?,
    ];
    let read = retry(chance, deadline, || bucket.get(first, None)).await?;
    let is_whole = matches!(read, Found::Object { bytes, .. } if bytes == CONTENTS[0]);
    let updated = put(first, CONTENTS[1], Expect::Version(version)).await?;
    Ok(refused == [Put::Stale, Put::Stale] && is_whole && matches!(updated, Put::Done(_)))
}

/// A put that got lost is not repeated blindly: if our bytes are there, it took place.
async fn retry_put(
    bucket: &dyn Bucket,
    chance: &dyn Chance,
    deadline: Instant,
    name: String,
    bytes: Bytes,
    expect: Expect,
) -> Result<Put, BucketError> {
    retry(chance, deadline, || async {
        match bucket.put(&name, bytes.clone(), &expect).await {
            Err(BucketError::Uncertain(why)) => match found(bucket, &name, &bytes).await? {
                Some(version) => Ok(Put::Done(version)),
                None => Err(BucketError::Uncertain(why)),
            },
            outcome => outcome,
        }
    })
    .await
}

async fn found(
    bucket: &dyn Bucket,
    name: &str,
    expected: &Bytes,
) -> Result<Option<Version>, BucketError> {
    match bucket.get(name, None).await? {
        Found::Object { bytes, version } if bytes == expected => Ok(Some(version)),
        Found::Object { .. } | Found::Absent | Found::Unchanged => Ok(None),
    }
}

fn random_word(chance: &dyn Chance) -> String {
    let mut bytes = [0; 16];
    chance.fill(&mut bytes);
    format!("{:032x}", u128::from_le_bytes(bytes))
}
