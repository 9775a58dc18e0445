//! The exclusive lock of tests with Neo4j, and the registration of the running server.
//!
//! It is a lock on a file, which the kernel releases when its holder ends in any way. The running
//! server is registered in a second file by its starter.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The right, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    folder: PathBuf,
    file: File,
}

/// A registered server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Registered {
    pub(super) port: u16,
    pub(super) folder: PathBuf,
}

impl Lock {
    /// Waits for the right.
    pub(super) fn take(installations: &Path) -> io::Result<Self> {
        let folder = installations.join("shared");
        fs::create_dir_all(&folder)?;
        let path = lock_file(&folder);
        // Never truncated, and never removed: another file of the same name would be another lock.
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.lock()?;
        let lock = Self { folder, file };
        lock.touch();
        Ok(lock)
    }

    pub(super) fn file(&self) -> PathBuf {
        lock_file(&self.folder)
    }

    /// The path of the registration of the running server.
    pub(super) fn registration(&self) -> PathBuf {
        self.folder.join("server")
    }

    pub(super) fn registered(&self) -> Option<Registered> {
        let text = fs::read_to_string(self.registration()).ok()?;
        let (port, folder) = text.trim_end().split_once(' ')?;
        Some(Registered { port: port.parse().ok()?, folder: folder.into() })
    }

    /// Leaves a server to the next holder of the lock.
    pub(super) fn register(&self, server: &Registered) -> io::Result<()> {
        let text = format!("{} {}\n", server.port, server.folder.display());
        fs::write(self.registration(), text)
    }

    /// Removes the registration, so that no test finds the server.
    pub(super) fn unregister(&self) -> io::Result<()> {
        match fs::remove_file(self.registration()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The server's watcher counts from here.
    fn touch(&self) {
        // Without it the server may end a little early, and the next test starts another.
        drop(self.file.set_modified(SystemTime::now()));
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.touch();
    }
}

fn lock_file(folder: &Path) -> PathBuf {
    folder.join("lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_there_from_its_registration_on() {
        let folder = std::env::temp_dir().join(format!("thalweg-lock-{}", std::process::id()));
        let lock = Lock::take(&folder).expect("a lock");
        let before = lock.registered();
        let server = Registered { port: 7687, folder: "/tmp/a b".into() };
        lock.register(&server).expect("written");
        let meanwhile = lock.registered();
        lock.unregister().expect("removed");
        lock.unregister().expect("nothing to remove");
        let after = lock.registered();
        drop(lock);
        fs::remove_dir_all(&folder).expect("removed");
        assert_eq!((before, meanwhile, after), (None, Some(server), None));
    }
}
