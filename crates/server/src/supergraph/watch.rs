//! Waits for a change of a supergraph, of a file that is read with it, or of a schema that is composed
//! into it.
//!
//! Files are compared by content once their metadata differs: so any way of writing them works, and
//! touching a file is not a change.

use std::fs;
use std::future::pending;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tokio::time::sleep;

use super::{Document, Fetches, SupergraphText, Version, hash};
use crate::composition::{CompositionSource, Inputs};
use crate::configuration::redacted;
use crate::jitter::random_part;
use crate::options::{RemoteSupergraph, SupergraphLocation};

/// The polling interval of files.
const FILE_PAUSE: Duration = Duration::from_secs(1);

/// The longest pause after failed polls, if the interval is shorter.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// A file that was modified more recently may still be written.
const SETTLED: Duration = Duration::from_millis(100);

/// The watched files and the polled server.
#[derive(Debug, Default)]
pub(crate) struct SupergraphWatch {
    files: Vec<File>,
    remote: Option<Remote>,
    composition: Option<Composition>,
}

/// A file of subgraphs whose schemas are read again at an interval.
#[derive(Debug)]
struct Composition {
    source: CompositionSource,
    pause: Duration,
    /// Whether changes of files are reported anyhow.
    are_files_watched: bool,
    /// The hash of all schemas, or of those without a file; none if they could not be read.
    hash: Option<[u8; 32]>,
    /// The last error that was logged.
    error: Option<String>,
}

/// A file with the hash of its content.
#[derive(Debug)]
struct File {
    path: PathBuf,
    /// The metadata at the last read.
    seen: Option<Seen>,
    /// Consecutive checks in which the file did not exist.
    misses: u32,
    hash: [u8; 32],
}

/// Metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    length: u64,
    changed: Option<SystemTime>,
}

/// A polled server with its last version.
#[derive(Debug)]
struct Remote {
    place: RemoteSupergraph,
    fetches: Arc<Fetches>,
    pause: Duration,
    version: Version,
    /// Failed polls since the last one that succeeded.
    failures: u32,
    /// The last error that was logged.
    error: Option<String>,
}

impl SupergraphWatch {
    /// Watches the supergraph that was read: a file, or another server if it has a polling interval.
    pub(crate) fn follow(
        &mut self,
        place: &SupergraphLocation,
        fetches: &Arc<Fetches>,
        read: &SupergraphText,
        pause: Option<Duration>,
    ) {
        let version = read.version.clone();
        match (place, pause) {
            (SupergraphLocation::File(path), _) => self.files.push(File::new(path, version.hash)),
            (SupergraphLocation::Remote(place), Some(pause)) => {
                let (place, fetches) = (place.clone(), Arc::clone(fetches));
                self.remote =
                    Some(Remote { place, fetches, pause, version, failures: 0, error: None });
            }
            // The files of a composition are followed one by one.
            (SupergraphLocation::Remote(_), None) | (SupergraphLocation::Composition(_), _) => {}
        }
    }

    /// Watches the files of a composition and of its schemas, if wanted; with an interval, reads all
    /// schemas again, also those without a file.
    pub(crate) fn follow_composition(
        &mut self,
        source: CompositionSource,
        inputs: Option<&Inputs>,
        are_files_watched: bool,
        pause: Option<Duration>,
    ) {
        if are_files_watched {
            for (file, text) in source.files(inputs) {
                self.follow_file(&file, text.unwrap_or_default());
            }
        }
        let hash = inputs.map(|inputs| hash_of(inputs, are_files_watched));
        self.composition =
            pause.map(|pause| Composition { source, pause, are_files_watched, hash, error: None });
    }

    /// Whether nothing is watched.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.remote.is_none() && self.composition.is_none()
    }

    /// Watches a further file.
    pub(crate) fn follow_file(&mut self, path: &Path, text: &str) {
        self.files.push(File::new(path, hash(text.as_bytes())));
    }

    /// Waits for a change; for ever if nothing is watched.
    pub(crate) async fn changed(&mut self) {
        tokio::select! {
            () = files_changed(&mut self.files) => {}
            () = remote_changed(&mut self.remote) => {}
            () = composition_changed(&mut self.composition) => {}
        }
    }
}

async fn files_changed(files: &mut [File]) {
    if files.is_empty() {
        return pending().await;
    }
    loop {
        sleep(FILE_PAUSE).await;
        let mut is_changed = false;
        for file in &mut *files {
            is_changed |= file.has_changed();
        }
        if is_changed {
            return;
        }
    }
}

impl File {
    /// A change since the file was read is found by the first check.
    fn new(path: &Path, hash: [u8; 32]) -> Self {
        Self { path: path.to_owned(), seen: None, misses: 0, hash }
    }

    /// Whether the content has changed since the last check.
    fn has_changed(&mut self) -> bool {
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.miss(&error);
                return false;
            }
        };
        self.misses = 0;
        let seen = Seen { length: metadata.len(), changed: metadata.modified().ok() };
        let age = seen.changed.and_then(|changed| changed.elapsed().ok());
        if self.seen == Some(seen) || age.is_some_and(|age| age < SETTLED) {
            return false;
        }
        let Ok(content) = fs::read(&self.path) else { return false };
        self.seen = Some(seen);
        let before = std::mem::replace(&mut self.hash, hash(&content));
        before != self.hash
    }

    /// Logs a missing file at the second check: it may be in the middle of a replacement.
    fn miss(&mut self, error: &io::Error) {
        self.misses = self.misses.saturating_add(1);
        if self.misses == 2 {
            let file = self.path.display();
            tracing::warn!(%file, %error, "a file that is watched cannot be read; it is as it was");
        }
    }
}

async fn remote_changed(remote: &mut Option<Remote>) {
    let Some(remote) = remote else { return pending().await };
    loop {
        sleep(remote.next_pause()).await;
        if remote.has_changed().await {
            return;
        }
    }
}

async fn composition_changed(composition: &mut Option<Composition>) {
    let Some(composition) = composition else { return pending().await };
    loop {
        sleep(composition.pause).await;
        if composition.has_changed().await {
            return;
        }
    }
}

impl Composition {
    async fn has_changed(&mut self) -> bool {
        match self.source.load().await {
            Ok(inputs) => {
                self.error = None;
                let hash = Some(hash_of(&inputs, self.are_files_watched));
                std::mem::replace(&mut self.hash, hash) != hash
            }
            Err(error) => {
                let error = error.to_string();
                if self.error.as_ref() != Some(&error) {
                    let error = redacted(&error);
                    tracing::warn!(%error, "schemas cannot be read; the supergraph is as it was");
                }
                self.error = Some(error);
                false
            }
        }
    }
}

fn hash_of(inputs: &Inputs, without_files: bool) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for schema in inputs.schemas(without_files) {
        for text in [&schema.name, &schema.url, &schema.sdl] {
            hasher.update(text.len().to_be_bytes());
            hasher.update(text.as_bytes());
        }
    }
    hasher.finalize().into()
}

impl Remote {
    /// The pause before the next poll: after failures twice as long as before. A random part is added, so
    /// that servers which started together do not poll together.
    fn next_pause(&self) -> Duration {
        let pause = back_off(self.pause, self.failures);
        pause + random_part(pause / 10)
    }

    async fn has_changed(&mut self) -> bool {
        match self.fetches.fetch_if_changed(&self.place, self.version.tag.as_ref()).await {
            Ok(document) => {
                if self.failures > 0 {
                    let (supergraph, polls) = (self.place.to_string(), self.failures);
                    tracing::info!(supergraph, polls, "the supergraph can be fetched again");
                }
                self.failures = 0;
                self.error = None;
                document.is_some_and(|document| self.is_new(document))
            }
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                let error = error.to_string();
                if self.error.as_ref() != Some(&error) {
                    let supergraph = self.place.to_string();
                    tracing::warn!(
                        supergraph,
                        error,
                        "the supergraph cannot be fetched; it is as it was"
                    );
                    self.error = Some(error);
                }
                false
            }
        }
    }

    /// Compares a document with the last one, and keeps it for the reload if it differs.
    fn is_new(&mut self, document: Document) -> bool {
        let version = Version { hash: hash(&document.body), tag: document.tag.clone() };
        let before = std::mem::replace(&mut self.version, version);
        if before.hash == self.version.hash {
            return false;
        }
        let tag = document.tag.as_ref().map(ToString::to_string);
        let supergraph = self.place.to_string();
        tracing::info!(supergraph, version = tag, "there is a new supergraph");
        // A document that is no text is fetched again by the reload, which reports it.
        if let Some(text) = SupergraphText::fetched(document) {
            self.fetches.keep_polled(self.place.clone(), text);
        }
        true
    }
}

/// The pause after so many failures.
fn back_off(pause: Duration, failures: u32) -> Duration {
    let longest = pause.max(LONGEST_PAUSE);
    pause.saturating_mul(1 << failures.min(20)).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary file, removed when dropped.
    struct Kept(PathBuf);

    impl Drop for Kept {
        fn drop(&mut self) {
            drop(fs::remove_file(&self.0));
        }
    }

    fn write(kept: &Kept, content: &str, age: Duration) {
        fs::write(&kept.0, content).unwrap();
        let file = fs::File::options().write(true).open(&kept.0).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_file_is_compared_by_its_content() {
        let name = format!("thalweg-watch-{}.graphql", std::process::id());
        let kept = Kept(std::env::temp_dir().join(name));
        write(&kept, "one", seconds(9));
        let mut file = File::new(&kept.0, hash(b"one"));
        assert!(!file.has_changed(), "it is as it was read");
        write(&kept, "one", seconds(8));
        assert!(!file.has_changed(), "it was only touched");
        write(&kept, "two", seconds(7));
        assert!(file.has_changed());
        assert!(!file.has_changed(), "a change is seen once");
        write(&kept, "six", Duration::ZERO);
        assert!(!file.has_changed(), "it may still be written");
        write(&kept, "six", seconds(1));
        assert!(file.has_changed());
        fs::remove_file(&kept.0).unwrap();
        assert!(!file.has_changed(), "there will be another one");
        write(&kept, "one", seconds(9));
        assert!(file.has_changed());
    }

    #[test]
    fn failed_polls_are_followed_by_longer_pauses() {
        let check = |pause: u64, expected: [u64; 4]| {
            let pauses = [0, 1, 3, 1_000].map(|failures| back_off(seconds(pause), failures));
            assert_eq!(pauses.map(|pause| pause.as_secs()), expected);
        };
        check(10, [10, 20, 80, 300]);
        check(600, [600, 600, 600, 600]);
    }

    #[test]
    fn a_change_since_the_file_was_read_is_found() {
        let name = format!("thalweg-watch-since-{}.graphql", std::process::id());
        let kept = Kept(std::env::temp_dir().join(name));
        write(&kept, "two", seconds(9));
        assert!(File::new(&kept.0, hash(b"one")).has_changed());
    }
}
