//! The erasure audit: reading it, and checking that no line was changed.

use unsaid_core::{
    domain::audit::{AuditLine, FIRST_PREV_HASH},
    port::{erasure::Erasure, error::StoreError},
};

/// Lines looked at together.
const LINES_AT_A_TIME: usize = 1_000;

/// What a check of the whole chain found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// How many lines there are.
    pub lines: u64,
    /// The first line that is not what it was, or does not follow from the one before.
    pub broken: Option<u64>,
    /// The hash of the newest line: whoever noted it down earlier can tell whether lines were cut off.
    pub last_hash: Option<String>,
}

/// The newest lines before an id, oldest first.
///
/// # Errors
/// If the store fails.
pub async fn page(
    erasure: &dyn Erasure,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<AuditLine>, StoreError> {
    erasure.audit(before, limit).await
}

/// Checks every line, from the newest to the first.
///
/// # Errors
/// If the store fails.
pub async fn check(erasure: &dyn Erasure) -> Result<Checked, StoreError> {
    let mut checked = Checked::default();
    // The line that the next one looked at must lead to.
    let mut later: Option<AuditLine> = None;
    loop {
        let before = later.as_ref().map(|line| line.id);
        let lines = erasure.audit(before, LINES_AT_A_TIME).await?;
        if lines.is_empty() {
            break;
        }
        for line in lines.into_iter().rev() {
            if checked.last_hash.is_none() {
                checked.last_hash = Some(line.hash.clone());
            }
            checked.lines += 1;
            if let Some(later) = &later
                && !follows(later, &line)
            {
                checked.broken = Some(later.id);
            }
            if line.hash != line.computed_hash() {
                checked.broken = Some(line.id);
            }
            later = Some(line);
        }
    }
    if let Some(first) = later
        && (first.id != 1 || first.prev_hash != FIRST_PREV_HASH)
    {
        checked.broken = Some(first.id);
    }
    Ok(checked)
}

fn follows(line: &AuditLine, before: &AuditLine) -> bool {
    line.id == before.id + 1 && line.prev_hash == before.hash
}
