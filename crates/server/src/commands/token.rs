//! `thalweg token`: a token for development, which the shared secret of a server signs.

use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine::session::Algorithm;
use serde_json::{Map, Value, json};

use crate::commands::print;
use crate::failure::Failure;
use crate::options::TokenOptions;

/// The audience of tokens that a server accepts by default, as PostGraphile does.
const USUAL_AUDIENCE: &str = "postgraphile";

pub(crate) fn run(options: &TokenOptions) -> Result<(), Failure> {
    let Some(secret) = options.jwt_secret.as_deref().filter(|secret| !secret.is_empty()) else {
        return Err(Failure::Usage(
            "`thalweg token` needs the shared secret of the server, `--jwt-secret SECRET`, in the \
             environment or the configuration file: tokens of public keys come from their issuer"
                .into(),
        ));
    };
    let algorithm = algorithm(options)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let claims = claims(options, now)?;
    print(&format!("{}\n", signed(secret, algorithm, &Value::Object(claims))))
}

/// The first accepted algorithm of a shared secret.
fn algorithm(options: &TokenOptions) -> Result<Algorithm, Failure> {
    let accepted = options.verify.jwt_verify_algorithms.iter().map(|accepted| accepted.0);
    let mut accepted = accepted.filter(|algorithm| hash(*algorithm).is_some());
    match (options.verify.jwt_verify_algorithms.is_empty(), accepted.next()) {
        (true, _) => Ok(Algorithm::Hs256),
        (false, Some(algorithm)) => Ok(algorithm),
        (false, None) => Err(Failure::Usage(
            "`--jwt-verify-algorithms` accepts no token of a shared secret: add HS256, HS384 or HS512"
                .into(),
        )),
    }
}

/// The given claims, and those that the server requires where they are missing.
fn claims(options: &TokenOptions, now: u64) -> Result<Map<String, Value>, Failure> {
    let given = serde_json::to_value(options.claims.clone().unwrap_or_default());
    let mut claims = match given {
        Ok(Value::Object(claims)) => claims,
        Ok(_) | Err(_) => return Err(Failure::Usage("`--claims` needs a JSON object".into())),
    };
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value
            && !claims.contains_key(name)
        {
            claims.insert(name.to_owned(), value);
        }
    };
    let text = |text: &str| Value::from(text);
    let audience = match &options.verify.jwt_verify_audience {
        None => Some(USUAL_AUDIENCE),
        Some(audiences) if audiences.iter().any(|audience| **audience == *"*") => None,
        Some(audiences) => audiences.first().map(|audience| &**audience),
    };
    add("aud", audience.map(text));
    add("iss", options.verify.jwt_verify_issuer.first().map(|issuer| text(issuer)));
    add("sub", options.verify.jwt_verify_subject.as_deref().map(text));
    add("jti", options.verify.jwt_verify_id.as_deref().map(text));
    add("iat", Some(now.into()));
    add("exp", Some(now.saturating_add(options.token_validity.0.as_secs()).into()));
    let missing = options.jwt_require_claims.iter().find(|name| !claims.contains_key(&***name));
    match missing {
        None => Ok(claims),
        Some(name) => Err(Failure::Usage(format!(
            "`--jwt-require-claims` requires the claim `{name}`: add it to `--claims`"
        ))),
    }
}

fn hash(algorithm: Algorithm) -> Option<hmac::Algorithm> {
    match algorithm {
        Algorithm::Hs256 => Some(hmac::HMAC_SHA256),
        Algorithm::Hs384 => Some(hmac::HMAC_SHA384),
        Algorithm::Hs512 => Some(hmac::HMAC_SHA512),
        Algorithm::Rs256
        | Algorithm::Rs384
        | Algorithm::Rs512
        | Algorithm::Ps256
        | Algorithm::Ps384
        | Algorithm::Ps512
        | Algorithm::Es256
        | Algorithm::Es384
        | Algorithm::Es512
        | Algorithm::EdDsa => None,
    }
}

/// A token that the secret signs; by HS256 if the algorithm needs another key.
fn signed(secret: &str, algorithm: Algorithm, claims: &Value) -> String {
    let (algorithm, hash) = match hash(algorithm) {
        Some(hash) => (algorithm, hash),
        None => (Algorithm::Hs256, hmac::HMAC_SHA256),
    };
    let header = json!({ "alg": algorithm.name(), "typ": "JWT" }).to_string();
    let parts = [header, claims.to_string()].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
    let key = hmac::Key::new(hash, secret.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(hmac::sign(&key, parts.as_bytes()));
    format!("{parts}.{signature}")
}

/// A token by HS256 for a server that accepts the usual audience, whose claim names the role.
pub(super) fn of_role(secret: &str, claim: &str, role: &str, seconds: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let claims = json!({ claim: role, "aud": USUAL_AUDIENCE, "exp": now.saturating_add(seconds) });
    signed(secret, Algorithm::Hs256, &claims)
}
