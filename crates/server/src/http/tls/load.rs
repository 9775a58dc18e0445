//! Loading certificates and keys.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clients::pem::{self, PemError};
use rustls::crypto::aws_lc_rs::{Ticketer, default_provider};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use crate::failure::Failure;
use crate::options::TlsFiles;

/// Protocols of ALPN.
pub(in crate::http) const HTTP_2: &[u8] = b"h2";
const HTTP_1_1: &[u8] = b"http/1.1";

/// The reason why the files cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error(transparent)]
    Pem(#[from] PemError),
    #[error("the private key in {} is not that of the certificate in {}; `--tls-key` is the key with which it was requested", key.display(), certificate.display())]
    Mismatch { certificate: PathBuf, key: PathBuf },
    #[error("cannot use {}: {reason}", file.display())]
    Unusable { file: PathBuf, reason: String },
}

impl From<TlsError> for Failure {
    fn from(error: TlsError) -> Self {
        Self::other(error)
    }
}

/// Reads the files.
pub(super) fn load(files: &TlsFiles, has_http2: bool) -> Result<ServerConfig, TlsError> {
    let TlsFiles { certificate, key, client_authorities } = files;
    let chain = pem::certificates(certificate)?;
    let private_key = pem::private_key(key)?;
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
            for authority in pem::certificates(file)? {
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
    config.alpn_protocols = match has_http2 {
        true => vec![HTTP_2.to_vec(), HTTP_1_1.to_vec()],
        false => vec![HTTP_1_1.to_vec()],
    };
    // Sessions resume by tickets, which need no state shared between threads.
    config.ticketer = Ticketer::new().map_err(|error| unusable(certificate, &error))?;
    Ok(config)
}
