//! Subscriptions to notifications of the source: each is executed once for each notification.
//!
//! The opaque id of the row that a notification is about is a variable of the execution, after those
//! of the operation; the members of the notification that the operation may show are another one.

use std::sync::Arc;

use ::live::{CohortKey, Listener, ListenerEnd};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use dialects::{EventMember, Listened, MemberKind};
use graphql::{ErrorCode, GraphQLError, Request};
use serde_json_bytes::{ByteString, Map, Value};
use tokio::sync::mpsc::Sender;

use sources::Channels;

use crate::caller::Caller;

/// The name under which a request of this process has the id: no variable of a client has it.
const NODE_ID: &str = "id of the node";

/// The same for the members of the notification.
const MEMBERS: &str = "members of the notification";

/// The longest name of a channel: PostgreSQL cuts longer ones.
const CHANNEL: usize = 63;

/// The execution of a subscription to notifications.
#[derive(Debug)]
pub(crate) struct EventExecution {
    pub(crate) channel: Box<str>,
    pub(crate) listener: Listener,
    /// Closed when the subscriber has left.
    pub(crate) responses: Sender<Bytes>,
    pub(crate) request: Request,
    pub(crate) caller: Caller,
    /// Equal subscriptions have equal keys; none for one that shares its responses with no other.
    pub(crate) key: Option<CohortKey>,
    /// The member of a notification that is the id of a row as JSON.
    pub(crate) node: Box<str>,
    /// The members that the fields of an event show.
    pub(crate) members: Arc<[EventMember]>,
    /// True if the first event is the beginning.
    pub(crate) begins: bool,
    pub(crate) channels: Channels,
    /// True if this driver receives the notifications of all subscriptions.
    pub(crate) needs_task: bool,
}

/// The channel of a topic.
pub(crate) fn channel(listened: &Listened, topic: &str) -> Result<String, GraphQLError> {
    let channel = format!("{}{topic}", listened.binding.channel);
    let refused = if channel.len() > CHANNEL {
        let longest = CHANNEL - listened.binding.channel.len();
        Some(format!("A topic has {longest} bytes at most."))
    } else {
        channel.contains('\0').then(|| "A topic has no null character.".into())
    };
    match refused {
        Some(message) => Err(GraphQLError::new(ErrorCode::BadUserInput, message)),
        None => Ok(channel),
    }
}

/// Refuses a name that the database would shorten, or refuse.
pub(crate) fn check_channel(name: &str) -> Result<(), GraphQLError> {
    match name.len() > CHANNEL || name.contains('\0') {
        true => Err(GraphQLError::new(
            ErrorCode::SourceError,
            "The function that authorizes subscriptions returns no name of a channel.",
        )),
        false => Ok(()),
    }
}

/// The id of the row that a notification is about; null if it names none.
pub(crate) fn node_id(payload: &str, member: &str) -> Value {
    let payload: Option<serde_json::Value> = serde_json::from_str(payload).ok();
    let node = payload.as_ref().and_then(|payload| payload.get(member));
    match node.filter(|node| !node.is_null()) {
        Some(node) => STANDARD.encode(node.to_string()).into(),
        None => Value::Null,
    }
}

/// The members of a notification that an operation may show, each with a value of its type.
pub(crate) fn shown_members(payload: &str, members: &[EventMember]) -> Value {
    if members.is_empty() {
        return Value::Null;
    }
    let payload: serde_json::Value = serde_json::from_str(payload).unwrap_or_default();
    let shown = members.iter().map(|EventMember { name, kind }| {
        let value = payload.get(&**name).and_then(|value| member_value(value, *kind));
        (ByteString::from(&**name), value.unwrap_or_default())
    });
    Value::Object(shown.collect())
}

/// The value of a member in the form of its type, as GraphQL coerces results; `None` if it has none.
fn member_value(value: &serde_json::Value, kind: MemberKind) -> Option<Value> {
    use serde_json::Value as Json;
    match (kind, value) {
        (MemberKind::Text, Json::String(text)) => Some(text.as_str().into()),
        (MemberKind::Text, Json::Number(_) | Json::Bool(_)) => Some(value.to_string().into()),
        (MemberKind::Int, _) => {
            let number = value.as_i64().or_else(|| value.as_str()?.parse().ok())?;
            i32::try_from(number).ok().map(Into::into)
        }
        (MemberKind::Float, Json::Number(number)) => Some(Value::Number(number.clone())),
        (MemberKind::Boolean, Json::Bool(value)) => Some(Value::Bool(*value)),
        (MemberKind::Text | MemberKind::Float | MemberKind::Boolean, _) => None,
    }
}

/// Sets the id and the members for the next execution.
pub(crate) fn set_event(variables: &mut Map<ByteString, Value>, id: Value, members: Value) {
    variables.insert(NODE_ID, id);
    variables.insert(MEMBERS, members);
}

/// The values of the variables after those of the operation.
pub(crate) fn given_event(variables: &Map<ByteString, Value>) -> [Option<Value>; 2] {
    [NODE_ID, MEMBERS].map(|name| Some(variables.get(name).cloned().unwrap_or_default()))
}

/// The last error of a subscription that may miss notifications.
pub(crate) fn ended(end: ListenerEnd) -> GraphQLError {
    match end {
        ListenerEnd::TooSlow => GraphQLError::new(
            ErrorCode::Overloaded,
            "The client reads the events too slowly: the following ones are not sent.",
        ),
        ListenerEnd::Lost => GraphQLError::new(
            ErrorCode::Unavailable,
            "The notifications of the database are lost: events may be missing.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_names_a_row_or_none() {
        let check = |payload: &str, id: Option<&str>| {
            let expected = id.map_or(Value::Null, |id| STANDARD.encode(id).into());
            assert_eq!(node_id(payload, "__node__"), expected, "{payload}");
        };
        check(r#"{"__node__": ["people", 1]}"#, Some(r#"["people",1]"#));
        check(r#"{"__node__": ["tags", "a b", null]}"#, Some(r#"["tags","a b",null]"#));
        check(r#"{"__node__": null}"#, None);
        check(r#"{"node": ["people", 1]}"#, None);
        check("[1]", None);
        check("no JSON", None);
        check("", None);
    }

    #[test]
    fn members_have_the_forms_of_their_types() {
        let member = |name: &str, kind| EventMember { name: name.into(), kind };
        let members = [
            member("t", MemberKind::Text),
            member("i", MemberKind::Int),
            member("f", MemberKind::Float),
            member("b", MemberKind::Boolean),
        ];
        let check = |payload: &str, expected: &str| {
            assert_eq!(shown_members(payload, &members).to_string(), expected, "{payload}");
        };
        check(
            r#"{"t":"a","i":1,"f":1.5,"b":true,"more":1}"#,
            r#"{"t":"a","i":1,"f":1.5,"b":true}"#,
        );
        check(r#"{"t":7,"i":"7","f":2,"b":1}"#, r#"{"t":"7","i":7,"f":2,"b":null}"#);
        check(r#"{"t":{},"i":3000000000,"f":"x"}"#, r#"{"t":null,"i":null,"f":null,"b":null}"#);
        check("no JSON", r#"{"t":null,"i":null,"f":null,"b":null}"#);
        assert_eq!(shown_members("{}", &[]), Value::Null);
    }
}
