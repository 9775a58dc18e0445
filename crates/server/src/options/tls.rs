//! How connections are encrypted.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "TLS")]
pub(crate) struct TlsOptions {
    /// The file of the server's certificate, and of those between it and its authority, as PEM
    ///
    /// With it the server speaks HTTPS at all addresses but Unix sockets. A file that changes is
    /// read again.
    #[arg(long, env = "THALWEG_TLS_CERTIFICATE", value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// The file of the certificate's private key, not encrypted, as PEM
    #[arg(long, env = "THALWEG_TLS_KEY", value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// The file of authorities by one of which each client's certificate has to be signed, as PEM
    #[arg(long, env = "THALWEG_TLS_CLIENT_CA", value_name = "FILE", requires = "tls_certificate")]
    tls_client_ca: Option<PathBuf>,
}

/// Where the certificates are.
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
