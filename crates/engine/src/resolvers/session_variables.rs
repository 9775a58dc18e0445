//! Session variables of a request, for the webhooks of actions.

use serde_json::{Map, Value};
use source::Session;

/// The prefix of session variables among claims.
const PREFIX: &str = "x-hasura-";

/// The variable of the role.
const ROLE: &str = "x-hasura-role";

/// The role of a request without authentication.
const ADMIN: &str = "admin";

/// The session variables of a client, with names in lower case and texts as values. The other claims
/// are none.
pub(crate) fn session_variables(session: &Session) -> Map<String, Value> {
    let mut variables = Map::new();
    let claims = session.claims.as_deref().and_then(|claims| claims.all().as_object());
    for (name, value) in claims.into_iter().flatten() {
        let name = name.as_str().to_ascii_lowercase();
        if !name.starts_with(PREFIX) {
            continue;
        }
        let text = match value {
            serde_json_bytes::Value::String(text) => text.as_str().to_owned(),
            other => other.to_string(),
        };
        variables.insert(name, Value::String(text));
    }
    if !variables.contains_key(ROLE) && session.claims.is_none() {
        variables.insert(ROLE.to_owned(), ADMIN.into());
    }
    variables
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use source::Claims;

    use super::*;

    #[test]
    fn claims_with_the_prefix_are_variables() {
        let check = |claims: Option<&str>, expected: &str| {
            let claims = claims.map(|text| Claims::new(serde_json::from_str(text).unwrap()));
            let claims = claims.map(Arc::new);
            let session = Session { settings: None, claims };
            let found = Value::Object(session_variables(&session));
            assert_eq!(found, serde_json::from_str::<Value>(expected).unwrap());
        };
        check(None, r#"{"x-hasura-role": "admin"}"#);
        check(Some(r#"{"sub": "1"}"#), "{}");
        check(
            Some(r#"{"X-Hasura-Role": "editor", "x-hasura-n": 7, "sub": "1"}"#),
            r#"{"x-hasura-role": "editor", "x-hasura-n": "7"}"#,
        );
    }
}
