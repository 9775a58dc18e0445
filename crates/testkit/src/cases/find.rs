//! The case files of a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::file::Case;
use super::parse::{CaseError, parse};

/// A case and the file it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFile {
    pub path: PathBuf,
    /// The path below the folder, with slashes.
    pub name: String,
    pub case: Case,
}

/// Reads every `.case` file below a folder, in the order of their names.
pub fn find(folder: &Path) -> Result<Vec<CaseFile>, CaseError> {
    let mut paths = Vec::new();
    collect(folder, &mut paths).map_err(|error| unreadable(folder, &error))?;
    paths.sort();
    paths.into_iter().map(|path| read(folder, path)).collect()
}

fn read(folder: &Path, path: PathBuf) -> Result<CaseFile, CaseError> {
    let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
    let below = path.strip_prefix(folder).unwrap_or(&path);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    let name = parts.join("/");
    let case = parse(Path::new(&name), &text)?;
    Ok(CaseFile { path, name, case })
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), paths)?;
        } else if entry.path().extension().is_some_and(|extension| extension == "case") {
            paths.push(entry.path());
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &io::Error) -> CaseError {
    CaseError { path: path.to_owned(), line: 0, problem: error.to_string() }
}
