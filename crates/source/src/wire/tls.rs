//! The client's side of TLS: which certificates of a server are good enough.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// Extent of the check of the server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Only that the server has the key of the certificate it shows.
    Possession,
    Chain,
    ChainAndName,
}

/// Root certificates that a server's certificate is checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootCertificates {
    File(PathBuf),
    System,
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The handshake failed.
    #[error("{0}")]
    Failed(String),
    #[error("root certificates {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("the system has no root certificates")]
    NoSystemRoots,
}

/// The TLS configuration of a client; reads the root certificates if they are needed. The default
/// are the system's. `protocol` is the ALPN name of the protocol inside, if it has one.
pub fn client_config(
    check: Check,
    roots: Option<&RootCertificates>,
    protocol: Option<&[u8]>,
) -> Result<Arc<ClientConfig>, TlsError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Verifier::new(check, roots, &provider)?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::new(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = protocol.map(<[u8]>::to_vec).into_iter().collect();
    Ok(Arc::new(config))
}

impl TlsError {
    pub fn new(reason: &(impl ToString + ?Sized)) -> TlsError {
        TlsError::Failed(reason.to_string())
    }
}

#[derive(Debug)]
struct Verifier {
    check: Check,
    /// None where no chain is checked.
    chain: Option<Arc<WebPkiServerVerifier>>,
    given: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    fn new(
        check: Check,
        roots: Option<&RootCertificates>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Verifier, TlsError> {
        let provider = Arc::clone(provider);
        if check == Check::Possession {
            return Ok(Verifier { check, chain: None, given: Vec::new(), provider });
        }
        let (store, given) = match roots {
            Some(RootCertificates::File(path)) => read_roots(path)?,
            Some(RootCertificates::System) | None => (system_roots()?, Vec::new()),
        };
        let chain =
            WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(&provider))
                .build()
                .map_err(|error| TlsError::new(&error))?;
        Ok(Verifier { check, chain: Some(chain), given, provider })
    }

    fn check_chain_and_name(
        &self,
        chain: &WebPkiServerVerifier,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<(), Error> {
        match chain.verify_server_cert(certificate, intermediates, server_name, &[], now) {
            Ok(_) => Ok(()),
            // The name is checked after the chain.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.check == Check::Chain => Ok(()),
            // A self-signed certificate is its own root, and as a rule marked as an authority,
            // which rustls does not take from a server. libpq does if it is itself the root
            // given. The verifier has already found its dates good when it reports this.
            Err(Error::InvalidCertificate(CertificateError::Other(error)))
                if error.to_string().contains("CaUsedAsEndEntity")
                    && self.given.iter().any(|given| given == certificate) =>
            {
                match self.check {
                    Check::ChainAndName => rustls::client::verify_server_name(
                        &ParsedCertificate::try_from(certificate)?,
                        server_name,
                    ),
                    Check::Chain | Check::Possession => Ok(()),
                }
            }
            Err(error) => Err(error),
        }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(chain) = &self.chain {
            self.check_chain_and_name(chain, end_entity, intermediates, server_name, now)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn read_roots(path: &Path) -> Result<(RootCertStore, Vec<CertificateDer<'static>>), TlsError> {
    let unreadable = |reason: &dyn std::fmt::Display| TlsError::Unreadable {
        path: path.to_owned(),
        reason: reason.to_string(),
    };
    let given = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable(&error))?;
    let mut store = RootCertStore::empty();
    for certificate in &given {
        store.add(certificate.clone()).map_err(|error| unreadable(&error))?;
    }
    if store.is_empty() {
        return Err(unreadable(&"there is no certificate in it"));
    }
    Ok((store, given))
}

fn system_roots() -> Result<RootCertStore, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    let mut store = RootCertStore::empty();
    // Single certificates that rustls cannot read are usual, and no reason to refuse the others.
    store.add_parsable_certificates(found.certs);
    if store.is_empty() { Err(TlsError::NoSystemRoots) } else { Ok(store) }
}
