//! Puts the page into the binary: every file of `web/dist`, as it is and compressed.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

const DIST: &str = "../../web/dist";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DIST}");
    let dist = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join(DIST);
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut files = Vec::new();
    gather(&dist, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for (at, path) in files.iter().enumerate() {
        let zipped = out.join(format!("{at}.gz"));
        fs::write(&zipped, compressed(&fs::read(path)?)?)?;
        let name = format!("/{}", text(path.strip_prefix(&dist)?)?);
        let (plain, zipped) = (text(path)?, text(&zipped)?);
        writeln!(
            table,
            "File {{ path: {name:?}, plain: include_bytes!({plain:?}), zipped: include_bytes!({zipped:?}) }},",
        )?;
    }
    fs::write(out.join("page_files.rs"), table + "]\n")?;
    Ok(())
}

fn text(path: &Path) -> Result<&str, &'static str> {
    path.to_str().ok_or("a path that is not text")
}

fn gather(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    let entries = fs::read_dir(dir).map_err(|error| {
        format!("{}: {error}; `cargo xtask web` builds the page", dir.display())
    })?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() { gather(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

fn compressed(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}
