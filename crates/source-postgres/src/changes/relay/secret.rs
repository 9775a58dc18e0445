//! Encryption of relayed changes: every role of a database may listen to its channels, and must not
//! read the rows of others.
//!
//! The leader encrypts all changes with one key. A follower receives this key encrypted with another
//! one, on which both agree by X25519; the server tells each the role of the other's session.

use std::fmt;

use aws_lc_rs::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{EphemeralPrivateKey, UnparsedPublicKey, X25519, agree_ephemeral};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::rand::{self, SystemRandom};
use source::{SourceError, SourceErrorKind};

const KEY_BYTES: usize = 32;

/// A key with which the leader encrypts messages, each with another number.
pub(super) struct Key {
    bytes: [u8; KEY_BYTES],
    cipher: LessSafeKey,
}

/// The half of a key agreement of one side.
pub(super) struct Agreement {
    private: EphemeralPrivateKey,
    pub(super) public: Vec<u8>,
}

impl Key {
    pub(super) fn random() -> Result<Self, SourceError> {
        let mut bytes = [0; KEY_BYTES];
        rand::fill(&mut bytes).map_err(failed)?;
        Self::new(bytes)
    }

    fn new(bytes: [u8; KEY_BYTES]) -> Result<Self, SourceError> {
        let cipher = UnboundKey::new(&CHACHA20_POLY1305, &bytes).map_err(failed)?;
        Ok(Self { bytes, cipher: LessSafeKey::new(cipher) })
    }

    /// The topic of the messages that it encrypts, from which it does not follow.
    pub(super) fn topic(&self) -> String {
        let hash = digest(&SHA256, &[b"thalweg live topic", &self.bytes[..]].concat());
        let hash = hash.as_ref().iter().take(16).map(|byte| format!("{byte:02x}"));
        ["thalweg.live.", &hash.collect::<String>()].concat()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }

    /// Encrypts a message; no other one has its number.
    pub(super) fn encrypt(
        &self,
        number: u64,
        mut message: Vec<u8>,
    ) -> Result<Vec<u8>, SourceError> {
        let sealed =
            self.cipher.seal_in_place_append_tag(nonce(number), Aad::empty(), &mut message);
        sealed.map_err(failed)?;
        Ok(message)
    }

    pub(super) fn decrypt(
        &self,
        number: u64,
        mut message: Vec<u8>,
    ) -> Result<Vec<u8>, SourceError> {
        let opened = self.cipher.open_in_place(nonce(number), Aad::empty(), &mut message);
        let bytes = opened.map_err(failed)?.len();
        message.truncate(bytes);
        Ok(message)
    }
}

impl Agreement {
    pub(super) fn new() -> Result<Self, SourceError> {
        let private = EphemeralPrivateKey::generate(&X25519, &SystemRandom::new());
        let private = private.map_err(failed)?;
        let public = private.compute_public_key().map_err(failed)?;
        Ok(Self { private, public: public.as_ref().to_vec() })
    }

    /// Encrypts the leader's key for a follower.
    pub(super) fn encrypt_key(self, follower: &[u8], key: &Key) -> Result<Vec<u8>, SourceError> {
        let salt = [&self.public, follower].concat();
        self.agree(follower, &salt)?.encrypt(0, key.bytes.to_vec())
    }

    /// Decrypts the key that a leader has sent.
    pub(super) fn decrypt_key(self, leader: &[u8], key: Vec<u8>) -> Result<Key, SourceError> {
        let salt = [leader, &self.public].concat();
        let bytes = self.agree(leader, &salt)?.decrypt(0, key)?;
        Key::new(bytes.try_into().map_err(|_| failed(Unspecified))?)
    }

    fn agree(self, other: &[u8], salt: &[u8]) -> Result<Key, SourceError> {
        let other = UnparsedPublicKey::new(&X25519, other);
        let derive = |secret: &[u8]| {
            let mut bytes = [0; KEY_BYTES];
            let derived = Salt::new(HKDF_SHA256, salt).extract(secret);
            derived.expand(&[b"thalweg live"], HKDF_SHA256)?.fill(&mut bytes)?;
            Ok(bytes)
        };
        Key::new(agree_ephemeral(self.private, other, Unspecified, derive).map_err(failed)?)
    }
}

/// Keys must not reach a log.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").finish_non_exhaustive()
    }
}

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; 12];
    bytes[4..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}

fn failed(_: Unspecified) -> SourceError {
    let message = "a message of the server that reads the changes cannot be encrypted or decrypted";
    SourceError::new(SourceErrorKind::Internal, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follower_decrypts_what_the_leader_encrypts() {
        let key = Key::random().unwrap();
        let (leader, follower) = (Agreement::new().unwrap(), Agreement::new().unwrap());
        let public = leader.public.clone();
        let sealed = leader.encrypt_key(&follower.public, &key).unwrap();
        let received = follower.decrypt_key(&public, sealed).unwrap();
        let message = key.encrypt(7, b"a row".to_vec()).unwrap();
        assert_ne!(&message[..5], b"a row");
        assert_eq!(received.decrypt(7, message.clone()).unwrap(), b"a row");
        assert!(received.decrypt(8, message).is_err());
    }

    #[test]
    fn another_follower_does_not_receive_the_key() {
        let key = Key::random().unwrap();
        let [leader, follower, other] = [(); 3].map(|()| Agreement::new().unwrap());
        let public = leader.public.clone();
        let sealed = leader.encrypt_key(&follower.public, &key).unwrap();
        assert!(other.decrypt_key(&public, sealed).is_err());
    }
}
