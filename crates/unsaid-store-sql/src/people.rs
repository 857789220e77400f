//! Accounts and consent. What people wrote (address, name) stands in slots; addresses are found by
//! their digest.

mod consent;
mod sessions;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unsaid_core::{
    domain::{
        consent::Consent,
        id::PersonId,
        person::{ConsentLine, Email, PasswordHash, Person},
        text::Words,
        time::Timestamp,
    },
    port::{
        error::{StoreError, corrupt},
        people::PersonChange,
    },
};

pub(crate) use self::{
    consent::{consent_is_on, consents, move_consent, set_consent},
    sessions::{
        bill_and_forget, billing, end_session, forget_expert, forget_session, has_session,
        is_listed, open_session, session, sessions,
    },
};
use crate::{
    db::{Db, Lock, Row, Value, values},
    history::unpadded,
};

/// What stands in the slot of a person.
#[derive(Serialize, Deserialize)]
struct Card {
    email: String,
    display_name: Words,
    password: String,
}

/// The columns of a person with a condition on `p`; accounts claimed for deletion are gone.
macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT p.id, w.content, p.admin, p.created_at, p.tokens_since, p.consent, ",
            "p.consent_since, p.consent_due, p.erased_at, p.paid_credits, p.free_used ",
            "FROM person p JOIN words w ON w.id = p.words /*pg: AND w.place = p.id */ ",
            "WHERE NOT EXISTS (SELECT 1 FROM ",
            "erasure e WHERE e.person = p.id AND e.reason = 'account') AND ",
            $condition
        )
    };
}

pub(crate) async fn add(
    db: &dyn Db,
    person: &Person,
    line: &ConsentLine,
) -> Result<bool, StoreError> {
    let digest = email_digest(&person.email);
    let taken = "SELECT 1 FROM person WHERE email_digest = ?1 OR id = ?2";
    if db.any(taken, values![&digest[..], &person.id]).await? {
        return Ok(false);
    }
    let slot = keep_card(db, person).await?;
    let (state, since, due) = consent_columns(person.consent);
    let sql = "INSERT INTO person (id, email_digest, words, admin, created_at, tokens_since, \
        consent, consent_since, consent_due, erased_at, paid_credits, free_used) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let values = values![
        &person.id,
        &digest[..],
        slot,
        person.admin,
        person.created_at,
        person.tokens_since,
        state,
        since,
        due,
        person.erased_at,
        person.paid_credits,
        person.free_used,
    ];
    db.send(sql, values).await?;
    consent::add_line(db, &person.id, line).await?;
    Ok(true)
}

pub(crate) async fn person(db: &dyn Db, id: &PersonId) -> Result<Option<Person>, StoreError> {
    let row = db.first(select!("p.id = ?1"), values![id]).await?;
    row.as_ref().map(from_row).transpose()
}

/// Whether the account is there; one that is claimed for deletion is not. Under the lock of the person
/// the answer stays true.
pub(crate) async fn is_there(db: &dyn Db, id: &PersonId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM person WHERE id = ?1 AND NOT EXISTS \
        (SELECT 1 FROM erasure WHERE person = ?1 AND reason = 'account')";
    db.any(sql, values![id]).await
}

pub(crate) async fn by_email(db: &dyn Db, email: &Email) -> Result<Option<Person>, StoreError> {
    let digest = email_digest(email);
    let row = db.first(select!("p.email_digest = ?1"), values![&digest[..]]).await?;
    row.as_ref().map(from_row).transpose()
}

pub(crate) async fn people_after(
    db: &dyn Db,
    after: Option<&PersonId>,
    limit: usize,
) -> Result<Vec<Person>, StoreError> {
    let after = after.map_or("", PersonId::as_str);
    let rows = db.rows(select!("p.id > ?1 ORDER BY p.id LIMIT ?2"), values![after, limit]).await?;
    rows.iter().map(from_row).collect()
}

pub(crate) async fn change(
    db: &dyn Db,
    id: &PersonId,
    change: PersonChange,
) -> Result<bool, StoreError> {
    db.lock(Lock::Person(id)).await?;
    let Some(mut person) = person(db, id).await? else { return Ok(false) };
    match change {
        PersonChange::DisplayName(name) => person.display_name = name,
        PersonChange::Password { hash, at } => {
            person.password = hash;
            person.tokens_since = at;
        }
        PersonChange::Admin(admin) => person.admin = admin,
        PersonChange::Grant(sessions) => {
            person.paid_credits = person.paid_credits.saturating_add(sessions);
        }
    }
    let sql = "SELECT words FROM person WHERE id = ?1";
    let old = db.first(sql, values![id]).await?.map(|row| row.int(0)).transpose()?;
    db.erase_words(id.as_str(), old.as_slice()).await?;
    let slot = keep_card(db, &person).await?;
    let sql = "UPDATE person SET words = ?2, admin = ?3, tokens_since = ?4, paid_credits = ?5 \
        WHERE id = ?1";
    let values = values![id, slot, person.admin, person.tokens_since, person.paid_credits];
    Ok(db.run(sql, values).await? == 1)
}

fn from_row(row: &Row) -> Result<Person, StoreError> {
    let card: Card = serde_json::from_slice(unpadded(row.blob(1)?))
        .map_err(|_| corrupt("words", "not a person's card"))?;
    let credits = |column| -> Result<u32, StoreError> {
        u32::try_from(row.int(column)?).map_err(|e| corrupt("person", e))
    };
    Ok(Person {
        id: row.parse(0)?,
        email: Email::new(&card.email).map_err(|e| corrupt("person", e))?,
        display_name: card.display_name,
        password: PasswordHash::new(card.password),
        admin: row.flag(2)?,
        created_at: Timestamp::from_millis(row.int(3)?),
        tokens_since: Timestamp::from_millis(row.int(4)?),
        consent: consent_from(row.int(5)?, row.int(6)?, row.opt_int(7)?)?,
        erased_at: row.opt_int(8)?.map(Timestamp::from_millis),
        paid_credits: credits(9)?,
        free_used: credits(10)?,
    })
}

async fn keep_card(db: &dyn Db, person: &Person) -> Result<i64, StoreError> {
    let card = Card {
        email: person.email.as_str().to_owned(),
        display_name: person.display_name.clone(),
        password: person.password.as_str().to_owned(),
    };
    let card = serde_json::to_vec(&card).map_err(|_| corrupt("person", "not writable"))?;
    db.keep_words(person.id.as_str(), &card).await
}

fn email_digest(email: &Email) -> [u8; 32] {
    Sha256::digest(email.as_str()).into()
}

fn consent_columns(consent: Consent) -> (i64, Value, Value) {
    match consent {
        Consent::Withheld { since } => (0, since.into(), Value::Null),
        Consent::Granted { since } => (1, since.into(), Value::Null),
        Consent::Withdrawn { since, due } => (2, since.into(), due.into()),
    }
}

fn consent_from(state: i64, since: i64, due: Option<i64>) -> Result<Consent, StoreError> {
    let since = Timestamp::from_millis(since);
    match (state, due.map(Timestamp::from_millis)) {
        (0, None) => Ok(Consent::Withheld { since }),
        (1, None) => Ok(Consent::Granted { since }),
        (2, Some(due)) => Ok(Consent::Withdrawn { since, due }),
        _ => Err(corrupt("person.consent", "state and date disagree")),
    }
}
