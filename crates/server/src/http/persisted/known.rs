//! Automatic persisted queries (APQ): a cache of documents by their hashes:
//! <https://www.apollographql.com/docs/apollo-server/performance/apq>.
//!
//! Only valid documents are cached. Eviction begins with those that were used once: a client that
//! sends many documents cannot evict those that others use.

use std::sync::Arc;

use engine::cache;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::document_id::Sha256;

/// Approximate bytes of an entry besides its text.
const ENTRY: u64 = 128;

/// Average size of a document, for the initial capacity.
const USUAL_DOCUMENT: u64 = 1024;

/// The most shards of the cache, each with a lock and an equal share of the bytes. Their number does
/// not depend on the processors: a document larger than a shard could never be cached.
const SHARDS: u64 = 8;

/// The smallest size of a shard.
const LEAST_SHARE: u64 = 1 << 20;

#[derive(Debug)]
pub(in super::super) struct KnownDocuments {
    documents: Cache<Sha256, Arc<str>, Weight>,
    most_bytes: u64,
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Sha256, Arc<str>> for Weight {
    fn weight(&self, _: &Sha256, text: &Arc<str>) -> u64 {
        text.len() as u64 + ENTRY
    }
}

impl KnownDocuments {
    pub(in super::super) fn new(most_bytes: u64) -> Self {
        let documents = usize::try_from(most_bytes / USUAL_DOCUMENT).unwrap_or(usize::MAX);
        let shards = (most_bytes / LEAST_SHARE).clamp(1, SHARDS);
        let documents = cache::bounded(most_bytes, documents.min(1 << 16), shards, Weight);
        Self { documents, most_bytes }
    }

    /// Approximate bytes of the documents.
    #[cfg(test)]
    pub(in super::super) fn bytes(&self) -> u64 {
        self.documents.weight()
    }

    /// Whether both have the same capacity.
    pub(in super::super) fn has_size_of(&self, other: &Self) -> bool {
        self.most_bytes == other.most_bytes
    }

    pub(super) fn find(&self, hash: &Sha256) -> Option<Arc<str>> {
        self.documents.get(hash)
    }

    pub(super) fn keep(&self, hash: Sha256, text: &str) {
        // A known document keeps its place in the order of eviction.
        if self.documents.peek(&hash).is_none() {
            self.documents.insert(hash, text.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::document_id::sha256;
    use super::*;

    #[test]
    fn many_documents_push_out_none_that_is_used_and_take_no_more_memory() {
        let known = KnownDocuments::new(256 << 10);
        let used: Vec<String> = (0..20).map(|idx| format!("{{ used{idx} }}")).collect();
        let ask = || used.iter().filter(|text| known.find(&sha256(text)).is_some()).count();
        for text in &used {
            known.keep(sha256(text), text);
        }
        for _ in 0..3 {
            assert_eq!(ask(), used.len());
        }
        for idx in 0..20_000 {
            let text = format!("{{ filler{idx} }}{}", " ".repeat(500));
            known.keep(sha256(&text), &text);
            if idx % 500 == 0 {
                ask();
            }
        }
        assert_eq!(ask(), used.len());
        assert!(known.bytes() <= 256 << 10);
    }

    #[test]
    fn a_large_document_is_kept_on_any_machine() {
        for most in [128 << 10, 1 << 20, 16 << 20, 1 << 30] {
            let known = KnownDocuments::new(most);
            let text = "x".repeat(100 << 10);
            known.keep(sha256(&text), &text);
            assert!(known.find(&sha256(&text)).is_some(), "{most}");
        }
    }
}
