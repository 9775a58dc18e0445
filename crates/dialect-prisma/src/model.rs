//! The meaning of a datamodel: types, enums, and the relations between types.
//!
//! <https://github.com/prisma/prisma1>, `docs/1.34/06-Datamodel-and-Migrations`.

/// A datamodel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// In the order of the datamodel.
    pub types: Vec<Type>,
    pub enums: Vec<Enum>,
    pub relations: Vec<Relation>,
}

/// The index of a type in [`Model::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeIndex(pub usize);

/// The index of an enum in [`Model::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumIndex(pub usize);

/// The index of a relation in [`Model::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationIndex(pub usize);

/// A type whose objects are rows of a table. Link types (`@relationTable`) are none: they are the
/// storage of their relation.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    /// `@db(name:)`, or the type's name.
    pub table: Box<str>,
    /// `@rename(oldName:)`: the name that the type had in the last migration.
    pub old_name: Option<Box<str>>,
    /// The key of the rows.
    pub key: Key,
    /// In the order of the datamodel.
    pub fields: Vec<Field>,
    /// Moments that the table has and the datamodel has not, in version 1.0: Prisma fills them, and
    /// orders by them.
    pub hidden: Vec<HiddenMoment>,
}

/// A moment of each row of a table of version 1.0 which needs no field of the datamodel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenMoment {
    CreatedAt,
    UpdatedAt,
}

/// The key of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A field of the type, by its index.
    Field(usize),
    /// The datamodel has no field for it (version 1.0): a column `id` with identifiers that Prisma
    /// makes.
    Hidden,
}

/// A field of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    /// `@rename(oldName:)`: the name that the field had in the last migration.
    pub old_name: Option<Box<str>>,
    /// False for lists: they are never null.
    pub is_required: bool,
    pub kind: FieldKind,
}

/// Kinds of fields.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    Scalar(ScalarField),
    /// Values of the table `Table_column(nodeId, position, value)`.
    ScalarList {
        r#type: ScalarType,
        /// `@db(name:)`, or the field's name: the end of the table's name.
        column: Box<str>,
    },
    /// Rows of the other end of a relation.
    Relation {
        relation: RelationIndex,
        end: End,
        is_list: bool,
    },
}

/// A field with one value.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarField {
    pub r#type: ScalarType,
    /// `@db(name:)`, or the field's name.
    pub column: Box<str>,
    /// True for `@unique`, and for the key.
    pub is_unique: bool,
    pub default: Option<Default>,
    pub behaviour: Behaviour,
}

/// Who gives a field its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// The client.
    Plain,
    /// The key of the row.
    Id(IdStrategy),
    CreatedAt,
    UpdatedAt,
}

/// Strategies of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdStrategy {
    /// Made if the client does not give it: an identifier of 25 characters or a UUID. Of numbers the
    /// database makes it.
    Auto,
    /// The client gives it.
    None,
    /// The database takes it from a sequence.
    Sequence { name: Box<str>, initial_value: i64, allocation_size: i64 },
}

/// Types of scalar fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    Id,
    String,
    Int,
    Float,
    Boolean,
    DateTime,
    Json,
    Uuid,
    Enum(EnumIndex),
}

impl ScalarType {
    /// The name of a type that each datamodel has; empty for an enum, which has a name of its own.
    #[must_use]
    pub fn built_in_name(self) -> &'static str {
        match self {
            Self::Id => "ID",
            Self::String => "String",
            Self::Int => "Int",
            Self::Float => "Float",
            Self::Boolean => "Boolean",
            Self::DateTime => "DateTime",
            Self::Json => "Json",
            Self::Uuid => "UUID",
            Self::Enum(_) => "",
        }
    }
}

/// The value of a field that a client omits.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// A text, a moment, JSON as text, or a label of an enum.
    Text(Box<str>),
    Int(i64),
    Float(f64),
    Boolean(bool),
    /// That of the column, which only the database knows.
    OfDatabase,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub values: Vec<Box<str>>,
    /// The stored values, in the order of `values`: the same, unless they have given names.
    pub labels: Vec<Box<str>>,
}

/// A relation between the rows of two types, or of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// `@relation(name:)`, or the names of both types joined by `To`.
    pub name: Box<str>,
    /// `@relation(oldName:)`: the name that the relation had in the last migration.
    pub old_name: Option<Box<str>>,
    /// The ends A and B. A is the type whose name is first in the alphabet; of a relation of a type
    /// with itself, the field whose name is.
    pub a: RelationEnd,
    pub b: RelationEnd,
    pub storage: RelationStorage,
}

/// One end of a relation: the rows of a type, and the field that they have for those of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationEnd {
    pub r#type: TypeIndex,
    /// The index of the field; `None`: the end has no field. A relation of a type with itself that
    /// has one field has it at the end A.
    pub field: Option<usize>,
    /// What becomes of the rows of the other end when a row of this end is deleted.
    pub on_delete: OnDelete,
}

/// The name of an end of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    A,
    B,
}

/// Storage of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelationStorage {
    /// The rows of this end have a column with the key of the other's row.
    Inline { end: End, column: Box<str> },
    /// A table has the keys of both rows.
    Table {
        /// `_` and the relation's name, or the table of the link type.
        table: Box<str>,
        /// `A`, or the column of the link type.
        a_column: Box<str>,
        b_column: Box<str>,
        /// The column of a key of its own, which tables of version 1.0 have.
        id_column: Option<Box<str>>,
    },
}

/// Deletion of related rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDelete {
    /// They lose the relation.
    SetNull,
    /// They are deleted.
    Cascade,
}

impl HiddenMoment {
    /// The name of the column.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::CreatedAt => "createdAt",
            Self::UpdatedAt => "updatedAt",
        }
    }
}

impl End {
    /// The other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

impl Relation {
    #[must_use]
    pub fn end(&self, end: End) -> &RelationEnd {
        match end {
            End::A => &self.a,
            End::B => &self.b,
        }
    }

    pub(crate) fn end_mut(&mut self, end: End) -> &mut RelationEnd {
        match end {
            End::A => &mut self.a,
            End::B => &mut self.b,
        }
    }
}
