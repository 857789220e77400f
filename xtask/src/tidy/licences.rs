//! Every dependency is under a licence that `deny.toml` allows.

use serde_json::Value;

use super::spdx;
use super::{File, Problem, Tree};

const LIST: &str = "deny.toml";
const LOCK: &str = "Cargo.lock";
const NPM_LOCK: &str = "package-lock.json";

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let Some(list) = tree.file(LIST) else {
        return vec![Problem::new(LIST, 1, "the list of allowed licences is missing")];
    };
    let allowed = match allowed(list) {
        Ok(allowed) => allowed,
        Err(why) => return vec![Problem::new(LIST, 1, why)],
    };
    let mut problems = Vec::new();
    for package in &tree.locked {
        if let Some(what) = fault(package, &allowed) {
            let name = package["name"].as_str().unwrap_or_default();
            let line =
                tree.file(LOCK).map_or(1, |lock| lock.line_of(&format!("name = \"{name}\"")));
            problems.push(Problem::new(LOCK, line, format!("{name}: {what}")));
        }
    }
    for lock in tree.files.iter().filter(|file| file.path.ends_with(NPM_LOCK)) {
        problems.extend(of_npm(lock, &allowed));
    }
    problems
}

/// What npm locked: its lock file names the licence of every package.
fn of_npm(lock: &File, allowed: &[String]) -> Vec<Problem> {
    let read: Value = match serde_json::from_str(&lock.text) {
        Ok(read) => read,
        Err(error) => return vec![Problem::new(&lock.path, 1, format!("no JSON: {error}"))],
    };
    let packages = read["packages"].as_object().into_iter().flatten();
    // The one without a place below `node_modules` is our own.
    let others = packages.filter(|(place, _)| place.contains("node_modules/"));
    let problem = |(place, package): (&String, &Value)| {
        let line = lock.line_of(&format!("\"{place}\""));
        Some(Problem::new(&lock.path, line, format!("{place}: {}", fault(package, allowed)?)))
    };
    others.filter_map(problem).collect()
}

fn allowed(list: &File) -> Result<Vec<String>, String> {
    let table: toml::Table = list.text.parse().map_err(|error| format!("no TOML: {error}"))?;
    let names = table.get("licenses").and_then(|licenses| licenses.get("allow"));
    let names = names.and_then(toml::Value::as_array).ok_or("no licenses.allow")?;
    Ok(names.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect())
}

fn fault(package: &Value, allowed: &[String]) -> Option<String> {
    let Some(expression) = package["license"].as_str() else {
        return Some("it states no licence".to_owned());
    };
    match spdx::is_allowed(expression, allowed) {
        Ok(true) => None,
        Ok(false) => Some(format!("its licence `{expression}` is not allowed by {LIST}")),
        Err(why) => Some(format!("its licence `{expression}` cannot be read: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tree() -> Tree {
        let lock = "[[package]]\nname = \"good\"\n\n[[package]]\nname = \"bad\"\n";
        let mut tree = Tree::of(&[(LIST, "[licenses]\nallow = [\"MIT\"]\n"), (LOCK, lock)]);
        tree.locked = vec![
            json!({"name": "good", "license": "MIT/Apache-2.0"}),
            json!({"name": "bad", "license": "GPL-3.0-only"}),
            json!({"name": "silent", "license": null}),
            json!({"name": "odd", "license": "MIT OR"}),
        ];
        tree
    }

    #[test]
    fn a_licence_that_is_not_allowed_is_found() {
        let found = check(&tree());
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].path.as_str(), found[0].line), (LOCK, 5));
        assert_eq!(found[0].what, "bad: its licence `GPL-3.0-only` is not allowed by deny.toml");
    }

    #[test]
    fn packages_of_npm_are_looked_at_too() {
        let lock = "{\"packages\": {\n\"\": {},\n\"node_modules/good\": {\"license\": \"MIT\"},\n\
            \"node_modules/bad\": {\"license\": \"SSPL-1.0\"}}}";
        let files = [(LIST, "[licenses]\nallow = [\"MIT\"]\n"), ("web/package-lock.json", lock)];
        let found = check(&Tree::of(&files));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].line), ("web/package-lock.json", 4));
        assert!(found[0].what.starts_with("node_modules/bad: its licence `SSPL-1.0`"));
    }

    #[test]
    fn a_missing_list_is_a_problem() {
        assert_eq!(check(&Tree::default()).len(), 1);
        assert_eq!(check(&Tree::of(&[(LIST, "[licenses]\n")])).len(), 1);
    }
}
