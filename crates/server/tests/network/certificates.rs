//! Authorities and certificates, made for one test.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, PKCS_ECDSA_P256_SHA256,
    PKCS_RSA_SHA256, RsaKeySize,
};

/// Who signs certificates.
#[derive(Debug)]
pub(crate) struct Authority {
    pub(crate) pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate with its key, both as PEM.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
    /// The key as its own algorithm writes it, by the label of that form.
    pub(crate) traditional: String,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Algorithm {
    Rsa,
    Ecdsa,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = parameters.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(parameters, key) }
    }

    /// A certificate of this machine.
    pub(crate) fn sign(&self, algorithm: Algorithm) -> Pair {
        let (key, label) = match algorithm {
            Algorithm::Ecdsa => {
                (KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap(), "EC PRIVATE KEY")
            }
            Algorithm::Rsa => {
                let key = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048);
                (key.unwrap(), "RSA PRIVATE KEY")
            }
        };
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &self.issuer);
        Pair {
            certificate: certificate.unwrap().pem(),
            key: key.serialize_pem(),
            traditional: traditional(&key.serialize_der(), label),
        }
    }
}

impl Pair {
    pub(crate) fn write(&self, certificate: &Path, key: &Path) {
        fs::write(certificate, &self.certificate).unwrap();
        fs::write(key, &self.key).unwrap();
    }
}

/// The key inside of PKCS #8: a version, an algorithm, and then the key as its algorithm has it.
fn traditional(pkcs8: &[u8], label: &str) -> String {
    let (_, fields, _) = element(pkcs8);
    let (_, _, after_version) = element(fields);
    let (_, _, after_algorithm) = element(after_version);
    let (tag, key, _) = element(after_algorithm);
    assert_eq!(tag, 0x04, "an octet string");
    let text = BASE64_STANDARD.encode(key);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// The tag and the content of the first element of DER, and what follows it.
fn element(bytes: &[u8]) -> (u8, &[u8], &[u8]) {
    let (tag, length, rest) = (bytes[0], usize::from(bytes[1]), &bytes[2..]);
    let (length, rest) = match length.checked_sub(0x80) {
        None => (length, rest),
        Some(count) => {
            let length =
                rest[..count].iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            (length, &rest[count..])
        }
    };
    (tag, &rest[..length], &rest[length..])
}
