//! TLS: handshakes, and certificates that may change while the server runs.
//!
//! * `load`: certificates and keys from files
//! * `handshake`: the handshake

mod handshake;
mod load;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustls::ServerConfig;

pub(super) use self::handshake::{HandshakeError, accept_tls};
pub(super) use self::load::HTTP_2;
pub(crate) use self::load::TlsError;
use self::load::load;
use crate::options::TlsFiles;

/// The certificates of new connections, reloaded when their files change.
#[derive(Debug)]
pub(crate) struct Tls {
    files: TlsFiles,
    /// Whether clients may choose HTTP/2.
    has_http2: bool,
    newest: RwLock<Arc<ServerConfig>>,
    /// Stamps of the files when they were read last.
    seen: Mutex<Vec<Option<Stamp>>>,
}

/// Detects a change of a file: its inode, size and times.
type Stamp = (u64, u64, (i64, i64), (i64, i64));

impl Tls {
    pub(crate) fn open(files: TlsFiles, has_http2: bool) -> Result<Self, TlsError> {
        // Stamps come first: a change after them is noticed in any case.
        let seen = stamps(&files);
        let newest = RwLock::new(Arc::new(load(&files, has_http2)?));
        Ok(Self { files, has_http2, newest, seen: Mutex::new(seen) })
    }

    /// The configuration for a new connection.
    pub(super) fn newest(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.newest.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the files again. Keeps the current certificate if they cannot be used.
    fn reload(&self) {
        match load(&self.files, self.has_http2) {
            Ok(newest) => {
                *self.newest.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(newest);
                tracing::info!("new connections get the certificate that has come");
            }
            Err(error) => {
                tracing::warn!(%error, "the certificate stays as it was");
            }
        }
    }

    /// Reads the files again if they have changed.
    pub(super) fn reload_if_changed(&self) {
        let stamps = stamps(&self.files);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen != stamps {
            *seen = stamps;
            drop(seen);
            self.reload();
        }
    }
}

fn stamps(files: &TlsFiles) -> Vec<Option<Stamp>> {
    let TlsFiles { certificate, key, client_authorities } = files;
    let paths = [Some(certificate), Some(key), client_authorities.as_ref()];
    paths.into_iter().flatten().map(|path| stamp(path)).collect()
}

/// The stamp of a file; none if it does not exist.
fn stamp(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    let modified = (found.mtime(), found.mtime_nsec());
    Some((found.ino(), found.size(), modified, (found.ctime(), found.ctime_nsec())))
}
