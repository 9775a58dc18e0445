//! Persisted documents: clients send an id instead of the document.
//!
//! * `document_id`: ids of documents
//! * `trusted`: trusted documents, from a manifest file
//! * `known`: automatic persisted queries (APQ), by the hashes of documents that were sent once

mod document_id;
mod known;
mod trusted;

use std::sync::Arc;

use graphql::{GraphQLError, Parameters, Request};

pub(super) use self::known::KnownDocuments;
pub(super) use self::trusted::TrustedDocuments;
pub(crate) use self::trusted::read_manifest;

use self::document_id::{DocumentId, Sha256};
use super::rate_limits::Counted;

/// Documents that can be named by id, and the restriction to trusted ones.
#[derive(Clone, Debug)]
pub(super) struct Persisted {
    /// Cache of automatic persisted queries, if enabled.
    pub(super) known: Option<Arc<KnownDocuments>>,
    pub(super) trusted: Option<Arc<TrustedDocuments>>,
    pub(super) only_trusted: bool,
}

/// A request with its document.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) request: Request,
    /// The hash to cache the document by, if it is valid.
    pub(super) learn: Option<Sha256>,
    /// The rate limits that counted it.
    pub(super) counted: Vec<Counted>,
}

/// The reason why a request has no document that may be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// The request has neither a document nor an id.
    NotNamed(GraphQLError),
    /// The id is unknown.
    NotFound,
    /// Persisted documents are disabled.
    NotSupported,
    /// The document has another hash than the id.
    OtherDocument,
    NotTrusted,
}

impl Persisted {
    /// Resolves the document that the request contains or names.
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
        Ok(Found { request, learn, counted: Vec::new() })
    }

    /// Caches a valid document.
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

    /// Checks that the id is the id of the document.
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

    /// Refuses a document that is not trusted, if only trusted ones are allowed. One that is sent in
    /// full is allowed as if by its id.
    fn check_trusted(&self, text: &str) -> Result<(), Missing> {
        let is_trusted = || self.trusted.as_ref().is_some_and(|trusted| trusted.contains(text));
        match self.only_trusted && !is_trusted() {
            true => Err(Missing::NotTrusted),
            false => Ok(()),
        }
    }
}
