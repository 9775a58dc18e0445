//! A folder of files with the modes that they are packed with, whatever this machine's habits.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::DistError;

/// The mode of executables and folders.
pub(crate) const PROGRAM: u32 = 0o755;
/// The mode of other files.
pub(crate) const TEXT: u32 = 0o644;

/// A folder that files are put into.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Makes the folder if it is not there.
    pub(crate) fn new(root: &Path) -> Result<Self, DistError> {
        let made = fs::create_dir_all(root).and_then(|()| set_mode(root, PROGRAM));
        made.map_err(|error| DistError::File { path: root.to_owned(), error })?;
        Ok(Self { root: root.to_owned() })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file at a path below the folder.
    pub(crate) fn write(&self, path: &str, text: &str, mode: u32) -> Result<(), DistError> {
        self.put(path, mode, |target| fs::write(target, text))
    }

    /// Copies a file to a path below the folder.
    pub(crate) fn copy(&self, from: &Path, path: &str, mode: u32) -> Result<(), DistError> {
        self.put(path, mode, |target| {
            let copied = fs::copy(from, target).map(drop);
            copied.map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", from.display()))
            })
        })
    }

    /// Every file below the folder with its size, in the order of paths.
    pub(crate) fn files(&self) -> Result<Vec<(String, u64)>, DistError> {
        let mut files = Vec::new();
        list(&self.root, "", &mut files)
            .map_err(|error| DistError::File { path: self.root.clone(), error })?;
        files.sort();
        Ok(files)
    }

    fn put(
        &self,
        path: &str,
        mode: u32,
        write: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<(), DistError> {
        let target = self.root.join(path);
        self.make_folders(path)
            .and_then(|()| write(&target))
            .and_then(|()| set_mode(&target, mode))
            .map_err(|error| DistError::File { path: target, error })
    }

    fn make_folders(&self, path: &str) -> io::Result<()> {
        let mut folder = self.root.clone();
        let mut names: Vec<&str> = path.split('/').collect();
        names.pop();
        for name in names {
            folder.push(name);
            if !folder.is_dir() {
                fs::create_dir(&folder)?;
                set_mode(&folder, PROGRAM)?;
            }
        }
        Ok(())
    }
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
}

fn list(folder: &Path, prefix: &str, files: &mut Vec<(String, u64)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = [prefix, &entry.file_name().to_string_lossy()].concat();
        let metadata = entry.metadata()?;
        match metadata.is_dir() {
            true => list(&entry.path(), &format!("{path}/"), files)?,
            false => files.push((path, metadata.len())),
        }
    }
    Ok(())
}
