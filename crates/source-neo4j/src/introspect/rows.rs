//! Results of the statements, one type per statement. Columns are read in the order of the
//! statement's RETURN.

use catalog::{
    Degree, End, GraphConstraint, GraphConstraintKind, GraphIndex, GraphIndexKind,
    GraphIndexProgress, GraphIndexState, GraphPart, GraphType, Triple,
};

use super::record::{Columns, Unexpected};
use super::types;

/// A record of `groups.cypher`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) labels: Vec<Box<str>>,
    pub(super) count: u64,
}

/// A record of `node_properties.cypher` or `relationship_properties.cypher`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PropertyRow<K> {
    pub(super) key: K,
    pub(super) name: Box<str>,
    pub(super) types: Vec<GraphType>,
    pub(super) always: bool,
}

/// A record of `node_values.cypher` or `relationship_values.cypher`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ValuesRow<K> {
    pub(super) key: K,
    pub(super) name: Box<str>,
    pub(super) found: Found,
}

/// Details of a property's values beyond their type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// An integer does not fit 32 bits.
    pub(super) wide: bool,
    pub(super) geographic: bool,
    pub(super) cartesian: bool,
    /// Whether there is a text, or one in a list.
    pub(super) texts: bool,
}

impl Found {
    /// The union of both.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            wide: self.wide || other.wide,
            geographic: self.geographic || other.geographic,
            cartesian: self.cartesian || other.cartesian,
            texts: self.texts || other.texts,
        }
    }
}

/// The labels of a group of nodes.
pub(super) type Labels = Vec<Box<str>>;

/// A type of relationships as `db.schema.relTypeProperties` writes it: behind a colon and between
/// backticks, which are doubled inside by some servers and not by others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrittenType(pub(super) Box<str>);

pub(super) fn count(record: &[u8]) -> Result<u64, Unexpected> {
    Columns::of(record)?.count()
}

pub(super) fn group(record: &[u8]) -> Result<Group, Unexpected> {
    let mut columns = Columns::of(record)?;
    Ok(Group { labels: columns.labels()?, count: columns.count()? })
}

pub(super) fn node_property(record: &[u8]) -> Result<PropertyRow<Labels>, Unexpected> {
    let mut columns = Columns::of(record)?;
    let key = columns.labels()?;
    property(key, columns)
}

pub(super) fn relationship_property(record: &[u8]) -> Result<PropertyRow<WrittenType>, Unexpected> {
    let mut columns = Columns::of(record)?;
    let key = WrittenType(columns.text()?);
    property(key, columns)
}

fn property<K>(key: K, mut columns: Columns<'_>) -> Result<PropertyRow<K>, Unexpected> {
    Ok(PropertyRow {
        key,
        name: columns.text()?,
        types: columns.texts()?.iter().map(|name| types::named(name)).collect(),
        always: columns.boolean()?,
    })
}

pub(super) fn node_values(record: &[u8]) -> Result<ValuesRow<Labels>, Unexpected> {
    let mut columns = Columns::of(record)?;
    let key = columns.labels()?;
    values(key, columns)
}

pub(super) fn relationship_values(record: &[u8]) -> Result<ValuesRow<Box<str>>, Unexpected> {
    let mut columns = Columns::of(record)?;
    let key = columns.text()?;
    values(key, columns)
}

fn values<K>(key: K, mut columns: Columns<'_>) -> Result<ValuesRow<K>, Unexpected> {
    let name = columns.text()?;
    let found = Found {
        wide: columns.boolean()?,
        geographic: columns.boolean()?,
        cartesian: columns.boolean()?,
        texts: columns.boolean()?,
    };
    Ok(ValuesRow { key, name, found })
}

pub(super) fn triple(record: &[u8]) -> Result<Triple, Unexpected> {
    let mut columns = Columns::of(record)?;
    Ok(Triple { from: columns.labels()?, r#type: columns.text()?, to: columns.labels()? })
}

pub(super) fn degree(end: End, record: &[u8]) -> Result<Degree, Unexpected> {
    let mut columns = Columns::of(record)?;
    Ok(Degree {
        labels: columns.labels()?,
        r#type: columns.text()?,
        end,
        nodes: columns.count()?,
        most: columns.count()?,
    })
}

/// A record of `constraints.cypher`.
pub(super) fn constraint(record: &[u8]) -> Result<GraphConstraint, Unexpected> {
    let mut columns = Columns::of(record)?;
    let name = columns.text()?;
    let kind = columns.text()?;
    let of = part(&mut columns)?;
    let properties = columns.texts()?;
    let types = columns.text_or_null()?;
    let kind = match (&*kind, types) {
        // The names of servers before and since 2025, of nodes and of relationships.
        (
            "UNIQUENESS"
            | "NODE_PROPERTY_UNIQUENESS"
            | "RELATIONSHIP_UNIQUENESS"
            | "RELATIONSHIP_PROPERTY_UNIQUENESS",
            _,
        ) => GraphConstraintKind::Unique,
        ("NODE_KEY" | "RELATIONSHIP_KEY", _) => GraphConstraintKind::Key,
        ("NODE_PROPERTY_EXISTENCE" | "RELATIONSHIP_PROPERTY_EXISTENCE", _) => {
            GraphConstraintKind::Exists
        }
        ("NODE_PROPERTY_TYPE" | "RELATIONSHIP_PROPERTY_TYPE", Some(types)) => {
            GraphConstraintKind::Types(types::alternatives(&types))
        }
        (other, _) => GraphConstraintKind::Other(other.into()),
    };
    Ok(GraphConstraint { name, of, properties, kind })
}

/// A record of `indexes.cypher`.
pub(super) fn index(record: &[u8]) -> Result<GraphIndex, Unexpected> {
    let mut columns = Columns::of(record)?;
    let name = columns.text()?;
    let kind = columns.text()?;
    let of = part(&mut columns)?;
    let properties = columns.texts()?;
    let (dimensions, similarity) = (columns.count_or_null()?, columns.text_or_null()?);
    let kind = match &*kind {
        "RANGE" | "BTREE" => GraphIndexKind::Range,
        "FULLTEXT" => GraphIndexKind::Fulltext,
        "VECTOR" => GraphIndexKind::Vector { dimensions, similarity },
        other => GraphIndexKind::Other(other.into()),
    };
    Ok(GraphIndex { name, of, properties, kind })
}

/// A record of `index_states.cypher`.
pub(super) fn index_state(record: &[u8]) -> Result<GraphIndexState, Unexpected> {
    let mut columns = Columns::of(record)?;
    let name = columns.text()?;
    let state = columns.text()?;
    let percent = columns.count_or_null()?.unwrap_or(0);
    let failure = columns.text_or_null()?.unwrap_or_default();
    let progress = match &*state {
        "ONLINE" => GraphIndexProgress::Online,
        "FAILED" => GraphIndexProgress::Failed(failure),
        // `POPULATING`, and whatever else it may be before it is online.
        _ => GraphIndexProgress::Filling(u8::try_from(percent).unwrap_or(100).min(100)),
    };
    Ok(GraphIndexState { name, progress })
}

fn part(columns: &mut Columns<'_>) -> Result<GraphPart, Unexpected> {
    let entity = columns.text()?;
    // Token look-up indexes are of none.
    let names = columns.texts()?;
    match &*entity {
        "NODE" => Ok(GraphPart::Nodes(names)),
        "RELATIONSHIP" => Ok(GraphPart::Relationships(names)),
        _ => Err(Unexpected::Type("NODE or RELATIONSHIP")),
    }
}

impl WrittenType {
    /// Whether it is this type, in either notation.
    pub(super) fn is(&self, r#type: &str) -> bool {
        let inner = self.0.strip_prefix(":`").and_then(|rest| rest.strip_suffix('`'));
        inner.is_some_and(|inner| inner == r#type || inner == r#type.replace('`', "``"))
    }
}

#[cfg(test)]
mod tests {
    use catalog::GraphValue;

    use super::*;

    /// A record of texts, lists of texts (`a|b`) and nulls (`-`).
    fn record(columns: &[&str]) -> Vec<u8> {
        let text = |text: &str, bytes: &mut Vec<u8>| {
            bytes.extend([0xd0, u8::try_from(text.len()).unwrap()]);
            bytes.extend(text.as_bytes());
        };
        let mut bytes = vec![0x90 | u8::try_from(columns.len()).unwrap()];
        for column in columns {
            if *column == "-" {
                bytes.push(0xc0);
            } else if let Some(list) = column.strip_prefix('|') {
                let elements: Vec<&str> = list.split('|').collect();
                bytes.push(0x90 | u8::try_from(elements.len()).unwrap());
                elements.iter().for_each(|element| text(element, &mut bytes));
            } else {
                text(column, &mut bytes);
            }
        }
        bytes
    }

    fn kind_of(kind: &str, entity: &str, types: &str) -> GraphConstraintKind {
        let record = record(&["c", kind, entity, "|L", "|p", types]);
        let found = constraint(&record).unwrap();
        assert_eq!((&*found.name, found.properties), ("c", vec!["p".into()]));
        found.kind
    }

    #[test]
    fn constraints_of_all_servers_are_known() {
        for kind in ["UNIQUENESS", "NODE_PROPERTY_UNIQUENESS"] {
            assert_eq!(kind_of(kind, "NODE", "-"), GraphConstraintKind::Unique);
        }
        assert_eq!(kind_of("RELATIONSHIP_KEY", "RELATIONSHIP", "-"), GraphConstraintKind::Key);
        assert_eq!(kind_of("NODE_PROPERTY_EXISTENCE", "NODE", "-"), GraphConstraintKind::Exists);
        let text = GraphConstraintKind::Types(vec![GraphType::scalar(GraphValue::Text)]);
        assert_eq!(kind_of("NODE_PROPERTY_TYPE", "NODE", "STRING"), text);
        let other = GraphConstraintKind::Other("NODE_LABEL_EXISTENCE".into());
        assert_eq!(kind_of("NODE_LABEL_EXISTENCE", "NODE", "-"), other);
    }

    #[test]
    fn indexes_say_what_they_are_of() {
        let found = index(&record(&["i", "FULLTEXT", "NODE", "|A|B", "|p|q", "-", "-"])).unwrap();
        assert_eq!(found.of, GraphPart::Nodes(vec!["A".into(), "B".into()]));
        assert_eq!(found.kind, GraphIndexKind::Fulltext);
        let found = index(&record(&["i", "LOOKUP", "NODE", "-", "-", "-", "-"])).unwrap();
        assert_eq!(found.of, GraphPart::Nodes(Vec::new()));
        assert_eq!(found.kind, GraphIndexKind::Other("LOOKUP".into()));
        let mut vector = record(&["i", "VECTOR", "RELATIONSHIP", "|T", "|e", "-", "COSINE"]);
        let place = vector.iter().rposition(|byte| *byte == 0xc0).unwrap();
        vector[place] = 42;
        let found = index(&vector).unwrap();
        let similarity = Some("COSINE".into());
        assert_eq!(found.kind, GraphIndexKind::Vector { dimensions: Some(42), similarity });
        assert!(index(&record(&["i", "RANGE", "OTHER", "-", "-", "-", "-"])).is_err());
    }

    #[test]
    fn indexes_say_how_far_they_are() {
        let read = |state: &str, percent: u8, failure: &str| {
            let mut record = record(&["i", state, "-", failure]);
            let place = record.iter().position(|byte| *byte == 0xc0).unwrap();
            record[place] = percent;
            index_state(&record).unwrap().progress
        };
        assert_eq!(read("ONLINE", 100, ""), GraphIndexProgress::Online);
        assert_eq!(read("POPULATING", 42, "-"), GraphIndexProgress::Filling(42));
        assert_eq!(read("POPULATING", 127, "-"), GraphIndexProgress::Filling(100));
        assert_eq!(read("FAILED", 0, "why"), GraphIndexProgress::Failed("why".into()));
    }

    #[test]
    fn a_type_is_known_in_either_way_of_writing_it() {
        let written = |text: &str| WrittenType(text.into());
        assert!(written(":`ACTED_IN`").is("ACTED_IN"));
        assert!(written(":`a`b`").is("a`b"));
        assert!(written(":`a``b`").is("a`b"));
        assert!(!written(":`ACTED_IN`").is("ACTED"));
        assert!(!written("ACTED_IN").is("ACTED_IN"));
    }
}
