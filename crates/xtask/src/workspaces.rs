//! The Cargo workspaces of the repository that are formatted, linted, tested and kept tidy.

use std::path::{Path, PathBuf};

/// The folder of the benchmark, which is a workspace of its own: no build of the product includes
/// its dependencies.
pub(crate) const BENCH: &str = "bench";

/// Folders of the workspaces, relative to the root: that of the product first.
pub(crate) const ALL: [&str; 2] = ["", BENCH];

/// The folders of both, as paths.
pub(crate) fn folders(root: &Path) -> [PathBuf; 2] {
    ALL.map(|folder| root.join(folder))
}

/// A path below a folder; the root's has no slash.
pub(crate) fn in_folder(folder: &str, file: &str) -> String {
    if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") }
}
