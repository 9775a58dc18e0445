//! Tokens that functions of the database give out.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use response::Seal;
use serde_json::{Map, Number, Value};

const HEADER: &[u8] = br#"{"alg":"HS256","typ":"JWT"}"#;

/// The default audience and issuer.
const DEFAULT_PARTY: &str = "postgraphile";

/// The default validity of a token, in seconds.
const DEFAULT_VALIDITY: u64 = 24 * 60 * 60;

/// Signs the claims that a function returns.
pub struct Signer {
    key: hmac::Key,
}

impl Signer {
    /// By the secret by which tokens are judged, too.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, secret) }
    }

    fn sign(&self, object: &[u8], now: u64) -> Option<String> {
        let mut claims: Map<String, Value> = serde_json::from_slice(object).ok()?;
        // Big integers are texts in answers; the end of a token is a number.
        let expires = match claims.get("exp") {
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => text.parse().ok(),
            _ => None,
        };
        let expires = expires.filter(|seconds| *seconds != 0.0).and_then(number);
        claims.insert(
            "exp".into(),
            expires.unwrap_or_else(|| (now + DEFAULT_VALIDITY).into()).into(),
        );
        for name in ["aud", "iss"] {
            if claims.get(name).is_none_or(Value::is_null) {
                claims.insert(name.into(), DEFAULT_PARTY.into());
            }
        }
        if claims.get("iat").is_none_or(Value::is_null) {
            claims.insert("iat".into(), now.into());
        }
        let claims = serde_json::to_vec(&claims).ok()?;
        let message = [HEADER, &claims].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
        let signature = hmac::sign(&self.key, message.as_bytes());
        Some([message, URL_SAFE_NO_PAD.encode(signature)].join("."))
    }
}

/// Without a fraction where it has none.
fn number(seconds: f64) -> Option<Number> {
    match seconds.fract() == 0.0 && seconds.abs() < 9e15 {
        true => Some(Number::from(seconds as i64)),
        false => Number::from_f64(seconds),
    }
}

impl Seal for Signer {
    fn seal(&self, object: &[u8]) -> Option<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        self.sign(object, now)
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(object: &str, expected: &str) {
        let signer = Signer::new(b"a secret of more than thirty-two bytes");
        let token = signer.sign(object.as_bytes(), 1_800_000_000).unwrap();
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
        let parse = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap();
        assert_eq!(parse(&claims), parse(expected.as_bytes()), "{object}");
        let keys = super::super::KeySet::new(vec![super::super::Key::secret(
            b"a secret of more than thirty-two bytes",
        )]);
        let token = super::super::token::Token::parse(&token).unwrap();
        assert!(token.is_signed_by([&keys].into_iter()));
    }

    #[test]
    fn a_token_says_what_was_given_and_when_it_ends() {
        check(
            r#"{"role":"author","user_id":7,"none":null}"#,
            r#"{"role":"author","user_id":7,"none":null,"exp":1800086400,"iat":1800000000,"aud":"postgraphile","iss":"postgraphile"}"#,
        );
        check(
            r#"{"exp":"1900000000","aud":"me","iss":"us","iat":5}"#,
            r#"{"exp":1900000000,"aud":"me","iss":"us","iat":5}"#,
        );
        check(
            r#"{"exp":1900000000.5,"aud":["a","b"],"iss":null}"#,
            r#"{"exp":1900000000.5,"iat":1800000000,"aud":["a","b"],"iss":"postgraphile"}"#,
        );
    }
}
