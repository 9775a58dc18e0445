//! Requests that mutation starts from, and those that once failed.
//!
//! `fixtures/fuzz/seeds/<dialect>/<name>.graphql` is a document, `<name>.json` beside it has its
//! variables. `fixtures/fuzz/regressions/<name>.json` is a whole body, sent to every target.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::target::{Style, fixtures};

#[derive(Clone, Debug)]
pub(crate) struct Seed {
    pub(crate) document: String,
    /// As JSON text.
    pub(crate) variables: String,
}

/// A body that failed.
#[derive(Clone, Debug)]
pub(crate) struct Regression {
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn seeds(style: Style) -> io::Result<Vec<Seed>> {
    let folder = fixtures().join("fuzz/seeds").join(match style {
        Style::PostGraphile => "postgraphile",
        Style::Phrag => "phrag",
    });
    let mut seeds = Vec::new();
    for file in files(&folder, "graphql")? {
        let variables = match fs::read_to_string(file.with_extension("json")) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => "{}".into(),
            Err(error) => return Err(error),
        };
        seeds.push(Seed { document: fs::read_to_string(&file)?, variables });
    }
    Ok(seeds)
}

pub(crate) fn regressions() -> io::Result<Vec<Regression>> {
    let read = |file: PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Regression { name, body: fs::read(&file)? })
    };
    files(&folder(), "json")?.into_iter().map(read).collect()
}

/// Keeps a failing body and says where.
pub(crate) fn keep(name: &str, body: &[u8]) -> io::Result<PathBuf> {
    let file = folder().join(format!("{}.json", name.replace("::", "_")));
    fs::write(&file, body)?;
    Ok(file)
}

fn folder() -> PathBuf {
    fixtures().join("fuzz/regressions")
}

/// The files of a folder in the order of their names; none if there is no folder.
fn files(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension() == Some(OsStr::new(extension)));
    files.sort();
    Ok(files)
}
