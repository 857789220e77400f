//! Files of a source.

use std::fs;
use std::io;
use std::path::Path;

/// The bytes of a file. Nothing else is opened: a pipe would keep us waiting for ever.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
    }
    fs::read(path)
}
