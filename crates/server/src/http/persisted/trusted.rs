//! Trusted documents, from a manifest that a build of the clients wrote: Relay's compiler, or
//! `generate-persisted-query-manifest` of Apollo.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Api;
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::document_id::{DocumentId, Sha256, sha256};

/// The `format` of Apollo's manifest.
const APOLLO: &str = "apollo-persisted-query-manifest";

/// The most invalid documents that the log names.
const NAMED: usize = 20;

#[derive(Debug)]
pub(in crate::http) struct TrustedDocuments {
    by_id: HashMap<Box<str>, Arc<str>>,
    by_hash: HashMap<Sha256, Arc<str>>,
    texts: HashSet<Arc<str>>,
}

/// A document of a manifest.
#[derive(Debug)]
pub(crate) struct ManifestDocument {
    pub(crate) id: Box<str>,
    pub(crate) text: Arc<str>,
}

/// A manifest that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the trusted documents in {}: {error}", file.display())]
pub(crate) struct TrustedDocumentsError {
    file: PathBuf,
    error: ManifestError,
}

/// The reason why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
enum ManifestError {
    #[error("it cannot be read: {0}")]
    File(#[from] io::Error),
    #[error("it is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error(
        "an object of ids with their documents is wanted, as Relay's compiler writes it, or \
         Apollo's format \"apollo-persisted-query-manifest\""
    )]
    Form,
    #[error("version 1 of Apollo's format is wanted")]
    Version,
    #[error("the document `{0}` is not a string")]
    Document(String),
    #[error("operation {0} has no string `id` or no string `body`")]
    Operation(usize),
    #[error("two documents have the id `{0}`")]
    Twice(String),
}

/// Reads the documents of a manifest, sorted by id.
pub(crate) fn read_manifest(file: &Path) -> Result<Vec<ManifestDocument>, TrustedDocumentsError> {
    let documents = TrustedDocuments::read(file)?.by_id.into_iter();
    let mut documents: Vec<_> = documents.map(|(id, text)| ManifestDocument { id, text }).collect();
    documents.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    Ok(documents)
}

impl TrustedDocuments {
    pub(in crate::http) fn read(file: &Path) -> Result<Self, TrustedDocumentsError> {
        let read = fs::read(file).map_err(ManifestError::from);
        let documents = read.and_then(|bytes| Self::parse(&bytes));
        documents.map_err(|error| TrustedDocumentsError { file: file.to_owned(), error })
    }

    fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let Json::Object(manifest) = serde_json::from_slice(bytes)? else {
            return Err(ManifestError::Form);
        };
        let mut documents =
            Self { by_id: HashMap::new(), by_hash: HashMap::new(), texts: HashSet::new() };
        match manifest.get("format").and_then(Json::as_str) {
            Some(APOLLO) => documents.add_operations(&manifest)?,
            Some(_) | None => {
                for (id, text) in &manifest {
                    let id = id.as_str();
                    let text = text.as_str();
                    let text = text.ok_or_else(|| ManifestError::Document(id.to_owned()))?;
                    documents.add(id, text)?;
                }
            }
        }
        Ok(documents)
    }

    fn add_operations(&mut self, manifest: &Map<ByteString, Json>) -> Result<(), ManifestError> {
        if manifest.get("version").and_then(Json::as_u64) != Some(1) {
            return Err(ManifestError::Version);
        }
        let Some(Json::Array(operations)) = manifest.get("operations") else {
            return Err(ManifestError::Form);
        };
        for (idx, operation) in operations.iter().enumerate() {
            let text = |name| operation.get(name).and_then(Json::as_str);
            let (Some(id), Some(body)) = (text("id"), text("body")) else {
                return Err(ManifestError::Operation(idx));
            };
            self.add(id, body)?;
        }
        Ok(())
    }

    fn add(&mut self, id: &str, text: &str) -> Result<(), ManifestError> {
        let text: Arc<str> = text.into();
        let same = self.by_id.insert(id.into(), Arc::clone(&text));
        if same.is_some_and(|same| same != text) {
            return Err(ManifestError::Twice(id.to_owned()));
        }
        self.by_hash.insert(sha256(&text), Arc::clone(&text));
        self.texts.insert(text);
        Ok(())
    }

    pub(super) fn find(&self, id: &DocumentId) -> Option<Arc<str>> {
        let by_hash = || id.hash().and_then(|hash| self.by_hash.get(&hash));
        self.by_id.get(id.text.as_str()).or_else(by_hash).cloned()
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// Logs the documents that do not fit the API. They may belong to older clients, so the others are
    /// served all the same.
    pub(in crate::http) fn check(&self, api: &Api) {
        let mut ids: Vec<&Box<str>> = self.by_id.keys().collect();
        ids.sort_unstable();
        let mut invalid = 0;
        for id in ids {
            let Some(Err(errors)) = self.by_id.get(id).map(|text| api.check_document(text)) else {
                continue;
            };
            invalid += 1;
            if invalid <= NAMED {
                let error = errors.first().map(|error| error.message.as_str());
                tracing::warn!(id = &**id, error, "a trusted document does not fit the schema");
            }
        }
        let documents = self.texts.len();
        match invalid {
            0 => tracing::info!(documents, "all trusted documents fit the schema"),
            _ => tracing::warn!(documents, invalid, "some trusted documents do not fit the schema"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TrustedDocuments, String> {
        TrustedDocuments::parse(text.as_bytes()).map_err(|error| error.to_string())
    }

    fn find(documents: &TrustedDocuments, id: &str) -> Option<String> {
        documents.find(&DocumentId::new(id.to_owned())).map(|text| text.as_ref().to_owned())
    }

    #[test]
    fn relays_and_apollos_files_are_read() {
        let relay = parse(r#"{"a1":"{ a }","format":"{ b }"}"#).unwrap();
        assert_eq!(find(&relay, "a1").as_deref(), Some("{ a }"));
        assert_eq!(find(&relay, "format").as_deref(), Some("{ b }"));
        let apollo = r#"{"format":"apollo-persisted-query-manifest","version":1,"operations":[
            {"id":"x","name":"A","type":"query","body":"query A { a }"}]}"#;
        let apollo = parse(apollo).unwrap();
        assert_eq!(find(&apollo, "x").as_deref(), Some("query A { a }"));
        assert!(apollo.contains("query A { a }"));
        assert!(!apollo.contains("query A { a } "));
        // The hash of the text is an id, too.
        let digits: String =
            sha256("query A { a }").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(find(&apollo, &digits).as_deref(), Some("query A { a }"));
        assert_eq!(find(&apollo, &format!("sha256:{digits}")).as_deref(), Some("query A { a }"));
    }

    #[test]
    fn other_files_are_refused() {
        for (text, message) in [
            ("", "it is not JSON: EOF while parsing a value at line 1 column 0"),
            ("[]", "an object of ids"),
            (r#"{"a":7}"#, "the document `a` is not a string"),
            (r#"{"format":"apollo-persisted-query-manifest","version":2}"#, "version 1"),
            (r#"{"format":"apollo-persisted-query-manifest","version":1}"#, "an object of ids"),
            (
                r#"{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"x"}]}"#,
                "operation 0 has no string `id` or no string `body`",
            ),
            (
                r#"{"format":"apollo-persisted-query-manifest","version":1,"operations":[
                    {"id":"x","body":"{ a }"},{"id":"x","body":"{ b }"}]}"#,
                "two documents have the id `x`",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
