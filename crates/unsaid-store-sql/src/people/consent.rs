//! The switch and its ledger.

use unsaid_core::{
    domain::{
        audit::EraseReason,
        consent::{Consent, Grant},
        id::PersonId,
        person::ConsentLine,
        time::Timestamp,
    },
    port::{
        error::StoreError,
        people::{ConsentMove, ConsentMoved},
    },
};

use super::{consent_columns, person};
use crate::{
    db::{Db, Lock, values},
    erasure, history,
};

pub(crate) async fn consent_is_on(db: &dyn Db, id: &PersonId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM person WHERE id = ?1 AND consent = 1 AND NOT EXISTS \
        (SELECT 1 FROM erasure WHERE person = ?1 AND reason = 'account')";
    db.any(sql, values![id]).await
}

pub(crate) async fn move_consent(
    db: &dyn Db,
    id: &PersonId,
    to: &ConsentMove,
) -> Result<Option<ConsentMoved>, StoreError> {
    db.lock(Lock::Person(id)).await?;
    let Some(before) = person(db, id).await? else { return Ok(None) };
    let (consent, too_late) = if to.grant {
        let (consent, grant) = before.consent.grant(to.now);
        (consent, grant == Grant::TooLate)
    } else {
        (before.consent.withdraw(to.now, to.grace_ms), false)
    };
    let changed = consent != before.consent;
    let since = before.consent.changed_at();
    let erased =
        changed && to.grant && (too_late || before.erased_at.is_some_and(|at| at >= since));
    if !changed {
        return Ok(Some(ConsentMoved { consent, changed, erased }));
    }
    if too_late {
        erasure::claim(db, id, EraseReason::Due, to.now).await?;
    }
    if !to.grant {
        history::close_undo_windows(db, id, to.now).await?;
    }
    set_consent(db, id, consent).await?;
    let line = ConsentLine {
        at: to.now,
        granted: to.grant,
        notice_version: to.notice_version.clone(),
        door: to.door.clone(),
    };
    add_line(db, id, &line).await?;
    Ok(Some(ConsentMoved { consent, changed, erased }))
}

pub(crate) async fn set_consent(
    db: &dyn Db,
    id: &PersonId,
    consent: Consent,
) -> Result<(), StoreError> {
    let (state, since, due) = consent_columns(consent);
    let sql = "UPDATE person SET consent = ?2, consent_since = ?3, consent_due = ?4 WHERE id = ?1";
    db.send(sql, values![id, state, since, due]).await
}

pub(super) async fn add_line(
    db: &dyn Db,
    id: &PersonId,
    line: &ConsentLine,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO consent_line (person, at, granted, notice_version, door) \
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = values![id, line.at, line.granted, &line.notice_version, &line.door];
    db.send(sql, values).await
}

pub(crate) async fn consents(db: &dyn Db, id: &PersonId) -> Result<Vec<ConsentLine>, StoreError> {
    let sql = "SELECT at, granted, notice_version, door FROM consent_line WHERE person = ?1 \
        ORDER BY id";
    let rows = db.rows(sql, values![id]).await?;
    rows.iter()
        .map(|row| {
            Ok(ConsentLine {
                at: Timestamp::from_millis(row.int(0)?),
                granted: row.flag(1)?,
                notice_version: row.text(2)?.to_owned(),
                door: row.text(3)?.to_owned(),
            })
        })
        .collect()
}
