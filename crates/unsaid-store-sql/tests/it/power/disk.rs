//! What a disk may hold after the power was cut: all that was synced, and any part of the rest.

use unsaid_testkit::random::dice::Dice;

use super::trace::{Event, Name};

/// What a disk writes whole or not at all.
const SECTOR_BYTES: usize = 512;

/// The files as a cut leaves them.
pub(crate) type Image = [(Name, Vec<u8>); 3];

/// How much of what was not synced has reached the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Luck {
    /// Nothing.
    None,
    /// So many of a hundred writes whole; half of the others in part.
    Some(u64),
}

/// Files with what was synced and what was not.
#[derive(Default)]
pub(crate) struct Disk {
    files: [Contents; 3],
}

#[derive(Default)]
struct Contents {
    synced: Vec<u8>,
    /// With the numbers of their events.
    unsynced: Vec<(usize, Step)>,
}

#[derive(Clone)]
enum Step {
    Write {
        at: usize,
        bytes: Vec<u8>,
    },
    Resize(usize),
    /// It is not there, which means the same to SQLite as nothing in it.
    Remove,
}

impl Disk {
    /// Follows an event.
    pub(crate) fn follow(&mut self, number: usize, event: &Event) {
        match event {
            Event::Write { file, at, bytes } => {
                let step = Step::Write { at: *at, bytes: bytes.clone() };
                self.contents(*file).unsynced.push((number, step));
            }
            Event::Resize { file, len } => {
                self.contents(*file).unsynced.push((number, Step::Resize(*len)));
            }
            Event::Remove { file } => self.contents(*file).unsynced.push((number, Step::Remove)),
            Event::Sync { file, before } => self.contents(*file).sync(*before),
            Event::SyncNames { before } => {
                self.files.iter_mut().for_each(|contents| contents.sync_removal(*before));
            }
            Event::Said(_) => {}
        }
    }

    /// Whether anything has not reached the disk for sure.
    pub(crate) fn is_unsure(&self) -> bool {
        self.files.iter().any(|contents| !contents.unsynced.is_empty())
    }

    /// The power is cut now.
    pub(crate) fn cut(&self, luck: Luck, dice: &mut Dice) -> Image {
        let [db, wal, journal] = &self.files;
        [(Name::Db, db), (Name::Wal, wal), (Name::Journal, journal)]
            .map(|(name, contents)| (name, contents.cut(luck, dice)))
    }

    fn contents(&mut self, file: Name) -> &mut Contents {
        match file {
            Name::Db => &mut self.files[0],
            Name::Wal => &mut self.files[1],
            Name::Journal => &mut self.files[2],
        }
    }
}

impl Contents {
    fn sync(&mut self, before: usize) {
        let later = self.unsynced.partition_point(|(number, _)| *number < before);
        for (_, step) in self.unsynced.drain(..later) {
            apply(&mut self.synced, &step);
        }
    }

    fn sync_removal(&mut self, before: usize) {
        let is_removal =
            |(number, step): &(usize, Step)| *number < before && matches!(step, Step::Remove);
        if let Some(last) = self.unsynced.iter().rposition(is_removal) {
            self.sync(self.unsynced[last].0 + 1);
        }
    }

    fn cut(&self, luck: Luck, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        let Luck::Some(percent) = luck else { return bytes };
        for (_, step) in &self.unsynced {
            if dice.percent(percent) {
                apply(&mut bytes, step);
            } else if let Step::Write { at, bytes: written } = step
                && dice.percent(50)
            {
                tear(&mut bytes, *at, written, dice);
            }
        }
        bytes
    }
}

fn apply(file: &mut Vec<u8>, step: &Step) {
    match step {
        Step::Write { at, bytes } => write(file, *at, bytes),
        Step::Resize(len) => file.resize(*len, 0),
        Step::Remove => file.clear(),
    }
}

fn write(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    if file.len() < end {
        file.resize(end, 0);
    }
    file[at..end].copy_from_slice(bytes);
}

/// Some of the sectors of a write reach the disk.
fn tear(file: &mut Vec<u8>, at: usize, bytes: &[u8], dice: &mut Dice) {
    let mut from = 0;
    while from < bytes.len() {
        let sector_end = SECTOR_BYTES - (at + from) % SECTOR_BYTES;
        let to = bytes.len().min(from + sector_end);
        if dice.percent(50) {
            write(file, at + from, &bytes[from..to]);
        }
        from = to;
    }
}

#[test]
fn what_was_synced_stays_and_the_rest_may_be_torn() {
    let mut disk = Disk::default();
    let file = Name::Wal;
    disk.follow(0, &Event::Write { file, at: 0, bytes: vec![1; 1_024] });
    disk.follow(1, &Event::Write { file, at: 100, bytes: vec![2; 1_000] });
    disk.follow(2, &Event::Sync { file, before: 1 });
    let mut dice = Dice::new(1);
    let wal = |image: Image| image[1].1.clone();
    assert_eq!(wal(disk.cut(Luck::None, &mut dice)), vec![1; 1_024]);
    assert_eq!(wal(disk.cut(Luck::Some(100), &mut dice))[100..], vec![2; 1_000]);
    let torn = (0..100).map(|_| wal(disk.cut(Luck::Some(0), &mut dice)));
    let (first, second) = (&[2; 412][..], &[2; 512][..]);
    let half = torn.filter(|wal| wal[100..512] == *first && wal[512..] != *second).count();
    assert!(half > 0, "a write of three sectors was never torn");
}
