//! TLS as libpq's `sslmode` and `sslrootcert` mean it, see
//! <https://www.postgresql.org/docs/current/libpq-ssl.html>.

use std::sync::Arc;

use rustls::ClientConfig;
use source::wire::tls::{self, Check, RootCertificates};

use super::error::WireError;

/// libpq's `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsMode {
    Disable,
    /// Without TLS; with it if the server refuses that.
    Allow,
    /// With TLS, unverified; without it if that fails.
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// The client's side of TLS for a mode; costs the reading of the root certificates.
pub(super) fn client_config(
    mode: TlsMode,
    roots: Option<&RootCertificates>,
) -> Result<Arc<ClientConfig>, WireError> {
    let check = match (mode, roots) {
        (TlsMode::VerifyFull, _) | (_, Some(RootCertificates::System)) => Check::ChainAndName,
        // With root certificates, `require` means `verify-ca`.
        (TlsMode::VerifyCa, _) | (TlsMode::Require, Some(_)) => Check::Chain,
        (TlsMode::Disable | TlsMode::Allow | TlsMode::Prefer | TlsMode::Require, _) => {
            Check::Possession
        }
    };
    Ok(tls::client_config(check, roots, Some(b"postgresql"))?)
}
