//! TLS: its certificates, which may change while the server runs, and its handshake.
//!
//! * `load`: what the files hold, or why it cannot be used
//! * `handshake`: from a connection to an encrypted one

mod handshake;
mod load;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;
use tokio::sync::watch;
use tokio::time::sleep;

pub(super) use self::handshake::{HandshakeError, agree};
pub(crate) use self::load::TlsError;
use self::load::load;
use super::service::Generation;
use crate::options::TlsFiles;

/// How often the files are looked at.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// The certificates that new connections get.
#[derive(Debug)]
pub(crate) struct Tls {
    files: TlsFiles,
    newest: RwLock<Arc<ServerConfig>>,
    /// What the files were when they were read last.
    seen: Mutex<Vec<Option<Stamp>>>,
}

/// What differs when a file has been written or replaced: its place, its size, its times.
type Stamp = (u64, u64, (i64, i64), (i64, i64));

impl Tls {
    pub(crate) fn open(files: TlsFiles) -> Result<Self, TlsError> {
        // What changes after this is noticed, if it is not read already.
        let seen = stamps(&files);
        let newest = load(&files)?;
        Ok(Self { files, newest: RwLock::new(Arc::new(newest)), seen: Mutex::new(seen) })
    }

    /// For a connection that begins now.
    pub(super) fn newest(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.newest.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the files again. What cannot be used does not take the place of what is.
    fn reload(&self) {
        match load(&self.files) {
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
    fn look(&self) {
        let stamps = stamps(&self.files);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen != stamps {
            *seen = stamps;
            drop(seen);
            self.reload();
        }
    }
}

/// Looks after the files of the newest generation.
pub(super) async fn follow(generations: watch::Receiver<Generation>) {
    loop {
        sleep(LOOK_INTERVAL).await;
        let tls = generations.borrow().settings.tls.clone();
        if let Some(tls) = tls {
            tls.look();
        }
    }
}

fn stamps(files: &TlsFiles) -> Vec<Option<Stamp>> {
    let TlsFiles { certificate, key, client_authorities } = files;
    let paths = [Some(certificate), Some(key), client_authorities.as_ref()];
    paths.into_iter().flatten().map(|path| stamp(path)).collect()
}

/// None for a file that is not there.
fn stamp(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    let modified = (found.mtime(), found.mtime_nsec());
    Some((found.ino(), found.size(), modified, (found.ctime(), found.ctime_nsec())))
}
