//! Connections to other servers: over TLS, with the system's trusted certificates or those of a file,
//! or in plain text for `http://` URLs.

use std::path::Path;
use std::sync::Arc;

use bytes::Buf;
use hyper::Uri;
use hyper::body::Body;
use hyper::http::uri::Scheme;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::{ClientConfig, RootCertStore};

use crate::pem::{PemError, authorities};

/// An HTTP client, for request bodies of one type.
pub type Connections<B> = Client<HttpsConnector<HttpConnector>, B>;

/// Reason why no connection can be configured.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("the system trusts no certificate authority")]
    NoCertificates,
    #[error("TLS cannot be used: {0}")]
    Tls(rustls::Error),
    #[error(transparent)]
    Authorities(#[from] PemError),
}

/// Returns a client for URLs with this scheme. Connections are not kept alive: requests are seconds
/// or minutes apart, and a closed idle connection would be noticed only by the next request.
pub fn connections<B>(url: &Uri) -> Result<Connections<B>, ConnectError>
where
    B: Body<Data: Buf + Send> + Send,
{
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls(url.scheme() == Some(&Scheme::HTTPS), None)?)
        .https_or_http()
        .enable_http1()
        .build();
    Ok(Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector))
}

/// TLS configuration with the trusted certificate authorities of a file, or else of the system, if
/// one is needed.
pub(crate) fn tls(is_encrypted: bool, file: Option<&Path>) -> Result<ClientConfig, ConnectError> {
    let roots = match file {
        Some(file) => authorities(file)?,
        None if is_encrypted => {
            let mut roots = RootCertStore::empty();
            let (added, _) =
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if added == 0 {
                return Err(ConnectError::NoCertificates);
            }
            roots
        }
        None => RootCertStore::empty(),
    };
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(ConnectError::Tls)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Text of an error with its chain of sources, where the details are.
#[must_use]
pub fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
