//! The directive `@live(if:, throttle:)`, which makes a query a live query:
//! <https://github.com/n1ru4l/graphql-live-query>

use std::time::Duration;

use dialects::{LIVE_DIRECTIVE, LIVE_IF, LIVE_THROTTLE};
use graphql::operation::{Operation, OperationKind};
use graphql::schema::Schema;
use graphql::value::{Const, Value};
use graphql::{ErrorCode, GraphQLError};
use serde_json_bytes::{ByteString, Map, Value as Json};

/// The member by which clients recognize the responses of live queries.
const MEMBER: &[u8] = b",\"isLive\":true}";

/// A directive that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveDirective {
    /// The least milliseconds between two responses.
    throttle: i64,
}

impl LiveDirective {
    /// The directive of a query, unless its condition is false. Invalid values of variables are errors of
    /// their coercion later.
    pub(crate) fn find(
        schema: &Schema,
        operation: &Operation,
        variables: &Map<ByteString, Json>,
    ) -> Option<Self> {
        if operation.kind != OperationKind::Query {
            return None;
        }
        let applied = operation.directives.iter().find(|own| &*own.name == LIVE_DIRECTIVE)?;
        let mut live = Self { throttle: 0 };
        for (argument, value) in &applied.arguments {
            let value = known(value, operation, variables);
            match &*schema[*argument].name {
                LIVE_IF if value != Json::Bool(true) => return None,
                LIVE_THROTTLE => live.throttle = value.as_i64().unwrap_or_default(),
                _ => {}
            }
        }
        Some(live)
    }

    /// Refuses a throttle that is no time.
    pub(crate) fn check(self) -> Result<(), GraphQLError> {
        match self.throttle < 0 {
            true => Err(GraphQLError::new(
                ErrorCode::BadUserInput,
                "The \"throttle\" of \"@live\" must not be negative.",
            )),
            false => Ok(()),
        }
    }

    pub(crate) fn throttle(self) -> Option<Duration> {
        u64::try_from(self.throttle).ok().filter(|time| *time > 0).map(Duration::from_millis)
    }
}

/// Marks a response as that of a live query.
pub(crate) fn mark(body: &mut Vec<u8>) {
    if body.pop_if(|end| *end == b'}').is_some() {
        body.extend_from_slice(MEMBER);
    }
}

/// The value of an argument of a directive of operations.
pub(crate) fn known(
    value: &Value,
    operation: &Operation,
    variables: &Map<ByteString, Json>,
) -> Json {
    match value {
        Value::Boolean(value) => Json::Bool(*value),
        Value::Int(number) => (*number).into(),
        Value::Variable(slot) => {
            let definition = operation.variables.get(usize::from(slot.0));
            let given = definition.and_then(|definition| variables.get(&*definition.name));
            let default = definition.and_then(|definition| definition.default.as_ref());
            match (given, default) {
                (Some(given), _) => given.clone(),
                (None, Some(Const::Boolean(value))) => Json::Bool(*value),
                (None, Some(Const::Int(number))) => (*number).into(),
                (None, _) => Json::Null,
            }
        }
        _ => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_marked() {
        let check = |body: &str, expected: &str| {
            let mut body = body.as_bytes().to_vec();
            mark(&mut body);
            assert_eq!(String::from_utf8(body).unwrap(), expected);
        };
        check(r#"{"data":{"a":1}}"#, r#"{"data":{"a":1},"isLive":true}"#);
        check(r#"{"errors":[]}"#, r#"{"errors":[],"isLive":true}"#);
    }
}
