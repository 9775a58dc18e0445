//! The syntax tree of a schema file.
//!
//! <https://www.prisma.io/docs/orm/reference/prisma-schema-reference>

use crate::mistake::At;

/// A text with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) at: At,
}

/// Kinds of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Datasource,
    Generator,
    Model,
    View,
    Type,
    Enum,
}

impl BlockKind {
    pub(crate) const ALL: [(&'static str, Self); 6] = [
        ("datasource", Self::Datasource),
        ("generator", Self::Generator),
        ("model", Self::Model),
        ("view", Self::View),
        ("type", Self::Type),
        ("enum", Self::Enum),
    ];

    pub(crate) fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }

    /// True if its lines are settings: `provider = "sqlite"`.
    pub(crate) fn has_settings(self) -> bool {
        matches!(self, Self::Datasource | Self::Generator)
    }
}

/// `model User { … }`
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) name: Name,
    pub(crate) documentation: Option<String>,
    /// Fields of a model, or values of an enum.
    pub(crate) lines: Vec<Line>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) settings: Vec<Setting>,
}

/// A field, or a value of an enum, which has no type.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: Name,
    pub(crate) r#type: Option<TypeReference>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) documentation: Option<String>,
}

/// The type of a field.
#[derive(Clone, Debug)]
pub(crate) struct TypeReference {
    pub(crate) name: Name,
    /// The type of the database in `Unsupported("…")`.
    pub(crate) unsupported: Option<String>,
    pub(crate) arity: Arity,
}

/// The number of values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    Required,
    Optional,
    List,
}

/// `key = value`
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: Name,
    pub(crate) value: Expression,
}

/// `@id`, `@db.VarChar(20)`, `@@map("users")`; the name has no `@`.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Name,
    pub(crate) arguments: Vec<Argument>,
}

/// `"Posts"` or `fields: [authorId]`
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) name: Option<Name>,
    pub(crate) value: Expression,
}

/// A value with its place.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) at: At,
    pub(crate) kind: ExpressionKind,
}

/// Kinds of values.
#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    Text(String),
    /// A number as it is written.
    Number(String),
    /// A word, with dots between its parts.
    Path(String),
    /// A function, without its arguments.
    Call(String),
    List(Vec<Expression>),
}

impl Expression {
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            ExpressionKind::Text(text) => Some(text),
            _ => None,
        }
    }
}
