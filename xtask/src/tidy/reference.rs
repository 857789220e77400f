//! The reference says what the code says.

use crate::docs::{PAGES, Page, config};

use super::{File, Problem, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for page in PAGES {
        let Some(source) = tree.file(page.source) else {
            problems.push(Problem::new(page.source, 1, format!("missing: {} needs it", page.path)));
            continue;
        };
        match tree.file(page.path) {
            Some(written) => problems.extend(compare(page, source, written)),
            None => problems.push(Problem::new(page.path, 1, "missing: run `cargo xtask docs`")),
        }
    }
    problems.extend(config_keys(tree));
    problems
}

/// The page is exactly what would be written now.
fn compare(page: &Page, source: &File, written: &File) -> Option<Problem> {
    let fresh = match (page.render)(&source.text) {
        Ok(fresh) => fresh,
        Err(why) => return Some(Problem::new(&source.path, 1, why)),
    };
    if fresh == written.text {
        return None;
    }
    let same = fresh.lines().zip(written.text.lines()).take_while(|(a, b)| a == b).count();
    let what = format!("differs from {}: run `cargo xtask docs`", page.source);
    Some(Problem::new(page.path, same + 1, what))
}

/// Both ways by name, so that the message says which key.
fn config_keys(tree: &Tree) -> Vec<Problem> {
    let (source, page) = (config::PAGE.source, config::PAGE.path);
    let (Some(defaults), Some(written)) = (tree.file(source), tree.file(page)) else {
        return Vec::new();
    };
    // unreadable defaults were reported above
    let keys = config::keys(&defaults.text).unwrap_or_default();
    let documented = config::documented(&written.text);
    let mut problems = Vec::new();
    for key in &keys {
        if key.meaning.is_empty() {
            let what = format!("`{}` needs a comment above it that says what it means", key.name);
            problems.push(Problem::new(source, key.line, what));
        }
        if !documented.iter().any(|(_, name)| *name == key.name) {
            let what = format!("`{}` is not documented in {page}", key.name);
            problems.push(Problem::new(source, key.line, what));
        }
    }
    for (line, name) in documented {
        if !keys.iter().any(|key| key.name == name) {
            problems.push(Problem::new(page, line, format!("there is no key `{name}`")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use crate::docs::errors;

    use super::*;

    const DEFAULTS: &str = "# Where.\nlisten = 1\n# Who.\nname = 2\n";

    fn config_problems(defaults: &str, page: &str) -> Vec<String> {
        let tree = Tree::of(&[(config::PAGE.source, defaults), (config::PAGE.path, page)]);
        let found = check(&tree).into_iter();
        found.filter(|p| !p.what.contains(errors::PAGE.path)).map(|p| p.to_string()).collect()
    }

    #[test]
    fn a_fresh_page_passes() {
        let page = (config::PAGE.render)(DEFAULTS).unwrap();
        assert_eq!(config_problems(DEFAULTS, &page), [""; 0]);
    }

    #[test]
    fn a_key_is_missing_on_either_side() {
        let page = (config::PAGE.render)(DEFAULTS).unwrap();
        let found = config_problems("# Where.\nlisten = 1\n# New.\nnew = 3\n", &page);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].ends_with("run `cargo xtask docs`"), "{found:?}");
        assert!(found[1].contains("default.toml:4: `new` is not documented"), "{found:?}");
        assert!(found[2].contains("there is no key `name`"), "{found:?}");
    }

    #[test]
    fn a_key_without_a_comment_is_found() {
        let page = (config::PAGE.render)("listen = 1\n").unwrap();
        let found = config_problems("listen = 1\n", &page);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("needs a comment"), "{found:?}");
    }

    #[test]
    fn a_changed_page_and_missing_files_are_found() {
        let page = (config::PAGE.render)(DEFAULTS).unwrap().replace("Who.", "What.");
        assert_eq!(config_problems(DEFAULTS, &page).len(), 1);
        assert_eq!(check(&Tree::default()).len(), PAGES.len());
    }
}
