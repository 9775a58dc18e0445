//! Who asks the requests of a case: its role and claims, told to the policies or, where there are
//! none, to the database as a token would be.

use std::sync::Arc;
use std::time::SystemTime;

use dialects::hasura::permissions::{ADMIN, ROLE};
use engine::session::{Key, KeySet, Mapping, Rules, Sessions};
use engine::{Claims, Session};
use testkit::cases::Case;
use testkit::tokens::Issuer;

const SECRET: &str = "only for cases";

/// The session of a step of a case; that of nobody where the case does not say who asks, or says
/// `null`.
pub(crate) fn session(case: &Case, step: usize) -> Result<Session, String> {
    let has_metadata = case.header.has_metadata();
    if !case.has_session() && !has_metadata {
        return Ok(Session::default());
    }
    let claims = case.find_claims(step).filter(|text| !text.is_empty()).unwrap_or("{}");
    if claims.trim() == "null" {
        return Ok(Session::default());
    }
    let claims: serde_json::Value =
        serde_json::from_str(claims).map_err(|error| format!("the claims are no JSON: {error}"))?;
    let serde_json::Value::Object(mut claims) = claims else {
        return Err("claims are an object".into());
    };
    let role = &case.header.role;
    if has_metadata {
        // As Hasura does, which takes nobody for anybody but the administrator.
        let role = if role.is_empty() { ADMIN } else { role.as_str() };
        claims.entry(ROLE).or_insert_with(|| role.into());
    } else if !role.is_empty() {
        claims.entry("role").or_insert_with(|| role.as_str().into());
    }
    let claims = serde_json::Value::Object(claims).to_string();
    let is_told_to_the_database = case.header.policies.is_empty()
        && !has_metadata
        && !case.header.dialect.starts_with("dgraph");
    if is_told_to_the_database {
        return told_to_the_database(&claims);
    }
    let claims = serde_json::from_str(&claims).map_err(|error| error.to_string())?;
    Ok(Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() })
}

/// The session of whoever nothing is kept from.
pub(crate) fn administrator(case: &Case) -> Session {
    if !case.header.has_metadata() {
        return Session::default();
    }
    let claims = serde_json_bytes::json!({ ROLE: ADMIN });
    Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() }
}

fn told_to_the_database(claims: &str) -> Result<Session, String> {
    let keys = KeySet::new(vec![Key::secret(SECRET.as_bytes())]);
    let sessions = Sessions::new(keys, Rules::default(), Mapping::default());
    let token = Issuer::secret(SECRET).token(claims);
    let verified = sessions.check(&token, &[], 0, SystemTime::now());
    let verified = verified.map_err(|refused| refused.to_string())?;
    Ok(sessions.authenticated(&verified, Vec::new()))
}
