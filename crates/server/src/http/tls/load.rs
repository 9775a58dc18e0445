//! What the files of certificates and keys hold, or why it cannot be used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::aws_lc_rs::{Ticketer, default_provider};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use crate::options::TlsFiles;

/// The only protocol that is spoken here.
const HTTP_1_1: &[u8] = b"http/1.1";

/// By these words keys are recognized that a password protects, in the newer and the older form.
const ENCRYPTED: [&str; 2] = ["BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"];

/// Why connections cannot be encrypted by these files.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error("cannot read {}: {error}", file.display())]
    Unreadable { file: PathBuf, error: io::Error },
    #[error("{} is not PEM: {error}", file.display())]
    NoPem { file: PathBuf, error: pem::Error },
    #[error("there is no certificate in {}; `-----BEGIN CERTIFICATE-----` begins one", .0.display())]
    NoCertificate(PathBuf),
    #[error("there is no private key in {}; `-----BEGIN PRIVATE KEY-----` begins one", .0.display())]
    NoKey(PathBuf),
    #[error(
        "the private key in {} is encrypted; the server needs it without a password, as `openssl \
         pkey` writes it",
        .0.display()
    )]
    EncryptedKey(PathBuf),
    #[error("the private key in {} is not that of the certificate in {}", key.display(), certificate.display())]
    Mismatch { certificate: PathBuf, key: PathBuf },
    #[error("cannot use {}: {reason}", file.display())]
    Unusable { file: PathBuf, reason: String },
}

/// Reads the files.
pub(super) fn load(files: &TlsFiles) -> Result<ServerConfig, TlsError> {
    let TlsFiles { certificate, key, client_authorities } = files;
    let chain = certificates(certificate)?;
    let private_key = private_key(key)?;
    let provider = Arc::new(default_provider());
    let unusable = |file: &Path, error: &dyn ToString| TlsError::Unusable {
        file: file.to_owned(),
        reason: error.to_string(),
    };
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(certificate, &error))?;
    let builder = match client_authorities {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let mut authorities = RootCertStore::empty();
            for authority in certificates(file)? {
                authorities.add(authority).map_err(|error| unusable(file, &error))?;
            }
            let verifier =
                WebPkiClientVerifier::builder_with_provider(authorities.into(), provider)
                    .build()
                    .map_err(|error| unusable(file, &error))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_single_cert(chain, private_key).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => {
            TlsError::Mismatch { certificate: certificate.clone(), key: key.clone() }
        }
        error => unusable(certificate, &error),
    })?;
    config.alpn_protocols = vec![HTTP_1_1.to_vec()];
    // Clients that come again are known by what they bring, not by what the threads share.
    config.ticketer = Ticketer::new().map_err(|error| unusable(certificate, &error))?;
    Ok(config)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(file)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match found {
        Ok(found) if found.is_empty() => Err(TlsError::NoCertificate(file.to_owned())),
        Ok(found) => Ok(found),
        Err(error) => Err(TlsError::NoPem { file: file.to_owned(), error }),
    }
}

fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let text = read(file)?;
    let has = |word: &str| text.windows(word.len()).any(|window| window == word.as_bytes());
    if ENCRYPTED.iter().any(|word| has(word)) {
        return Err(TlsError::EncryptedKey(file.to_owned()));
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
        pem::Error::NoItemsFound => TlsError::NoKey(file.to_owned()),
        error => TlsError::NoPem { file: file.to_owned(), error },
    })
}

fn read(file: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(file).map_err(|error| TlsError::Unreadable { file: file.to_owned(), error })
}
