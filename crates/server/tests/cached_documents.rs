//! The cache of documents that clients name by a hash takes what it says, and keeps to its bound.

#[allow(dead_code, unreachable_pub, reason = "the server uses the rest of it")]
#[path = "../src/http"]
mod http {
    pub mod persisted {
        mod document_id;
        mod known;

        /// The bytes that the cache says, and those that are taken, for so many documents of a length,
        /// after as many before them.
        pub fn sizes(most: u64, documents: usize, length: usize) -> (u64, isize) {
            let known = known::KnownDocuments::new(most);
            let keep = |number: usize| {
                let text = format!("{{ f{number:06} }}{}", " ".repeat(length));
                known.keep(document_id::sha256(&text), &text);
            };
            (0..documents).for_each(keep);
            let (held, said) = (testkit::allocation::held(), known.bytes());
            (documents..2 * documents).for_each(keep);
            (known.bytes() - said, testkit::allocation::held() - held)
        }

        /// The bytes of a cache into which too many documents were put.
        pub fn full(most: u64, length: usize) -> (u64, isize) {
            let held = testkit::allocation::held();
            let known = known::KnownDocuments::new(most);
            for number in 0..2 * most as usize / length {
                let text = format!("{{ f{number:06} }}{}", " ".repeat(length));
                known.keep(document_id::sha256(&text), &text);
            }
            (known.bytes(), testkit::allocation::held() - held)
        }
    }
}

use self::http::persisted::{full, sizes};

#[test]
fn a_document_takes_what_the_cache_says() {
    for length in [100, 1_000, 10_000, 100_000] {
        let (said, taken) = sizes(64 << 20, 64, length);
        let ratio = said as f64 / taken as f64;
        assert!((0.8..=1.2).contains(&ratio), "{length}: {said} bytes are said, {taken} taken");
    }
}

#[test]
fn the_cache_keeps_to_its_bound_whatever_documents_come() {
    const MOST: u64 = 4 << 20;
    for length in [40, 1_000, 100_000] {
        let (said, taken) = full(MOST, length);
        assert!(said <= MOST && taken < MOST as isize * 6 / 5, "{length}: {said}, {taken}");
    }
}
