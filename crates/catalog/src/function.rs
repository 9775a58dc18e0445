//! Functions of the source.

use crate::ids::{EntityId, FieldId, FunctionId};
use crate::types::Type;

/// A function that a statement can call. One that cannot be called by values that the catalog
/// knows is not listed; a note says why.
#[derive(Clone, Debug)]
pub struct Function {
    pub id: FunctionId,
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub volatility: Volatility,
    /// Whether its result is null if one of its arguments is, without a call.
    pub strict: bool,
    /// What it takes, in the order of the source.
    pub arguments: Vec<Argument>,
    pub result: FunctionResult,
    /// The name that it has for what it gives, if it has one for all of that.
    pub output_name: Option<Box<str>>,
    /// Whether those who ask may call it.
    pub offered: bool,
    /// What it is, where the source has no function of the name: a statement that the schema's
    /// author wrote.
    pub statement: Option<Statement>,
    pub description: Option<Box<str>>,
}

/// A statement in the source's own language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it calls the row that is its first argument, if one is.
    pub row: Option<Box<str>>,
    pub parts: Vec<StatementPart>,
    /// The column of its rows that is what it gives.
    pub column: Box<str>,
    /// Whether its first row alone counts.
    pub only_first: bool,
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementPart {
    /// As it stands.
    Text(Box<str>),
    /// The value of an argument, by its place.
    Argument(u16),
    /// A map of all claims of who asks.
    Claims,
    /// A name for the column that ends before it.
    Name(Box<str>),
    /// Behind what returns nothing: no rows with a column of this name.
    Nothing(Box<str>),
}

/// What a function may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// The same arguments give the same result, always.
    Immutable,
    /// The same arguments give the same result within one statement; nothing is changed.
    Stable,
    /// Anything: it may change the data.
    Volatile,
}

/// Something that a function takes.
#[derive(Clone, Debug)]
pub struct Argument {
    /// `None`: it can be given by its place only.
    pub name: Option<Box<str>>,
    pub r#type: ArgumentType,
    /// Whether a call may leave it out; then those after it can be left out, too.
    pub has_default: bool,
}

/// What kind of value an argument takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentType {
    Value(Type),
    /// A row of the entity.
    Row(EntityId),
}

/// What a function gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionResult {
    /// It is called for its effect alone.
    Nothing,
    /// One value: the only field of an entity of its own.
    Value(FieldId),
    /// A set of values: the rows of an entity of its own, whose only field this is.
    Values(FieldId),
    /// One row, or none: all its fields are null then.
    Row(EntityId),
    /// A set of rows, of which some may be no row: all fields are null.
    Rows(EntityId),
    /// An array of rows; no array is one without rows.
    RowArray(EntityId),
}

impl Function {
    /// Whether calling it changes nothing.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        match self.volatility {
            Volatility::Immutable | Volatility::Stable => true,
            Volatility::Volatile => false,
        }
    }
}
