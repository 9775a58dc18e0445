//! A socket at a path, shared by the threads.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Type};

use super::{BACKLOG, Bound, Listeners, Socket};
use crate::options::Mode;

/// The file of a socket of this process, removed at shutdown.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    /// Device and inode: another server may have replaced the file.
    identity: (u64, u64),
}

/// Whether the path is free; false if a file that is not a socket is there.
///
/// A socket that refuses connections was left behind by a process that could not remove it.
pub(super) fn is_free(path: &Path) -> io::Result<bool> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        found => found?,
    };
    if !found.file_type().is_socket() {
        return Ok(false);
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            tracing::info!(path = %path.display(), "a socket that nobody listens at is replaced");
            fs::remove_file(path)?;
            Ok(true)
        }
        // Usually another user's socket.
        Err(error) => Err(error),
    }
}

pub(super) fn bind(listeners: &mut Listeners, path: &Path, mode: Option<Mode>) -> io::Result<()> {
    let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SockAddr::unix(path)?)?;
    let identity = identity(path)?;
    listeners.files.push(SocketFile { path: path.to_owned(), identity });
    // No client can connect before the mode is set: only `listen` opens the socket.
    if let Some(Mode(mode)) = mode {
        fs::set_permissions(path, Permissions::from_mode(mode))?;
    }
    socket.listen(BACKLOG)?;
    let socket: UnixListener = socket.into();
    for thread in &mut listeners.threads {
        thread.push(Socket::Unix(socket.try_clone()?));
    }
    listeners.places.push(Bound::Unix(path.to_owned()));
    Ok(())
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let Ok(identity) = identity(&self.path) else { return };
        if identity == self.identity
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "the socket file was not removed");
        }
    }
}
