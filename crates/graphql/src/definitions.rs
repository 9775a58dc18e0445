//! Type definitions: a parsed document of types as written, with line numbers.
//!
//! Nothing is resolved or validated beyond the grammar: dialects interpret the directives and
//! resolve the types. <https://spec.graphql.org/draft/#sec-Type-System>

mod convert;
mod field_set;
mod operation;
pub mod problem;

use std::fmt;
use std::sync::Arc;

use apollo_compiler::parser::Parser;

use crate::document::library_error;
use crate::document::positions::Positions;
use crate::error::{ErrorCode, GraphQLError};
use crate::value::Const;
pub(crate) use convert::{literal, type_expression};
pub use field_set::{
    FieldSetSelection, find_directive_in_field_set, parse_field_set, parse_field_set_leniently,
};
pub(crate) use operation::template;
pub use operation::{RootField, Template, WrittenOperation, parse_operations, parse_template};

/// White space of a text that is a single type.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Limit of nested lists and values.
pub(crate) const MAX_NESTING: usize = 64;

/// Limit of reported syntax errors: further ones are mostly consequences.
const MAX_ERRORS: usize = 5;

/// A document of definitions; each list is in the order of the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions {
    /// Types and extensions of types.
    pub types: Vec<TypeDefinition>,
    /// `schema` and `extend schema`.
    pub schemas: Vec<SchemaDefinition>,
    pub directives: Vec<DirectiveDefinition>,
}

/// A directive definition. <https://spec.graphql.org/draft/#sec-Type-System.Directives>
#[derive(Clone, Debug, PartialEq)]
pub struct DirectiveDefinition {
    pub name: Arc<str>,
    pub line: usize,
    pub column: usize,
    pub description: Option<Arc<str>>,
    pub arguments: Vec<InputDefinition>,
    /// Names of its locations, as in `FIELD`.
    pub locations: Vec<&'static str>,
    pub is_repeatable: bool,
}

/// A type, or an extension of one.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    pub name: Arc<str>,
    /// From 1, as all lines and columns here.
    pub line: usize,
    pub column: usize,
    pub is_extension: bool,
    pub description: Option<Arc<str>>,
    pub directives: Vec<Directive>,
    pub body: TypeBody,
}

/// The kind of a type, and its members.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeBody {
    Scalar,
    Object(Composite),
    Interface(Composite),
    /// With the names of its members.
    Union(Vec<Named>),
    Enum(Vec<EnumValueDefinition>),
    InputObject(Vec<InputDefinition>),
}

/// Members of objects and interfaces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Composite {
    pub interfaces: Vec<Named>,
    pub fields: Vec<FieldDefinition>,
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: Arc<str>,
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDefinition {
    pub name: Arc<str>,
    pub line: usize,
    pub column: usize,
    pub description: Option<Arc<str>>,
    pub r#type: TypeExpression,
    pub arguments: Vec<InputDefinition>,
    pub directives: Vec<Directive>,
}

/// An argument of a field, or a field of an input object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputDefinition {
    pub name: Arc<str>,
    pub line: usize,
    pub column: usize,
    pub description: Option<Arc<str>>,
    pub r#type: TypeExpression,
    pub default: Option<Literal>,
    pub directives: Vec<Directive>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EnumValueDefinition {
    pub name: Arc<str>,
    pub line: usize,
    pub column: usize,
    pub description: Option<Arc<str>>,
    pub directives: Vec<Directive>,
}

/// A schema definition or extension.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaDefinition {
    pub line: usize,
    pub is_extension: bool,
    pub description: Option<Arc<str>>,
    pub directives: Vec<Directive>,
    /// `query`, `mutation` or `subscription`, and the name of the root type.
    pub operations: Vec<(&'static str, Named)>,
}

/// An applied directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    pub name: Arc<str>,
    pub line: usize,
    pub column: usize,
    pub arguments: Vec<DirectiveArgument>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectiveArgument {
    pub name: Arc<str>,
    pub line: usize,
    pub column: usize,
    pub value: Literal,
    /// Line and column of each string in the value, in the order of the text.
    pub strings: Vec<(usize, usize)>,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    Null,
    Boolean(bool),
    /// The digits.
    Int(Arc<str>),
    /// The digits, point and exponent.
    Float(Arc<str>),
    String(Arc<str>),
    Enum(Arc<str>),
    List(Vec<Literal>),
    Object(Vec<(Arc<str>, Literal)>),
}

impl Literal {
    /// The same value as a default of an input.
    #[must_use]
    pub fn constant(&self) -> Const {
        match self {
            Self::Null => Const::Null,
            Self::Boolean(value) => Const::Boolean(*value),
            // Integers beyond 64 bits occur in custom scalars, and stay numbers.
            Self::Int(digits) => match digits.parse() {
                Ok(value) => Const::Int(value),
                Err(_) => Const::Float(digits.parse().unwrap_or_default()),
            },
            Self::Float(digits) => Const::Float(digits.parse().unwrap_or_default()),
            Self::String(text) => Const::String((&**text).into()),
            Self::Enum(name) => Const::Enum((&**name).into()),
            Self::List(items) => Const::List(items.iter().map(Self::constant).collect()),
            Self::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, value)| ((&**name).into(), value.constant()));
                Const::Object(members.collect())
            }
        }
    }
}

/// The type of a field as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeExpression {
    Named { name: Arc<str>, is_required: bool },
    List { of: Box<TypeExpression>, is_required: bool },
}

impl TypeExpression {
    /// Reads `[Item!]`; `None` if the text is no type.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_matches(WHITE_SPACE);
        // The library panics if a text does not begin as a type does.
        let first = text.chars().next()?;
        if first != '[' && first != '_' && !first.is_ascii_alphabetic() {
            return None;
        }
        let r#type = apollo_compiler::ast::Type::parse(text, "type.graphql").ok()?;
        let expression = convert::type_expression(&r#type);
        // It takes the type at the begin of a longer text.
        let without_space: String = text.split(WHITE_SPACE).collect();
        (expression.to_string() == without_space).then_some(expression)
    }

    /// The name at the bottom of all lists.
    #[must_use]
    pub fn base(&self) -> &Arc<str> {
        match self {
            Self::Named { name, .. } => name,
            Self::List { of, .. } => of.base(),
        }
    }

    /// True if the value, or the list, is non-null.
    #[must_use]
    pub fn is_required(&self) -> bool {
        match self {
            Self::Named { is_required, .. } | Self::List { is_required, .. } => *is_required,
        }
    }
}

impl fmt::Display for TypeExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named { name, .. } => f.write_str(name)?,
            Self::List { of, .. } => write!(f, "[{of}]")?,
        }
        f.write_str(if self.is_required() { "!" } else { "" })
    }
}

/// Parses a document of definitions. Operations and fragments are errors.
pub fn parse_definitions(text: &str) -> Result<Definitions, Vec<GraphQLError>> {
    // The parser rejects an empty document; it counts as one without types.
    if is_blank(text) {
        return Ok(Definitions::default());
    }
    let mut parser = Parser::new().recursion_limit(MAX_NESTING);
    let parsed = parser.parse_ast(text, "definitions.graphql");
    if parser.recursion_reached() > MAX_NESTING {
        let message = format!("Types or values are nested deeper than {MAX_NESTING} levels.");
        return Err(vec![GraphQLError::new(ErrorCode::ParseFailed, message)]);
    }
    let positions = Positions::new(text);
    match parsed {
        Ok(document) => convert::definitions(&document, &positions),
        Err(invalid) => {
            let errors = invalid.errors.iter().take(MAX_ERRORS);
            Err(errors
                .map(|error| library_error(ErrorCode::ParseFailed, error.to_json()))
                .collect())
        }
    }
}

/// True if a text consists of comments and separators.
pub(crate) fn is_blank(text: &str) -> bool {
    text.split(['\n', '\r']).all(|line| {
        let line = line.trim_start_matches([' ', '\t', ',', '\u{FEFF}']);
        line.is_empty() || line.starts_with('#')
    })
}

#[cfg(test)]
mod tests;
