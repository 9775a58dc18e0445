//! Subscriptions to events: each is executed once for each notification of the source, or for each
//! change of a node or of a row.
//!
//! The value of an event is a variable of the execution, after those of the operation: the opaque id
//! of the row that a notification is about, or the properties of a node before and after a change. The
//! members of a notification that the operation may show are another one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::live::{
    Change, CohortKey, Event, EventListener, EventListeners, Listener, ListenerEnd, ListenerPlace,
    Listeners, Listening, Notice, Subject,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use dialects::{AFTER, BEFORE, EventMember, LABELS, ListenedChannel, MemberKind, TIME};
use graphql::{ErrorCode, GraphQLError, Request};
use serde_json_bytes::{ByteString, Map, Value};
use source::{CommittedEvent, NodeEvent};
use tokio::sync::mpsc::Sender;

use sources::Channels;

use crate::caller::Caller;

/// The name under which a request of this process has the value of an event: no variable of a client
/// has it.
const EVENT: &str = "value of the event";

/// The same for the members of the notification.
const MEMBERS: &str = "members of the notification";

/// The longest name of a channel: PostgreSQL cuts longer ones.
const CHANNEL: usize = 63;

/// The execution of a subscription to events.
#[derive(Debug)]
pub(crate) struct EventExecution {
    pub(crate) events: Events,
    /// Closed when the subscriber has left.
    pub(crate) responses: Sender<Bytes>,
    pub(crate) request: Request,
    pub(crate) caller: Caller,
    /// Equal subscriptions have equal keys; none for one that shares its responses with no other.
    pub(crate) key: Option<CohortKey>,
    /// Set at the end if another engine continues the subscription.
    pub(crate) is_moved: Arc<AtomicBool>,
}

/// The events of a subscription.
#[derive(Debug)]
pub(crate) enum Events {
    Notifications(Box<Notifications>),
    Changes(NodeChanges),
}

/// The notifications of a channel.
#[derive(Debug)]
pub(crate) struct Notifications {
    pub(crate) channel: Box<str>,
    pub(crate) listener: Listener,
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

/// The changes of nodes.
#[derive(Debug)]
pub(crate) struct NodeChanges {
    pub(crate) listener: EventListener,
    /// The response to an event that no condition permits.
    pub(crate) none: Box<[u8]>,
    /// True if the caller may not subscribe: the only response is the error.
    pub(crate) is_refused: bool,
}

/// An event of a subscription.
#[derive(Debug)]
pub(crate) enum NextEvent {
    Begun,
    Notified(Arc<Notice>),
    Changed(Arc<Change>),
}

/// The place of a subscription's listener among the others.
#[derive(Debug)]
pub(crate) enum EventPlace {
    Notifications(ListenerPlace),
    Changes(::live::EventPlace),
}

/// The values of the variables of an execution.
#[derive(Debug, Default)]
pub(crate) struct EventValues {
    value: Value,
    /// The members of a notification.
    members: Value,
}

/// Origins of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Notifications,
    Changes,
    /// Changes before a reload of the API.
    ChangesBeforeReload,
}

impl Events {
    pub(crate) fn origin(&self) -> Origin {
        match self {
            Self::Notifications(_) => Origin::Notifications,
            Self::Changes(_) => Origin::Changes,
        }
    }

    pub(crate) fn place(&self) -> EventPlace {
        match self {
            Self::Notifications(own) => EventPlace::Notifications(own.listener.place()),
            Self::Changes(own) => EventPlace::Changes(own.listener.place()),
        }
    }

    /// Waits for the next event; the error is the last. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<NextEvent, ListenerEnd> {
        match self {
            Self::Notifications(own) => loop {
                match own.listener.next().await? {
                    Event::Begun if !own.begins => {}
                    Event::Begun => return Ok(NextEvent::Begun),
                    Event::Notified(notice) => return Ok(NextEvent::Notified(notice)),
                }
            },
            Self::Changes(own) => Ok(NextEvent::Changed(own.listener.next().await?)),
        }
    }

    /// The values of the variables for an event.
    pub(crate) fn values(&self, event: &NextEvent) -> EventValues {
        match (self, event) {
            (Self::Notifications(own), NextEvent::Notified(notice)) => EventValues {
                value: node_id(&notice.event, &own.node),
                members: shown_members(&notice.event, &own.members),
            },
            (_, NextEvent::Changed(changed)) => {
                let value = match &*changed.event {
                    CommittedEvent::Node(event) => change(event),
                    CommittedEvent::Row(event) => event.value.clone(),
                };
                EventValues { value, members: Value::Null }
            }
            (_, NextEvent::Begun | NextEvent::Notified(_)) => EventValues::default(),
        }
    }

    /// Returns the response as it is sent; `None` if no condition permits the event. The root field of
    /// a permitted one is never null: an error makes the whole data null.
    pub(crate) fn sent(&self, response: Bytes) -> Option<Bytes> {
        match self {
            Self::Changes(own) if response.strip_prefix(&*own.none) == Some(b"}") => None,
            Self::Changes(own) => Some(own.refused(response)),
            Self::Notifications(_) => Some(response),
        }
    }
}

impl EventPlace {
    /// Continues the listener to a channel; `None` if it has ended. The error is the last one of a
    /// subscription that may miss events.
    pub(crate) fn listening(
        &self,
        listeners: &Arc<Listeners>,
        channel: &str,
    ) -> Result<Option<Listening>, GraphQLError> {
        match self {
            Self::Notifications(place) if place.is_of(listeners, channel) => {
                let listening = |listener| Listening { listener, needs_task: false };
                Ok(place.succeed().map(listening))
            }
            Self::Notifications(_) | Self::Changes(_) => Err(self.lost()),
        }
    }

    /// The same for changes of nodes.
    pub(crate) fn changes(
        &self,
        listeners: &Arc<EventListeners>,
        subject: &Subject,
    ) -> Result<Option<EventListener>, GraphQLError> {
        match self {
            Self::Changes(place) if place.is_of(listeners, subject) => Ok(place.succeed()),
            Self::Changes(_) | Self::Notifications(_) => Err(self.lost()),
        }
    }

    /// The last error of a subscription that cannot continue in another engine.
    pub(crate) fn lost(&self) -> GraphQLError {
        let origin = match self {
            Self::Notifications(_) => Origin::Notifications,
            Self::Changes(_) => Origin::ChangesBeforeReload,
        };
        ended(ListenerEnd::Lost, origin)
    }
}

impl NodeChanges {
    /// Returns a response with errors as it is sent.
    pub(crate) fn refused(&self, response: Bytes) -> Bytes {
        match response.strip_prefix(&*self.none) {
            Some(rest) => [b"{\"data\":null", rest].concat().into(),
            None => response,
        }
    }
}

/// The beginning of the response whose root field is null.
pub(crate) fn none(response_name: &str) -> Box<[u8]> {
    ["{\"data\":{\"", response_name, "\":null}"].concat().into_bytes().into()
}

/// The value of a change.
fn change(event: &NodeEvent) -> Value {
    let properties = |properties: &Option<Box<[u8]>>| match properties {
        Some(properties) => STANDARD.encode(properties).into(),
        None => Value::Null,
    };
    let labels = event.labels.iter().map(|label| Value::from(&**label)).collect();
    let mut value = Map::new();
    value.insert(TIME, event.timestamp.into());
    value.insert(BEFORE, properties(&event.before));
    value.insert(AFTER, properties(&event.after));
    value.insert(LABELS, Value::Array(labels));
    Value::Object(value)
}

/// The channel of a topic.
pub(crate) fn channel(listened: &ListenedChannel, topic: &str) -> Result<String, GraphQLError> {
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
fn node_id(payload: &str, member: &str) -> Value {
    let payload: Option<serde_json::Value> = serde_json::from_str(payload).ok();
    let node = payload.as_ref().and_then(|payload| payload.get(member));
    match node.filter(|node| !node.is_null()) {
        Some(node) => STANDARD.encode(node.to_string()).into(),
        None => Value::Null,
    }
}

/// The members of a notification that an operation may show, each with a value of its type.
fn shown_members(payload: &str, members: &[EventMember]) -> Value {
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

/// Sets the position of a stream for the next execution.
pub(crate) fn set_position(variables: &mut Map<ByteString, Value>, position: Value) {
    set_event(variables, EventValues { value: position, members: Value::Null });
}

/// Sets the value of a recorded event for an execution.
pub(crate) fn set_recorded(variables: &mut Map<ByteString, Value>, event: Value) {
    set_event(variables, EventValues { value: event, members: Value::Null });
}

/// Sets the values of the event for the next execution.
pub(crate) fn set_event(variables: &mut Map<ByteString, Value>, event: EventValues) {
    variables.insert(EVENT, event.value);
    variables.insert(MEMBERS, event.members);
}

/// The values of the variables after those of the operation.
pub(crate) fn given_event(variables: &Map<ByteString, Value>) -> [Option<Value>; 2] {
    [EVENT, MEMBERS].map(|name| Some(variables.get(name).cloned().unwrap_or_default()))
}

/// The last error of a subscription that may miss events.
pub(crate) fn ended(end: ListenerEnd, origin: Origin) -> GraphQLError {
    match (end, origin) {
        (ListenerEnd::TooSlow, _) => reads_too_slowly(),
        (ListenerEnd::Lost | ListenerEnd::Moved, Origin::Notifications) => GraphQLError::new(
            ErrorCode::Unavailable,
            "The notifications of the database are lost: events may be missing.",
        ),
        (ListenerEnd::Lost | ListenerEnd::Moved, Origin::Changes) => GraphQLError::new(
            ErrorCode::Unavailable,
            "The outcome of a mutation is not known: events may be missing.",
        ),
        (ListenerEnd::Lost | ListenerEnd::Moved, Origin::ChangesBeforeReload) => GraphQLError::new(
            ErrorCode::Unavailable,
            "The API has been loaded again: events may be missing.",
        ),
    }
}

/// The last error of a subscription whose client does not read its events in time.
pub(crate) fn reads_too_slowly() -> GraphQLError {
    GraphQLError::new(
        ErrorCode::Overloaded,
        "The client reads the events too slowly: the following ones are not sent.",
    )
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
