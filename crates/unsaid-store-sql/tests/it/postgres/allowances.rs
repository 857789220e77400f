//! Allowances are shared by all servers on a database.

use unsaid_core::{
    domain::{
        allowance::{Allowance, AllowanceKey, UsedUp},
        time::Timestamp,
    },
    port::allowances::Allowances as _,
};

use super::database::Database;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

#[tokio::test]
async fn an_allowance_is_spent_over_all_servers() {
    let database = Database::new().await;
    let servers = [database.open().await, database.open().await];
    let allowance = Allowance { count_max: 10, window_ms: 1_000 };
    let key = AllowanceKey::new("a test", "ana");
    let mut spending = tokio::task::JoinSet::new();
    for call in 0..30 {
        let server = servers[call % 2].clone();
        spending.spawn(async move { server.spend(key, allowance, at(5)).await.unwrap() });
    }
    let spent = spending.join_all().await;
    assert_eq!(spent.iter().filter(|one| one.is_ok()).count(), 10);
    assert!(spent.contains(&Err(UsedUp { until: at(1_005) })));
    assert!(servers[0].spend(key, allowance, at(1_004)).await.unwrap().is_err());
    assert!(servers[1].spend(key, allowance, at(1_005)).await.unwrap().is_ok());
}

#[tokio::test]
async fn what_is_over_is_forgotten() {
    let database = Database::new().await;
    let server = database.open().await;
    let once = Allowance { count_max: 1, window_ms: 100 };
    for (whose, when) in [("ana", 0), ("ben", 50)] {
        server.spend(AllowanceKey::new("a test", whose), once, at(when)).await.unwrap().unwrap();
    }
    assert_eq!(server.forget_allowances(at(100)).await.unwrap(), 1);
    assert_eq!(server.forget_allowances(at(100)).await.unwrap(), 0);
}
