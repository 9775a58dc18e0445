//! The files of a target: `seeds`, which inputs are made from, and `regressions`, which failed
//! once. Each file is an input as it is.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct Corpus {
    pub(super) folder: PathBuf,
    pub(super) seeds: Vec<(PathBuf, Vec<u8>)>,
    pub(super) regressions: Vec<(PathBuf, Vec<u8>)>,
}

impl Corpus {
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            seeds: files(&folder.join("seeds"))?,
            regressions: files(&folder.join("regressions"))?,
        })
    }
}

/// Keeps an input that failed; returns its path.
pub(super) fn keep(folder: &Path, input: &[u8]) -> io::Result<PathBuf> {
    let folder = folder.join("regressions");
    fs::create_dir_all(&folder)?;
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let file = folder.join(format!("{:016x}", hasher.finish()));
    fs::write(&file, input)?;
    Ok(file)
}

/// In the order of their names; none if there is no folder.
fn files(folder: &Path) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    paths.sort();
    paths.into_iter().map(|path| fs::read(&path).map(|input| (path, input))).collect()
}
