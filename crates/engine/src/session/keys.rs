//! The keys by which tokens are found to be signed.
//!
//! A key has its algorithms, and a token chooses among those only: a token of `HS256` is never
//! verified with a public key, and one of `none` with no key.

use std::fmt;

use aws_lc_rs::hmac;
use aws_lc_rs::rsa::PublicEncryptingKey;
use aws_lc_rs::signature::{ParsedPublicKey, RsaPublicKeyComponents};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject;
use serde_json::Value;

use super::algorithm::Algorithm;

/// Most keys of a set.
const MOST_KEYS: usize = 100;

/// Most keys that are tried for a token without a key id, or with an ambiguous one.
const MOST_TRIED: usize = 8;

/// Bits of a modulus.
const LEAST_BITS: usize = 2_048;
const MOST_BITS: usize = 8_192;

/// Keys, any of which may have signed a token.
#[derive(Debug, Default)]
pub struct KeySet(Vec<Key>);

/// A key with the algorithms that it is for.
pub struct Key {
    /// The key id (`kid`); a key without one is tried for all tokens.
    id: Option<Box<str>>,
    proofs: Vec<(Algorithm, Proof)>,
}

enum Proof {
    Secret(Box<hmac::Key>),
    Public(ParsedPublicKey),
}

/// The reason why a key cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("there is no `-----BEGIN PUBLIC KEY-----` in it")]
    NoPem,
    #[error(
        "a public key is none of RSA with 2048 to 8192 bits, of the curves P-256, P-384 and P-521, or \
         Ed25519"
    )]
    Unusable,
    #[error("it is no JSON object with a list `keys`")]
    NoSet,
}

impl Key {
    /// A secret that is shared with the issuer of the tokens.
    #[must_use]
    pub fn secret(secret: &[u8]) -> Self {
        let proofs = Algorithm::ALL.into_iter().filter_map(|algorithm| {
            let key = hmac::Key::new(algorithm.hmac()?, secret);
            Some((algorithm, Proof::Secret(Box::new(key))))
        });
        Self { id: None, proofs: proofs.collect() }
    }

    /// All public keys of a PEM file.
    pub fn from_pem(text: &[u8]) -> Result<Vec<Self>, KeyError> {
        let keys: Result<Vec<_>, _> = SubjectPublicKeyInfoDer::pem_slice_iter(text)
            .map(|found| Self::from_der(&found.map_err(|_| KeyError::NoPem)?))
            .collect();
        match keys {
            Ok(keys) if keys.is_empty() => Err(KeyError::NoPem),
            keys => keys,
        }
    }

    /// A public key in DER, as a certificate contains it (`SubjectPublicKeyInfo`).
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        // One that is too short or too long fails with each token; better at the start.
        let is_rsa = PublicEncryptingKey::from_der(der).is_ok();
        let proofs = Algorithm::ALL.into_iter().filter_map(|algorithm| {
            if algorithm.rsa().is_some() && !is_rsa {
                return None;
            }
            let key = ParsedPublicKey::new(algorithm.public()?, der).ok()?;
            Some((algorithm, Proof::Public(key)))
        });
        let proofs: Vec<_> = proofs.collect();
        match proofs.is_empty() {
            true => Err(KeyError::Unusable),
            false => Ok(Self { id: None, proofs }),
        }
    }

    /// A member of a key set, <https://www.rfc-editor.org/rfc/rfc7517#section-4>; none if it is not
    /// for signatures, or not of a kind that is known.
    fn from_jwk(jwk: &Value) -> Option<Self> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        if text("use").is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        if let Some(operations) = jwk.get("key_ops") {
            operations.as_array()?.iter().find(|operation| **operation == "verify")?;
        }
        // A key that is for one algorithm is for no other.
        let only = match jwk.get("alg") {
            Some(name) => Some(Algorithm::find(name.as_str()?)?),
            None => None,
        };
        let wanted = Algorithm::ALL.into_iter().filter(|one| only.is_none_or(|only| only == *one));
        let number = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        let proofs: Vec<_> = match text("kty")? {
            "RSA" => {
                let (modulus, exponent) = (number("n")?, number("e")?);
                let [n, e] = [&modulus, &exponent].map(|number| without_zeros(number));
                let bits = n.len() * 8 - n.first()?.leading_zeros() as usize;
                if !(LEAST_BITS..=MOST_BITS).contains(&bits) {
                    return None;
                }
                let components = RsaPublicKeyComponents { n, e };
                let proofs = wanted.filter_map(|algorithm| {
                    let key = components.to_parsed_public_key(algorithm.rsa()?).ok()?;
                    Some((algorithm, Proof::Public(key)))
                });
                proofs.collect()
            }
            "EC" => {
                let (algorithm, length) = match text("crv")? {
                    "P-256" => (Algorithm::Es256, 32),
                    "P-384" => (Algorithm::Es384, 48),
                    "P-521" => (Algorithm::Es512, 66),
                    _ => return None,
                };
                let (x, y) = (number("x")?, number("y")?);
                if x.len() != length || y.len() != length {
                    return None;
                }
                // The point as it is, not compressed.
                let point = [&[4], x.as_slice(), y.as_slice()].concat();
                one(wanted, algorithm, &point)
            }
            "OKP" if text("crv")? == "Ed25519" => one(wanted, Algorithm::EdDsa, &number("x")?),
            _ => return None,
        };
        let id = match jwk.get("kid") {
            Some(id) => Some(id.as_str()?.into()),
            None => None,
        };
        (!proofs.is_empty()).then_some(Self { id, proofs })
    }

    /// Restricts the key to some of its algorithms; `None` if it supports none of them.
    #[must_use]
    pub fn only_for(mut self, algorithms: &[Algorithm]) -> Option<Self> {
        self.proofs.retain(|(algorithm, _)| algorithms.contains(algorithm));
        (!self.proofs.is_empty()).then_some(self)
    }

    /// The proof for a signature, if the key fits the token's algorithm and key id.
    fn find(&self, algorithm: Algorithm, id: Option<&str>) -> Option<&Proof> {
        let is_other = matches!((id, &self.id), (Some(id), Some(known)) if *id != **known);
        let proofs = self.proofs.iter().filter(|_| !is_other);
        proofs.into_iter().find(|(known, _)| *known == algorithm).map(|(_, proof)| proof)
    }
}

impl KeySet {
    #[must_use]
    pub fn new(keys: Vec<Key>) -> Self {
        Self(keys)
    }

    /// The usable keys of a set. Others are left out: sets hold keys for other purposes, too.
    pub fn from_json(text: &[u8]) -> Result<Self, KeyError> {
        let set: Value = serde_json::from_slice(text).map_err(|_| KeyError::NoSet)?;
        let keys = set.get("keys").and_then(Value::as_array).ok_or(KeyError::NoSet)?;
        Ok(Self(keys.iter().take(MOST_KEYS).filter_map(Key::from_jwk).collect()))
    }

    /// Restricts the keys to some algorithms.
    #[must_use]
    pub fn only_for(self, algorithms: &[Algorithm]) -> Self {
        Self(self.0.into_iter().filter_map(|key| key.only_for(algorithms)).collect())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a message is signed with one of the keys.
    pub(super) fn has_signed(
        &self,
        algorithm: Algorithm,
        id: Option<&str>,
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        let proofs = self.0.iter().filter_map(|key| key.find(algorithm, id));
        proofs.take(MOST_TRIED).any(|proof| match proof {
            // In a time that does not depend on where they differ.
            Proof::Secret(key) => hmac::verify(key, message, signature).is_ok(),
            Proof::Public(key) => key.verify_sig(message, signature).is_ok(),
        })
    }
}

/// Keys are not printed, since some are secret.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithms: Vec<_> =
            self.proofs.iter().map(|(algorithm, _)| algorithm.name()).collect();
        f.debug_struct("Key").field("id", &self.id).field("algorithms", &algorithms).finish()
    }
}

/// A key for one algorithm, if it is among the wanted ones.
fn one(
    mut wanted: impl Iterator<Item = Algorithm>,
    algorithm: Algorithm,
    bytes: &[u8],
) -> Vec<(Algorithm, Proof)> {
    let mut proof = || {
        wanted.find(|wanted| *wanted == algorithm)?;
        let key = ParsedPublicKey::new(algorithm.public()?, bytes).ok()?;
        Some((algorithm, Proof::Public(key)))
    };
    proof().into_iter().collect()
}

/// Some issuers write numbers with zeros in front.
fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}
