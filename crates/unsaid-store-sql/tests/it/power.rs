//! H1: power cuts. A child works under `strace`; from its own system calls come the disks that a cut
//! may leave behind at any moment, and none of them has lost what was acknowledged before.

mod disk;
mod trace;

use std::{collections::BTreeSet, fs, ops::Range, time::Duration};

use unsaid_testkit::{builder::chat_key, random::dice::Dice};

use self::{
    disk::{Disk, Image, Luck},
    trace::{Event, arguments},
};
use crate::{
    child::{self, CHATS, Role},
    scene::{Place, Scene, place},
};

/// Cuts between two syncs: one that keeps nothing it need not, and some with luck; more of them
/// while the file is made, which is soon over.
const CUTS_WITH_LUCK: usize = 6;
const CUTS_WHILE_MADE: usize = 25;

#[tokio::test(flavor = "multi_thread")]
async fn h1_no_power_cut_loses_an_acknowledged_message() {
    let events = recorded(Role::TakeBack);
    assert_names_are_synced_first(&events);
    let found = cut_everywhere(&events, 1).await;
    eprintln!("power cuts: {found:?}");
    assert!(found.images >= 300, "too few images: {found:?}");
    assert!(found.torn >= 100, "too few torn images: {found:?}");
    assert_eq!((found.lost, found.returned), (0, 0), "{found:?}");
}

/// Without waiting for the disk the same test must fail: it can see a loss.
#[tokio::test(flavor = "multi_thread")]
async fn h1_commits_that_do_not_wait_for_the_disk_lose_messages() {
    let events = recorded(Role::TakeBackCarelessly);
    let found = cut_everywhere(&events, 2).await;
    eprintln!("power cuts without waiting: {found:?}");
    assert!(found.lost > 0, "no loss was seen: {found:?}");
}

fn recorded(role: Role) -> Vec<Event> {
    let scene = Scene::new();
    let child = child::start_traced(&scene, role, &arguments(&scene));
    child.finish(Duration::from_mins(1));
    let events = trace::read(&scene.trace());
    let count = |is: fn(&Event) -> bool| events.iter().filter(|event| is(event)).count();
    assert!(count(|event| matches!(event, Event::Sync { .. })) > 0, "nothing was synced");
    assert!(count(|event| matches!(event, Event::Resize { .. })) > 0, "the log never shrank");
    events
}

/// A synced file without a name in a synced directory may be gone too.
fn assert_names_are_synced_first(events: &[Event]) {
    let position = |is: fn(&Event) -> bool| events.iter().position(is).expect("it happens");
    let names = position(|event| matches!(event, Event::SyncNames { .. }));
    let said = position(|event| matches!(event, Event::Said(_)));
    assert!(names < said, "acknowledged before the directory was synced");
}

/// What the images of a run were like.
#[derive(Debug, Default)]
struct Found {
    images: usize,
    /// Those with some of what was not synced.
    torn: usize,
    syncs: usize,
    /// Images without a message that had been acknowledged.
    lost: usize,
    /// Images with a message whose removal had been acknowledged.
    returned: usize,
}

async fn cut_everywhere(events: &[Event], seed: u64) -> Found {
    let mut dice = Dice::new(seed);
    let mut found = Found::default();
    let (mut disk, mut promised) = (Disk::default(), Promised::default());
    for stretch in stretches(events) {
        let unlucky = stretch.end - 1;
        let cuts = if promised.there.is_empty() { CUTS_WHILE_MADE } else { CUTS_WITH_LUCK };
        let lucky: Vec<usize> =
            (0..cuts).map(|_| stretch.start + dice.index(stretch.len())).collect();
        for number in stretch {
            let event = &events[number];
            disk.follow(number, event);
            promised.follow(event);
            found.syncs += usize::from(matches!(event, Event::Sync { .. }));
            for _ in lucky.iter().filter(|at| **at == number && disk.is_unsure()) {
                let luck = Luck::Some(dice.pick(&[0, 20, 50, 80, 95]));
                found.add(&check(disk.cut(luck, &mut dice), &promised).await, luck);
            }
            if number == unlucky {
                found.add(&check(disk.cut(Luck::None, &mut dice), &promised).await, Luck::None);
            }
        }
    }
    found
}

/// From a sync to the event before the next.
fn stretches(events: &[Event]) -> impl Iterator<Item = Range<usize>> {
    let syncs = events.iter().enumerate().filter(|(_, event)| matches!(event, Event::Sync { .. }));
    let mut edges: Vec<usize> = syncs.map(|(number, _)| number).collect();
    edges.insert(0, 0);
    edges.push(events.len());
    edges.dedup();
    (1..edges.len()).map(move |next| edges[next - 1]..edges[next])
}

/// What the child had said when the power was cut.
#[derive(Default)]
struct Promised {
    there: BTreeSet<Place>,
    gone: BTreeSet<Place>,
}

impl Promised {
    fn follow(&mut self, event: &Event) {
        let Event::Said(line) = event else { return };
        match line.trim_end().split_once(' ') {
            Some(("ack", rest)) => drop(self.there.insert(place(rest))),
            // From here on it may be there or not.
            Some(("take", rest)) => drop(self.there.remove(&place(rest))),
            Some(("gone", rest)) => drop(self.gone.insert(place(rest))),
            Some(_) | None => panic!("not understood: {line}"),
        }
    }
}

/// What an image lacks, and what it has too much.
struct Verdict {
    lost: usize,
    returned: usize,
}

impl Found {
    fn add(&mut self, verdict: &Verdict, luck: Luck) {
        self.images += 1;
        self.torn += usize::from(luck != Luck::None);
        self.lost += usize::from(verdict.lost > 0);
        self.returned += usize::from(verdict.returned > 0);
    }
}

/// Opens an image as the store after the cut would. Whatever was lost, the rest is whole.
async fn check(image: Image, promised: &Promised) -> Verdict {
    let scene = Scene::new();
    for (name, bytes) in image {
        // The name of an empty file may or may not be there; both mean the same to SQLite.
        if !bytes.is_empty() {
            fs::write(scene.data().join(name.as_str()), bytes).unwrap();
        }
    }
    let store = scene.open();
    scene.assert_whole();
    let mut there = BTreeSet::new();
    for chat in CHATS {
        let page = store.page(&chat_key(chat), None, 10_000).await.unwrap();
        let ids = page.iter().map(|entry| entry.message.id.to_string());
        there.extend(ids.map(|id| (chat.to_owned(), id)));
    }
    Verdict {
        lost: promised.there.difference(&there).count(),
        returned: promised.gone.intersection(&there).count(),
    }
}
