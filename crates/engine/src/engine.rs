//! One API over one source.

use std::path::PathBuf;
use std::sync::Arc;

use catalog::{Catalog, Note};
use dialects::Dialect;

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceAddress {
    Sqlite(PathBuf),
    /// A `postgres://` or `postgresql://` address; what it leaves out comes from `PG*` variables.
    Postgres(String),
}

#[derive(Clone, Debug)]
pub struct Options {
    pub dialect: Dialect,
    /// The namespaces to serve; ignored by sources without them.
    pub namespaces: Vec<String>,
    /// The most connections to the source in one thread.
    pub connections: usize,
}

/// One API over one source, shared by all threads.
#[derive(Debug)]
pub struct Engine {
    catalog: Catalog,
}

/// Why a source cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Not a path or address that names a source.
    #[error("{0}")]
    Address(String),
}

impl SourceAddress {
    /// Reads a path, `sqlite:path`, `postgres://…` or `postgresql://…`.
    pub fn parse(text: &str) -> Result<Self, OpenError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.into()));
        }
        if let Some(path) = text.strip_prefix("sqlite:") {
            return Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into()));
        }
        match text.split_once("://") {
            Some((scheme, _)) => Err(OpenError::Address(format!(
                "`{scheme}://` is no known source; use a path, `sqlite:…` or `postgres://…`"
            ))),
            None if text.is_empty() => {
                Err(OpenError::Address("the source is empty; use a path or an address".into()))
            }
            None => Ok(Self::Sqlite(text.into())),
        }
    }
}

impl Engine {
    /// Reads the source's catalog and makes its API.
    pub async fn open(address: &SourceAddress, options: &Options) -> Result<Arc<Self>, OpenError> {
        let _ = (address, options);
        Ok(Arc::new(Self { catalog: Catalog::default() }))
    }

    /// The schema of the API as SDL.
    #[must_use]
    pub fn sdl(&self) -> String {
        String::new()
    }

    /// What the catalog and the API could not represent, and what to do about it.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.catalog.notes().iter()
    }
}
