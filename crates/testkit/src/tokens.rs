//! Issuers of tokens, good ones and others.

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING,
    ECDSA_P521_SHA512_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384, RSA_PSS_SHA512,
    RsaEncoding, RsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

/// An issuer of tokens with one key.
#[derive(Debug)]
pub enum Issuer {
    Secret(Vec<u8>),
    Rsa(RsaKeyPair),
    Curve(Curve, EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    P256,
    P384,
    P521,
}

impl Issuer {
    pub fn secret(secret: &str) -> Self {
        Self::Secret(secret.as_bytes().to_vec())
    }

    /// A new key of 2048 bits.
    pub fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).expect("a key is made"))
    }

    pub fn curve(curve: Curve) -> Self {
        let algorithm = match curve {
            Curve::P256 => &ECDSA_P256_SHA256_FIXED_SIGNING,
            Curve::P384 => &ECDSA_P384_SHA384_FIXED_SIGNING,
            Curve::P521 => &ECDSA_P521_SHA512_FIXED_SIGNING,
        };
        Self::Curve(curve, EcdsaKeyPair::generate(algorithm).expect("a key is made"))
    }

    pub fn edwards() -> Self {
        Self::Edwards(Ed25519KeyPair::generate().expect("a key is made"))
    }

    /// The algorithm that it usually signs with.
    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Secret(_) => "HS256",
            Self::Rsa(_) => "RS256",
            Self::Curve(Curve::P256, _) => "ES256",
            Self::Curve(Curve::P384, _) => "ES384",
            Self::Curve(Curve::P521, _) => "ES512",
            Self::Edwards(_) => "EdDSA",
        }
    }

    /// A token with these claims, a JSON text, and a header of the algorithm alone.
    pub fn token(&self, claims: &str) -> String {
        let header = format!(r#"{{"alg":"{}","typ":"JWT"}}"#, self.algorithm());
        self.sign(&header, claims)
    }

    /// A token of any header and claims, signed with the header's algorithm if this key supports
    /// it, and else with its default one.
    pub fn sign(&self, header: &str, claims: &str) -> String {
        let message = [encode(header.as_bytes()), encode(claims.as_bytes())].join(".");
        let signature = self.signature(header, message.as_bytes());
        [message, encode(&signature)].join(".")
    }

    fn signature(&self, header: &str, message: &[u8]) -> Vec<u8> {
        let says = |name: &str| header.contains(&format!(r#""{name}""#));
        let random = SystemRandom::new();
        match self {
            Self::Secret(secret) => {
                let algorithm = match () {
                    () if says("HS384") => hmac::HMAC_SHA384,
                    () if says("HS512") => hmac::HMAC_SHA512,
                    () => hmac::HMAC_SHA256,
                };
                hmac::sign(&hmac::Key::new(algorithm, secret), message).as_ref().to_vec()
            }
            Self::Rsa(key) => {
                let encoding: &'static dyn RsaEncoding = match () {
                    () if says("RS384") => &RSA_PKCS1_SHA384,
                    () if says("RS512") => &RSA_PKCS1_SHA512,
                    () if says("PS256") => &RSA_PSS_SHA256,
                    () if says("PS384") => &RSA_PSS_SHA384,
                    () if says("PS512") => &RSA_PSS_SHA512,
                    () => &RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(encoding, &random, message, &mut signature).expect("it is signed");
                signature
            }
            Self::Curve(_, key) => {
                key.sign(&random, message).expect("it is signed").as_ref().to_vec()
            }
            Self::Edwards(key) => key.sign(message).as_ref().to_vec(),
        }
    }

    /// The public key as a PEM file; a secret has none.
    pub fn pem(&self) -> String {
        let der: PublicKeyX509Der<'_> = match self {
            Self::Secret(_) => panic!("a secret is not public"),
            Self::Rsa(key) => key.public_key().as_der(),
            Self::Curve(_, key) => key.public_key().as_der(),
            Self::Edwards(key) => key.public_key().as_der(),
        }
        .expect("a key can be written");
        let text = STANDARD.encode(der.as_ref());
        let lines: Vec<_> = text.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    }

    /// The public key as a member of a key set, with further members as JSON text, `"kid":"a"`.
    pub fn jwk(&self, further: &str) -> String {
        let key = match self {
            Self::Secret(secret) => format!(r#""kty":"oct","k":"{}""#, encode(secret)),
            Self::Rsa(key) => {
                // A sequence of two numbers: its head, the head of the modulus and a zero byte are
                // nine bytes for a key of 2048 bits.
                let modulus = &key.public_key().as_ref()[9..9 + 256];
                format!(r#""kty":"RSA","n":"{}","e":"AQAB""#, encode(modulus))
            }
            Self::Curve(curve, key) => {
                let name = match curve {
                    Curve::P256 => "P-256",
                    Curve::P384 => "P-384",
                    Curve::P521 => "P-521",
                };
                let point = &key.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                format!(r#""kty":"EC","crv":"{name}","x":"{}","y":"{}""#, encode(x), encode(y))
            }
            Self::Edwards(key) => {
                let x = encode(key.public_key().as_ref());
                format!(r#""kty":"OKP","crv":"Ed25519","x":"{x}""#)
            }
        };
        match further.is_empty() {
            true => format!("{{{key}}}"),
            false => format!("{{{key},{further}}}"),
        }
    }
}

/// A key set of these members.
pub fn key_set(keys: &[String]) -> String {
    format!(r#"{{"keys":[{}]}}"#, keys.join(","))
}

/// Base64 for parts of tokens.
pub fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
