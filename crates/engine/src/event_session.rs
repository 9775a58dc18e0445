//! Session variables of changes, for the database's triggers that record events.
//!
//! A database that Hasura served reads them from a setting of the transaction. It is set for changes
//! alone, and only if the metadata has event triggers: other requests do not pay for it. Triggers read an
//! empty setting as a missing one, so a connection may keep it.

use std::sync::Arc;

use dialects::Dialect;
use dialects::hasura::metadata::ServedSource;
use graphql::operation::OperationKind;
use serde_json_bytes::{Map, Value as Json};
use source::Session;

/// The setting with the variables as a JSON object.
const SETTING: &str = "hasura.user";

/// The beginning of the names of variables.
const PREFIX: &str = "x-hasura-";

/// Whether the changes of an API are recorded with their session variables.
pub(crate) fn is_recorded(dialect: &Dialect) -> bool {
    let has_triggers = |served: &ServedSource| {
        served.source().tables.iter().any(|table| !table.event_triggers.is_empty())
    };
    match dialect {
        Dialect::Hasura(options) => options.metadata.served().is_some_and(has_triggers),
        Dialect::PostGraphile(_)
        | Dialect::Phrag(_)
        | Dialect::Neo4j(_)
        | Dialect::Dgraph(_)
        | Dialect::Prisma(_) => false,
    }
}

/// The session of an operation that changes rows, with the setting; `None` for other operations, and
/// without variables.
pub(crate) fn of_change(kind: OperationKind, session: &Session) -> Option<Session> {
    if kind != OperationKind::Mutation {
        return None;
    }
    let Json::Object(claims) = session.claims.as_ref()?.all() else { return None };
    let is_variable = |name: &str| {
        name.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX))
    };
    let variables = claims.iter().filter(|(name, _)| is_variable(name.as_str()));
    let variables: Map<_, _> =
        variables.map(|(name, value)| (name.clone(), value.clone())).collect();
    if variables.is_empty() {
        return None;
    }
    let text = Json::Object(variables).to_string();
    let settings = session.settings.as_deref();
    let settings = settings.cloned().unwrap_or_default().with_transient(SETTING, &text);
    Some(Session { settings: Some(Arc::new(settings)), claims: session.claims.clone() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use source::{Claims, Settings};

    use super::*;

    fn check(kind: OperationKind, claims: serde_json::Value, expected: Option<&str>) {
        let claims = Claims::new(Json::from(claims));
        let own = Settings::new(vec![("app.a".into(), "1".into())]);
        let session = Session { settings: Some(Arc::new(own)), claims: Some(Arc::new(claims)) };
        let changed = of_change(kind, &session);
        let settings = changed.as_ref().map(|session| session.settings.as_deref().unwrap());
        let pairs = settings.map(|settings| {
            let pairs = settings.pairs().iter();
            pairs.map(|(name, value)| [&**name, &**value]).collect::<Vec<_>>()
        });
        let expected = expected.map(|text| vec![["app.a", "1"], [SETTING, text]]);
        assert_eq!(pairs, expected);
        if let Some(settings) = settings {
            // The connection may be used without the setting afterwards.
            assert_eq!(settings.names(), session.settings.as_deref().unwrap().names());
        }
    }

    #[test]
    fn changes_have_the_variables_of_their_session() {
        let claims = || json!({ "x-hasura-role": "a", "X-Hasura-User-Id": "\"1'", "sub": "b" });
        let expected = r#"{"x-hasura-role":"a","X-Hasura-User-Id":"\"1'"}"#;
        check(OperationKind::Mutation, claims(), Some(expected));
        check(OperationKind::Query, claims(), None);
        check(OperationKind::Mutation, json!({ "sub": "b" }), None);
    }

    #[test]
    fn a_session_without_claims_has_no_variables() {
        assert!(of_change(OperationKind::Mutation, &Session::default()).is_none());
    }
}
