//! Whose certificates are trusted, and which one is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::aws_lc_rs::default_provider;
use rustls::{ClientConfig, RootCertStore};

use crate::pem::{self, PemError};

/// What is read from files for encrypted connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// Authorities in PEM; without it those that the system trusts.
    pub authorities: Option<PathBuf>,
    /// What is shown to a server that asks who connects.
    pub own: Option<OwnCertificate>,
}

/// A certificate and its key, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCertificate {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// What was read; several subgraphs may have the same, and what is known of their sessions.
#[derive(Clone, Debug)]
pub struct Tls(pub(super) Arc<ClientConfig>);

/// Why connections cannot be encrypted by these files.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error(transparent)]
    Pem(#[from] PemError),
    #[error("the system trusts no certificate authority")]
    NoSystemAuthorities,
    #[error("cannot use {}: {error}", file.display())]
    Unusable { file: PathBuf, error: rustls::Error },
    #[error("TLS cannot be used: {0}")]
    Provider(rustls::Error),
}

impl Tls {
    /// Reads the files.
    pub fn open(files: &TlsFiles) -> Result<Self, TlsError> {
        let roots = match &files.authorities {
            Some(file) => authorities(file)?,
            None => system_authorities()?,
        };
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Provider)?
            .with_root_certificates(roots);
        let config = match &files.own {
            None => builder.with_no_client_auth(),
            Some(OwnCertificate { certificate, key }) => builder
                .with_client_auth_cert(pem::certificates(certificate)?, pem::private_key(key)?)
                .map_err(|error| TlsError::Unusable { file: certificate.clone(), error })?,
        };
        Ok(Self(Arc::new(config)))
    }

    /// The same for a server that is offered these protocols:
    /// <https://www.rfc-editor.org/rfc/rfc7301>.
    pub(super) fn offering(&self, protocols: &[&[u8]]) -> Arc<ClientConfig> {
        let mut config = ClientConfig::clone(&self.0);
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        Arc::new(config)
    }
}

fn authorities(file: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in pem::certificates(file)? {
        roots
            .add(certificate)
            .map_err(|error| TlsError::Unusable { file: file.to_owned(), error })?;
    }
    Ok(roots)
}

/// Single certificates that cannot be read are usual, and no reason to refuse the others.
fn system_authorities() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    match roots.is_empty() {
        true => Err(TlsError::NoSystemAuthorities),
        false => Ok(roots),
    }
}
