//! Subscriptions to notifications of the source: each is executed once for each notification.
//!
//! The opaque id of the row that a notification is about is a variable of the execution, after those
//! of the operation.

use ::live::{CohortKey, Listener, ListenerEnd};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use dialects::Listened;
use graphql::{ErrorCode, GraphQLError, Request};
use serde_json_bytes::{ByteString, Map, Value};
use tokio::sync::mpsc::Sender;

use sources::Channels;

use crate::caller::Caller;

/// The name under which a request of this process has the id: no variable of a client has it.
const NODE_ID: &str = "id of the node";

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

/// Sets the id for the next execution.
pub(crate) fn set_node_id(variables: &mut Map<ByteString, Value>, id: Value) {
    variables.insert(NODE_ID, id);
}

/// The value of the variable after those of the operation.
pub(crate) fn given_node_id(variables: &Map<ByteString, Value>) -> Value {
    variables.get(NODE_ID).cloned().unwrap_or_default()
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
}
