//! Drops what time has closed, and deletes what is logically gone.

use unsaid_core::{
    domain::time::Timestamp,
    port::{
        error::StoreError,
        history::{History, Swept},
    },
};

use crate::job::Stop;

/// Rows deleted in one commit.
pub const SWEEP_ROWS: usize = 1_000;

/// Sweeps until nothing is left to do, or until told to stop; says how much it was.
///
/// # Errors
/// If the store fails; what was swept before stays swept.
pub async fn sweep(
    history: &dyn History,
    now: Timestamp,
    stop: Stop<'_>,
) -> Result<Swept, StoreError> {
    let mut sum = Swept::default();
    while !stop() {
        let Swept { expired, purged } = history.sweep(now, SWEEP_ROWS).await?;
        sum.expired += expired;
        sum.purged += purged;
        if expired == 0 && purged == 0 {
            break;
        }
    }
    Ok(sum)
}
