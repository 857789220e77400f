//! Signing in, and the audit.

use std::sync::Mutex;

use async_trait::async_trait;
use unsaid_app::{
    account::{AccountError, change_password, delete},
    audit::{Checked, check},
    reception::{NotNow, Reception},
    sign_in::{SignInError, Typed, sign_in},
};
use unsaid_core::{
    domain::{
        audit::{AuditLine, EraseReason},
        id::PersonId,
        password::Password,
        person::PasswordHash,
        time::Timestamp,
    },
    limits::Limits,
    port::{
        erasure::{Batch, Claim, Erasure},
        error::StoreError,
        passwords::{Passwords, PasswordsError},
        people::PersonChange,
    },
};
use unsaid_store_memory::MemoryAllowances;
use unsaid_testkit::{
    builder::{at, person_id},
    failing::Fault,
};

use crate::given::House;

/// A hasher that writes down what it was asked.
#[derive(Default)]
struct Noting {
    looked_at: Mutex<Vec<(String, Option<String>)>>,
}

#[async_trait]
impl Passwords for Noting {
    async fn hash(&self, password: Password) -> Result<PasswordHash, PasswordsError> {
        Ok(PasswordHash::new(format!("hash of {}", password.as_str())))
    }

    async fn matches(
        &self,
        typed: Password,
        hash: Option<PasswordHash>,
    ) -> Result<bool, PasswordsError> {
        let hash = hash.map(|hash| hash.as_str().to_owned());
        let same = hash.as_deref() == Some(&format!("hash of {}", typed.as_str()));
        self.looked_at.lock().unwrap().push((typed.as_str().to_owned(), hash));
        Ok(same)
    }
}

struct Desk {
    house: House,
    hasher: Noting,
    allowances: MemoryAllowances,
    limits: Limits,
}

impl Desk {
    async fn new() -> Self {
        let house = House::new().await;
        let hash = PasswordHash::new("hash of correct horse");
        let change = PersonChange::Password { hash, at: at(5) };
        assert!(house.port.change(&person_id("ana"), change).await.unwrap());
        let (hasher, allowances) = (Noting::default(), MemoryAllowances::default());
        Self { house, hasher, allowances, limits: Limits::default() }
    }

    fn reception(&self) -> Reception<'_> {
        Reception {
            people: &*self.house.port,
            passwords: &self.hasher,
            allowances: &self.allowances,
            limits: &self.limits,
            clock: &self.house.clock,
        }
    }

    async fn sign_in(&self, email: &str, password: &str) -> Result<String, SignInError> {
        let typed = Typed { email: email.to_owned(), password: password.to_owned() };
        let person = sign_in(&self.reception(), "192.0.2.1", typed).await?;
        Ok(person.id.to_string())
    }

    async fn ana(&self) -> String {
        let ana = self.house.port.person(&person_id("ana")).await.unwrap().unwrap();
        ana.email.as_str().to_owned()
    }
}

#[tokio::test]
async fn every_attempt_to_sign_in_costs_one_hash() {
    let desk = Desk::new().await;
    let ana = desk.ana().await;
    assert_eq!(desk.sign_in(&ana, "correct horse").await, Ok("ana".to_owned()));
    let attempts = [
        (ana.as_str(), "wrong horse"),
        (&ana, ""),
        (&ana, &"x".repeat(200)),
        ("nobody@example.org", "correct horse"),
        ("not an address", "correct horse"),
        ("", ""),
    ];
    for (email, password) in attempts {
        desk.hasher.looked_at.lock().unwrap().clear();
        assert_eq!(desk.sign_in(email, password).await, Err(SignInError::Wrong));
        let looked_at = desk.hasher.looked_at.lock().unwrap().clone();
        assert_eq!(looked_at.len(), 1, "{email} {password}: {looked_at:?}");
    }
}

#[tokio::test]
async fn a_store_that_fails_lets_nobody_in() {
    let desk = Desk::new().await;
    let ana = desk.ana().await;
    desk.house.store.fail("by_email", Fault::Unavailable);
    let refused = desk.sign_in(&ana, "correct horse").await;
    assert!(matches!(refused, Err(SignInError::NotNow(NotNow::Broken(_)))), "{refused:?}");
}

#[tokio::test]
async fn tokens_are_told_apart_whatever_the_clock_does() {
    let desk = Desk::new().await;
    let since =
        async || desk.house.port.person(&person_id("ana")).await.unwrap().unwrap().tokens_since;
    let change = async |from: &str, to: &str| {
        let new = Password::new(to).unwrap();
        change_password(&desk.reception(), &person_id("ana"), from.to_owned(), new).await
    };
    change("correct horse", "battery staple").await.unwrap();
    let first = since().await;
    change("battery staple", "correct horse").await.unwrap();
    let second = since().await;
    assert!(first < second, "in the same millisecond");
    desk.house.clock.set(at(0));
    change("correct horse", "battery staple").await.unwrap();
    assert!(second < since().await, "though the clock went back");
    let wrong = change("correct horse", "another one").await;
    assert_eq!(wrong, Err(AccountError::WrongPassword));
}

#[tokio::test]
async fn an_account_that_ended_meanwhile_is_not_found() {
    let desk = Desk::new().await;
    let ana = person_id("ana");
    let end = async || {
        let password = "correct horse".to_owned();
        delete(&desk.reception(), &*desk.house.port, &ana, password).await
    };
    assert_eq!(end().await, Ok(()));
    assert_eq!(end().await, Err(AccountError::NotFound));
}

/// An audit of these lines.
struct Lines(Vec<AuditLine>);

#[async_trait]
impl Erasure for Lines {
    async fn due(&self, _: Timestamp, _: usize) -> Result<Vec<PersonId>, StoreError> {
        Ok(Vec::new())
    }

    async fn claim(&self, _: &PersonId, _: EraseReason, _: Timestamp) -> Result<Claim, StoreError> {
        Ok(Claim::Unknown)
    }

    async fn erase_batch(&self, _: &PersonId, _: usize, _: Timestamp) -> Result<Batch, StoreError> {
        Ok(Batch::Nothing)
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditLine>, StoreError> {
        let lines = self.0.iter().filter(|line| before.is_none_or(|before| line.id < before));
        let mut lines: Vec<AuditLine> = lines.rev().take(limit).cloned().collect();
        lines.reverse();
        Ok(lines)
    }
}

fn chain(count: usize) -> Vec<AuditLine> {
    let mut lines: Vec<AuditLine> = Vec::new();
    for n in 0..count {
        let (at, erased) =
            (at(i64::try_from(n).unwrap()), unsaid_core::domain::audit::Erased::default());
        let line = AuditLine::after(lines.last(), at, person_id("ana"), EraseReason::Now, erased);
        lines.push(line);
    }
    lines
}

#[tokio::test]
async fn a_changed_dropped_or_forged_line_shows_wherever_it_stands() {
    let broken = async |lines| check(&Lines(lines)).await.unwrap().broken;
    assert_eq!(check(&Lines(Vec::new())).await.unwrap(), Checked::default());
    let whole = chain(2_500);
    let last_hash = whole.last().map(|line| line.hash.clone());
    let checked = check(&Lines(whole.clone())).await.unwrap();
    assert_eq!(checked, Checked { lines: 2_500, broken: None, last_hash });
    // in the middle, and at the ends of what is read together
    for index in [0, 1, 499, 500, 501, 1_499, 1_500, 2_499] {
        let id = whole[index].id;
        let mut changed = whole.clone();
        changed[index].erased.messages += 1;
        assert_eq!(broken(changed).await, Some(id), "changed {id}");
        let mut forged = whole.clone();
        forged[index].erased.messages += 1;
        forged[index].hash = forged[index].computed_hash();
        let next = (index + 1 < whole.len()).then_some(id + 1);
        assert_eq!(broken(forged).await, next, "forged {id}");
        let mut dropped = whole.clone();
        dropped.remove(index);
        assert_eq!(broken(dropped).await, next, "dropped {id}");
    }
}
