//! Events of changes: a committed transaction has created, updated or deleted a node of a graph, or a
//! row.

use std::ops::Range;
use std::sync::Arc;

use catalog::EntityId;
use ir::EventKind;
use ir::event::{ENTITY, VALUE};
use response::{Cursor, Fields, Layout, MemoryReservation, Node, Shape, Sink, Writer};
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
        let Some(all) = events.root else { return Self { events: Vec::new(), is_incomplete } };
        match write((events, layout), all, top, held) {
            Some(events) => Self { events, is_incomplete },
            None => Self::unknown(),
        }
    }

    /// The events of the rows of some levels: those of one of several transactions, without writing
    /// those of the others.
    pub fn of_levels<C: Cursor<Error = SourceError>>(
        (shape, layout): (&Shape, &Layout),
        levels: &Range<u16>,
        top: &mut C,
        held: &MemoryReservation,
    ) -> Self {
        let Some(events) = &shape.events else { return Self::default() };
        let Some(Fields { mut start, end }) = events.root else { return Self::default() };
        let own = events.fields(Fields { start, end }).iter().map(|field| {
            let (Node::Single { rows, .. } | Node::List { rows, .. }) = events.node(field.node)
            else {
                return false;
            };
            layout.level(*rows).is_some_and(|level| levels.contains(&level.0))
        });
        let own: Vec<bool> = own.collect();
        let mut found = Self::default();
        // As a rule the events of a transaction follow one another.
        for part in own.chunk_by(|one, next| one == next) {
            let fields = Fields { start, end: start + part.len() as u32 };
            start = fields.end;
            if part.first() != Some(&true) {
                continue;
            }
            match write((events, layout), fields, top, held.another()) {
                Some(events) => found.events.extend(events),
                None => return Self::unknown(),
            }
        }
        found
    }
}

/// Writes some of the events, and reads them; `None` if they are not known.
fn write<C: Cursor<Error = SourceError>>(
    (events, layout): (&Shape, &Layout),
    fields: Fields,
    top: &mut C,
    held: MemoryReservation,
) -> Option<Vec<Arc<CommittedEvent>>> {
    let writer = Writer::new(events, layout, Sink::new(Vec::new(), u64::MAX, held));
    match writer.write_part(fields, top) {
        // A value that the API's type cannot represent is null.
        Ok(written) => {
            let first = events.root.map_or(0, |root| fields.start - root.start);
            read(&written.data, first)
        }
        Err(stopped) => {
            tracing::warn!(?stopped, "the events of a change are not known");
            None
        }
    }
}

/// Reads events in their order, the first of which has this number. One whose row is null has not
/// happened.
fn read(bytes: &[u8], first: u32) -> Option<Vec<Arc<CommittedEvent>>> {
    let Ok(Value::Object(mut written)) = serde_json::from_slice(bytes) else { return None };
    let mut events = Vec::new();
    for index in (first..).take(written.len()) {
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
    use response::{Bounds, LevelId, RowsId, ShapeField};

    use super::*;

    /// The rows of a level: one, without columns.
    #[derive(Debug)]
    struct OneRow {
        is_read: bool,
    }

    impl Cursor for OneRow {
        type Error = SourceError;
        type Child<'a> = Self;

        fn next(&mut self) -> Result<bool, SourceError> {
            Ok(!std::mem::replace(&mut self.is_read, true))
        }

        fn value(&self, _: u16) -> response::Value<'_> {
            response::Value::Null
        }

        fn open(&mut self, _: LevelId) -> Result<Self, SourceError> {
            Ok(Self { is_read: false })
        }

        fn row_number(&self) -> u64 {
            1
        }

        fn bounds(&self) -> Bounds {
            Bounds::default()
        }

        fn has_more(&self) -> bool {
            false
        }
    }

    #[test]
    fn events_of_some_levels_are_written_without_the_others() {
        let mut events = Shape::default();
        let names = ["first", "second", "third"];
        let fields = names.into_iter().enumerate().map(|(place, name)| {
            let event = format!(r#"{{"entity":1,"value":"{name}"}}"#).into_bytes();
            let node = events.add(Node::Literal(event.into()));
            let node = events.add(Node::Single { rows: RowsId(place as u32), node });
            ShapeField::new(&place.to_string(), node, true)
        });
        let fields: Vec<_> = fields.collect();
        events.root = Some(events.add_fields(fields));
        let mut shape = Shape::default();
        shape.events = Some(Arc::new(events));
        let rows = [0, 3, 1].map(|level| Some(LevelId(level))).to_vec();
        let layout = Layout { rows, ..Layout::default() };
        let check = |levels: Range<u16>, expected: &[&str]| {
            let (mut top, held) = (OneRow { is_read: true }, MemoryReservation::default());
            let found = CommittedEvents::of_levels((&shape, &layout), &levels, &mut top, &held);
            assert!(!found.is_incomplete);
            let expected = expected.iter().map(|name| {
                let (entity, value) = (EntityId::new(1), Value::from(*name));
                Arc::new(CommittedEvent::Row(RowEvent { entity, value }))
            });
            assert_eq!(found.events, expected.collect::<Vec<_>>(), "{levels:?}");
        };
        check(0..4, &["first", "second", "third"]);
        check(0..2, &["first", "third"]);
        check(2..4, &["second"]);
        check(4..5, &[]);
    }

    #[test]
    fn events_are_read_in_their_order_without_those_that_have_not_happened() {
        let value = |text: &str| Value::from(text);
        let expected = [(1, "first"), (0, "second")].map(|(entity, text)| {
            let entity = EntityId::new(entity);
            Arc::new(CommittedEvent::Row(RowEvent { entity, value: value(text) }))
        });
        let written =
            br#"{"0":{"entity":1,"value":"first"},"1":null,"2":{"entity":0,"value":"second"}}"#;
        assert_eq!(read(written, 0), Some(expected.to_vec()));
        let several =
            br#"{"0":[{"entity":1,"value":"first"},{"entity":0,"value":"second"}],"1":[]}"#;
        assert_eq!(read(several, 0), Some(expected.to_vec()));
        let later = br#"{"7":{"entity":1,"value":"first"},"8":{"entity":0,"value":"second"}}"#;
        assert_eq!(read(later, 7), Some(expected.to_vec()));
        assert_eq!(read(later, 0), None);
        assert_eq!(read(b"{}", 0), Some(Vec::new()));
        for other in [
            &b"null"[..],
            b"{\"0\":1}",
            b"{\"0\":{\"entity\":0}}",
            b"{\"1\":null}",
            b"{\"0\":[null]}",
        ] {
            assert_eq!(read(other, 0), None);
        }
    }
}
