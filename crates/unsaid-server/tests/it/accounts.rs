//! Accounts over HTTP: the door in this process, on a true SQLite file, with a clock that the tests
//! move.
//!
//! - `house`: that door, and callers.
//! - `sign_up`, `tokens`, `cookies`: who somebody is. `me`, `consent`, `erasure`, `export`: what they
//!   may do.
//! - `sources`: what admins see of LINE.
//! - `limits`: how often. `once`: the same call again.

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

/// Everything that houses are tried with, once more on the other engine.
#[test]
fn the_same_on_postgres() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["accounts::", "sessions::", "rounds::", "worlds::", "worlds_proof::in_house::"]);
    // Itself, and what looks into the files of a data directory.
    again.args(["--skip", "the_same_on_postgres", "--skip", "the_same_search_finds_them"]);
    let ended = again.env(house::POSTGRES, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains("test result: ok"), "{said}");
}
