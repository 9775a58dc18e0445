//! What is in a graph, as far as it was looked at: type definitions are written from it, and it
//! says which constraints and indexes there are already.
//!
//! A graph has no schema of its own, so that this is no catalog: it says what nodes and
//! relationships were found to be like. Names are those of the database.

/// What was found in a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphSummary {
    pub coverage: Coverage,
    /// One for each set of labels that nodes have.
    pub nodes: Vec<NodeGroup>,
    /// One for each type of relationships.
    pub relationships: Vec<RelationshipGroup>,
    /// Between which nodes there are relationships.
    pub triples: Vec<Triple>,
    /// How many relationships nodes have; only of graphs that were looked at as a whole.
    pub degrees: Vec<Degree>,
    pub constraints: Vec<GraphConstraint>,
    pub indexes: Vec<GraphIndex>,
}

/// How much of a graph was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    #[default]
    Whole,
    /// So many nodes of each label, and relationships of each type, at most.
    Sample { most: u64 },
}

/// The nodes that have exactly these labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeGroup {
    /// Sorted; none for nodes without a label.
    pub labels: Vec<Box<str>>,
    /// How many were looked at.
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
    /// Whether all of the group have it, which nothing but the whole graph tells.
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

/// What a stored value, or the element of a list, is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphValue {
    Boolean,
    /// An integer of 32 bits.
    Integer,
    /// An integer of which 32 bits may be too few.
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
    /// What a list without elements holds.
    Nothing,
    /// A type by the name that the server has for it.
    Other(Box<str>),
}

/// Nodes of one group have relationships of a type to nodes of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Triple {
    /// Labels, sorted.
    pub from: Vec<Box<str>>,
    pub r#type: Box<str>,
    /// Labels, sorted.
    pub to: Vec<Box<str>>,
}

/// How many relationships of a type the nodes of a group have that have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degree {
    /// Labels, sorted.
    pub labels: Vec<Box<str>>,
    pub r#type: Box<str>,
    pub end: End,
    /// How many nodes have one.
    pub nodes: u64,
    /// How many the node has that has most.
    pub most: u64,
}

/// An end of a relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    From,
    To,
}

/// What the database makes sure of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphConstraint {
    pub name: Box<str>,
    pub of: GraphPart,
    pub properties: Vec<Box<str>>,
    pub kind: GraphConstraintKind,
}

impl GraphConstraint {
    /// Whether no two have the same values of its properties.
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

/// What constraints and indexes are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphPart {
    /// Nodes with one of the labels.
    Nodes(Vec<Box<str>>),
    /// Relationships of one of the types.
    Relationships(Vec<Box<str>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphConstraintKind {
    /// No two have the same values.
    Unique,
    /// No two have the same values, and all have them.
    Key,
    /// All have a value.
    Exists,
    /// Values are of one of the types.
    Types(Vec<GraphType>),
    /// Of a kind that says nothing about properties, by the server's name for it.
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
    /// Of a kind that no API is made from, by the server's name for it.
    Other(Box<str>),
}

/// How far the database is with an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphIndexState {
    pub name: Box<str>,
    pub progress: GraphIndexProgress,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphIndexProgress {
    /// What is in the graph is found by it.
    Online,
    /// So many percent of what was in the graph when it was made are in it.
    Filling(u8),
    /// It cannot be used, for this reason.
    Failed(Box<str>),
}

/// A change of what the database makes sure of, or finds quickly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphChange {
    /// No two nodes with the label may have the same value.
    CreateUnique { name: Box<str>, label: Box<str>, property: Box<str> },
    /// The words of the properties of nodes with the label can be searched for.
    CreateFulltext { name: Box<str>, label: Box<str>, properties: Vec<Box<str>> },
    /// Nodes with the label can be found by how near the vector of the property is.
    CreateVector { name: Box<str>, label: Box<str>, property: Box<str> },
}
