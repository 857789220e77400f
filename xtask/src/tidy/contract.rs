//! A case of the contract that nobody lists is never run.

use super::rust_text::{has_word, is_identifier};
use super::{File, Problem, Tree};

/// The macro that stamps every case for a store.
const LIST: &str = "crates/unsaid-testkit/src/contract.rs";
/// The files that hold the cases.
const CASES: &str = "crates/unsaid-testkit/src/contract/";
const STORES: &str = "crates/unsaid-store-";

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = stores_without_contract(tree);
    let Some(list) = tree.file(LIST) else {
        problems.push(Problem::new(LIST, 1, "the list of the contract's cases is missing"));
        return problems;
    };
    let mut count = 0;
    for file in tree.rust().filter(|file| file.path.starts_with(CASES)) {
        for (line, name) in cases(file) {
            count += 1;
            if !has_word(&list.code, name) {
                let what = format!("case `{name}` is not listed in {LIST}, so no store runs it");
                problems.push(Problem::new(&file.path, line, what));
            }
        }
    }
    if count == 0 {
        problems.push(Problem::new(LIST, 1, "the contract has no case"));
    }
    problems
}

/// Every `pub async fn` is a case.
fn cases(file: &File) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in file.code.lines().enumerate() {
        if let Some(rest) = line.trim_start().strip_prefix("pub async fn ") {
            let end = rest.find(|c| !is_identifier(c)).unwrap_or(rest.len());
            found.push((index + 1, &rest[..end]));
        }
    }
    found
}

/// A store that has tests runs the contract.
fn stores_without_contract(tree: &Tree) -> Vec<Problem> {
    let mut stores: Vec<(&str, bool)> = Vec::new();
    for file in tree.rust().filter(|file| file.path.starts_with(STORES)) {
        let Some((store, _)) = file.path.split_once("/tests/") else { continue };
        let invokes = file.code.contains("contract!");
        match stores.iter_mut().find(|(known, _)| *known == store) {
            Some((_, any)) => *any |= invokes,
            None => stores.push((store, invokes)),
        }
    }
    let silent = stores.into_iter().filter(|(_, any)| !any);
    silent
        .map(|(store, _)| {
            let path = format!("{store}/tests");
            Problem::new(&path, 1, "this store does not run the contract: invoke `contract!`")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACRO: &str = "macro_rules! contract { () => { history: says_once; } }\n// forgets_one\n";
    const HISTORY: &str = "crates/unsaid-testkit/src/contract/history.rs";

    #[test]
    fn a_case_that_is_not_listed_is_found() {
        let cases = "pub async fn says_once(s: S) {}\nasync fn inner() {}\n\
                     pub async fn forgets_one(s: S) {}\npub async fn says<T>(s: T) {}\n";
        let found = check(&Tree::of(&[(LIST, MACRO), (HISTORY, cases)]));
        let places: Vec<(&str, usize)> =
            found.iter().map(|problem| (problem.path.as_str(), problem.line)).collect();
        assert_eq!(places, [(HISTORY, 3), (HISTORY, 4)]);
    }

    #[test]
    fn a_missing_list_or_an_empty_one_is_a_problem() {
        assert_eq!(check(&Tree::default()).len(), 1);
        assert_eq!(check(&Tree::of(&[(LIST, MACRO)])).len(), 1);
    }

    #[test]
    fn a_store_with_tests_runs_the_contract() {
        let with =
            ("crates/unsaid-store-memory/tests/contract.rs", "unsaid_testkit::contract!(x);");
        let without = ("crates/unsaid-store-sql/tests/other.rs", "// contract!(x)\n");
        let case = (HISTORY, "pub async fn says_once(s: S) {}\n");
        let found = check(&Tree::of(&[(LIST, MACRO), case, with, without]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "crates/unsaid-store-sql/tests");
        let invoked = ("crates/unsaid-store-sql/tests/contract.rs", "contract! { x }");
        assert_eq!(check(&Tree::of(&[(LIST, MACRO), case, without, invoked])), []);
    }
}
