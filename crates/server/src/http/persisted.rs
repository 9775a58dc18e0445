//! Documents that clients name instead of sending them.
//!
//! * `document_id`: what names a document
//! * `trusted`: those of a file, from its making to a look-up
//! * `known`: those that were sent once

mod document_id;
mod known;
mod trusted;

use std::sync::Arc;

use graphql::{GraphQLError, Parameters, Request};

pub(super) use self::known::KnownDocuments;
pub(crate) use self::trusted::ManifestError;
pub(super) use self::trusted::TrustedDocuments;

use self::document_id::{DocumentId, Sha256};

/// Which documents are known by ids, and which are executed.
#[derive(Clone, Debug)]
pub(super) struct Persisted {
    /// Those that were sent once, where these are kept.
    pub(super) known: Option<Arc<KnownDocuments>>,
    pub(super) trusted: Option<Arc<TrustedDocuments>>,
    pub(super) only_trusted: bool,
}

/// A request with its document.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) request: Request,
    /// What the document is to be known by, if it is valid.
    pub(super) learn: Option<Sha256>,
}

/// Why a request has no document that may be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// It neither holds nor names one.
    NotNamed(GraphQLError),
    /// Nobody knows it by this id.
    NotFound,
    /// Nothing is known by ids.
    NotSupported,
    /// The id is another document's.
    OtherDocument,
    NotTrusted,
}

impl Persisted {
    /// The request with the document that it holds or names.
    pub(super) fn find(&self, mut parameters: Parameters) -> Result<Found, Missing> {
        let id = parameters.document_id.take().map(DocumentId::new);
        let learn = match (&parameters.query, id) {
            (None, None) => None,
            (Some(text), None) => self.check_trusted(text).map(|()| None)?,
            (None, Some(id)) => {
                let text = self.find_text(&id)?;
                parameters.query = Some(text.as_ref().to_owned());
                None
            }
            (Some(text), Some(id)) => self.check_pair(text, &id)?,
        };
        let request = parameters.into_request().map_err(Missing::NotNamed)?;
        Ok(Found { request, learn })
    }

    /// Keeps a document that has turned out to be valid.
    pub(super) fn learn(&self, hash: Sha256, text: &str) {
        if let Some(known) = &self.known {
            known.keep(hash, text);
        }
    }

    fn find_text(&self, id: &DocumentId) -> Result<Arc<str>, Missing> {
        let trusted = self.trusted.as_ref().and_then(|trusted| trusted.find(id));
        let known =
            || self.known.as_ref().zip(id.hash()).and_then(|(known, hash)| known.find(&hash));
        match trusted.or_else(known) {
            Some(text) => Ok(text),
            None if self.trusted.is_none() && self.known.is_none() => Err(Missing::NotSupported),
            None => Err(Missing::NotFound),
        }
    }

    /// A document and its id: the one must be the other's.
    fn check_pair(&self, text: &str, id: &DocumentId) -> Result<Option<Sha256>, Missing> {
        let named = self.trusted.as_ref().and_then(|trusted| trusted.find(id));
        if named.is_some_and(|named| *named == *text) {
            return Ok(None);
        }
        let hash = id.hash().filter(|hash| *hash == document_id::sha256(text));
        let hash = hash.ok_or(Missing::OtherDocument)?;
        self.check_trusted(text)?;
        Ok(self.known.is_some().then_some(hash))
    }

    /// Whoever sends a trusted document as a whole gets no more by it than by its id.
    fn check_trusted(&self, text: &str) -> Result<(), Missing> {
        let is_trusted = || self.trusted.as_ref().is_some_and(|trusted| trusted.contains(text));
        match self.only_trusted && !is_trusted() {
            true => Err(Missing::NotTrusted),
            false => Ok(()),
        }
    }
}
