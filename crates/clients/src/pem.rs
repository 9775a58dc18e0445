//! Certificates and private keys in PEM files, for both sides of TLS connections:
//! <https://www.rfc-editor.org/rfc/rfc7468>.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustls::RootCertStore;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Markers of private keys with a passphrase, in the newer and the older format.
const ENCRYPTED: [&str; 2] = ["BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"];

/// Reason why a PEM file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PemError {
    #[error("cannot read {}: {error}", file.display())]
    Unreadable { file: PathBuf, error: io::Error },
    #[error("{} is not PEM: {error}", file.display())]
    NoPem { file: PathBuf, error: pem::Error },
    #[error("there is no certificate in {}; `-----BEGIN CERTIFICATE-----` begins one", .0.display())]
    NoCertificate(PathBuf),
    #[error("there is no private key in {}; `-----BEGIN PRIVATE KEY-----` begins one", .0.display())]
    NoKey(PathBuf),
    #[error(
        "the private key in {} is encrypted; it is needed without a password, as `openssl pkey` \
         writes it",
        .0.display()
    )]
    EncryptedKey(PathBuf),
    #[error("cannot use {}: {error}", file.display())]
    Unusable { file: PathBuf, error: rustls::Error },
}

/// Returns all certificates of a file, at least one.
pub fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, PemError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(file)?).collect();
    match found {
        Ok(found) if found.is_empty() => Err(PemError::NoCertificate(file.to_owned())),
        Ok(found) => Ok(found),
        Err(error) => Err(PemError::NoPem { file: file.to_owned(), error }),
    }
}

/// Returns the certificate authorities of a file, at least one.
pub(crate) fn authorities(file: &Path) -> Result<RootCertStore, PemError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots
            .add(certificate)
            .map_err(|error| PemError::Unusable { file: file.to_owned(), error })?;
    }
    Ok(roots)
}

/// Returns the first private key of a file.
pub fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, PemError> {
    let text = read(file)?;
    let has = |word: &str| text.windows(word.len()).any(|window| window == word.as_bytes());
    if ENCRYPTED.iter().any(|word| has(word)) {
        return Err(PemError::EncryptedKey(file.to_owned()));
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
        pem::Error::NoItemsFound => PemError::NoKey(file.to_owned()),
        error => PemError::NoPem { file: file.to_owned(), error },
    })
}

fn read(file: &Path) -> Result<Vec<u8>, PemError> {
    fs::read(file).map_err(|error| PemError::Unreadable { file: file.to_owned(), error })
}
