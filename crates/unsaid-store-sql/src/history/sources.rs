//! The sources on LINE and what became of turns, without their words.

use unsaid_core::{
    domain::{
        conversation::{
            change::{Decided, EndedTurn},
            key::ConversationKey,
        },
        id::{Fence, SourceId},
        time::Timestamp,
    },
    port::{
        error::{StoreError, corrupt},
        history::SourceReport,
    },
};

use super::{
    read::{key_from, live_head},
    whole::decision_from,
};
use crate::db::{Db, Row, values};

/// Keys of sources stand together, and `;` comes after `:`. Of each source one entry and at most two
/// turns are looked at, however long its conversation is.
const PAGE: &str = "SELECT c.key, c.heard, c.said_at, t.ended_at, t.decision, t.code FROM ( \
        SELECT s.key, s.heard, \
            (SELECT m.at FROM message m WHERE m.conversation = s.key \
                AND m.number > s.number_floor ORDER BY m.number DESC LIMIT 1) AS said_at, \
            (SELECT e.fence FROM turn e WHERE e.conversation = s.key AND e.fence > s.fence_floor \
                AND e.decision IS NOT NULL ORDER BY e.fence DESC LIMIT 1) AS ended \
        FROM conversation s WHERE s.key > ?1 AND s.key < 'line;' AND s.dropped = 0 \
        ORDER BY s.key LIMIT ?2 \
    ) AS c LEFT JOIN turn t ON t.conversation = c.key AND t.fence = c.ended ORDER BY c.key";

pub(crate) async fn sources(
    db: &dyn Db,
    after: Option<&SourceId>,
    limit: usize,
) -> Result<Vec<SourceReport>, StoreError> {
    let after = format!("line:{}", after.map_or("", SourceId::as_str));
    let rows = db.rows(PAGE, values![after, limit]).await?;
    rows.iter().map(report).collect()
}

fn report(row: &Row) -> Result<SourceReport, StoreError> {
    let ConversationKey::Line(id) = key_from(row.text(0)?)? else {
        return Err(corrupt("conversation.key", "not a source"));
    };
    let newest_at = row.opt_int(2)?.map(Timestamp::from_millis);
    let last_decision = match row.opt_int(3)? {
        None => None,
        Some(at) => {
            let decision = decision_from(row.int(4)?, row.opt_text(5)?, None)?;
            Some((Decided::from(&decision), Timestamp::from_millis(at)))
        }
    };
    Ok(SourceReport::new(id, row.count(1)?, newest_at, last_decision))
}

/// Only the running turn is passed over, so this looks at no more rows than it returns and one.
const ENDED: &str = "SELECT fence, began_at, decision, code, ended_at FROM turn \
    WHERE conversation = ?1 AND fence > ?2 AND fence < ?3 AND decision IS NOT NULL \
    ORDER BY fence DESC LIMIT ?4";

pub(crate) async fn ended_turns(
    db: &dyn Db,
    key: &ConversationKey,
    before: Option<Fence>,
    limit: usize,
) -> Result<Vec<EndedTurn>, StoreError> {
    let Some(head) = live_head(db, key).await? else { return Ok(Vec::new()) };
    let before = before.map_or(i64::MAX, |fence| fence.get().try_into().unwrap_or(i64::MAX));
    let rows = db.rows(ENDED, values![&head.key, head.fence_floor, before, limit]).await?;
    rows.iter().map(ended_turn).collect()
}

fn ended_turn(row: &Row) -> Result<EndedTurn, StoreError> {
    let decision = decision_from(row.int(2)?, row.opt_text(3)?, None)?;
    Ok(EndedTurn {
        fence: Fence::new(row.count(0)?),
        began_at: Timestamp::from_millis(row.int(1)?),
        decided: Decided::from(&decision),
        ended_at: Timestamp::from_millis(row.int(4)?),
    })
}
