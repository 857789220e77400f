//! Accounts over HTTP: the door in this process, on a true SQLite file, with a clock that the tests
//! move.
//!
//! - `house`: that door, and callers.
//! - `sign_up`, `tokens`, `cookies`: who somebody is. `me`, `consent`, `erasure`, `export`: what they
//!   may do.
//! - `sources`: what admins see of LINE.
//! - `limits`: how often. `once`: the same call again. `bodies`: calls that take none.

mod bodies;
mod consent;
mod cookies;
mod erasure;
mod export;
pub(crate) mod house;
mod limits;
mod me;
mod once;
mod racing;
mod setup;
mod sign_up;
mod sources;
mod tokens;

/// What houses are tried with.
const ON_HOUSES: [&str; 5] =
    ["accounts::", "sessions::", "rounds::", "worlds::", "worlds_proof::in_house::"];
/// Fewer would mean that some were not found.
const TESTS_MIN: usize = 150;

/// Everything that houses are tried with, once more on the other engine.
#[test]
fn the_same_on_postgres() {
    let run = |more: &[&str]| {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        // Not itself, nor what looks into the files of a data directory.
        let skipped = ["--skip", "the_same_on_postgres", "--skip", "the_same_search_finds_them"];
        let again = again.args(ON_HOUSES).args(skipped).args(more);
        let ended = again.env(house::POSTGRES, "1").output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.status.success(), "{said}");
        said
    };
    let listed = run(&["--list"]);
    let tests: Vec<&str> = listed.lines().filter(|line| line.ends_with(": test")).collect();
    for place in ON_HOUSES {
        assert!(tests.iter().any(|test| test.starts_with(place)), "nothing in {place}");
    }
    assert!(tests.len() >= TESTS_MIN, "only {}", tests.len());
    let said = run(&[]);
    let whole = format!("test result: ok. {} passed; 0 failed; 0 ignored;", tests.len());
    assert!(said.contains(&whole), "{whole} {said}");
}
