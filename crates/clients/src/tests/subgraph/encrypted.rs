//! Subgraphs with TLS.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clients::subgraph::{
    OwnCertificate, Settings, SubgraphError, Tls, TlsError, TlsFiles, Unavailable,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

use super::server::{Connection, Server};
use super::{answer, ask, client, run, settings};

/// A certificate authority with its files.
pub(crate) struct Authority {
    folder: TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("authority.pem"), issuer.pem()).unwrap();
        Self { folder, issuer }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// Issues a certificate for this name, as files.
    pub(crate) fn issue(&self, name: &str) -> OwnCertificate {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        // OpenSSL takes a certificate with the subject of its issuer for a self-signed one.
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let file = |end: &str| self.folder.path().join(format!("{name}.{end}"));
        fs::write(file("crt"), certificate.pem()).unwrap();
        fs::write(file("key"), key.serialize_pem()).unwrap();
        OwnCertificate { certificate: file("crt"), key: file("key") }
    }

    fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        roots
    }

    /// TLS of a server with this name, optionally with client authentication.
    pub(crate) fn server(&self, name: &str, asks_who: bool, protocols: &[&[u8]]) -> TlsAcceptor {
        let OwnCertificate { certificate, key } = self.issue(name);
        let chain = vec![CertificateDer::from_pem_file(certificate).unwrap()];
        let key = PrivateKeyDer::from_pem_file(key).unwrap();
        let provider = Arc::new(default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match asks_who {
            false => builder.with_no_client_auth(),
            true => {
                let roots = Arc::new(self.roots());
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let mut config = builder.with_single_cert(chain, key).unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }

    pub(crate) fn trusted(&self, own: Option<OwnCertificate>) -> Tls {
        Tls::open(&TlsFiles { authorities: Some(self.file()), own }).unwrap()
    }
}

/// For connections that fail earlier.
pub(crate) fn trusting_nobody() -> Tls {
    Authority::new().trusted(None)
}

/// A server for HTTP/1.1 over TLS.
pub(crate) async fn serve(acceptor: TlsAcceptor) -> Server {
    Server::start(move |_, connection| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(connection.stream).await else { return };
            let mut connection = Connection::new(stream);
            while connection.request().await.is_some() {
                connection.answer("1").await;
            }
        }
    })
    .await
}

fn encrypted(server: &Server, tls: Tls) -> Settings {
    let mut settings = settings(&format!("https://127.0.0.1:{}/graphql", server.port));
    settings.tls = Some(tls);
    settings
}

async fn tls_error(settings: Settings) -> String {
    match ask(&client(settings).0).await {
        Err(SubgraphError::Unavailable(Unavailable::Tls(text))) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_certificate_of_the_authority_for_the_name_is_trusted() {
    run(async {
        let authority = Authority::new();
        let server = serve(authority.server("127.0.0.1", false, &[])).await;
        let (client, _) = client(encrypted(&server, authority.trusted(None)));
        for _ in 0..3 {
            assert_eq!(ask(&client).await, answer("1"));
        }
        assert_eq!(server.accepted.get(), 1);
    });
}

#[test]
fn another_name_or_another_authority_is_not() {
    run(async {
        let authority = Authority::new();
        let elsewhere = serve(authority.server("elsewhere.example", false, &[])).await;
        let error = tls_error(encrypted(&elsewhere, authority.trusted(None))).await;
        assert!(error.contains("not valid for name"), "{error}");
        let server = serve(authority.server("127.0.0.1", false, &[])).await;
        let error = tls_error(encrypted(&server, trusting_nobody())).await;
        // Both authorities have the same name.
        assert!(error.contains("BadSignature"), "{error}");
    });
}

#[test]
fn a_server_that_speaks_no_tls_is_told() {
    run(async {
        let server = Server::start(|_, mut connection| async move {
            connection.write(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            connection.request().await;
        })
        .await;
        let error = tls_error(encrypted(&server, trusting_nobody())).await;
        assert!(error.contains("corrupt message"), "{error}");
    });
}

#[test]
fn a_server_may_want_to_know_who_connects() {
    run(async {
        let authority = Authority::new();
        let server = serve(authority.server("127.0.0.1", true, &[])).await;
        let own = authority.issue("gateway.example");
        let (known, _) = client(encrypted(&server, authority.trusted(Some(own))));
        assert_eq!(ask(&known).await, answer("1"));
        let (unknown, _) = client(encrypted(&server, authority.trusted(None)));
        let error = ask(&unknown).await.unwrap_err().to_string();
        assert!(error.contains("CertificateRequired"), "{error}");
    });
}

#[test]
fn without_authorities_nothing_is_encrypted() {
    run(async {
        let server = serve(Authority::new().server("127.0.0.1", false, &[])).await;
        let mut settings = encrypted(&server, trusting_nobody());
        settings.tls = None;
        assert_eq!(tls_error(settings).await, "no certificate authorities were given");
    });
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let authority = Authority::new();
    let own = authority.issue("a.example");
    let other = authority.issue("b.example");
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    let check = |authorities: &Path, own: Option<OwnCertificate>, expected: &str| {
        let files = TlsFiles { authorities: Some(authorities.to_owned()), own };
        let error: TlsError = Tls::open(&files).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
    };
    check(Path::new("/nowhere.pem"), None, "cannot read /nowhere.pem: No such file");
    check(&empty, None, "there is no certificate in ");
    let mixed = OwnCertificate { certificate: own.certificate.clone(), key: other.key };
    check(&authority.file(), Some(mixed), "a.example.crt");
    let no_key = OwnCertificate { certificate: own.certificate.clone(), key: own.certificate };
    check(&authority.file(), Some(no_key), "there is no private key in ");
}
