//! The sources on LINE as admins see them.

use unsaid_app::sources::{Listed, Page, list};
use unsaid_core::domain::source::{SourceCard, SourceKind};
use unsaid_testkit::{
    builder::{at, line_key, source_id},
    failing::Fault,
    talk::Talk,
};

use crate::given::House;

async fn ids(house: &House, after: Option<&str>, limit: usize) -> (Vec<String>, bool) {
    let after = after.map(source_id);
    let Page { sources, has_more } = list(&*house.port, after.as_ref(), limit).await.unwrap();
    (sources.iter().map(|source| source.report.id.to_string()).collect(), has_more)
}

fn page(ids: &[&str], has_more: bool) -> (Vec<String>, bool) {
    (ids.iter().map(|&id| id.to_owned()).collect(), has_more)
}

#[tokio::test]
async fn a_page_tells_whether_there_is_another() {
    let house = House::new().await;
    assert_eq!(ids(&house, None, 2).await, page(&[], false));
    for source in ["U1", "C1", "R1"] {
        Talk::new(&house.port, line_key(source)).say("m1").await;
    }
    assert_eq!(ids(&house, None, 2).await, page(&["C1", "R1"], true));
    assert_eq!(ids(&house, Some("R1"), 2).await, page(&["U1"], false));
    assert_eq!(ids(&house, None, 3).await, page(&["C1", "R1", "U1"], false));
    assert_eq!(ids(&house, Some("U1"), 3).await, page(&[], false));
}

#[tokio::test]
async fn the_kind_is_told_by_the_id_or_by_what_line_said() {
    let house = House::new().await;
    for source in ["U1", "C1", "R1", "x1", "y1"] {
        Talk::new(&house.port, line_key(source)).say("m1").await;
    }
    let (id, kind) = (source_id("x1"), SourceKind::Group);
    let card = SourceCard { id, kind, name: None, members: None, present: true, at: at(0) };
    house.port.keep_source(card).await.unwrap();
    let listed = list(&*house.port, None, 10).await.unwrap().sources;
    let kinds: Vec<(&str, SourceKind)> =
        listed.iter().map(|Listed { report, kind }| (report.id.as_str(), *kind)).collect();
    let (person, group, room) = (SourceKind::Person, SourceKind::Group, SourceKind::Room);
    let expected = [("C1", group), ("R1", room), ("U1", person), ("x1", group), ("y1", person)];
    assert_eq!(kinds, expected);
}

#[tokio::test]
async fn a_store_that_fails_is_said() {
    let house = House::new().await;
    house.store.fail("sources", Fault::Full);
    assert!(list(&*house.port, None, 10).await.is_err());
}
