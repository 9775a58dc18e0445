//! Tables of a database, as the history of its migrations records them.
//!
//! Each part names the part of the model that it stores, so that a part keeps its name when others
//! come and go. [`definition`](crate::definition) makes statements of them.

use serde::{Deserialize, Serialize};

/// All tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    pub tables: Vec<Table>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub name: Box<str>,
    pub stores: Stored,
    pub columns: Vec<Column>,
    /// Empty: the table has none.
    pub primary_key: Vec<Box<str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unique: Vec<Unique>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
    /// Tables of groups that have the keys of its rows: its triggers write them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Membership>,
    /// Relations in which each of its rows must have another; `None`: it is not recorded. The
    /// database does not check them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<Vec<RelationOfRows>>,
    /// Relations in which each of its rows has at most one other; `None`: it is not recorded. The
    /// database does not check them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub singles: Option<Vec<RelationOfRows>>,
}

/// A relation of the rows of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationOfRows {
    pub relation: Relation,
    /// The end of these rows.
    pub side: Side,
}

/// The part of the model that a table stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stored {
    /// The rows of an entity.
    Entity(Box<str>),
    /// The keys of the rows of a group's members.
    Group(Box<str>),
    /// The pairs of a relation.
    Relation(Relation),
    /// The elements of the lists of a field.
    List { of: Box<str>, field: Box<str> },
}

/// A relation, by the names of its ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    pub near: End,
    pub far: End,
}

/// An end of a relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The entity or the group.
    pub of: Box<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<Box<str>>,
}

/// Ends of relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Side {
    Near,
    Far,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub name: Box<str>,
    pub stores: StoredValue,
    pub r#type: ColumnType,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_list: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_required: bool,
    /// The value of rows that have none when the column becomes required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
}

/// A value for rows without one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Fill {
    /// The moment of the migration.
    Now,
    Text(Box<str>),
    /// A value that the definitions do not have: rows get it only where losses are allowed.
    Stopgap(Box<str>),
}

/// The part of the model that a column stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StoredValue {
    /// The key of the row, a number of the sequence.
    Sequence,
    /// The key of a member's row, in the table of a group.
    MemberKey,
    /// The name of the member's table, in the table of a group.
    MemberTable,
    Field(Box<str>),
    /// A part of a reference: the field, and the place of the column among those of the reference.
    Reference(Box<str>, usize),
    /// A part of the key of a row at one end, in a table of pairs.
    Pair(Side, usize),
    /// The key of the row that has the list, in a table of elements.
    Holder,
    /// The place of an element in its list.
    Position,
    /// An element of a list.
    Element,
}

/// Types of columns, or of the elements of their lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ColumnType {
    Boolean,
    Int32,
    Int64,
    Float64,
    Text,
    DateTime,
    Json,
    /// A text, one of these labels.
    Enum(Vec<Box<str>>),
    Point,
    Polygon,
    MultiPolygon,
    Vector,
    Password,
    /// A number of 32 bits, by default the next one of a sequence of its own: only of primary keys.
    #[serde(rename_all = "camelCase")]
    Serial {
        sequence: Box<str>,
        initial_value: i64,
    },
    /// A text of at most 25 characters, as the identifiers of Prisma 1.
    Identifier,
    Uuid,
    /// A number with 30 digits behind the point, and 35 before it.
    Decimal,
    /// A moment without a time zone, in milliseconds.
    Timestamp,
    /// JSON in a column of texts.
    JsonText,
}

/// A unique constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unique {
    pub name: Box<str>,
    pub columns: Vec<Box<str>>,
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub name: Box<str>,
    pub columns: Vec<Box<str>>,
    /// The table to which they refer.
    pub to: Box<str>,
    pub target_columns: Vec<Box<str>>,
    pub on_delete: OnDelete,
    pub relation: Relation,
    /// The end of the relation to which they refer.
    pub side: Side,
}

/// Behaviour of a row when the row to which it refers is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnDelete {
    SetNull,
    Cascade,
    Restrict,
}

/// An index that is no constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The name of the index, or of the virtual table that has the words.
    pub name: Box<str>,
    pub columns: Vec<Box<str>>,
    pub method: IndexMethod,
}

/// Searches that an index serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IndexMethod {
    /// Equality, comparisons and orders.
    Tree,
    /// Equality of texts of any length.
    Hash,
    /// Words as written, without regard to case; and their sequences.
    Words,
    /// Words by their English stems.
    Stems,
    /// Regular expressions and parts of texts.
    Trigrams,
    /// Elements of lists.
    Elements,
    /// Places on the earth, by their boxes of longitudes and latitudes.
    Places,
    /// The nearest of the vectors of one length.
    Vectors {
        dimensions: u16,
        metric: Metric,
        /// The number of candidates for the neighbors of a new vector; `None`: the database's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        candidates: Option<u16>,
    },
}

/// Distances of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Metric {
    Euclidean,
    Cosine,
    DotProduct,
}

/// Membership of an entity in a group with a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The table of the group.
    pub table: Box<str>,
    /// Columns of the member, with those of the group that have the same values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<(Box<str>, Box<str>)>,
}

impl Side {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Near => Self::Far,
            Self::Far => Self::Near,
        }
    }
}

/// An error of tables that were recorded.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct RecordedError(serde_json::Error);

impl Tables {
    /// Reads recorded tables.
    pub fn read(text: &str) -> Result<Self, RecordedError> {
        serde_json::from_str(text).map_err(RecordedError)
    }

    /// The tables as text, to be recorded.
    #[must_use]
    pub fn written(&self) -> String {
        // There is neither a map nor a number that JSON cannot write.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Names of tables and of their indexes.
    pub fn object_names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().flat_map(|table| {
            let indexes = table.indexes.iter().map(|index| &*index.name);
            std::iter::once(&*table.name).chain(indexes)
        })
    }

    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| &*table.name == name)
    }

    /// The table that stores a part of the model.
    #[must_use]
    pub fn find_stored(&self, stored: &Stored) -> Option<&Table> {
        self.tables.iter().find(|table| table.stores == *stored)
    }

    /// The members of a group, by the name of its table.
    pub fn members<'t>(&'t self, group: &'t str) -> impl Iterator<Item = &'t Table> {
        self.tables.iter().filter(move |table| table.groups.iter().any(|own| &*own.table == group))
    }
}

impl Table {
    #[must_use]
    pub fn find_column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| &*column.name == name)
    }

    /// The column of the only number that is the primary key.
    #[must_use]
    pub fn number_key(&self) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| matches!(column.stores, StoredValue::Sequence | StoredValue::MemberKey))
    }

    /// The column of the primary key that takes its numbers from a sequence of its own.
    #[must_use]
    pub fn serial_key(&self) -> Option<&Column> {
        self.columns.iter().find(|column| matches!(column.r#type, ColumnType::Serial { .. }))
    }

    /// The index of a column for some searches.
    #[must_use]
    pub fn find_index(&self, column: &str, method: IndexMethod) -> Option<&Index> {
        self.indexes.iter().find(|index| {
            index.method == method && index.columns.first().is_some_and(|first| &**first == column)
        })
    }

    /// The foreign key that begins with a column.
    #[must_use]
    pub fn find_reference(&self, column: &str) -> Option<&Reference> {
        self.references
            .iter()
            .find(|reference| reference.columns.first().is_some_and(|first| &**first == column))
    }
}

impl StoredValue {
    /// Whether both store the same part of the model, though a field may have become a reference.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Field(field), Self::Reference(other, 0))
            | (Self::Reference(field, 0), Self::Field(other)) => field == other,
            _ => self == other,
        }
    }
}

impl Relation {
    /// Whether both have an end with the same field: they are the same relation, though it may be
    /// read from one end more or less.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let ends = |relation: &Self| [relation.near.clone(), relation.far.clone()];
        ends(self).iter().any(|end| end.field.is_some() && ends(other).contains(end))
    }

    #[must_use]
    pub fn end(&self, side: Side) -> &End {
        match side {
            Side::Near => &self.near,
            Side::Far => &self.far,
        }
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}
