//! TLS of the server.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "TLS")]
pub(crate) struct TlsOptions {
    /// The PEM file of the server's certificate, with its chain
    ///
    /// With it the server uses HTTPS on all addresses except Unix sockets. A changed file is reloaded.
    #[arg(long, env = "THALWEG_TLS_CERTIFICATE", value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// The PEM file of the certificate's private key, unencrypted
    #[arg(long, env = "THALWEG_TLS_KEY", value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// The PEM file of certificate authorities that must have signed each client's certificate (mutual TLS)
    #[arg(long, env = "THALWEG_TLS_CLIENT_CA", value_name = "FILE", requires = "tls_certificate")]
    tls_client_ca: Option<PathBuf>,
}

/// Files of certificates and keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) client_authorities: Option<PathBuf>,
}

impl TlsOptions {
    /// None for a server without TLS.
    pub(crate) fn files(&self) -> Option<TlsFiles> {
        let (certificate, key) = (self.tls_certificate.clone()?, self.tls_key.clone()?);
        Some(TlsFiles { certificate, key, client_authorities: self.tls_client_ca.clone() })
    }
}
