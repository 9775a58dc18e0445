//! Summary of a sample of nodes and relationships.
//!
//! Data outside the sample may differ, so nothing is declared as always present; only constraints
//! guarantee that.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{
    GraphProperty, GraphSummary, GraphType, GraphValue, NodeGroup, RelationshipGroup, Triple,
};
use response::packed::Packed;

use super::record::{Columns, Unexpected, text};
use super::rows::{Group, Labels};
use super::whole::sort;

/// The results of the statements so far.
#[derive(Debug, Default)]
pub(super) struct Sampled {
    groups: BTreeMap<Labels, Seen>,
    types: BTreeMap<Box<str>, Properties>,
    pub(super) triples: BTreeSet<Triple>,
}

/// Some nodes with the same labels.
#[derive(Debug, Default)]
struct Seen {
    count: u64,
    properties: Properties,
}

/// The types of properties by their names.
type Properties = BTreeMap<Box<str>, BTreeSet<GraphType>>;

/// A record of `sampled_node_values.cypher` or `sampled_relationship_values.cypher`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ValueRow<K> {
    key: K,
    name: Box<str>,
    r#type: GraphType,
}

/// A record of `candidates.cypher`: which labels and types there are, and of which of them
/// there are relationships.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Candidates {
    pub(super) labels: BTreeSet<Box<str>>,
    /// A label, a type, a label. The server knows only which labels each end of a type has, so that
    /// they may be of different relationships.
    pub(super) triples: BTreeSet<(Box<str>, Box<str>, Box<str>)>,
}

impl Sampled {
    pub(super) fn add_group(&mut self, Group { labels, count }: Group) {
        let seen = self.groups.entry(labels).or_default();
        seen.count = seen.count.saturating_add(count);
    }

    pub(super) fn add_node_value(&mut self, row: ValueRow<Labels>) {
        let seen = self.groups.entry(row.key).or_default();
        seen.properties.entry(row.name).or_default().insert(row.r#type);
    }

    pub(super) fn add_relationship_value(&mut self, row: ValueRow<Box<str>>) {
        let properties = self.types.entry(row.key).or_default();
        properties.entry(row.name).or_default().insert(row.r#type);
    }

    pub(super) fn add_triple(&mut self, triple: Triple) {
        // Nodes that are seen here only have labels all the same.
        for labels in [&triple.from, &triple.to] {
            if !self.groups.contains_key(labels) {
                self.groups.insert(labels.clone(), Seen::default());
            }
        }
        if !self.types.contains_key(&triple.r#type) {
            self.types.insert(triple.r#type.clone(), Properties::default());
        }
        self.triples.insert(triple);
    }

    /// Whether relationships of the type were seen that begin at nodes with the label.
    pub(super) fn knows_start(&self, label: &str, r#type: &str) -> bool {
        self.triples.iter().any(|triple| {
            *triple.r#type == *r#type && triple.from.iter().any(|other| **other == *label)
        })
    }

    /// Whether relationships of the type were seen that end at nodes with the label.
    pub(super) fn knows_end(&self, r#type: &str, label: &str) -> bool {
        self.triples.iter().any(|triple| {
            *triple.r#type == *r#type && triple.to.iter().any(|other| **other == *label)
        })
    }

    pub(super) fn summary(self) -> GraphSummary {
        let nodes = self.groups.into_iter().map(|(labels, seen)| NodeGroup {
            labels,
            count: seen.count,
            properties: properties(seen.properties),
        });
        let relationships = self
            .types
            .into_iter()
            .map(|(r#type, found)| RelationshipGroup { r#type, properties: properties(found) });
        let mut summary = GraphSummary {
            nodes: nodes.collect(),
            relationships: relationships.collect(),
            triples: self.triples.into_iter().collect(),
            ..GraphSummary::default()
        };
        sort(&mut summary);
        summary
    }
}

fn properties(found: Properties) -> Vec<GraphProperty> {
    let properties = found.into_iter().map(|(name, mut types)| {
        // One that is wide makes all of them so.
        for is_list in [false, true] {
            let of = |value| GraphType { value, is_list };
            if types.contains(&of(GraphValue::WideInteger)) {
                types.remove(&of(GraphValue::Integer));
            }
        }
        GraphProperty { name, types: types.into_iter().collect(), always: false }
    });
    properties.collect()
}

pub(super) fn id(record: &[u8]) -> Result<i64, Unexpected> {
    match Columns::of(record)?.value()? {
        Packed::Integer(id) => Ok(id),
        _ => Err(Unexpected::Type("an id")),
    }
}

pub(super) fn node_value(record: &[u8]) -> Result<ValueRow<Labels>, Unexpected> {
    let mut columns = Columns::of(record)?;
    let key = columns.labels()?;
    value_row(key, columns)
}

pub(super) fn relationship_value(record: &[u8]) -> Result<ValueRow<Box<str>>, Unexpected> {
    let mut columns = Columns::of(record)?;
    let key = columns.text()?;
    value_row(key, columns)
}

fn value_row<K>(key: K, mut columns: Columns<'_>) -> Result<ValueRow<K>, Unexpected> {
    let name = columns.text()?;
    let is_list = columns.boolean()?;
    let first = columns.value()?;
    let is_wide = columns.boolean()?;
    Ok(ValueRow { key, name, r#type: GraphType { value: value(first, is_wide)?, is_list } })
}

/// The type of a value, of which texts are sent without their characters.
fn value(value: Packed<'_>, is_wide: bool) -> Result<GraphValue, Unexpected> {
    Ok(match value {
        Packed::Null => GraphValue::Nothing,
        Packed::Boolean(_) => GraphValue::Boolean,
        Packed::Integer(_) if is_wide => GraphValue::WideInteger,
        Packed::Integer(_) => GraphValue::Integer,
        Packed::Float(_) => GraphValue::Float,
        Packed::Bytes(_) => GraphValue::Bytes,
        Packed::Text(_) => GraphValue::Text,
        Packed::Structure { tag, mut fields } => match tag {
            b'D' => GraphValue::Date,
            b'T' => GraphValue::Time,
            b't' => GraphValue::LocalTime,
            // With an offset or the name of a zone, in UTC or as it was written.
            b'I' | b'i' | b'F' | b'f' => GraphValue::DateTime,
            b'd' => GraphValue::LocalDateTime,
            b'E' => GraphValue::Duration,
            b'X' | b'Y' => match fields.next().transpose()? {
                Some(Packed::Integer(WGS_84 | WGS_84_3D)) => GraphValue::GeographicPoint,
                _ => GraphValue::CartesianPoint,
            },
            other => GraphValue::Other(char::from(other).to_string().into()),
        },
        // No property holds these.
        Packed::List(_) => GraphValue::Other("LIST".into()),
        Packed::Map(_) => GraphValue::Other("MAP".into()),
    })
}

/// The numbers of the coordinate systems of longitude and latitude.
const WGS_84: i64 = 4326;
const WGS_84_3D: i64 = 4979;

/// Reads `candidates.cypher`: nodes that are labels, and relationships between them.
pub(super) fn candidates(record: &[u8]) -> Result<Candidates, Unexpected> {
    let mut columns = Columns::of(record)?;
    let (nodes, relationships) = (columns.value()?, columns.value()?);
    let (Packed::List(nodes), Packed::List(relationships)) = (nodes, relationships) else {
        return Err(Unexpected::Type("lists of nodes and relationships"));
    };
    let mut labels: BTreeMap<i64, Box<str>> = BTreeMap::new();
    for node in nodes {
        let Packed::Structure { tag: b'N', mut fields } = node? else {
            return Err(Unexpected::Type("a node"));
        };
        let (id, names) = (fields.next().transpose()?, fields.next().transpose()?);
        let (Some(Packed::Integer(id)), Some(Packed::List(mut names))) = (id, names) else {
            return Err(Unexpected::Type("a node"));
        };
        if let Some(name) = names.next() {
            labels.insert(id, text(name?)?);
        }
    }
    let mut triples = BTreeSet::new();
    for relationship in relationships {
        let Packed::Structure { tag: b'R', mut fields } = relationship? else {
            return Err(Unexpected::Type("a relationship"));
        };
        let mut next = || fields.next().transpose();
        let (_, start, end, name) = (next()?, next()?, next()?, next()?);
        let (Some(Packed::Integer(start)), Some(Packed::Integer(end)), Some(name)) =
            (start, end, name)
        else {
            return Err(Unexpected::Type("a relationship"));
        };
        if let (Some(start), Some(end)) = (labels.get(&start), labels.get(&end)) {
            triples.insert((start.clone(), text(name)?, end.clone()));
        }
    }
    Ok(Candidates { labels: labels.into_values().collect(), triples })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], is_wide: bool, expected: GraphValue) {
        let (read, _) = response::packed::read(bytes).unwrap();
        assert_eq!(value(read, is_wide), Ok(expected));
    }

    #[test]
    fn values_are_known_by_how_they_are_sent() {
        check(b"\xc0", false, GraphValue::Nothing);
        check(b"\x05", false, GraphValue::Integer);
        check(b"\x05", true, GraphValue::WideInteger);
        check(b"\xc1\0\0\0\0\0\0\0\0", false, GraphValue::Float);
        check(b"\x80", false, GraphValue::Text);
        check(b"\xb1D\x05", false, GraphValue::Date);
        check(b"\xb3i\x01\x02\x81Z", false, GraphValue::DateTime);
        check(b"\xb3X\xc9\x10\xe6\xc0\xc0", false, GraphValue::GeographicPoint);
        check(b"\xb3X\xc9\x1c\x23\xc0\xc0", false, GraphValue::CartesianPoint);
        check(b"\xb1?\x05", false, GraphValue::Other("?".into()));
    }

    #[test]
    fn labels_and_types_are_read_from_the_picture_of_the_schema() {
        let record = b"\x92\x92\xb3N\xff\x91\x81A\xa0\xb3N\xfe\x91\x81B\xa0\
                       \x91\xb5R\xfd\xff\xfe\x81T\xa0";
        let found = candidates(record).unwrap();
        assert_eq!(found.labels, BTreeSet::from(["A".into(), "B".into()]));
        assert_eq!(found.triples, BTreeSet::from([("A".into(), "T".into(), "B".into())]));
        assert!(candidates(b"\x92\x91\x05\x90").is_err());
        assert!(candidates(b"\x92\x90\x91\xb1R\x05").is_err());
    }

    #[test]
    fn what_was_seen_is_put_together() {
        let mut sampled = Sampled::default();
        let row = |value: &[u8], is_wide: u8| {
            let record = [b"\x95\x91\x81A\x81n\xc2", value, &[is_wide]].concat();
            node_value(&record).unwrap()
        };
        sampled.add_node_value(row(b"\x05", 0xc2));
        sampled.add_node_value(row(b"\x05", 0xc3));
        sampled.add_group(Group { labels: vec!["A".into()], count: 3 });
        sampled.add_group(Group { labels: vec!["A".into()], count: 2 });
        let to = vec!["B".into()];
        sampled.add_triple(Triple { from: vec!["A".into()], r#type: "T".into(), to });
        assert!(sampled.knows_start("A", "T") && sampled.knows_end("T", "B"));
        assert!(!sampled.knows_start("B", "T") && !sampled.knows_end("U", "B"));
        let summary = sampled.summary();
        let labels: Vec<_> =
            summary.nodes.iter().map(|group| (&*group.labels, group.count)).collect();
        assert_eq!(labels, [(&["A".into()][..], 5), (&["B".into()][..], 0)]);
        let types = &summary.nodes[0].properties[0].types;
        assert_eq!(*types, [GraphType::scalar(GraphValue::WideInteger)]);
        assert_eq!(summary.relationships.len(), 1);
    }
}
