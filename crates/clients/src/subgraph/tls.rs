//! TLS: trusted certificates and the client certificate.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs::default_provider;
use rustls::{ClientConfig, RootCertStore};

use crate::pem::{self, PemError};

/// Files with certificates for TLS connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// Trusted certificate authorities in PEM; `None` for those of the system.
    pub authorities: Option<PathBuf>,
    /// Client certificate, for servers that request one (mTLS).
    pub own: Option<OwnCertificate>,
}

/// A certificate with its private key, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCertificate {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// A loaded TLS configuration; subgraphs with the same files share it and its session cache.
#[derive(Clone, Debug)]
pub struct Tls(pub(crate) Arc<ClientConfig>);

/// Reason why the files cannot be used for TLS.
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
    /// Loads the files.
    pub fn open(files: &TlsFiles) -> Result<Self, TlsError> {
        let roots = match &files.authorities {
            Some(file) => pem::authorities(file)?,
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

    /// Returns the configuration with these protocols offered (ALPN):
    /// <https://www.rfc-editor.org/rfc/rfc7301>.
    pub(super) fn offering(&self, protocols: &[&[u8]]) -> Arc<ClientConfig> {
        let mut config = ClientConfig::clone(&self.0);
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        Arc::new(config)
    }
}

/// Systems often have single certificates that cannot be read; they are skipped.
fn system_authorities() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    match roots.is_empty() {
        true => Err(TlsError::NoSystemAuthorities),
        false => Ok(roots),
    }
}
