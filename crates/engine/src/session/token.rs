//! A token as text, <https://www.rfc-editor.org/rfc/rfc7515#section-3.1>: header, claims and
//! signature, each in base64 for URLs, with dots between them.
//!
//! Keys are chosen by the header, and no header parameter that helps an attacker is used: URLs of
//! keys and embedded keys are ignored, and critical extensions are refused.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::algorithm::Algorithm;
use super::json::Members;
use super::keys::KeySet;
use super::{MOST_TOKEN_BYTES, Refused};

/// It may contain certificates, which are long.
const MOST_HEADER_BYTES: usize = 8 << 10;

/// A token that is not verified yet.
#[derive(Debug)]
pub struct Token<'t> {
    algorithm: Algorithm,
    /// The name of the key.
    key: Option<String>,
    /// The signed part.
    signed: &'t [u8],
    claims: &'t str,
    signature: Vec<u8>,
}

impl<'t> Token<'t> {
    /// Reads the header.
    pub fn parse(text: &'t str) -> Result<Self, Refused> {
        let invalid = Refused::Invalid;
        let mut parts = text.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(invalid("it has not three parts"));
        };
        let signed = header.len() + 1 + claims.len();
        let signed = text.as_bytes().get(..signed).unwrap_or_default();
        let header = decode(header).ok_or(invalid("its header is not in base64url"))?;
        let signature = decode(signature).ok_or(invalid("its signature is not in base64url"))?;
        if header.len() > MOST_HEADER_BYTES {
            return Err(invalid("its header is too large"));
        }
        let header: Members = serde_json::from_slice(&header)
            .map_err(|_| invalid("its header is no JSON object with one value a member"))?;
        if header.get("crit").is_some() || header.get("b64").is_some() {
            return Err(invalid("its header asks for an extension"));
        }
        let algorithm = header.get("alg").and_then(Value::as_str).and_then(Algorithm::find);
        let algorithm = algorithm.ok_or(invalid("its algorithm is none that is known"))?;
        let key = match header.get("kid") {
            None => None,
            Some(Value::String(key)) => Some(key.clone()),
            Some(_) => return Err(invalid("the name of its key is no text")),
        };
        Ok(Self { algorithm, key, signed, claims, signature })
    }

    /// Whether the token is signed with one of the keys.
    pub fn is_signed_by<'k>(&self, mut sets: impl Iterator<Item = &'k KeySet>) -> bool {
        let key = self.key.as_deref();
        sets.any(|keys| keys.has_signed(self.algorithm, key, self.signed, &self.signature))
    }

    /// The claims. To be read after the signature is verified.
    pub(super) fn claims(&self) -> Result<Members, Refused> {
        let claims =
            decode(self.claims).ok_or(Refused::Invalid("its claims are not in base64url"))?;
        serde_json::from_slice(&claims)
            .map_err(|_| Refused::Invalid("its claims are no JSON object with one value a member"))
    }
}

/// The issuer that a token names, which is not verified yet: it tells only by which keys the token may
/// be verified.
#[must_use]
pub fn unverified_issuer(text: &str) -> Option<String> {
    if text.len() > MOST_TOKEN_BYTES {
        return None;
    }
    let claims = Token::parse(text).ok()?.claims().ok()?;
    claims.get("iss")?.as_str().map(str::to_owned)
}

/// Without padding, and with nothing left over.
fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
