//! The folder of one server: data, sockets, log and, where needed, a copy of its programs.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::StatVfsMountFlags;

use super::account::Account;

/// Distinguishes the folders of one process.
static COUNTER: AtomicU32 = AtomicU32::new(0);

/// The file system in memory that Linux mounts for shared memory.
const MEMORY: &str = "/dev/shm";
/// Bytes that must be free in it: containers often give it 64 MB only, and a server that finds it
/// full fails in the middle of a test.
const MEMORY_NEEDED: u64 = 6 << 30;

/// The file system of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// For data that benchmarks measure.
    Disk,
    /// Memory where there is enough of it, else the disk: a test makes a database by copying 300
    /// files, which takes a disk longer than the test takes.
    Memory,
}

/// Makes an empty folder that only the account may enter.
///
/// `/tmp` comes before `TMPDIR`: the path of a Unix socket has room for 107 bytes only, and a
/// folder inside a home is closed to other accounts.
pub(super) fn create_folder(account: Option<Account>, storage: Storage) -> io::Result<PathBuf> {
    let memory = Path::new(MEMORY);
    let is_in_memory = storage == Storage::Memory && has_room(memory);
    let memory = is_in_memory.then(|| memory.to_owned());
    let candidates = memory.into_iter().chain([PathBuf::from("/tmp"), std::env::temp_dir()]);
    let mut failure = io::Error::from(io::ErrorKind::NotFound);
    for parent in candidates.filter(|parent| parent.is_dir()) {
        match create_in(&parent, account) {
            Ok(folder) => return Ok(folder),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Creates a folder for servers that run as the current user.
pub(crate) fn create_own_folder() -> io::Result<PathBuf> {
    create_folder(None, Storage::Disk)
}

/// Copies the installation of `bin` into `folder` if the account cannot reach it, as when root has
/// its clone in `/root`; returns the `bin` to use.
pub(super) fn reachable_bin(
    bin: &Path,
    folder: &Path,
    account: Option<Account>,
) -> io::Result<PathBuf> {
    let Some(account) = account else { return Ok(bin.to_owned()) };
    let bin = bin.canonicalize()?;
    if is_reachable(&bin.join("postgres"), account)? {
        return Ok(bin);
    }
    let (Some(installation), Some(name)) = (bin.parent(), bin.file_name()) else {
        return Ok(bin);
    };
    let copy = folder.join("installation");
    copy_tree(installation, &copy, account)?;
    Ok(copy.join(name))
}

/// Containers often forbid to run programs there, and `reachable_bin` may have to copy some to it.
fn has_room(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|system| {
        !system.f_flag.contains(StatVfsMountFlags::NOEXEC)
            && system.f_bavail.saturating_mul(system.f_frsize) >= MEMORY_NEEDED
    })
}

fn create_in(parent: &Path, account: Option<Account>) -> io::Result<PathBuf> {
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("thalweg-{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => {
                give_to(&folder, account)?;
                return Ok(folder);
            }
            // Left by an earlier process of the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn give_to(path: &Path, account: Option<Account>) -> io::Result<()> {
    match account {
        Some(Account { uid, gid }) => std::os::unix::fs::lchown(path, Some(uid), Some(gid)),
        None => Ok(()),
    }
}

/// Whether the account can traverse every folder above, and read and execute the file.
fn is_reachable(file: &Path, account: Account) -> io::Result<bool> {
    if !permits(&fs::metadata(file)?, account, 0o5) {
        return Ok(false);
    }
    for folder in file.ancestors().skip(1) {
        if !permits(&fs::metadata(folder)?, account, 0o1) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn permits(metadata: &Metadata, account: Account, bits: u32) -> bool {
    let shift = if metadata.uid() == account.uid {
        6
    } else if metadata.gid() == account.gid {
        3
    } else {
        0
    };
    (metadata.permissions().mode() >> shift) & bits == bits
}

fn copy_tree(from: &Path, to: &Path, account: Account) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(from)?, to)?;
    } else if metadata.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_tree(&entry.path(), &to.join(entry.file_name()), account)?;
        }
    } else {
        fs::copy(from, to)?;
    }
    give_to(to, Some(account))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: Account = Account { uid: 4_000_000, gid: 4_000_000 };

    #[test]
    fn a_file_below_a_closed_folder_is_not_reachable() {
        let folder = create_folder(None, Storage::Disk).expect("a folder");
        let file = folder.join("postgres");
        fs::write(&file, "").expect("a file");
        fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("permissions");

        fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).expect("permissions");
        let open = is_reachable(&file, ACCOUNT).expect("metadata");
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).expect("permissions");
        let closed = is_reachable(&file, ACCOUNT).expect("metadata");

        fs::remove_dir_all(&folder).expect("removed");
        assert_eq!((open, closed), (true, false));
    }
}
