//! Tests of certificates by the schemes of addresses.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

use super::super::Config;
use super::*;

/// The server's side of TLS with a self-signed certificate, and the certificate as PEM.
fn server(name: &str) -> (TlsAcceptor, String) {
    let key = KeyPair::generate().unwrap();
    let parameters = CertificateParams::new(vec![name.to_owned()]).unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
    (TlsAcceptor::from(Arc::new(config)), certificate.pem())
}

async fn connect(port: &Port, tls: &TlsAcceptor, url: &str) -> Result<Connection, WireError> {
    let config = Config::resolve(url, |_| None).unwrap();
    let (connected, _) =
        tokio::join!(Connection::connect(&config, &port.endpoint), port.serve_encrypted(tls));
    connected
}

#[tokio::test]
async fn any_certificate_will_do_where_the_scheme_says_so() {
    let port = Port::open().await;
    let (tls, _) = server("elsewhere.example");
    for scheme in ["bolt+ssc", "neo4j+ssc"] {
        let connection = connect(&port, &tls, &format!("{scheme}://h")).await.unwrap();
        assert!(connection.is_encrypted());
    }
}

#[tokio::test]
async fn a_certificate_comes_from_an_authority_and_names_the_host() {
    let port = Port::open().await;
    let folder = tempfile::tempdir().unwrap();
    for (name, is_good) in [("127.0.0.1", true), ("127.0.0.2", false)] {
        let (tls, pem) = server(name);
        let file = folder.path().join(name);
        std::fs::write(&file, pem).unwrap();
        let trusting = format!("bolt+s://h?trusted_certificates={}", file.display());
        match connect(&port, &tls, &trusting).await {
            Ok(connection) => assert!(is_good && connection.is_encrypted()),
            Err(error) => assert!(!is_good && matches!(error, WireError::Tls(_)), "{error:?}"),
        }
        let (_, other) = server(name);
        std::fs::write(&file, other).unwrap();
        let refused = connect(&port, &tls, &trusting).await;
        assert!(matches!(refused, Err(WireError::Tls(_))), "{refused:?}");
    }
    let missing = Config::resolve("bolt+s://h?trusted_certificates=/nowhere", |_| None).unwrap();
    let error = Connection::connect(&missing, &port.endpoint).await.unwrap_err();
    assert!(error.to_string().starts_with("root certificates /nowhere"), "{error}");
}
