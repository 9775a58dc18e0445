//! Introspection results of a graph, full or sampled: type definitions are generated from them, and
//! they list the existing constraints and indexes.
//!
//! A graph has no schema of its own, so this is no catalog: it describes the nodes and
//! relationships that were found. Names are those of the database.

/// Summary of a graph's nodes, relationships, constraints and indexes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphSummary {
    pub coverage: Coverage,
    /// One for each set of labels that nodes have.
    pub nodes: Vec<NodeGroup>,
    /// One for each type of relationships.
    pub relationships: Vec<RelationshipGroup>,
    /// Pairs of node groups with relationships between them.
    pub triples: Vec<Triple>,
    /// Maximum numbers of relationships of a node; only for fully read graphs.
    pub degrees: Vec<Degree>,
    pub constraints: Vec<GraphConstraint>,
    pub indexes: Vec<GraphIndex>,
}

/// Coverage of the introspection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    #[default]
    Whole,
    /// At most so many nodes of each label, and relationships of each type.
    Sample { most: u64 },
}

/// The nodes that have exactly these labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeGroup {
    /// Sorted; none for nodes without a label.
    pub labels: Vec<Box<str>>,
    /// The number of nodes read.
    pub count: u64,
    pub properties: Vec<GraphProperty>,
}

/// The relationships of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelationshipGroup {
    pub r#type: Box<str>,
    pub properties: Vec<GraphProperty>,
}

/// A property that some nodes or relationships of a group have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphProperty {
    pub name: Box<str>,
    /// The types of its values, each once.
    pub types: Vec<GraphType>,
    /// True if all of the group have it, which requires full coverage.
    pub always: bool,
}

/// The type of a stored value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphType {
    pub value: GraphValue,
    pub is_list: bool,
}

impl GraphType {
    #[must_use]
    pub fn scalar(value: GraphValue) -> Self {
        Self { value, is_list: false }
    }

    #[must_use]
    pub fn list(value: GraphValue) -> Self {
        Self { value, is_list: true }
    }
}

/// Kinds of stored values and of elements of lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphValue {
    Boolean,
    /// An integer of 32 bits.
    Integer,
    /// An integer that may exceed 32 bits.
    WideInteger,
    Float,
    Text,
    Date,
    Time,
    LocalTime,
    DateTime,
    LocalDateTime,
    Duration,
    /// A point by longitude and latitude.
    GeographicPoint,
    CartesianPoint,
    Bytes,
    /// The element of an empty list.
    Nothing,
    /// A type by the server's name for it.
    Other(Box<str>),
}

/// The existence of relationships of a type from nodes of one group to nodes of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Triple {
    /// Labels, sorted.
    pub from: Vec<Box<str>>,
    pub r#type: Box<str>,
    /// Labels, sorted.
    pub to: Vec<Box<str>>,
}

/// Degrees of the nodes of a group that have relationships of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degree {
    /// Labels, sorted.
    pub labels: Vec<Box<str>>,
    pub r#type: Box<str>,
    pub end: End,
    /// The number of nodes with one.
    pub nodes: u64,
    /// The maximum for one node.
    pub most: u64,
}

/// An end of a relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    From,
    To,
}

/// A constraint of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphConstraint {
    pub name: Box<str>,
    pub of: GraphPart,
    pub properties: Vec<Box<str>>,
    pub kind: GraphConstraintKind,
}

impl GraphConstraint {
    /// True if it forbids two equal values of its properties.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        match self.kind {
            GraphConstraintKind::Unique | GraphConstraintKind::Key => true,
            GraphConstraintKind::Exists
            | GraphConstraintKind::Types(_)
            | GraphConstraintKind::Other(_) => false,
        }
    }
}

/// Subjects of constraints and indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphPart {
    /// Nodes with one of the labels.
    Nodes(Vec<Box<str>>),
    /// Relationships of one of the types.
    Relationships(Vec<Box<str>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphConstraintKind {
    /// Uniqueness.
    Unique,
    /// Uniqueness and existence.
    Key,
    /// Existence.
    Exists,
    /// Values are of one of the types.
    Types(Vec<GraphType>),
    /// A kind that does not concern properties, by the server's name for it.
    Other(Box<str>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphIndex {
    pub name: Box<str>,
    pub of: GraphPart,
    pub properties: Vec<Box<str>>,
    pub kind: GraphIndexKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphIndexKind {
    /// Values by their order: `RANGE`, and `BTREE` of older servers.
    Range,
    Fulltext,
    Vector {
        dimensions: Option<u64>,
        similarity: Option<Box<str>>,
    },
    /// A kind that no API uses, by the server's name for it.
    Other(Box<str>),
}

/// Build states of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphIndexState {
    pub name: Box<str>,
    pub progress: GraphIndexProgress,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphIndexProgress {
    /// Complete and in use.
    Online,
    /// Under construction, with so many percent done.
    Filling(u8),
    /// Unusable, for this reason.
    Failed(Box<str>),
}

/// A schema change: a new constraint or index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphChange {
    /// A unique constraint on the property of nodes with the label.
    CreateUnique { name: Box<str>, label: Box<str>, property: Box<str> },
    /// A full-text index on the properties of nodes with the label.
    CreateFulltext { name: Box<str>, label: Box<str>, properties: Vec<Box<str>> },
    /// A vector index on the property of nodes with the label.
    CreateVector { name: Box<str>, label: Box<str>, property: Box<str> },
}
