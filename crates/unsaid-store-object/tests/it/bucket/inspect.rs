//! What speaks against a bucket is found and said.

use tempfile::TempDir;
use unsaid_store_object::bucket::{
    BucketError,
    inspect::Finding,
    place::{Opened, Place, PlaceError},
};
use unsaid_testkit::{
    bucket::gcs::{Fault, GcsStandIn, On, Settings},
    clock::SeededChance,
};

use super::shelf::{OPTIONS, open, open_directory, s3, s3_bucket, s3_put};

async fn look(opened: &Opened) -> Vec<Finding> {
    opened.inspect(&SeededChance::new(1)).await
}

async fn gcs(set: impl FnOnce(&mut Settings)) -> (GcsStandIn, Opened) {
    let cloud = GcsStandIn::start().await;
    cloud.set(set);
    let opened = open(&cloud.place("line"), &cloud.endpoint());
    (cloud, opened)
}

#[tokio::test]
async fn a_bucket_that_forgets_is_taken_and_left_as_it_was() {
    let (cloud, opened) = gcs(|settings| settings.one_write_a_second = true).await;
    assert_eq!(look(&opened).await, []);
    assert!(cloud.objects().is_empty() && cloud.traffic().puts > 3);
    assert_eq!(look(&open("memory:", "")).await, []);
    let root = TempDir::new().unwrap();
    let opened = open_directory(&root);
    assert_eq!(look(&opened).await, []);
    assert_eq!(opened.bucket.list("").await, Ok(Vec::new()));
}

#[tokio::test]
async fn what_keeps_words_is_found() {
    let off = Settings::default();
    let retention = Finding::Retention { seconds: 86_400 };
    let cases = [
        (Settings { versioning: true, ..off.clone() }, Finding::KeepsVersions),
        (Settings { soft_delete_seconds: 7, ..off.clone() }, Finding::SoftDelete { seconds: 7 }),
        (Settings { retention_seconds: Some(86_400), ..off.clone() }, retention),
        (Settings { default_hold: true, ..off }, Finding::DefaultHold),
    ];
    for (settings, expected) in cases {
        let (cloud, opened) = gcs(|now| *now = settings).await;
        assert_eq!(look(&opened).await, [expected]);
        assert!(cloud.objects().is_empty());
    }
}

#[tokio::test]
async fn a_bucket_that_ignores_conditions_is_found_out() {
    let (cloud, opened) = gcs(|settings| settings.ignores_conditions = true).await;
    let findings = look(&opened).await;
    assert_eq!(findings, [Finding::IgnoresConditions]);
    assert!(!findings[0].can_be_accepted());
    assert!(cloud.objects().is_empty());
}

#[tokio::test]
async fn what_cannot_be_found_out_is_said_with_the_permission() {
    let (cloud, opened) = gcs(|_| {}).await;
    cloud.order(On::Settings, Fault::Status(403), 1);
    let findings = look(&opened).await;
    let [finding @ Finding::Unknown { permission: "storage.buckets.get", .. }] = &findings[..]
    else {
        panic!("{findings:?}");
    };
    let sentence = finding.to_string();
    assert!(finding.can_be_accepted());
    assert!(sentence.contains("storage.buckets.get") && sentence.contains("403"), "{sentence}");
    assert!(sentence.contains("history_accept_delay = true"), "{sentence}");
}

#[tokio::test]
async fn a_passing_failure_is_no_finding() {
    let (cloud, opened) = gcs(|_| {}).await;
    cloud.order(On::Put, Fault::ApplyThenStatus(503), 2);
    cloud.order(On::Delete, Fault::ApplyThenDrop, 1);
    assert_eq!(look(&opened).await, []);
    assert!(cloud.objects().is_empty() && cloud.faults_left() == 0);
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_unusable() {
    let cloud = GcsStandIn::start().await;
    let opened = open("gs://another", &cloud.endpoint());
    let findings = look(&opened).await;
    let refused = BucketError::Away("refused: 404 NoSuchBucket".to_owned());
    assert!(findings.contains(&Finding::Unusable(refused)), "{findings:?}");
}

#[tokio::test]
async fn s3_tells_how_it_is_set_up() {
    let versioning = |status: &str| {
        format!(
            "<VersioningConfiguration xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>\
             <Status>{status}</Status></VersioningConfiguration>"
        )
    };
    let plain = s3_bucket(&[]).await;
    let bucket = |name: &str| open(&format!("s3://{name}/line"), &s3());
    assert_eq!(look(&bucket(&plain)).await, []);
    assert_eq!(bucket(&plain).bucket.list("").await, Ok(Vec::new()));
    s3_put(&format!("{plain}?versioning"), &[], versioning("Enabled")).await;
    assert_eq!(look(&bucket(&plain)).await, [Finding::KeepsVersions]);
    s3_put(&format!("{plain}?versioning"), &[], versioning("Suspended")).await;
    assert_eq!(look(&bucket(&plain)).await, [Finding::KeptVersions]);
    let locked = s3_bucket(&[("x-amz-bucket-object-lock-enabled", "true")]).await;
    assert_eq!(look(&bucket(&locked)).await, [Finding::KeepsVersions, Finding::ObjectLock]);
}

#[test]
fn a_directory_that_cannot_be_made_is_a_sentence() {
    let root = TempDir::new().unwrap();
    std::fs::write(root.path().join("file"), "").unwrap();
    let place = format!("file://{}/file/words", root.path().display());
    let opened = Place::parse(&place, "").unwrap().open(&OPTIONS);
    assert!(matches!(opened, Err(PlaceError::Directory(_))));
}
