//! Reads the workspace's manifests and sources.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::source::Source;
use crate::program::ProgramError;

/// Folders that hold nothing of the project's own source.
const SKIPPED: [&str; 2] = ["target", "node_modules"];

/// Every file that the rules look at.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Of the crates and of the benchmark; other folders are not checked.
    pub(crate) manifests: Vec<Manifest>,
    pub(crate) sources: Vec<Source>,
}

/// A file could not be checked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TidyError {
    #[error("{} cannot be read: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("the licences of packages cannot be listed: {0}")]
    Licences(#[from] ProgramError),
}

/// Reads everything, in the order of paths.
pub(crate) fn read(workspace: &Path) -> Result<Files, TidyError> {
    let mut files = Files::default();
    read_folder(workspace, "", &mut files)?;
    Ok(files)
}

fn read_folder(folder: &Path, prefix: &str, files: &mut Files) -> Result<(), TidyError> {
    let failed = |error| TidyError::File { path: folder.to_owned(), error };
    let mut entries =
        fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let relative = format!("{prefix}{name}");
        let kind = entry.file_type().map_err(failed)?;
        if name.starts_with('.') || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() {
            read_folder(&path, &format!("{relative}/"), files)?;
        } else if name == "Cargo.toml" && (prefix.starts_with("crates/") || prefix == "bench/") {
            files.manifests.push(Manifest::parse(&relative, &read_text(&path)?));
        } else if name.ends_with(".rs") {
            files.sources.push(Source::parse(&relative, &read_text(&path)?));
        }
    }
    Ok(())
}

pub(super) fn read_text(path: &Path) -> Result<String, TidyError> {
    fs::read_to_string(path).map_err(|error| TidyError::File { path: path.to_owned(), error })
}
