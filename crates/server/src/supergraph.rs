//! Reads a supergraph, from a file or an address.
//!
//! * `watch`: waits for changes

mod watch;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clients::GetError;
use clients::http::{Client, DownloadLimits};
use hyper::header::HeaderValue;
use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::options::{SupergraphLocation, SupergraphUrl};
pub(crate) use watch::SupergraphWatch;

/// Many times the size of the largest known supergraphs.
const BOUNDS: DownloadLimits =
    DownloadLimits { time_limit: Duration::from_secs(30), most_bytes: 64 << 20 };

/// The text of a supergraph.
#[derive(Debug)]
pub(crate) struct SupergraphText {
    pub(crate) text: String,
    version: Version,
}

/// The version of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    hash: [u8; 32],
    /// The entity tag of the server.
    etag: Option<HeaderValue>,
}

/// The reason why a supergraph cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SupergraphError {
    #[error("cannot read the supergraph {}: {error}", redact::address(&file.to_string_lossy()))]
    File { file: PathBuf, error: io::Error },
    #[error("cannot fetch the supergraph {url}: {error}")]
    Url { url: Box<str>, error: GetError },
    #[error("the supergraph {0} is not UTF-8")]
    NotText(String),
}

impl From<SupergraphError> for Failure {
    fn from(error: SupergraphError) -> Self {
        Self::other(error)
    }
}

impl SupergraphText {
    /// Reads the file or fetches the address. A composition has no text to read.
    pub(crate) async fn read(place: &SupergraphLocation) -> Result<Self, SupergraphError> {
        match place {
            SupergraphLocation::File(file) | SupergraphLocation::Composition(file) => {
                let bytes = fs::read(file);
                let bytes =
                    bytes.map_err(|error| SupergraphError::File { file: file.clone(), error })?;
                Self::new(bytes, None).ok_or_else(|| SupergraphError::NotText(place.to_string()))
            }
            SupergraphLocation::Url(address) => {
                let failed = |error| SupergraphError::Url {
                    url: redact::address(&address.url.to_string()).into(),
                    error,
                };
                let fetched = fetch(address, None).await.map_err(failed)?;
                let (body, etag) = fetched.unwrap_or_default();
                Self::new(body, etag).ok_or_else(|| SupergraphError::NotText(place.to_string()))
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
        Self { text, version: Version { hash, etag: None } }
    }

    fn new(bytes: Vec<u8>, etag: Option<HeaderValue>) -> Option<Self> {
        let hash = hash(&bytes);
        let text = String::from_utf8(bytes).ok()?;
        Some(Self { text, version: Version { hash, etag } })
    }
}

/// Fetches the document with its entity tag; none if it still has the known tag.
async fn fetch(
    SupergraphUrl { url, headers, .. }: &SupergraphUrl,
    known: Option<&HeaderValue>,
) -> Result<Option<(Vec<u8>, Option<HeaderValue>)>, GetError> {
    let fetched = Client::new(url)?.get_if_changed(url, headers, known, BOUNDS).await?;
    Ok(fetched.map(|fetched| (fetched.body.to_vec(), fetched.etag)))
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
            Self::Url(place) => redact::address(&place.url.to_string()).fmt(f),
        }
    }
}
