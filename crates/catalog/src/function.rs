//! Functions of the source.

use crate::ids::{EntityId, FieldId, FunctionId};
use crate::types::Type;

/// A function that a statement can call. Functions with arguments of unknown types are not listed;
/// a note gives the reason.
#[derive(Clone, Debug)]
pub struct Function {
    pub id: FunctionId,
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub volatility: Volatility,
    /// True if a null argument makes the result null, without a call.
    pub strict: bool,
    /// Arguments, in the order of the source.
    pub arguments: Vec<Argument>,
    pub result: FunctionResult,
    /// The name of the whole result, if the function gives it one.
    pub output_name: Option<Box<str>>,
    /// True if clients may call it.
    pub callable: bool,
    /// The definition, where the source has no function of the name: a statement of the schema's
    /// author.
    pub statement: Option<Statement>,
    /// The rows of another function that belong to the row that is the last argument; those before
    /// it are the arguments of that function.
    pub related: Option<RelatedRows>,
    pub description: Option<Box<str>>,
}

/// The rows of a function that agree with another row in some fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedRows {
    pub of: FunctionId,
    /// Each field of the other row, with the field of the function's rows that equals it.
    pub fields: Vec<(FieldId, FieldId)>,
}

/// A statement in the source's own language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The statement's name for the row that is its first argument, if one is.
    pub row: Option<Box<str>>,
    pub parts: Vec<StatementPart>,
    /// The column of its rows that is the result; empty if the rows themselves are.
    pub column: Box<str>,
    /// True if only its first row is the result.
    pub only_first: bool,
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementPart {
    /// Literal text.
    Text(Box<str>),
    /// The value of an argument, by its index.
    Argument(u16),
    /// A map of all claims of the session.
    Claims,
    /// An alias of the column that ends before it.
    Name(Box<str>),
    /// The end of a statement that returns nothing: no rows with a column of this name.
    Nothing(Box<str>),
}

/// Volatility categories, as in PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// Equal arguments always give the same result.
    Immutable,
    /// Equal arguments give the same result within one statement; nothing is changed.
    Stable,
    /// May change the data.
    Volatile,
}

/// An argument of a function.
#[derive(Clone, Debug)]
pub struct Argument {
    /// `None`: positional only.
    pub name: Option<Box<str>>,
    pub r#type: ArgumentType,
    /// True if a call may omit it; then those after it can be omitted, too.
    pub has_default: bool,
}

/// Types of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentType {
    Value(Type),
    /// A row of the entity.
    Row(EntityId),
}

/// Results of functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionResult {
    /// No result; called for its effect.
    Nothing,
    /// One value: the only field of an entity of its own.
    Value(FieldId),
    /// A set of values: the rows of an entity of its own, whose only field this is.
    Values(FieldId),
    /// One row, or none: all fields null.
    Row(EntityId),
    /// A set of rows, of which some may be absent: all fields null.
    Rows(EntityId),
    /// An array of rows; null is an empty array.
    RowArray(EntityId),
}

impl Function {
    /// True if calling it changes nothing.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        match self.volatility {
            Volatility::Immutable | Volatility::Stable => true,
            Volatility::Volatile => false,
        }
    }
}
