//! What type definitions store: entities with their fields, and relations between them.
//!
//! Names are those of tables and columns, as the dialect derives them from its definitions.

/// Everything that definitions store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    pub entities: Vec<Entity>,
    pub groups: Vec<Group>,
    pub relations: Vec<Relation>,
    pub enums: Vec<Enum>,
}

/// The index of an entity in [`Model::entities`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityIndex(pub usize);

/// The index of a group in [`Model::groups`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupIndex(pub usize);

/// The index of an enum in [`Model::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumIndex(pub usize);

/// A type whose objects are rows of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// The name of the table.
    pub name: Box<str>,
    pub key: Key,
    /// In the order of the columns, inherited ones included.
    pub fields: Vec<Field>,
}

/// The primary key of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A number from the one sequence of the database, in a column with this name.
    Sequence { column: Box<str> },
    /// The values of fields, by their indexes: the application gives them.
    Fields(Vec<usize>),
}

/// A scalar, an enum, or a list of either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the column.
    pub name: Box<str>,
    pub r#type: FieldType,
    pub is_list: bool,
    /// True if null is refused.
    pub is_required: bool,
    /// True if no two rows of the entity have the same value.
    pub is_unique: bool,
    pub indexes: Vec<Index>,
    /// The value of rows that have none when the field becomes required.
    pub default: Option<DefaultValue>,
}

impl Field {
    /// A field that may be null, without an index.
    #[must_use]
    pub fn optional(name: impl Into<Box<str>>, r#type: FieldType) -> Self {
        Self {
            name: name.into(),
            r#type,
            is_list: false,
            is_required: false,
            is_unique: false,
            indexes: Vec::new(),
            default: None,
        }
    }
}

/// The value of a field without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// The moment.
    Now,
    /// The text of a value of the field's type.
    Text(Box<str>),
}

/// Types of fields and of elements of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    Boolean,
    Int32,
    Int64,
    Float64,
    Text,
    /// A moment, with its time zone.
    DateTime,
    Json,
    Enum(EnumIndex),
    /// A place on the earth: longitude and latitude.
    Point,
    Polygon,
    MultiPolygon,
    /// A list of floats that is compared as a whole.
    Vector,
    /// The hash of a password: never read.
    Password,
}

/// What an index of a field answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// Equality only.
    Equality,
    /// Equality, comparisons, orders.
    Order,
    /// Words of a text, as they are written, without regard to case.
    Terms,
    /// Words of a text by their stems.
    FullText,
    /// Regular expressions and parts of texts.
    Trigram,
    /// Sequences of words.
    WordSequences,
    /// Places.
    Geo,
    /// The nearest vectors.
    Vector {
        metric: Metric,
        /// The number of candidates for the neighbors of a new vector.
        candidates: Option<u16>,
    },
}

/// Distances of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    Euclidean,
    Cosine,
    DotProduct,
}

/// Entities that fields refer to together: an interface or a union. Its table, which exists if
/// something refers to it, has the key of each of their rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name of the table.
    pub name: Box<str>,
    /// All have keys of the sequence.
    pub members: Vec<EntityIndex>,
    /// Names of fields of all members whose values are unique across them.
    pub unique: Vec<Box<str>>,
}

/// A relation between rows, stored once, whether one end has a field for it or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The end whose field is declared; it names the storage.
    pub near: End,
    pub far: End,
}

/// One end of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub of: EndOf,
    /// The name of the field of these rows that holds rows of the other end. Of the far end it may
    /// be absent.
    pub field: Option<Box<str>>,
    /// True if a row may have several rows of the other end.
    pub is_list: bool,
    /// True if a row must have a row of the other end.
    pub is_required: bool,
    /// The behaviour of a row of this end when the row of the other end to which it refers is
    /// deleted.
    pub on_delete: OnDelete,
}

/// The rows at one end of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndOf {
    Entity(EntityIndex),
    Group(GroupIndex),
}

/// Behaviour of a row when the row to which it refers is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDelete {
    /// It loses its reference: the column accepts null, even if the reference is required.
    SetNull,
    /// It is deleted.
    Cascade,
    /// The deletion is refused.
    Restrict,
}

/// A closed set of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    pub name: Box<str>,
    pub labels: Vec<Box<str>>,
}
