//! Events of changes: a committed transaction has created, updated or deleted a node of a graph, or a
//! row.

use std::sync::Arc;

use catalog::EntityId;
use ir::EventKind;
use ir::event::{ENTITY, VALUE};
use response::{Cursor, Layout, MemoryReservation, Shape, Sink, Writer};
use serde_json_bytes::Value;

use crate::error::{SourceError, SourceErrorKind};

/// An event of a committed transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommittedEvent {
    Node(NodeEvent),
    Row(RowEvent),
}

/// An event of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeEvent {
    pub kind: EventKind,
    pub labels: Vec<Box<str>>,
    /// The properties before the transaction, in the source's own form; `None` if it has created the
    /// node.
    pub before: Option<Box<[u8]>>,
    /// The properties after it; `None` if it has deleted the node.
    pub after: Option<Box<[u8]>>,
    /// The time of the change, in milliseconds since 1970.
    pub timestamp: i64,
}

/// An event of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEvent {
    pub entity: EntityId,
    /// The value of the event, by which its subscriptions are executed.
    pub value: Value,
}

/// The events of the committed transactions of a request.
#[derive(Clone, Debug, Default)]
pub struct CommittedEvents {
    pub events: Vec<Arc<CommittedEvent>>,
    /// True if there may be more: it is not known whether a transaction was committed, or what it has
    /// changed.
    pub is_incomplete: bool,
}

impl CommittedEvents {
    /// Events that may have happened, unknown which.
    #[must_use]
    pub fn unknown() -> Self {
        Self { events: Vec::new(), is_incomplete: true }
    }

    /// The events of changed rows, written by the shape's own description of them from the rows that
    /// the statements of committed transactions have given. `failures` are the errors of its root
    /// fields.
    pub fn of_rows<C: Cursor<Error = SourceError>>(
        (shape, layout): (&Shape, &Layout),
        top: &mut C,
        held: MemoryReservation,
        failures: &[(u32, SourceError)],
    ) -> Self {
        let Some(events) = &shape.events else { return Self::default() };
        let is_unknown =
            |(_, error): &(u32, SourceError)| error.kind == SourceErrorKind::OutcomeUnknown;
        let is_incomplete = failures.iter().any(is_unknown);
        let written = Writer::new(events, layout, Sink::new(Vec::new(), u64::MAX, held)).write(top);
        match written {
            // A value that the API's type cannot represent is null.
            Ok(written) => match read(&written.data) {
                Some(events) => Self { events, is_incomplete },
                None => Self::unknown(),
            },
            Err(stopped) => {
                tracing::warn!(?stopped, "the events of a change are not known");
                Self::unknown()
            }
        }
    }
}

/// Reads events in their order. One whose row is null has not happened.
fn read(bytes: &[u8]) -> Option<Vec<Arc<CommittedEvent>>> {
    let Ok(Value::Object(mut written)) = serde_json::from_slice(bytes) else { return None };
    let mut events = Vec::new();
    for index in 0..written.len() {
        match written.remove(index.to_string().as_str())? {
            Value::Null => {}
            Value::Array(rows) => {
                for event in rows {
                    events.push(read_event(event)?);
                }
            }
            event => events.push(read_event(event)?),
        }
    }
    Some(events)
}

fn read_event(event: Value) -> Option<Arc<CommittedEvent>> {
    let Value::Object(mut event) = event else { return None };
    let entity = event.get(ENTITY)?.as_u64()?;
    let entity = EntityId::new(usize::try_from(entity).ok()?);
    let value = event.remove(VALUE)?;
    Some(Arc::new(CommittedEvent::Row(RowEvent { entity, value })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_in_their_order_without_those_that_have_not_happened() {
        let value = |text: &str| Value::from(text);
        let expected = [(1, "first"), (0, "second")].map(|(entity, text)| {
            let entity = EntityId::new(entity);
            Arc::new(CommittedEvent::Row(RowEvent { entity, value: value(text) }))
        });
        let written =
            br#"{"0":{"entity":1,"value":"first"},"1":null,"2":{"entity":0,"value":"second"}}"#;
        assert_eq!(read(written), Some(expected.to_vec()));
        let several =
            br#"{"0":[{"entity":1,"value":"first"},{"entity":0,"value":"second"}],"1":[]}"#;
        assert_eq!(read(several), Some(expected.to_vec()));
        assert_eq!(read(b"{}"), Some(Vec::new()));
        for other in [
            &b"null"[..],
            b"{\"0\":1}",
            b"{\"0\":{\"entity\":0}}",
            b"{\"1\":null}",
            b"{\"0\":[null]}",
        ] {
            assert_eq!(read(other), None);
        }
    }
}
