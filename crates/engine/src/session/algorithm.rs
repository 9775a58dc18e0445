//! Signature algorithms of tokens: <https://www.rfc-editor.org/rfc/rfc7518#section-3.1>.

use aws_lc_rs::hmac;
use aws_lc_rs::signature::{
    self, ED25519, EcdsaVerificationAlgorithm, RsaParameters, VerificationAlgorithm,
};

/// The algorithm of a signature; `none` is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    Hs256,
    Hs384,
    Hs512,
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    Es512,
    EdDsa,
}

impl Algorithm {
    pub const ALL: [Self; 13] = [
        Self::Hs256,
        Self::Hs384,
        Self::Hs512,
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::Es512,
        Self::EdDsa,
    ];

    /// The name in a token's header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hs256 => "HS256",
            Self::Hs384 => "HS384",
            Self::Hs512 => "HS512",
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::Es512 => "ES512",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm of a name, by its case.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        // The name of RFC 9864, which includes the curve.
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// With a secret that both sides know.
    pub(super) fn hmac(self) -> Option<hmac::Algorithm> {
        match self {
            Self::Hs256 => Some(hmac::HMAC_SHA256),
            Self::Hs384 => Some(hmac::HMAC_SHA384),
            Self::Hs512 => Some(hmac::HMAC_SHA512),
            Self::Rs256
            | Self::Rs384
            | Self::Rs512
            | Self::Ps256
            | Self::Ps384
            | Self::Ps512
            | Self::Es256
            | Self::Es384
            | Self::Es512
            | Self::EdDsa => None,
        }
    }

    /// With a public key of RSA.
    pub(super) fn rsa(self) -> Option<&'static RsaParameters> {
        match self {
            Self::Rs256 => Some(&signature::RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Some(&signature::RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Some(&signature::RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Some(&signature::RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => Some(&signature::RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => Some(&signature::RSA_PSS_2048_8192_SHA512),
            Self::Hs256
            | Self::Hs384
            | Self::Hs512
            | Self::Es256
            | Self::Es384
            | Self::Es512
            | Self::EdDsa => None,
        }
    }

    /// With a point on its own curve.
    pub(super) fn curve(self) -> Option<&'static EcdsaVerificationAlgorithm> {
        match self {
            Self::Es256 => Some(&signature::ECDSA_P256_SHA256_FIXED),
            Self::Es384 => Some(&signature::ECDSA_P384_SHA384_FIXED),
            Self::Es512 => Some(&signature::ECDSA_P521_SHA512_FIXED),
            Self::Hs256
            | Self::Hs384
            | Self::Hs512
            | Self::Rs256
            | Self::Rs384
            | Self::Rs512
            | Self::Ps256
            | Self::Ps384
            | Self::Ps512
            | Self::EdDsa => None,
        }
    }

    /// By a public key of any kind.
    pub(super) fn public(self) -> Option<&'static dyn VerificationAlgorithm> {
        match (self.rsa(), self.curve()) {
            (Some(rsa), _) => Some(rsa),
            (None, Some(curve)) => Some(curve),
            (None, None) if self == Self::EdDsa => Some(&ED25519),
            (None, None) => None,
        }
    }
}
