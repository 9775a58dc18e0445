//! How other servers are connected to: over TLS with the certificates that the system trusts, or
//! without where the address says so.

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

/// Ways to a server, for requests with bodies of one kind.
pub type Connections<B> = Client<HttpsConnector<HttpConnector>, B>;

/// Why no server can be connected to.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("the system trusts no certificate authority")]
    NoCertificates,
    #[error("TLS cannot be used: {0}")]
    Tls(rustls::Error),
}

/// For the servers of addresses like this one. A connection is closed after its request: requests
/// are seconds or minutes apart, and between them nobody would notice that the other side closed it.
pub fn connections<B>(url: &Uri) -> Result<Connections<B>, ConnectError>
where
    B: Body<Data: Buf + Send> + Send,
{
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls(url)?)
        .https_or_http()
        .enable_http1()
        .build();
    Ok(Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector))
}

/// The certificates that the system trusts, if they are needed.
fn tls(url: &Uri) -> Result<ClientConfig, ConnectError> {
    let mut roots = RootCertStore::empty();
    if url.scheme() == Some(&Scheme::HTTPS) {
        let (added, _) =
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if added == 0 {
            return Err(ConnectError::NoCertificates);
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(ConnectError::Tls)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// An error with its reasons, which say what was meant.
#[must_use]
pub fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
