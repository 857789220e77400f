//! The disk's own pace: a small write and `fdatasync`.

use std::{
    fs::File,
    io::{Seek, Write},
    path::Path,
};

/// A file of one page that is written again and again.
pub(crate) struct Page(File);

impl Page {
    pub(crate) fn create(path: &Path) -> Self {
        let mut file = File::create(path).expect("a file");
        file.write_all(&[0; 4_096]).and_then(|()| file.sync_all()).expect("a file of one page");
        Self(file)
    }

    /// Comes back when it is on the disk.
    pub(crate) fn write(&mut self) {
        self.0.rewind().expect("seek");
        self.0.write_all(&[7; 512]).and_then(|()| self.0.sync_data()).expect("written");
    }
}
