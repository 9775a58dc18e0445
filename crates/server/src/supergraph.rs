//! Reads a supergraph: from a file, from an address, or of a registry.
//!
//! * `fetches`: requests to other servers, with their state
//! * `address`, `uplink`, `hive`, `s3`: the requests to each kind of server
//! * `signature`: signed requests to S3
//! * `watch`: waits for changes

mod address;
mod fetches;
mod hive;
mod s3;
mod signature;
mod uplink;
mod watch;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::options::SupergraphLocation;
use fetches::{Document, Tag};
pub(crate) use fetches::{FetchCounts, FetchError, Fetches};
pub(crate) use watch::SupergraphWatch;

/// The text of a supergraph.
#[derive(Clone, Debug)]
pub(crate) struct SupergraphText {
    pub(crate) text: String,
    version: Version,
}

/// The version of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    hash: [u8; 32],
    /// The name of the version by the server.
    tag: Option<Tag>,
}

/// The reason why a supergraph cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SupergraphError {
    #[error("cannot read the supergraph {}: {error}", redact::address(&file.to_string_lossy()))]
    File { file: PathBuf, error: io::Error },
    #[error("cannot fetch the supergraph {place}: {error}")]
    Remote { place: String, error: FetchError },
    #[error("the supergraph {0} is not UTF-8; `thalweg serve` serves a database")]
    NotText(String),
}

impl From<SupergraphError> for Failure {
    fn from(error: SupergraphError) -> Self {
        Self::other(error)
    }
}

impl SupergraphText {
    /// Reads the file, or fetches the supergraph of another server. A composition has no text to read.
    pub(crate) async fn read(
        place: &SupergraphLocation,
        fetches: &Fetches,
    ) -> Result<Self, SupergraphError> {
        match place {
            SupergraphLocation::File(file) | SupergraphLocation::Composition(file) => {
                let bytes = fs::read(file);
                let bytes =
                    bytes.map_err(|error| SupergraphError::File { file: file.clone(), error })?;
                Self::new(bytes, None).ok_or_else(|| SupergraphError::NotText(place.to_string()))
            }
            SupergraphLocation::Remote(remote) => {
                if let Some(polled) = fetches.take_polled(remote) {
                    return Ok(polled);
                }
                let failed = |error| SupergraphError::Remote { place: place.to_string(), error };
                let document = fetches.fetch(remote).await.map_err(failed)?;
                Self::fetched(document).ok_or_else(|| SupergraphError::NotText(place.to_string()))
            }
        }
    }

    /// The text of a copy.
    pub(crate) fn read_copy(file: &Path) -> Result<Self, SupergraphError> {
        let wrong = |error| SupergraphError::File { file: file.to_owned(), error };
        Self::new(fs::read(file).map_err(wrong)?, None)
            .ok_or_else(|| SupergraphError::NotText(file.display().to_string()))
    }

    /// Keeps a copy of a good supergraph; without one, the next start needs the address.
    pub(crate) fn keep(&self, file: &Path) {
        let mut part = file.as_os_str().to_owned();
        part.push(".part");
        let written = fs::write(&part, &self.text).and_then(|()| fs::rename(&part, file));
        if let Err(error) = written {
            let file = file.display();
            tracing::warn!(%file, %error, "the copy of the supergraph cannot be written");
        }
    }

    /// The text of a composed supergraph.
    pub(crate) fn composed(text: String) -> Self {
        let hash = hash(text.as_bytes());
        Self { text, version: Version { hash, tag: None } }
    }

    fn fetched(Document { body, tag }: Document) -> Option<Self> {
        Self::new(body.to_vec(), tag)
    }

    fn new(bytes: Vec<u8>, tag: Option<Tag>) -> Option<Self> {
        let hash = hash(&bytes);
        let text = String::from_utf8(bytes).ok()?;
        Some(Self { text, version: Version { hash, tag } })
    }
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

impl std::fmt::Display for SupergraphLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // A mistyped address is parsed as a file name.
            Self::File(file) | Self::Composition(file) => {
                redact::address(&file.to_string_lossy()).fmt(f)
            }
            Self::Remote(remote) => remote.fmt(f),
        }
    }
}
