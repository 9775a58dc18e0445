//! Fields whose values statements of the definitions' author give, and the types that only these
//! have: objects that are no nodes, and objects that are given to arguments.

use std::sync::Arc;

use graphql::definitions::Literal;

use super::{Property, PropertyType, Target};

/// `@cypher`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementField {
    pub parts: Vec<StatementPart>,
    /// The column of its rows that is the value.
    pub column: Arc<str>,
    /// Whether its first row alone counts.
    pub only_first: bool,
    pub arguments: Vec<InputValue>,
    pub result: Given,
}

/// A part of a statement's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementPart {
    Text(Arc<str>),
    /// The value of an argument, by its place among those of the field.
    Argument(usize),
    /// A map of all claims of who asks.
    Claims,
    /// A name for the column that ends before it.
    Name(Arc<str>),
    /// Behind what returns nothing: no rows with a column of this name.
    Nothing(Arc<str>),
}

/// What a statement gives, or a field of an object that it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    Value(Property),
    /// By its place in [`super::Model::nodes`].
    Node(usize, Wrapping),
    /// By its place in [`super::Model::objects`].
    Object(usize, Wrapping),
    /// Nodes of several types: of an interface or a union.
    Several(Target, Wrapping),
}

/// What stands around the name of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrapping {
    pub is_list: bool,
    /// Whether the value, or the list, is said to be there always.
    pub is_required: bool,
    /// Whether the elements of a list are.
    pub are_elements_required: bool,
}

/// A type of objects that are no nodes: statements give them as maps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectType {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub fields: Vec<ObjectField>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectField {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub deprecated: Option<Arc<str>>,
    pub given: Given,
}

/// A type of objects that requests give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputType {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub fields: Vec<InputValue>,
}

/// An argument, or a member of an object that a request gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputValue {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub deprecated: Option<Arc<str>>,
    pub kind: InputKind,
    pub wrapping: Wrapping,
    pub default: Option<Literal>,
}

/// The type of a value that a request gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputKind {
    Value(PropertyType),
    /// By its place in [`super::Model::inputs`].
    Object(usize),
}

impl Wrapping {
    /// A type as it is written: `[Movie!]!`.
    #[must_use]
    pub fn around(self, name: &str) -> String {
        let mark = |is_required: bool| if is_required { "!" } else { "" };
        let end = mark(self.is_required);
        match self.is_list {
            true => format!("[{name}{}]{end}", mark(self.are_elements_required)),
            false => format!("{name}{end}"),
        }
    }
}

impl Given {
    /// What stands around the name of its type.
    #[must_use]
    pub fn wrapping(&self) -> Wrapping {
        match self {
            Self::Value(property) => Wrapping {
                is_list: property.is_list,
                is_required: property.is_required,
                are_elements_required: property.are_elements_required,
            },
            Self::Node(_, wrapping) | Self::Object(_, wrapping) | Self::Several(_, wrapping) => {
                *wrapping
            }
        }
    }
}
