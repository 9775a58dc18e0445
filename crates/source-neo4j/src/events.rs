//! Events out of the column of touched nodes: [`crate::program::GraphStatement::touched`].
//!
//! The column has the time and a list of entries, each with the id of a node, its labels, and its
//! properties before and after. A node may have several entries, of which the first has the
//! properties before the statement; all have the same ones after it.

use std::sync::Arc;

use ir::EventKind;
use response::packed::{Elements, Malformed, Packed, begin, skip};
use rustc_hash::FxHashMap;
use source::{CommittedEvent, NodeEvent};

/// An entry of a node.
struct Entry<'a> {
    id: i64,
    labels: Vec<Box<str>>,
    before: Option<&'a [u8]>,
    after: Option<&'a [u8]>,
}

/// The events of a record, at most one for each node, in the order of their first changes.
pub(super) fn events(record: &[u8], column: u16) -> Result<Vec<Arc<CommittedEvent>>, Malformed> {
    let Packed::List(columns) = begin(record)? else { return Err(Malformed::Short) };
    let Some(column) = parts(columns)?.into_iter().nth(usize::from(column)) else {
        return Err(Malformed::Short);
    };
    let Packed::List(column) = begin(column)? else { return Err(Malformed::Short) };
    let (timestamp, entries) = match parts(column)?.as_slice() {
        [timestamp, entries] => match (begin(timestamp)?, begin(entries)?) {
            (Packed::Integer(timestamp), Packed::List(entries)) => (timestamp, entries),
            _ => return Err(Malformed::Short),
        },
        _ => return Err(Malformed::Short),
    };
    let mut nodes: Vec<Entry<'_>> = Vec::new();
    let mut places: FxHashMap<i64, usize> = FxHashMap::default();
    for bytes in parts(entries)? {
        let entry = entry(bytes)?;
        let known = places.get(&entry.id).and_then(|place| nodes.get_mut(*place));
        match known {
            // One that was deleted in the end has no properties in any entry.
            Some(known) => known.after = known.after.and(entry.after),
            None => {
                places.insert(entry.id, nodes.len());
                nodes.push(entry);
            }
        }
    }
    let event = |Entry { labels, before, after, .. }: Entry<'_>| {
        let kind = match (before, after) {
            (None, Some(_)) => EventKind::Created,
            (Some(_), None) => EventKind::Deleted,
            (Some(before), Some(after)) if !is_same(before, after)? => EventKind::Updated,
            // Created and deleted by the same statement, or not changed.
            (None, None) | (Some(_), Some(_)) => return Ok(None),
        };
        let (before, after) = (before.map(Into::into), after.map(Into::into));
        let event = NodeEvent { kind, labels, before, after, timestamp };
        Ok(Some(Arc::new(CommittedEvent::Node(event))))
    };
    nodes.into_iter().filter_map(|entry| event(entry).transpose()).collect()
}

fn entry(bytes: &[u8]) -> Result<Entry<'_>, Malformed> {
    let Packed::List(list) = begin(bytes)? else { return Err(Malformed::Short) };
    let parts = parts(list)?;
    let [id, labels, before, after] = parts.as_slice() else { return Err(Malformed::Short) };
    let (Packed::Integer(id), Packed::List(labels)) = (begin(id)?, begin(labels)?) else {
        return Err(Malformed::Short);
    };
    let label = |label| match label {
        Ok(Packed::Text(label)) => Ok(String::from_utf8_lossy(label).into()),
        Ok(_) => Err(Malformed::Short),
        Err(error) => Err(error),
    };
    let labels = labels.map(label).collect::<Result<_, Malformed>>()?;
    Ok(Entry { id, labels, before: present(before)?, after: present(after)? })
}

fn present(value: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    Ok((begin(value)? != Packed::Null).then_some(value))
}

/// The bytes of each element.
fn parts(elements: Elements<'_>) -> Result<Vec<&[u8]>, Malformed> {
    split(elements.len(), elements.bytes())
}

/// The bytes of so many values.
fn split(count: u32, mut bytes: &[u8]) -> Result<Vec<&[u8]>, Malformed> {
    let part = |_| {
        let rest = skip(bytes)?;
        let (part, _) = bytes.split_at(bytes.len().saturating_sub(rest.len()));
        bytes = rest;
        Ok(part)
    };
    (0..count).map(part).collect()
}

/// True if two maps have the same entries, in any order.
fn is_same(one: &[u8], other: &[u8]) -> Result<bool, Malformed> {
    if one == other {
        return Ok(true);
    }
    Ok(entries(one)? == entries(other)?)
}

/// The entries of a map in the order of their names, each as the bytes of its name and value.
fn entries(map: &[u8]) -> Result<Vec<[&[u8]; 2]>, Malformed> {
    let Packed::Map(entries) = begin(map)? else { return Err(Malformed::Short) };
    let parts = split(entries.len().saturating_mul(2), entries.bytes())?;
    let (pairs, _) = parts.as_chunks::<2>();
    let mut entries = pairs.to_vec();
    entries.sort_unstable();
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::super::wire::Pack;
    use super::*;

    /// Properties with one value.
    type Value = Option<i64>;

    fn pack_properties(value: Value, out: &mut Pack) {
        match value {
            Some(value) => {
                out.map(2);
                out.text("value");
                out.integer(value);
                out.text("other");
                out.boolean(true);
            }
            None => out.null(),
        }
    }

    fn record(entries: &[(i64, Value, Value)]) -> Vec<u8> {
        let mut out = Pack::new();
        out.list(2);
        out.text("a row");
        out.list(2);
        out.integer(1_700_000_000_000);
        out.list(entries.len());
        for (id, before, after) in entries {
            out.list(4);
            out.integer(*id);
            out.list(1);
            out.text("Movie");
            pack_properties(*before, &mut out);
            pack_properties(*after, &mut out);
        }
        out.as_bytes().to_vec()
    }

    fn check(entries: &[(i64, Value, Value)], expected: &[EventKind]) {
        let events = events(&record(entries), 1).expect("a record");
        let nodes: Vec<&NodeEvent> = events
            .iter()
            .filter_map(|event| match &**event {
                CommittedEvent::Node(event) => Some(event),
                CommittedEvent::Row(_) => None,
            })
            .collect();
        assert_eq!(nodes.len(), events.len());
        let kinds: Vec<EventKind> = nodes.iter().map(|event| event.kind).collect();
        assert_eq!(kinds, expected, "{entries:?}");
        for event in nodes {
            assert_eq!((event.timestamp, event.labels.len()), (1_700_000_000_000, 1));
        }
    }

    #[test]
    fn a_node_has_one_event_of_the_whole_statement() {
        use EventKind::{Created, Deleted, Updated};
        check(&[], &[]);
        check(&[(7, None, Some(1)), (8, Some(1), Some(2))], &[Created, Updated]);
        check(&[(7, Some(1), None)], &[Deleted]);
        check(&[(7, Some(1), Some(1))], &[]);
        // Created, then updated.
        check(&[(7, None, Some(2)), (7, Some(1), Some(2))], &[Created]);
        // Updated, then deleted; created, then deleted.
        check(&[(7, Some(1), None), (7, Some(2), None)], &[Deleted]);
        check(&[(7, None, None), (7, Some(2), None)], &[]);
        // Updated twice, at first without a change.
        check(
            &[(7, Some(1), Some(2)), (8, Some(5), Some(6)), (7, Some(1), Some(2))],
            &[Updated, Updated],
        );
    }

    #[test]
    fn equal_properties_may_have_another_order() {
        let map = |names: [&str; 2]| {
            let mut out = Pack::new();
            out.map(2);
            for name in names {
                out.text(name);
                out.text(name);
            }
            out.as_bytes().to_vec()
        };
        assert_eq!(is_same(&map(["a", "b"]), &map(["b", "a"])), Ok(true));
        assert_eq!(is_same(&map(["a", "b"]), &map(["a", "c"])), Ok(false));
    }

    #[test]
    fn other_records_are_errors() {
        assert!(events(b"\x91\x01", 0).is_err());
        assert!(events(b"\x91\x92\x01\x91\x91\x01", 0).is_err());
        assert!(events(&record(&[]), 2).is_err());
    }
}
