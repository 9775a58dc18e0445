//! Ids of documents.

use sha2::Digest;

pub(in super::super) type Sha256 = [u8; 32];

/// The prefix of hashes in the draft specification.
const PREFIX: &str = "sha256:";

/// A document id from a client: a hash of the document, with or without the prefix, or an id of the
/// manifest of trusted documents.
#[derive(Debug)]
pub(super) struct DocumentId {
    pub(super) text: String,
}

impl DocumentId {
    pub(super) fn new(text: String) -> Self {
        Self { text }
    }

    /// The hash, if the id is one.
    pub(super) fn hash(&self) -> Option<Sha256> {
        let digits = self.text.strip_prefix(PREFIX).unwrap_or(&self.text).as_bytes();
        let mut hash = Sha256::default();
        if digits.len() != 2 * hash.len() {
            return None;
        }
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            for digit in pair {
                let value = char::from(*digit).to_digit(16)?;
                *byte = *byte << 4 | u8::try_from(value).ok()?;
            }
        }
        Some(hash)
    }
}

pub(super) fn sha256(text: &str) -> Sha256 {
    sha2::Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_with_and_without_its_prefix() {
        // The example of the draft.
        let text = "query($id:ID!){user(id:$id){name}}";
        let digits = "71f7dc5758652baac68e4a10c50be732b741c892ade2883a99358f52b555286b";
        for id in [digits.to_owned(), format!("sha256:{digits}"), digits.to_uppercase()] {
            assert_eq!(DocumentId::new(id).hash(), Some(sha256(text)));
        }
        for id in ["", "sha256:", "sha256:ab", &digits[1..], &"g".repeat(64), &"ä".repeat(32)] {
            assert_eq!(DocumentId::new(id.to_owned()).hash(), None, "{id}");
        }
    }
}
