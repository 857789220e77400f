//! The sources on LINE as admins see them: counts, ids and decisions, never text.

use unsaid_core::{
    domain::{
        conversation::{change::EndedTurn, key::ConversationKey},
        id::{Fence, SourceId},
        source::SourceKind,
    },
    port::{Store, error::StoreError, history::SourceReport},
};

/// A source, and what kind of place it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What is told of it.
    pub report: SourceReport,
    /// What kind of place it is.
    pub kind: SourceKind,
}

/// Some sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// In the order of their ids.
    pub sources: Vec<Listed>,
    /// Whether there are more after them.
    pub has_more: bool,
}

/// The sources after one of them, in the order of their ids.
///
/// # Errors
/// If the store fails.
pub async fn list(
    store: &dyn Store,
    after: Option<&SourceId>,
    limit: usize,
) -> Result<Page, StoreError> {
    let mut reports = store.sources(after, limit.saturating_add(1)).await?;
    let has_more = reports.len() > limit;
    reports.truncate(limit);
    let mut sources = Vec::with_capacity(reports.len());
    for report in reports {
        let kind = kind_of(store, &report.id).await?;
        sources.push(Listed { report, kind });
    }
    Ok(Page { sources, has_more })
}

/// Some turns of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turns {
    /// The newest first.
    pub turns: Vec<EndedTurn>,
    /// Whether there are older ones.
    pub has_more: bool,
}

/// The turns of a source that are over, the newest first; `None` if there is no such source.
///
/// # Errors
/// If the store fails.
pub async fn turns(
    store: &dyn Store,
    source: SourceId,
    before: Option<Fence>,
    limit: usize,
) -> Result<Option<Turns>, StoreError> {
    let key = ConversationKey::Line(source);
    if store.overview(&key).await?.is_none() {
        return Ok(None);
    }
    let mut turns = store.turns(&key, before, limit.saturating_add(1)).await?;
    let has_more = turns.len() > limit;
    turns.truncate(limit);
    Ok(Some(Turns { turns, has_more }))
}

/// LINE's own ids tell their kind; of all others it is asked what LINE once said.
async fn kind_of(store: &dyn Store, id: &SourceId) -> Result<SourceKind, StoreError> {
    if let Some(kind) = SourceKind::told_by(id) {
        return Ok(kind);
    }
    Ok(store.source(id).await?.map_or(SourceKind::Person, |card| card.kind))
}
