//! An arrow between crates goes down, or it does not exist.
//!
//! Who may know whom stands in [`place`]; ARCHITECTURE.md draws the same picture.

use serde_json::Value;

use super::rust_text::{has_word, is_identifier};
use super::{File, Problem, Tree};

const TESTKIT: &str = "unsaid-testkit";
const CORE: &str = "unsaid-core";
/// What a test outside the stores may use in place of a database.
const STAND_IN: &str = "unsaid-store-memory";
/// The rules of the house know no sockets, no SQL, no HTTP, no chance.
const NOT_FOR_CORE: &[&str] = &[
    "axum",
    "getrandom",
    "hyper",
    "object_store",
    "rand",
    "refinery",
    "reqwest",
    "rusqlite",
    "tokio",
    "tokio-postgres",
];

/// What a crate of ours may know of the others.
struct Place {
    /// In what is shipped.
    knows: fn(&str) -> bool,
    /// In its tests, beside the testkit.
    stand_in: bool,
}

/// The picture; a crate that is not in it has no place yet.
fn place(name: &str) -> Option<Place> {
    let nothing: fn(&str) -> bool = |_| false;
    let core: fn(&str) -> bool = |other| other == CORE;
    let app: fn(&str) -> bool = |other| [CORE, "unsaid-app"].contains(&other);
    let all: fn(&str) -> bool = |other| ![TESTKIT, "unsaid-server"].contains(&other);
    let (knows, stand_in) = match name {
        "unsaid-core" | "xtask" => (nothing, false),
        "unsaid-app" | "unsaid-testkit" | "unsaid-store-object" => (core, true),
        "unsaid-model" => (core, false),
        "unsaid-http" | "unsaid-line" => (app, true),
        "unsaid-server" | "unsaid-benches" => (all, true),
        store if store.starts_with("unsaid-store-") => (core, false),
        _ => return None,
    };
    Some(Place { knows, stand_in })
}

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in &tree.workspace {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let manifest =
            manifest.strip_prefix(&tree.root).unwrap_or(manifest).trim_start_matches('/');
        problems.extend(in_package(tree, package, manifest));
    }
    problems.extend(tree.rust().filter(|file| is_domain(file)).flat_map(port_in_domain));
    problems
}

fn in_package(tree: &Tree, package: &Value, manifest: &str) -> Vec<Problem> {
    let name = package["name"].as_str().unwrap_or_default();
    let Some(place) = place(name) else {
        let what = format!("`{name}` has no place in the picture: give it one in tidy/arrows.rs");
        return vec![Problem::new(manifest, 1, what)];
    };
    let mut problems = Vec::new();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let other = dependency["name"].as_str().unwrap_or_default();
        let is_dev = dependency["kind"].as_str() == Some("dev");
        if let Some(what) = fault(name, &place, other, is_dev) {
            let line = tree.file(manifest).map_or(1, |file| file.line_of(other));
            problems.push(Problem::new(manifest, line, what));
        }
    }
    let directory = manifest.trim_end_matches("Cargo.toml");
    for file in tree.rust().filter(|file| file.path.starts_with(directory)) {
        problems.extend(uses(file, name, &place));
    }
    problems
}

/// What is wrong with `name` depending on `other`, if anything.
fn fault(name: &str, place: &Place, other: &str, is_dev: bool) -> Option<String> {
    if name == CORE && !is_dev && NOT_FOR_CORE.contains(&other) {
        return Some(format!("{CORE} does no I/O: `{other}` belongs behind a port"));
    }
    if !other.starts_with("unsaid-") {
        return None;
    }
    let for_tests = other == TESTKIT || (place.stand_in && other == STAND_IN);
    if (place.knows)(other) || (is_dev && for_tests) {
        None
    } else if other == TESTKIT {
        Some(format!("{TESTKIT} is for tests only: a dev-dependency"))
    } else {
        Some(format!("{name} must not know {other}: arrows point at {CORE}"))
    }
}

/// `unsaid_x::` in a source, whatever the manifest says.
fn uses(file: &File, name: &str, place: &Place) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in file.code.lines().enumerate() {
        for (at, _) in line.match_indices("unsaid_") {
            let rest = &line[at..];
            let end = rest.find(|c| !is_identifier(c)).unwrap_or(rest.len());
            let is_whole = !line[..at].chars().next_back().is_some_and(is_identifier);
            if !is_whole || !rest[end..].starts_with("::") {
                continue;
            }
            let other = rest[..end].replace('_', "-");
            // a test outside `src` uses its own crate by name; what tests may use, src/ gets from
            // the manifest, where the compiler watches
            if other != name
                && let Some(what) = fault(name, place, &other, true)
            {
                problems.push(Problem::new(&file.path, index + 1, what));
            }
        }
    }
    problems
}

fn is_domain(file: &File) -> bool {
    let inside = file.path.strip_prefix("crates/unsaid-core/src/domain");
    inside.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Ports are written in the words of the domain, never the other way round.
fn port_in_domain(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut in_use = false;
    for (index, line) in file.code.lines().enumerate() {
        let begins = line.trim_start();
        in_use |= begins.starts_with("use ") || begins.starts_with("pub use ");
        let is_path = line.contains("::port") || line.contains("port::");
        if (in_use || is_path) && has_word(line, "port") {
            let what = "the domain uses nothing of the ports";
            problems.push(Problem::new(&file.path, index + 1, what));
        }
        in_use &= !line.contains(';');
    }
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A crate with one dependency of a kind: what is found?
    fn depends(name: &str, other: &str, kind: &str) -> Vec<String> {
        let manifest = format!("crates/{name}/Cargo.toml");
        let text = format!("[package]\n\n[dependencies]\n{other}.workspace = true\n");
        let mut tree = Tree::of(&[(&manifest, &text)]);
        let kind = if kind == "dev" { json!("dev") } else { json!(null) };
        tree.root = "/made/up".to_owned();
        tree.workspace = vec![json!({
            "name": name,
            "manifest_path": format!("/made/up/{manifest}"),
            "dependencies": [{"name": other, "kind": kind}],
        })];
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arrows_that_go_down_pass() {
        for (name, other, kind) in [
            ("unsaid-app", "unsaid-core", ""),
            ("unsaid-http", "unsaid-app", ""),
            ("unsaid-store-sql", "unsaid-core", ""),
            ("unsaid-store-sql", "unsaid-testkit", "dev"),
            ("unsaid-store-sql", "rusqlite", ""),
            ("unsaid-app", "unsaid-store-memory", "dev"),
            ("unsaid-server", "unsaid-store-sql", ""),
            ("unsaid-core", "serde", ""),
        ] {
            assert_eq!(depends(name, other, kind), [""; 0], "{name} {other} {kind}");
        }
    }

    #[test]
    fn every_other_arrow_is_refused() {
        for (name, other, kind) in [
            ("unsaid-core", "unsaid-app", ""),
            ("unsaid-core", "tokio", ""),
            ("unsaid-app", "unsaid-store-memory", ""),
            ("unsaid-http", "unsaid-store-sql", ""),
            ("unsaid-http", "unsaid-line", "dev"),
            ("unsaid-store-sql", "unsaid-app", ""),
            ("unsaid-store-sql", "unsaid-store-memory", "dev"),
            ("unsaid-server", "unsaid-testkit", ""),
            ("unsaid-testkit", "unsaid-app", ""),
        ] {
            let found = depends(name, other, kind);
            assert_eq!(found.len(), 1, "{name} {other} {kind}: {found:?}");
            assert!(found[0].starts_with(&format!("crates/{name}/Cargo.toml:4: ")), "{found:?}");
        }
    }

    #[test]
    fn a_new_crate_needs_a_place() {
        assert_eq!(depends("unsaid-gossip", "serde", "").len(), 1);
    }

    #[test]
    fn sources_are_read_too() {
        let place = place("unsaid-store-sql").unwrap();
        let text = "use unsaid_core::x;\nuse unsaid_store_memory::y;\nlet unsaid_app = 1;\n\
                    unsaid_store_sql::open();\n// unsaid_http::z\n";
        let file = File::new("crates/unsaid-store-sql/tests/a.rs", text);
        let found = uses(&file, "unsaid-store-sql", &place);
        assert_eq!(found.iter().map(|problem| problem.line).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn the_domain_uses_nothing_of_the_ports() {
        let text = "use crate::port::clock::Clock;\nuse crate::{\n    limits,\n    port,\n};\n\
                    fn f(e: crate::port::error::E) {}\nlet port = 1; // port::x\nuse report::x;\n";
        let tree = Tree::of(&[
            ("crates/unsaid-core/src/domain/log.rs", text),
            ("crates/unsaid-core/src/port/clock.rs", "use crate::port::x;\n"),
        ]);
        let found = check(&tree);
        assert_eq!(found.iter().map(|problem| problem.line).collect::<Vec<_>>(), [1, 4, 6]);
    }
}
