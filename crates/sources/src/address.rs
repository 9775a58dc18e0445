//! Addresses of sources.

use std::borrow::Cow;
use std::path::PathBuf;

/// The address of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    Sqlite(PathBuf),
    /// A `postgres://` or `postgresql://` address; what it leaves out comes from `PG*` variables.
    Postgres(String),
    /// A `neo4j` or `bolt` address, with `+s` or `+ssc` for TLS.
    Neo4j(String),
}

/// An error of a text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("`{}://` is no known source; {}", .0, known_sources(.0))]
    Scheme(Box<str>),
    #[error("`{0}` is no address; `postgres://…` is one, and `neo4j://…`")]
    Mistyped(Box<str>),
    #[error("the password in `{0}` has an `@`, which is written as `%40` in an address")]
    Password(Box<str>),
    #[error("the source is empty; use a path, `sqlite:…`, `postgres://…` or `neo4j://…`")]
    Empty,
}

/// The sources that may have been meant by an unknown scheme.
fn known_sources(scheme: &str) -> &'static str {
    let scheme = scheme.to_ascii_lowercase();
    let begins = |names: &[&str]| names.iter().any(|name| scheme.starts_with(name));
    if begins(&["pos", "pg", "psql"]) {
        "did you mean `postgres://…`?"
    } else if begins(&["sqlit", "file"]) {
        "the address of a SQLite file is its path, or `sqlite:PATH`"
    } else {
        "use a path, `sqlite:…`, `postgres://…` or `neo4j://…`"
    }
}

/// Schemes of addresses of Neo4j.
/// <https://neo4j.com/docs/operations-manual/current/configuration/connectors/>
const GRAPH_SCHEMES: [&str; 6] = ["neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"];

impl Address {
    /// The address without users and passwords.
    #[must_use]
    pub fn redacted(&self) -> Cow<'_, str> {
        match self {
            Self::Sqlite(path) => path.to_string_lossy(),
            Self::Postgres(url) | Self::Neo4j(url) => redact::address(url),
        }
    }

    /// Whether the source is a graph; the others have tables.
    #[must_use]
    pub fn is_graph(&self) -> bool {
        match self {
            Self::Sqlite(_) | Self::Postgres(_) => false,
            Self::Neo4j(_) => true,
        }
    }

    /// Reads a path, `sqlite:path`, `postgres://…` or `postgresql://…`, `neo4j://…` or `bolt://…`.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let shown = || redact::address(text).into();
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            let (before, _) = text.split_once('?').unwrap_or((text, ""));
            if before.matches('@').count() > 1 {
                return Err(AddressError::Password(shown()));
            }
            return Ok(Self::Postgres(text.into()));
        }
        if let Some(path) = text.strip_prefix("sqlite:") {
            return Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into()));
        }
        match text.split_once("://") {
            Some((scheme, _)) if GRAPH_SCHEMES.contains(&scheme) => Ok(Self::Neo4j(text.into())),
            Some((scheme, _)) if is_word(scheme) => Err(AddressError::Scheme(scheme.into())),
            Some(_) => Err(AddressError::Mistyped(shown())),
            None if is_mistyped(text) => Err(AddressError::Mistyped(shown())),
            None if text.is_empty() => Err(AddressError::Empty),
            None => Ok(Self::Sqlite(text.into())),
        }
    }
}

/// Whether a text may be a scheme, and holds no part of a password.
fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Whether a text that is no address of a server was meant as one: no file is so called.
fn is_mistyped(text: &str) -> bool {
    let begins = ["postgres", "postgresql", "neo4j", "bolt"];
    let rest =
        begins.iter().filter_map(|begin| text.strip_prefix(begin)).min_by_key(|rest| rest.len());
    let is_begun = rest.is_some_and(|rest| rest.starts_with([':', '/', '+']));
    is_begun && (text.contains("//") || text.contains('@') || text.contains(":/"))
}
