//! A directory, with other processes and without mercy.

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use tempfile::TempDir;
use unsaid_store_object::bucket::{BucketError, Expect, Found, Put};

use super::child::{self, COUNTER, INCREMENTS, NAMES, Role, Running, until};
use super::shelf::done;

const KILLS: usize = 30;

/// Every file and directory below.
fn everything(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // others may remove it meanwhile
    for entry in std::fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(everything(&path));
        }
        found.push(path);
    }
    found
}

fn drafts(root: &Path) -> Vec<PathBuf> {
    let is_draft = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().contains("draft");
    everything(&root.join("words/.unsaid")).into_iter().filter(is_draft).collect()
}

#[tokio::test]
async fn processes_count_together() {
    let root = TempDir::new().unwrap();
    let children = [(); 2].map(|()| Running::start(root.path(), Role::Count));
    children.into_iter().for_each(Running::finish);
    let bucket = child::open(root.path());
    let Found::Object { bytes, .. } = bucket.get(COUNTER, None).await.unwrap() else {
        panic!("it is there");
    };
    assert_eq!(child::number_of(&bytes), u64::from(2 * INCREMENTS));
}

#[tokio::test]
async fn kills_leave_whole_objects_and_nothing_else() {
    let root = TempDir::new().unwrap();
    let (mut seen, mut cut_short) = (0, 0);
    for kill in 0..KILLS {
        let running = Running::start(root.path(), Role::Write);
        // a different moment each time: after some puts, and then mostly in the middle of one
        let goal = seen + 1 + kill % 5;
        until("the child writes", || lines(root.path()).len() >= goal);
        if kill % 5 > 0 {
            until("the child is writing", || !drafts(root.path()).is_empty());
        }
        running.kill();
        let told = lines(root.path());
        seen = told.len();
        cut_short += drafts(root.path()).len();
        let bucket = child::open(root.path());
        assert_eq!(drafts(root.path()), [] as [PathBuf; 0]);
        for (place, name) in NAMES.iter().enumerate() {
            let acknowledged =
                told.iter().filter(|(at, _)| *at == place).map(|(_, number)| *number);
            let acknowledged = acknowledged.max().unwrap_or(0);
            let number = match bucket.get(name, None).await.unwrap() {
                Found::Object { bytes, .. } => child::number_of(&bytes),
                Found::Absent => 0,
                Found::Unchanged => panic!("nothing was known"),
            };
            // the last put may have happened without an answer
            assert!((acknowledged..=acknowledged + 1).contains(&number), "{number} {acknowledged}");
        }
    }
    assert!(cut_short > 0, "no kill came in the middle of a put");
}

#[tokio::test]
async fn a_draft_that_was_left_goes_with_the_next_start() {
    let root = TempDir::new().unwrap();
    drop(child::open(root.path()));
    let draft = root.path().join("words/.unsaid/draft-07");
    std::fs::write(&draft, "words of somebody").unwrap();
    drop(child::open(root.path()));
    assert!(!draft.exists());
}

#[tokio::test]
async fn everything_is_the_owners_alone() {
    let root = TempDir::new().unwrap();
    let bucket = child::open(root.path());
    done(bucket.put("history/deep/U1", Bytes::from("words"), &Expect::Absent).await.unwrap());
    let words = root.path().join("words");
    for path in everything(&words).into_iter().chain([words]) {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
    }
}

#[tokio::test]
async fn a_copy_of_a_bucket_can_be_read() {
    let root = TempDir::new().unwrap();
    let history = root.path().join("words/history");
    std::fs::create_dir_all(&history).unwrap();
    std::fs::write(history.join("U4af4980629"), "{}\n").unwrap();
    std::fs::write(history.join(".DS_Store"), "not an object").unwrap();
    let bucket = child::open(root.path());
    let listed = bucket.list("").await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].name.as_str(), listed[0].bytes), ("history/U4af4980629", 3));
    let expect = Expect::Version(listed[0].version.clone());
    done(bucket.put("history/U4af4980629", Bytes::from("{}\n{}\n"), &expect).await.unwrap());
}

/// A disk that is not mounted, or something in its way: nobody may take that for an empty bucket.
#[tokio::test]
async fn a_directory_that_is_away_is_not_empty() {
    let root = TempDir::new().unwrap();
    let bucket = child::open(root.path());
    done(bucket.put("history/U1", Bytes::from("words"), &Expect::Absent).await.unwrap());
    let (here, aside) = (root.path().join("words"), root.path().join("aside"));
    std::fs::rename(&here, &aside).unwrap();
    for in_the_way in ["nothing", "a file", "an empty directory"] {
        match in_the_way {
            "a file" => std::fs::write(&here, "").unwrap(),
            "an empty directory" => std::fs::create_dir(&here).unwrap(),
            _ => {}
        }
        for name in ["history/U1", "history/U2"] {
            let found = bucket.get(name, None).await;
            assert!(matches!(found, Err(BucketError::Away(_))), "{in_the_way}: {found:?}");
            let start = bucket.get_start(name, 9).await;
            assert!(matches!(start, Err(BucketError::Away(_))), "{in_the_way}: {start:?}");
            let put = bucket.put(name, Bytes::from("new"), &Expect::Absent).await;
            assert!(matches!(put, Err(BucketError::Away(_))), "{in_the_way}: {put:?}");
        }
        let listed = bucket.list("history/").await;
        assert!(matches!(listed, Err(BucketError::Away(_))), "{in_the_way}: {listed:?}");
        std::fs::remove_file(&here).or_else(|_| std::fs::remove_dir(&here)).unwrap_or_default();
    }
    std::fs::rename(&aside, &here).unwrap();
    assert!(matches!(bucket.get("history/U1", None).await, Ok(Found::Object { .. })));
    assert_eq!(bucket.get("history/U2", None).await, Ok(Found::Absent));
}

#[tokio::test]
async fn no_directory_is_left_behind_empty() {
    let root = TempDir::new().unwrap();
    let bucket = child::open(root.path());
    for name in ["sealed/U1/1", "sealed/U1/2", "sealed/U2/1"] {
        done(bucket.put(name, Bytes::from("words"), &Expect::Absent).await.unwrap());
    }
    bucket.delete("sealed/U1/1").await.unwrap();
    assert!(root.path().join("words/sealed/U1").exists());
    bucket.delete("sealed/U1/2").await.unwrap();
    assert!(!root.path().join("words/sealed/U1").exists());
    bucket.delete("sealed/U2/1").await.unwrap();
    assert!(!root.path().join("words/sealed").exists() && root.path().join("words").exists());
}

#[tokio::test]
async fn an_object_and_a_directory_do_not_share_a_name() {
    let root = TempDir::new().unwrap();
    let bucket = child::open(root.path());
    done(bucket.put("history/U1/1", Bytes::from("words"), &Expect::Absent).await.unwrap());
    assert_eq!(bucket.get("history/U1", None).await, Ok(Found::Absent));
    let put = bucket.put("history/U1", Bytes::from("words"), &Expect::Absent).await;
    assert!(matches!(put, Err(BucketError::Away(_))), "{put:?}");
    assert_eq!(bucket.delete("history/U1").await, Ok(()));
    let put = bucket.put("history/U1/1/2", Bytes::from("words"), &Expect::Absent).await;
    assert!(matches!(put, Err(BucketError::Away(_))), "{put:?}");
    assert_eq!(bucket.get("history/U1/1/2", None).await, Ok(Found::Absent));
    assert_eq!(bucket.list("").await.unwrap().len(), 1);
    assert_eq!(drafts(root.path()), [] as [PathBuf; 0]);
}

/// Many states in one tick of the clock, of equal length and in reused inodes.
#[tokio::test]
async fn states_that_follow_fast_are_told_apart() {
    let root = TempDir::new().unwrap();
    let bucket = child::open(root.path());
    let mut versions = Vec::new();
    for round in 0..40 {
        let put = bucket.put("a", Bytes::from(format!("{}", round % 2)), &Expect::Absent).await;
        versions.push(done(put.unwrap()));
        if let [.., before, _] = &versions[..] {
            let late = Expect::Version(before.clone());
            assert_eq!(bucket.put("a", Bytes::from("x"), &late).await, Ok(Put::Stale));
        }
        bucket.delete("a").await.unwrap();
    }
    let unique: std::collections::BTreeSet<String> =
        versions.iter().map(|version| format!("{version:?}")).collect();
    assert_eq!(unique.len(), versions.len());
}

#[tokio::test]
async fn states_rise_even_when_clocks_go_back() {
    let root = TempDir::new().unwrap();
    let bucket = child::open(root.path());
    done(bucket.put("a", Bytes::from("1"), &Expect::Absent).await.unwrap());
    // as if it had been written an hour ahead of us
    let file = File::options().write(true).open(root.path().join("words/a")).unwrap();
    let ahead = file.metadata().unwrap().modified().unwrap() + Duration::from_hours(1);
    file.set_modified(ahead).unwrap();
    let Found::Object { version: first, .. } = bucket.get("a", None).await.unwrap() else {
        panic!("it is there");
    };
    let expect = Expect::Version(first.clone());
    let second = done(bucket.put("a", Bytes::from("2"), &expect).await.unwrap());
    bucket.delete("a").await.unwrap();
    let third = done(bucket.put("a", Bytes::from("3"), &Expect::Absent).await.unwrap());
    let times = [first, second, third].map(|version| {
        let generation = version.generation.unwrap();
        generation.split('-').next().unwrap().parse::<i128>().unwrap()
    });
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

/// What a child was told: which name, which number. The last line may be half.
fn lines(root: &Path) -> Vec<(usize, u64)> {
    let text = std::fs::read_to_string(child::said(root)).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let pair = |line: &str| {
        let (place, number) = line.split_once(' ')?;
        Some((place.parse().ok()?, number.parse().ok()?))
    };
    whole.lines().filter_map(pair).collect()
}
