//! A secret of tokens, and a token to try the API with.

use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

/// How long the token is valid.
const SECONDS: u64 = 30 * 24 * 60 * 60;

/// The audience of tokens that a server accepts by default, as PostGraphile does.
const AUDIENCE: &str = "postgraphile";

/// A random secret; none if the system gives no random bytes.
pub(super) fn secret() -> Option<String> {
    let mut bytes = [0; 32];
    aws_lc_rs::rand::fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

/// A token by HS256 whose claim names the role.
pub(super) fn signed(secret: &str, claim: &str, role: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let header = json!({ "alg": "HS256", "typ": "JWT" }).to_string();
    let claims = json!({ claim: role, "aud": AUDIENCE, "exp": now + SECONDS }).to_string();
    let parts = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(hmac::sign(&key, parts.as_bytes()));
    format!("{parts}.{signature}")
}
