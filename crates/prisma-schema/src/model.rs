//! The meaning of a schema: models, enums, and the relations between models.

use crate::mistake::{At, File};
pub use crate::syntax::Arity;

/// A schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    pub(crate) files: Vec<File>,
    pub datasource: Option<Datasource>,
    /// In the order of the files.
    pub models: Vec<Model>,
    pub enums: Vec<Enum>,
    pub relations: Vec<Relation>,
}

/// The database of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datasource {
    pub at: At,
    /// The prefix of native types: `@db.VarChar(20)`.
    pub name: Box<str>,
    pub provider: Provider,
    pub relation_mode: RelationMode,
    /// The schemas of the database, if the file names them.
    pub schemas: Vec<Box<str>>,
}

/// Databases of Prisma that can be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    Postgres,
    Sqlite,
}

/// Who keeps relations whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelationMode {
    /// The database, by foreign keys.
    #[default]
    ForeignKeys,
    /// Prisma Client; the database has no foreign keys.
    Prisma,
}

/// A model or a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub at: At,
    pub kind: ModelKind,
    pub name: Box<str>,
    pub documentation: Option<Box<str>>,
    /// `@@map`, or the name.
    pub table: Box<str>,
    /// `@@schema`
    pub schema: Option<Box<str>>,
    /// `@@ignore`
    pub is_ignored: bool,
    /// In the order of the file.
    pub fields: Vec<Field>,
    pub keys: Vec<Key>,
}

/// Kinds of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    Table,
    View,
}

/// Fields that identify a row: `@id`, `@@id`, `@unique`, `@@unique`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub at: At,
    pub is_primary: bool,
    /// Indices of fields.
    pub fields: Vec<usize>,
}

/// A field of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub at: At,
    pub name: Box<str>,
    pub documentation: Option<Box<str>>,
    pub arity: Arity,
    /// `@ignore`
    pub is_ignored: bool,
    pub kind: FieldKind,
}

/// Kinds of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Column(Column),
    /// Rows of the other end of a relation; none if the relation is a mistake.
    Relation,
}

/// A field with values of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// `@map`, or the field's name.
    pub name: Box<str>,
    pub r#type: ColumnType,
    pub default: DefaultValue,
    /// `@updatedAt`
    pub is_updated_at: bool,
}

/// Types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    String,
    Boolean,
    Int,
    BigInt,
    Float,
    Decimal,
    DateTime,
    Json,
    Bytes,
    /// The index of an enum.
    Enum(usize),
    /// `Unsupported("…")`: a type that only the database knows.
    Unsupported,
}

impl ColumnType {
    /// The scalars by their names.
    pub const SCALARS: [(&'static str, Self); 9] = [
        ("String", Self::String),
        ("Boolean", Self::Boolean),
        ("Int", Self::Int),
        ("BigInt", Self::BigInt),
        ("Float", Self::Float),
        ("Decimal", Self::Decimal),
        ("DateTime", Self::DateTime),
        ("Json", Self::Json),
        ("Bytes", Self::Bytes),
    ];
}

/// Who fills in a value that a new row lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    None,
    /// The database, with this value.
    Constant(Constant),
    /// The database: `now()`, `autoincrement()`, `dbgenerated(…)`, or a list.
    Database,
    /// Prisma Client, by this function.
    Client(&'static str),
}

/// The value of a default, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    Text(Box<str>),
    Number(Box<str>),
    /// `true`, `false`, or a value of an enum.
    Word(Box<str>),
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    pub at: At,
    pub name: Box<str>,
    pub documentation: Option<Box<str>>,
    /// `@@map`, or the name.
    pub stored: Box<str>,
    /// `@@schema`
    pub schema: Option<Box<str>>,
    pub values: Vec<EnumValue>,
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    pub at: At,
    pub name: Box<str>,
    pub documentation: Option<Box<str>>,
    /// `@map`, or the name.
    pub stored: Box<str>,
}

/// A field by its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldIndex {
    pub model: usize,
    pub field: usize,
}

/// A relation, with a field at both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    ForeignKey {
        /// The field of the rows that refer.
        from: FieldIndex,
        /// The field of the rows that are referred to.
        to: FieldIndex,
        /// Indices of fields of the model of `from`.
        fields: Vec<usize>,
        /// Indices of fields of the model of `to`, in the order of `fields`.
        references: Vec<usize>,
    },
    /// An implicit many-to-many relation.
    Pairs {
        /// The field of the rows whose keys are in the column `A`.
        a: FieldIndex,
        b: FieldIndex,
        /// The name of the table.
        table: Box<str>,
    },
}

impl Schema {
    #[must_use]
    pub fn field(&self, index: FieldIndex) -> &Field {
        &self.models[index.model].fields[index.field]
    }

    /// `User.email`
    #[must_use]
    pub fn field_name(&self, index: FieldIndex) -> String {
        format!("{}.{}", self.models[index.model].name, self.field(index).name)
    }

    /// True if a relation's field is in the API.
    #[must_use]
    pub fn is_shown(&self, index: FieldIndex) -> bool {
        !self.models[index.model].is_ignored && !self.field(index).is_ignored
    }
}
